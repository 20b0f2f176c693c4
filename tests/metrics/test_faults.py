"""Each claim that a measure notices a fault, on 48 answers in which the fault is planted."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from dialeval.catalogue import CORPUS_MEASURES, METRICS, build_any
from dialeval.catalogue.tasks import MEASURES
from dialeval.core import Resampling, Result
from dialeval.data.types import Assertion, Example, Response, Turn
from dialeval.errors import ResourceUnavailable
from dialeval.evaluation.compare import compare
from dialeval.evaluation.runner import Plan, evaluate, fitted
from dialeval.metrics.faults import ADVICE, NOTICED, Fault, blind_spots
from support.paths import TESTS

ROWS = [json.loads(line) for line in (TESTS / "metrics/facts/answers.jsonl").read_text("utf-8").splitlines()]
GERMAN = (
    "Ihre Bestellung ist unterwegs und kommt morgen an.",
    "Das tut mir leid, ich prüfe das sofort.",
    "Wir melden uns bei Ihnen, wenn es so weit ist.",
    "Leider haben wir den Artikel nicht mehr.",
)


def scrambled(place: int, text: str) -> str:
    words = text.split()
    random.Random(place).shuffle(words)
    return " ".join(words)


PLANTED: Mapping[Fault, Callable[[int, str], str]] = {
    "wrong_facts": lambda place, text: re.sub(r"\d+", lambda match: str(int(match[0]) + 3), text),
    "off_topic": lambda place, text: ROWS[(place + 7) % len(ROWS)]["reference"],
    "truncation": lambda place, text: " ".join(text.split()[: max(1, len(text.split()) // 3)]),
    "repetition": lambda place, text: " ".join([text] * 4),
    "scrambled": scrambled,
    "language": lambda place, text: GERMAN[place % 4],
    "form": lambda place, text: f"Here you are: {text}",
    "wording": lambda place, text: f"{' '.join(text.split()[:-1])}, you idiot.",
}
PLAN = Plan(resampling=Resampling(resamples=200))
CALLS = {
    "distinct": "distinct(n=2)",
    "max_length": "max_length(words=25)",
    "language": "language(code='en')",
    "not_contains": "not_contains(text='idiot')",
    "regex": r"regex(pattern='^(?!Here)(?!.*idiot)')",
}
"""Measures that need a parameter to mean something here."""
NEURAL = (
    "sentence_cosine",
    "bertscore",
    "quality",
    "selfeval",
    "context_cosine",
    "embedding_average",
    "meteor",
)
LIGHT = [name for name in NOTICED if name not in NEURAL and not name.startswith("contradiction")]


ASSERTING = ("contains", "not_contains", "regex", "equals", "json", "assertions")
"""Measures that ask for words or a form, as the reference has them."""


def examples(system: str, said: Callable[[int, str], str], name: str) -> list[Example]:
    """What a system says: a paraphrase, or the reference, which is in JSON where that is asked for."""
    made = []
    for place, row in enumerate(ROWS):
        reference = json.dumps(row["reference"]) if name == "json" else row["reference"]
        honest = reference if name in ASSERTING else row["paraphrase"]
        text = honest if system == "honest" else said(place, reference)
        context = (Turn("user", row["question"]),)
        assertions = {
            "contains": (Assertion("contains", reference.split()[-1]),),
            "equals": (Assertion("equals", reference),),
            "assertions": (
                Assertion("regex", f"^{re.escape(reference[:3])}"),
                Assertion("contains", "idiot", negated=True),
            ),
        }.get(name, ())
        made.append(Example(row["id"], system, context, Response(text), (row["reference"],), (), assertions))
    return made


@cache
def results(name: str) -> dict[str, Result]:
    systems = {"honest": examples("honest", lambda _, text: text, name)}
    systems |= {fault: examples(fault, said, name) for fault, said in PLANTED.items()}
    metric: Any = build_any(CALLS.get(name, name))
    if metric.per_item:
        metric = fitted(metric, [example for each in systems.values() for example in each])
    return {system: evaluate(metric, each, PLAN) for system, each in systems.items()}


def notices(name: str, fault: Fault) -> bool:
    """Whether answers with the fault score significantly worse than truthful paraphrases."""
    found = results(name)
    if not found[fault].scored:
        return False
    comparison = compare(found[fault], found["honest"])
    return comparison.significant and comparison.better == "honest"


@pytest.mark.parametrize("name", LIGHT)
def test_what_a_measure_claims_to_notice_it_notices(name: str) -> None:
    assert {fault for fault in NOTICED[name] if not notices(name, fault)} == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", NEURAL)
def test_what_a_measure_with_weights_claims_to_notice_it_notices(name: str) -> None:
    try:
        results(name)
    except ResourceUnavailable as absence:
        pytest.skip(str(absence))
    assert {fault for fault in NOTICED[name] if not notices(name, fault)} == set()


@pytest.mark.parametrize("name", ["bleu", "rouge_l", "chrf", "cider"])
def test_overlap_does_not_notice_wrong_facts(name: str) -> None:
    assert not notices(name, "wrong_facts")
    assert results(name)["wrong_facts"].score > results(name)["honest"].score


@pytest.mark.slow
@pytest.mark.parametrize("name", ["contradiction_rate", "contradiction_free"])
def test_contradictions_are_noticed_by_the_detector(name: str) -> None:
    said = "I have two dogs and I live in Berlin."
    context = (Turn("user", "Tell me of you."), Turn("assistant", said), Turn("user", "Any pets?"))
    texts = {"consistent": "Yes, I have two dogs.", "contrary": "No, I have no pets, I never had a dog."}
    try:
        metric = build_any(name)
        scores = {
            system: evaluate(metric, [Example("1", system, context, Response(text))], PLAN).score
            for system, text in texts.items()
        }
    except ResourceUnavailable as absence:
        pytest.skip(str(absence))
    worse = scores["contrary"] > scores["consistent"]
    assert worse if name == "contradiction_rate" else scores["contrary"] < scores["consistent"]


def test_the_table_names_measures_and_advice_that_exist() -> None:
    assert set(NOTICED) <= {*METRICS, *CORPUS_MEASURES, *MEASURES}
    for fault, advice in ADVICE.items():
        noticing = {name for name, faults in NOTICED.items() if fault in faults}
        assert advice.partition("(")[0] in noticing if advice else not noticing


def test_blind_spots_are_what_no_measure_notices_and_the_unknown_are_named() -> None:
    found = blind_spots(["rouge_l", "mine"])
    assert found.faults == (
        "wrong_facts",
        "contradiction",
        "truncation",
        "repetition",
        "scrambled",
        "form",
        "wording",
    )
    assert found.unknown == ("mine",)
    assert "wrong_facts" not in blind_spots(["rouge_l", "facts"]).faults
