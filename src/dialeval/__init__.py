"""dialeval: which dialogue system is better, and can you trust the number?

    from dialeval import Bleu, compare, evaluate, read

    old = evaluate(Bleu(order=2), read("old.jsonl", "example"))
    new = evaluate(Bleu(order=2), read("new.jsonl", "example"))
    print(new.score, new.interval)
    print(compare(new, old).verdict)

This page is the whole public surface.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

from dialeval.version import __version__

if TYPE_CHECKING:
    from dialeval.compare import Comparison, compare, compare_all
    from dialeval.core import (
        CorpusMeasure,
        CorpusResult,
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
    from dialeval.corpus import evaluate_corpus
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
    from dialeval.meta import (
        Joined,
        Ratings,
        agreement_of,
        correlate,
        estimate_systems,
        examine,
        join,
        read_judgements,
    )
    from dialeval.metrics import (
        CORPUS_MEASURES,
        METRICS,
        BertScore,
        Bleu,
        Chrf,
        Cider,
        Distinct,
        EmbeddingAverage,
        GreedyMatching,
        Length,
        Meteor,
        OverlapScores,
        RougeL,
        SelfBleu,
        SentenceCosine,
        SkipThought,
        VectorExtrema,
        Vocabulary,
        bert_score,
        build,
        score_strings,
    )
    from dialeval.report import render
    from dialeval.scoring import score
    from dialeval.selection.asking import Asked, ask
    from dialeval.selection.building import Draft, build_draft
    from dialeval.selection.choosers import EncoderChooser, TfIdfChooser
    from dialeval.selection.measures import SelectionAccuracy
    from dialeval.selection.repository import Repository, build_repository
    from dialeval.study import Study, Workshop, load_run, load_study, run_study, write_run
    from dialeval.systems import (
        SYSTEMS,
        Echo,
        HuggingFace,
        OpenAI,
        Random,
        Retrieval,
        Trained,
        Transcript,
    )
    from dialeval.systems.building import build_system
    from dialeval.systems.conversation import Script, converse
    from dialeval.systems.decoding import Decoding

_HOME: Final = {
    "compare": "Comparison compare compare_all",
    "core": "CorpusMeasure CorpusResult Detector Generator Interval LikelihoodModel Metric Missing Provenance Replayer"
    " Result Signature System",
    "corpus": "evaluate_corpus",
    "data": "Candidate Dialogue Example Judgement NBest Prompt Question Response Turn"
    " read read_prompts read_texts write",
    "engine": "Cache InProcess ProcessPool",
    "errors": "DialevalError",
    "evaluate": "by_dialogue evaluate",
    "meta": "Joined Ratings agreement_of correlate estimate_systems examine join read_judgements",
    "report": "render",
    "metrics": "CORPUS_MEASURES METRICS BertScore Bleu Chrf Cider Distinct EmbeddingAverage GreedyMatching"
    " Length Meteor OverlapScores RougeL SelfBleu SentenceCosine SkipThought VectorExtrema Vocabulary"
    " bert_score build score_strings",
    "scoring": "score",
    "selection.asking": "Asked ask",
    "selection.building": "Draft build_draft",
    "selection.choosers": "EncoderChooser TfIdfChooser",
    "selection.measures": "SelectionAccuracy",
    "selection.repository": "Repository build_repository",
    "study": "Study Workshop load_run load_study run_study write_run",
    "systems": "SYSTEMS Echo HuggingFace OpenAI Random Retrieval Trained Transcript",
    "systems.building": "build_system",
    "systems.conversation": "Script converse",
    "systems.decoding": "Decoding",
}
"""Where each public name lives: rooms are entered when one of their names is first used, so importing stays quick."""
_ROOM_OF: Final = {name: room for room, names in _HOME.items() for name in names.split()}

__all__ = [
    "CORPUS_MEASURES",
    "METRICS",
    "SYSTEMS",
    "Asked",
    "BertScore",
    "Bleu",
    "Cache",
    "Candidate",
    "Chrf",
    "Cider",
    "Comparison",
    "CorpusMeasure",
    "CorpusResult",
    "Decoding",
    "Detector",
    "DialevalError",
    "Dialogue",
    "Distinct",
    "Draft",
    "Echo",
    "EmbeddingAverage",
    "EncoderChooser",
    "Example",
    "Generator",
    "GreedyMatching",
    "HuggingFace",
    "InProcess",
    "Interval",
    "Joined",
    "Judgement",
    "Length",
    "LikelihoodModel",
    "Meteor",
    "Metric",
    "Missing",
    "NBest",
    "OpenAI",
    "OverlapScores",
    "ProcessPool",
    "Prompt",
    "Provenance",
    "Question",
    "Random",
    "Ratings",
    "Replayer",
    "Repository",
    "Response",
    "Result",
    "Retrieval",
    "RougeL",
    "Script",
    "SelectionAccuracy",
    "SelfBleu",
    "SentenceCosine",
    "Signature",
    "SkipThought",
    "Study",
    "System",
    "TfIdfChooser",
    "Trained",
    "Transcript",
    "Turn",
    "VectorExtrema",
    "Vocabulary",
    "Workshop",
    "__version__",
    "agreement_of",
    "ask",
    "bert_score",
    "build",
    "build_draft",
    "build_repository",
    "build_system",
    "by_dialogue",
    "compare",
    "compare_all",
    "converse",
    "correlate",
    "estimate_systems",
    "evaluate",
    "evaluate_corpus",
    "examine",
    "join",
    "load_run",
    "load_study",
    "read",
    "read_judgements",
    "read_prompts",
    "read_texts",
    "render",
    "run_study",
    "score",
    "score_strings",
    "write",
    "write_run",
]


def __getattr__(name: str) -> object:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'dialeval' has no attribute {name!r}")
    value = getattr(import_module(f"dialeval.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Front(ModuleType):
    """The package itself, where ``evaluate`` and ``compare`` stay the functions though modules bear those names."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _ROOM_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Front
