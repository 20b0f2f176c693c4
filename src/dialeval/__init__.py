"""dialeval: which dialogue system is better, and can you trust the number?

    from dialeval import Bleu, compare, evaluate, read

    old = evaluate(Bleu(order=2), read("old.jsonl", "example"))
    new = evaluate(Bleu(order=2), read("new.jsonl", "example"))
    print(new.score, new.interval)
    print(compare(new, old).sentence)

``__init__.pyi`` beside this file lists the whole public surface.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

from dialeval.lazy import modules_of
from dialeval.version import __version__ as __version__

_MODULE_OF: Final = modules_of(Path(__file__).with_suffix(".pyi"))
"""Each public name and the module that defines it, as the stub beside this file lists them.

Modules are imported when one of their names is first used, so that ``import dialeval`` is fast.
"""

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'dialeval' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
