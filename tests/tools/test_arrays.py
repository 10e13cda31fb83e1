"""The formulas on the arrays of JAX and PyTorch, which `make test-tools` installs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from array_libraries import Lists, hold
from gainful.backends import arrays
from gainful.errors import ArgumentError
from requirements import need

pytestmark = pytest.mark.peer


@pytest.fixture(params=[True, False], ids=["64 bits", "32 bits"])
def bits(request: pytest.FixtureRequest) -> Iterator[bool]:
    jax = need("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", before)


def test_jax(bits: bool) -> None:
    import jax.numpy

    def make(array: Any) -> Any:
        return jax.numpy.asarray(array)

    assert hold(make, np.asarray, 1e-12 if bits else 1e-5) > 10_000


def test_jax_compiles_it(bits: bool) -> None:
    import jax

    lists = Lists(4)
    given = [jax.numpy.asarray(each) for each in (lists.grades, lists.scores, lists.where)]

    def mean(grades: Any, scores: Any, where: Any) -> Any:
        return arrays.ndcg(grades, scores=scores, where=where, k=5).mean()

    assert float(jax.jit(mean)(*given)) == pytest.approx(float(mean(*given)), abs=1e-6)

    def refusing(grades: Any, scores: Any) -> Any:
        return arrays.ndcg(grades, scores=scores, ties="error")

    with pytest.raises(ArgumentError, match="not available inside jit"):
        jax.jit(refusing)(*given[:2])


def test_torch() -> None:
    torch = need("torch")
    need("array_api_compat")

    def back(tensor: Any) -> Any:
        assert isinstance(tensor, torch.Tensor)
        return tensor.numpy()

    assert hold(torch.tensor, back, 1e-12, torch.float64) > 10_000
    assert hold(torch.tensor, back, 1e-5) > 10_000


def test_torch_differentiates_through_grades() -> None:
    torch = need("torch")
    need("array_api_compat")
    grades = torch.tensor([[1.0, 2.0, 0.0]], requires_grad=True)
    arrays.dcg(grades, scores=torch.tensor([[3.0, 2.0, 1.0]])).sum().backward()
    expected = 1 / np.log2([2, 3, 4])
    np.testing.assert_allclose(grades.grad.numpy()[0], expected, rtol=1e-6)


def test_what_torch_makes_is_refused_by_name() -> None:
    torch = need("torch")
    need("array_api_compat")
    grades, scores = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 2.0]])
    with pytest.raises(ArgumentError, match=r"grades: a tensor of the layout torch.sparse_coo"):
        arrays.ndcg(grades.to_sparse(), scores=scores)
    with pytest.raises(ArgumentError, match=r"an array of numpy, but others are of torch"):
        arrays.ndcg(grades, scores=scores.numpy())
