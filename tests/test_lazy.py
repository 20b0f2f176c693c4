"""Packages that import their names when these are first used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

from dialeval.lazy import lazily, modules_of

LAZY = (
    "dialeval.catalogue",
    "dialeval.data",
    "dialeval.meta",
    "dialeval.ratings",
    "dialeval.stats",
    "dialeval.study",
)


@pytest.mark.parametrize("name", LAZY)
def test_every_name_is_what_its_module_defines(name):
    package = import_module(name)
    for public, module in _names(package).items():
        assert getattr(package, public) is getattr(import_module(module), public)


@pytest.mark.parametrize("name", LAZY)
def test_no_module_can_take_the_place_of_a_name_that_comes_later(name):
    package = import_module(name)
    source = Path(package.__file__).read_text(encoding="utf-8")
    at_once = set(modules_of(package.__file__).values()) - {
        line.split()[1] for line in source.splitlines() if line.startswith("    from ")
    }
    for module in iter_modules(package.__path__):
        if module.name in _names(package):
            assert f"{name}.{module.name}" in at_once


def _names(package: ModuleType) -> dict[str, str]:
    names = modules_of(package.__file__ or "")
    return {name: module for name, module in names.items() if module.startswith(f"{package.__name__}.")}


def test_what_a_package_does_not_name_is_refused(tmp_path):
    file = tmp_path / "names.py"
    file.write_text("if TYPE_CHECKING:\n    from math import (\n        pi,\n        tau as tau,\n    )\n")
    assert modules_of(file) == {"pi": "math", "tau": "math"}
    with pytest.raises(AttributeError, match="module 'dialeval' has no attribute 'e'"):
        lazily("dialeval", file)("e")
