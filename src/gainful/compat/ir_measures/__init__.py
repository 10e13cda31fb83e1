"""A provider for ir_measures that precedes its own providers.

    import gainful.compat.ir_measures

    gainful.compat.ir_measures.register()

Afterwards `ir_measures.calc_aggregate`, `calc`, `iter_calc`, `evaluator` and the same methods of
measures are computed by Gainful if it supports the measure, else by the providers of ir_measures.
`provider` can also be called directly, like any provider of ir_measures:

    from gainful.compat.ir_measures import provider

    provider.calc_aggregate([nDCG @ 10, AP], qrels, run)

The first of these calls imports ir_measures.
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
    """The registration of the provider; as a context manager, for a block."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def undo(self) -> None:
        """Unregister the provider, unless it was registered before."""
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
    """Register Gainful before the providers of ir_measures.

    It is added to ``ir_measures.DefaultPipeline`` after the measures that the user defined
    (``ir_measures.define``), before all others, and to ``ir_measures.providers.registry`` as
    ``"gainful"``. A second call does nothing.

    Returns
    -------
    Registration
        ``undo()`` unregisters the provider; it is also a context manager.

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
    """Unregister the provider; do nothing if it is not registered."""
    import ir_measures

    from gainful.compat.ir_measures.adapter import provider

    pipeline = ir_measures.DefaultPipeline.providers
    if provider in pipeline:
        pipeline.remove(provider)
    ir_measures.providers.registry.pop(provider.NAME, None)
