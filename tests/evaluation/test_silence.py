"""Items that a system left unanswered: they count as the worst value, whatever keeps a metric from judging them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from dialeval.core import Missing, Signature
from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.evaluation.corpus import evaluate_corpus
from dialeval.evaluation.runner import Plan, evaluate, evaluate_any
from dialeval.evaluation.runs import over_runs, repeated
from dialeval.evaluation.silence import is_unanswered
from dialeval.metrics import build, build_any
from dialeval.metrics.rows import MeanOfValues, rows_of_values

CONTEXT = (Turn("assistant", "I have a dog."), Turn("user", "Is the station far from here?"))
REFERENCE = "The station is over there."


def example(item: str, response: str | None, references: tuple[str, ...] = (REFERENCE,)) -> Example:
    said = Response("", missing="no response (null)") if response is None else Response(response)
    return Example(item, "bot", CONTEXT, said, references)


@dataclass(frozen=True, slots=True)
class Polite(MeanOfValues):
    """Share of responses without a bad word, which an empty one has not."""

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def signature(self) -> Signature:
        return Signature("polite")

    def unscorable(self, subject: Example) -> str | None:
        return None

    def statistics(self, subjects: list[Example]) -> np.ndarray:
        return rows_of_values([float("damn" not in subject.response.text) for subject in subjects])


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ufeff \u2060", "\u00a0\u3000", "\u2800"])
def test_a_response_that_shows_nothing_is_no_answer(text):
    assert is_unanswered(example("1", text))


@pytest.mark.parametrize("text", ["?", "…", "🙂", "\u200bno", "0"])
def test_a_response_that_shows_anything_is_an_answer(text):
    assert not is_unanswered(example("1", text))


def test_only_what_the_system_left_out_is_unanswered():
    assert is_unanswered(example("1", None))
    assert is_unanswered(Missing("1", "bot", "no list", "silent"))
    assert not is_unanswered(Missing("1", "bot", "HTTP 500"))
    assert not is_unanswered(Example("1", "bot", (), Response("", missing="HTTP 500", cause="failed")))
    assert is_unanswered(Dialogue("1", (Turn("user", "Hello?"), Turn("assistant", " "))))
    assert not is_unanswered(Dialogue("1", (Turn("user", "Hello?"), Turn("user", ""))))


@pytest.mark.parametrize("silent", [None, "", "\u200b"])
@pytest.mark.parametrize("metric", ["rouge_l", "bleu(order=2)", "chrf"])
def test_silence_in_all_its_forms_is_an_empty_response(metric, silent):
    given = [example("1", REFERENCE), example("2", silent), example("3", "over there")]
    plain = [example("1", REFERENCE), example("2", ""), example("3", "over there")]
    metric = build(metric)
    found = evaluate(metric, given)
    expected = float(metric.aggregate(metric.statistics(plain).sum(axis=0)))
    assert found.score == pytest.approx(expected)
    assert (found.scored, found.unanswered, found.filled, dict(found.reasons)) == (3, 1, 1, {})


def test_a_metric_that_would_praise_silence_does_not():
    found = evaluate(Polite(), [example("1", "Yes."), example("2", ""), example("3", None)])
    assert found.values.tolist() == [1, 0, 0]
    shared = evaluate_any(Polite(), [example("1", "Yes."), example("2", "")], Plan(silence="unscored"))
    assert shared.values.tolist() == [1, 1]  # as the metric says, where the study chose so


def test_an_item_that_nobody_could_be_judged_on_stays_unscored():
    found = evaluate(build("rouge_l"), [example("1", None, ()), example("2", REFERENCE)])
    assert dict(found.reasons) == {0: "no references"}
    assert (found.score, found.unanswered, found.filled) == (1.0, 1, 0)


def test_what_we_failed_on_stays_unscored():
    found = evaluate(build("rouge_l"), [Missing("1", "bot", "HTTP 500"), example("2", REFERENCE)])
    assert (dict(found.reasons), found.unanswered) == ({0: "HTTP 500"}, 0)


def test_corpus_measures_leave_silence_out():
    found = evaluate_corpus(
        build_any("distinct(n=1)"), [example("1", "a b"), example("2", ""), example("3", None)]
    )
    assert (found.scored, found.unanswered) == (1, 2)


def test_an_item_that_one_run_left_unanswered_is_unanswered():
    runs = repeated(
        [[example("1", REFERENCE), example("2", REFERENCE)], [example("1", REFERENCE), example("2", None)]]
    )
    found = evaluate_any(over_runs(build("rouge_l"), 2), runs, Plan())
    assert found.values.tolist() == [1, 0]
    assert (found.unanswered, found.filled) == (1, 1)


def test_a_function_says_itself_what_silence_is_worth(tmp_path: Path):
    (tmp_path / "own.py").write_text("def exact(response, references):\n    return response in references\n")
    metric = build_any("own.py:exact", tmp_path)
    assert evaluate(metric, [example("1", REFERENCE), example("2", None)]).values.tolist() == [1, 0]


def test_a_function_that_would_praise_silence_does_not_once_it_declares_limits(tmp_path: Path):
    code = "def calm(response):\n    return '!' not in response\n"
    (tmp_path / "own.py").write_text(code)
    given = [example("1", "Yes."), example("2", "")]
    assert evaluate(build_any("own.py:calm", tmp_path), given).values.tolist() == [1, 1]
    (tmp_path / "bounded.py").write_text(f"{code}\n\ncalm.limits = (0, 1)\n")
    assert evaluate(build_any("bounded.py:calm", tmp_path), given).values.tolist() == [1, 0]


def test_all_silence_has_the_worst_score():
    found = evaluate(build("rouge_l"), [example(str(n), None) for n in range(5)])
    assert (found.score, found.unanswered, found.filled) == (0, 5, 5)


@pytest.mark.parametrize(
    "name", ["embedding_average", "vector_extrema", "greedy_matching", "sentence_cosine"]
)
def test_the_stated_value_of_silence_is_what_a_metric_computes_of_an_empty_response(name):
    metric = build(name)
    assert float(metric.aggregate(metric.statistics([example("1", "")]).sum(axis=0))) == metric.silence
