"""ir_measures measured by Gainful: a provider that is asked before its own ones.

    import gainful.compat.ir_measures

    gainful.compat.ir_measures.register()

From there on `ir_measures.calc_aggregate`, `calc`, `iter_calc`, `evaluator`, the same methods of
measures, and whatever is built on them are computed by Gainful, as far as it knows the measure; the
rest goes to the providers of ir_measures, as before. `provider` can also be called directly, as any
provider of ir_measures:

    from gainful.compat.ir_measures import provider

    provider.calc_aggregate([nDCG @ 10, AP], qrels, run)

ir_measures is imported by the first of these calls, and never by Gainful itself.
"""

from __future__ import annotations

from gainful._lazy import load_on_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from gainful.compat.ir_measures.adapter import provider

__all__ = ["Registration", "provider", "register", "unregister"]

load_on_use(globals(), {"adapter": ["provider"]})


class Registration:
    """That the provider is registered; as a context manager, only within the block."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def undo(self) -> None:
        """Take the provider out again, unless it was there before."""
        if not self._before:
            unregister()

    def __enter__(self) -> Registration:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.undo()

    def __repr__(self) -> str:
        return "<Gainful is a provider of ir_measures>"


def register() -> Registration:
    """Let ir_measures ask Gainful before its own providers.

    It stands in ``ir_measures.DefaultPipeline`` behind the measures that the user defined
    (``ir_measures.define``) and before all others, and in ``ir_measures.providers.registry`` as
    ``"gainful"``. Registering twice is registering once.

    Returns
    -------
    Registration
        Whose ``undo()`` takes the provider out again; a context manager that does so at its end.

    Raises
    ------
    ImportError
        If ir_measures is not installed.
    """
    import ir_measures

    from gainful.compat.ir_measures.adapter import provider

    pipeline = ir_measures.DefaultPipeline.providers
    before = provider in pipeline
    if not before:
        runtime = ir_measures.runtime
        pipeline.insert(pipeline.index(runtime) + 1 if runtime in pipeline else 0, provider)
        ir_measures.providers.register(provider)
    return Registration(before)


def unregister() -> None:
    """Leave ir_measures to its own providers again; nothing happens if they are alone already."""
    import ir_measures

    from gainful.compat.ir_measures.adapter import provider

    pipeline = ir_measures.DefaultPipeline.providers
    if provider in pipeline:
        pipeline.remove(provider)
    ir_measures.providers.registry.pop(provider.NAME, None)
