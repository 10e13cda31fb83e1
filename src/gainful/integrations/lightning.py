"""A callback that evaluates rankings in Lightning's validation and test loops."""

from __future__ import annotations

from importlib.util import find_spec

import numpy

from gainful.conventions import get
from gainful.errors import ParameterError
from gainful.integrations.lists import evaluate_lists, flatten_means, split_lists
from gainful.measures.choosing import choose_measures
from gainful.packages import load_package

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gainful.conventions import Convention
    from gainful.integrations.lists import Measures

__all__ = ["make_callback"]

_KEYS = ("labels", "scores", "queries")


def make_callback(
    measures: Measures = None,
    *,
    convention: Convention | str = "gainful-1",
    names: str = "trec",
    intervals: bool = True,
) -> Any:
    """Make a callback that logs measures of rankings after each validation and test.

    ``validation_step`` and ``test_step`` return a dict with the keys ``labels``, ``scores`` and
    ``queries``. Labels are grades, and queries are integers, all of shape (items,). Without
    queries, each row is a list: labels and scores have the shape (lists, items), and a label of
    -100 marks padding. The items of a query may be in several batches and processes.

    Parameters
    ----------
    measures : Measure, str, or several of them, optional
        The measures. Default: nDCG@10, or those of the convention.
    convention : Convention or str
        The convention, as for `gainful.integrations.lists.evaluate_lists`.
    names : {"trec", "gainful"}
        How measures are named; see `Evaluation.means`. The names begin with ``val_`` or ``test_``,
        so ``monitor="val_ndcg_cut_10"`` selects a checkpoint. With several data loaders they end
        with the number of the loader: ``val_ndcg_cut_10/0``.
    intervals : bool
        Whether to add the ends of the 95% intervals, as ``NAME_low`` and ``NAME_high``.

    Returns
    -------
    lightning.pytorch.Callback
        Its attribute `evaluation` is the `gainful.Evaluation` of the last loop.

    Raises
    ------
    MissingPackageError
        If neither ``lightning`` nor ``pytorch_lightning`` is installed.
    MeasureError, ConventionError
        For invalid measures or conventions.

    Notes
    -----
    In several processes, Lightning's sampler repeats samples to make the shares equal. Use a
    sampler without repetitions, ``Trainer(use_distributed_sampler=False)``.

    Examples
    --------
    >>> callback = make_callback(["nDCG@10", "RR"])
    >>> callback.evaluation is None
    True
    """
    name = "lightning.pytorch" if find_spec("lightning") else "pytorch_lightning"
    package = load_package(name, where="make_callback", package="lightning")
    policies = get(convention)
    chosen = choose_measures(measures, policies)

    class RankingCallback(package.Callback):  # type: ignore[misc, name-defined]
        """A callback that logs measures of rankings."""

        def __init__(self) -> None:
            super().__init__()
            self.evaluation: Any = None
            #: The outputs of the batches, by data loader.
            self._parts: dict[int, list[dict[str, Any]]] = {}

        def _start(self, *about: Any) -> None:
            self._parts = {}

        on_validation_epoch_start = on_test_epoch_start = _start

        def _add(
            self,
            trainer: Any,
            module: Any,
            outputs: Any,
            batch: Any,
            batch_idx: int,
            dataloader_idx: int = 0,
        ) -> None:
            if not hasattr(outputs, "keys") or not {"labels", "scores"} <= set(outputs.keys()):
                raise ParameterError(
                    "the step does not return labels and scores",
                    where="validation_step or test_step",
                    hint="return {'labels': ..., 'scores': ..., 'queries': ...}",
                )
            self._parts.setdefault(dataloader_idx, []).append(
                {key: outputs[key].detach().cpu().numpy() for key in _KEYS if key in outputs}
            )

        on_validation_batch_end = on_test_batch_end = _add

        def _log(self, trainer: Any, module: Any, prefix: str) -> None:
            several = len(self._parts) > 1
            for loader, part in self._parts.items():
                parts = _gather(part) if trainer.world_size > 1 else part
                lists = split_lists(*(_join(parts, key) for key in _KEYS))
                self.evaluation = evaluate_lists(*lists, chosen, convention=policies)
                values = flatten_means(
                    self.evaluation, names=names, prefix=prefix, intervals=intervals
                )
                end = f"/{loader}" if several else ""
                module.log_dict({f"{name}{end}": value for name, value in values.items()})

        def on_validation_epoch_end(self, trainer: Any, module: Any) -> None:
            self._log(trainer, module, "val_")

        def on_test_epoch_end(self, trainer: Any, module: Any) -> None:
            self._log(trainer, module, "test_")

    return RankingCallback()


def _gather(parts_of_process: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parts of all processes, in their order."""
    distributed = load_package("torch.distributed")
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, parts_of_process)
    return [part for parts in gathered for part in parts]


def _join(parts: list[dict[str, Any]], key: str) -> Any:
    """Return an output of all batches; rows of other widths are padded with NaN."""
    arrays = [part[key] for part in parts if key in part]
    if not arrays:
        return None
    if arrays[0].ndim == 2:
        width = max(array.shape[1] for array in arrays)
        arrays = [_pad(array, width) for array in arrays]
    return numpy.concatenate(arrays)


def _pad(array: Any, width: int) -> Any:
    missing = ((0, 0), (0, width - array.shape[1]))
    return numpy.pad(array.astype(float), missing, constant_values=numpy.nan)
