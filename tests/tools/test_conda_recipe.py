"""The recipe for conda is read by rattler-build."""

from __future__ import annotations

import tomllib

import pytest

from requirements import ROOT, need

pytestmark = pytest.mark.peer

FOLDER = ROOT / "packaging" / "conda"


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64"])
def test_the_recipe_is_rendered(platform: str) -> None:
    build = need("rattler_build")
    recipe = build.Stage0Recipe.from_file(FOLDER / "recipe.yaml")
    # Without pins of the standard library of C, it is refused.
    pins = build.VariantConfig.from_file(FOLDER / "variants.yaml")
    target = build.RenderConfig(platform=build.PlatformConfig(target_platform=platform))
    (rendered,) = recipe.render(pins, target)
    assert rendered.recipe.package.name == "gainful"
    needed = rendered.recipe.requirements.to_dict()
    assert f"rust_{platform}" in needed["build"]
    assert "python-abi3 3.11.*" in needed["host"]
    # What the wheel needs, and nothing else.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dependencies = [line.replace(">=", " >=") for line in project["dependencies"]]
    assert needed["run"] == [f"python {project['requires-python']}", *dependencies]
