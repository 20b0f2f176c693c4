"""dialeval: which dialogue system is better, and can you trust the number?

    from dialeval import Bleu, compare, evaluate, read

    old = evaluate(Bleu(order=2), read("old.jsonl", "example"))
    new = evaluate(Bleu(order=2), read("new.jsonl", "example"))
    print(new.estimate)
    print(compare(new, old).sentence)

``__init__.pyi`` beside this file lists the whole public surface.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from dialeval.lazy import modules_of
from dialeval.version import __version__ as __version__


@cache
def _module_of() -> dict[str, str]:
    """Each public name and the module that defines it, as the stub beside this file lists them.

    Modules are imported when one of their names is first used, so that ``import dialeval`` is fast.
    """
    return modules_of(Path(__file__).with_suffix(".pyi"))


def __getattr__(name: str) -> object:
    if name == "__all__":
        return __dir__()
    if name not in _module_of():
        raise AttributeError(f"module 'dialeval' has no attribute {name!r}")
    value = getattr(import_module(_module_of()[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_module_of())
