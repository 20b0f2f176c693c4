"""dialeval: which dialogue system is better, and can you trust the number?

    from dialeval import Bleu, compare, evaluate, read

    old = evaluate(Bleu(order=2), read("old.jsonl", "example"))
    new = evaluate(Bleu(order=2), read("new.jsonl", "example"))
    print(new.score, new.interval)
    print(compare(new, old).verdict)

This page is the whole public surface.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from dialeval.compare import Comparison, compare, compare_all
from dialeval.core import (
    Detector,
    Generator,
    Interval,
    LikelihoodModel,
    Metric,
    Missing,
    Provenance,
    Replayer,
    Result,
    Signature,
    System,
)
from dialeval.data import (
    Candidate,
    Dialogue,
    Example,
    Judgement,
    NBest,
    Prompt,
    Question,
    Response,
    Turn,
    read,
    read_prompts,
    read_texts,
    write,
)
from dialeval.engine import Cache, InProcess, ProcessPool
from dialeval.errors import DialevalError
from dialeval.evaluate import by_dialogue, evaluate
from dialeval.metrics import METRICS, Bleu, Length, RougeL, build
from dialeval.systems import SYSTEMS, Echo, Random, Retrieval, Transcript
from dialeval.version import __version__

if TYPE_CHECKING:
    from dialeval.study import Study, load_study, run_study, write_run

_LAZY: Final = {"Study": "study", "load_study": "study", "run_study": "study", "write_run": "study"}
"""Names whose rooms bring heavy libraries (pydantic, pyarrow): loaded when first used."""

__all__ = [
    "METRICS",
    "SYSTEMS",
    "Bleu",
    "Cache",
    "Candidate",
    "Comparison",
    "Detector",
    "DialevalError",
    "Dialogue",
    "Echo",
    "Example",
    "Generator",
    "InProcess",
    "Interval",
    "Judgement",
    "Length",
    "LikelihoodModel",
    "Metric",
    "Missing",
    "NBest",
    "ProcessPool",
    "Prompt",
    "Provenance",
    "Question",
    "Random",
    "Replayer",
    "Response",
    "Result",
    "Retrieval",
    "RougeL",
    "Signature",
    "Study",
    "System",
    "Transcript",
    "Turn",
    "__version__",
    "build",
    "by_dialogue",
    "compare",
    "compare_all",
    "evaluate",
    "load_study",
    "read",
    "read_prompts",
    "read_texts",
    "run_study",
    "write",
    "write_run",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'dialeval' has no attribute {name!r}")
    return getattr(import_module(f"dialeval.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
