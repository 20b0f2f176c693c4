"""Items that a system left unanswered: they count as the worst value, whatever keeps a metric from judging them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from dialeval.catalogue import build, build_any
from dialeval.core import Missing, Signature
from dialeval.data.types import Dialogue, Example, Response, Turn
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.evaluation.runs import over_runs, repeated
from dialeval.evaluation.silence import is_unanswered
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
    assert is_unanswered(Dialogue("1", (Turn("user", "Hello?"), Turn("user", ""))))
    assert not is_unanswered(Dialogue("1", (Turn("A", "Hello?"), Turn("B", ""))))  # people among themselves


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
    shared = evaluate(Polite(), [example("1", "Yes."), example("2", "")], Plan(silence="unscored"))
    assert shared.values.tolist() == [1, 1]  # as the metric says, where the study chose so


def test_an_item_that_nobody_could_be_judged_on_stays_unscored():
    found = evaluate(build("rouge_l"), [example("1", None, ()), example("2", REFERENCE)])
    assert dict(found.reasons) == {0: "no references"}
    assert (found.score, found.unanswered, found.filled) == (1.0, 1, 0)


def test_what_we_failed_on_stays_unscored():
    found = evaluate(build("rouge_l"), [Missing("1", "bot", "HTTP 500"), example("2", REFERENCE)])
    assert (dict(found.reasons), found.unanswered) == ({0: "HTTP 500"}, 0)


def test_corpus_measures_leave_silence_out():
    found = evaluate(build_any("distinct(n=1)"), [example("1", "a b"), example("2", ""), example("3", None)])
    assert (found.scored, found.unanswered) == (1, 2)


def runs_of(*answers: tuple[str | None, ...]) -> list[object]:
    """Repeated answers; each tuple has those of one run."""
    return list(repeated([[example(str(n), text) for n, text in enumerate(run)] for run in answers]))


@pytest.mark.parametrize("silent", [None, ""])
def test_only_the_run_that_left_an_item_unanswered_counts_as_the_worst(silent):
    good = (REFERENCE, REFERENCE)
    runs = runs_of(good, (REFERENCE, silent), good, good, good)
    found = evaluate(over_runs(build("rouge_l"), 5), runs, Plan())
    assert found.values.tolist() == pytest.approx([1, 0.8])
    assert (found.unanswered, found.filled) == (1, 1)


def test_pooled_counts_of_a_run_that_said_nothing_are_those_of_an_empty_response():
    bleu = build("bleu(order=2)")
    plain = [example("0", REFERENCE), example("1", "")]
    without = float(bleu.aggregate(bleu.statistics(plain).sum(axis=0)))
    runs = runs_of((REFERENCE, REFERENCE), (REFERENCE, None))
    found = evaluate(over_runs(bleu, 2), runs, Plan())
    assert 0 < without < 1
    assert found.score == pytest.approx((1 + without) / 2)


def test_an_item_that_one_run_left_unanswered_and_another_cannot_be_judged_on_has_no_value():
    metric = over_runs(build(r"regex(pattern='(a+)+$')"), 3)
    found = evaluate(metric, runs_of(("aa",), (None,), ("a" * 3000 + "b",)), Plan())
    assert found.reasons[0].startswith("run 3: the pattern")


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Share of the words that the reference has, pooled over responses; says not that it is no mean of values."""

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def signature(self) -> Signature:
        return Signature("known_words")

    def unscorable(self, subject: Example) -> str | None:
        return None

    def statistics(self, subjects: list[Example]) -> np.ndarray:
        words = [subject.response.text.split() for subject in subjects]
        counts = [(sum(word in REFERENCE for word in said), len(said)) for said in words]
        return np.array(counts, dtype=np.float64).reshape(-1, 2)

    def aggregate(self, totals: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return totals[..., 0] / totals[..., 1]


@pytest.mark.parametrize("answer", ["over", "over there"])
def test_pooled_counts_that_all_happen_to_be_1_are_not_taken_for_a_mean(answer):
    found = evaluate(KnownWords(), [example("1", answer), example("2", None), example("3", answer)])
    assert (found.score, found.filled, found.reasons[1]) == (1, 0, "no response (null)")


@pytest.mark.parametrize("metric", ["contradiction_rate", "contradiction_free", "language(code='en')"])
def test_an_item_whose_own_texts_are_too_short_to_be_judged_counts_all_the_same(metric):
    """One sentence cannot contradict itself, and "OK." is of no language: silence was left out, answers were not."""
    asked = (Turn("user", "Hm?"),)
    said = "Yes, you can take the train. It leaves at nine from the station that is over there."
    given = [Example(n, "bot", asked, Response(text), ("OK.",)) for n, text in (("1", said), ("2", ""))]
    found = evaluate(build(metric), given)
    assert (found.scored, found.filled, found.uncounted) == (2, 1, 0)
    assert found.values[1] == found.metric.worst


def test_silence_that_has_no_value_is_told_from_items_that_cannot_be_judged():
    rouge = evaluate(build("rouge_l"), [example("1", None, ()), example("2", None), example("3", REFERENCE)])
    assert (rouge.unanswered, rouge.filled, rouge.uncounted) == (2, 1, 0)
    pooled = evaluate(KnownWords(), [example("1", "over"), example("2", None)])
    assert (pooled.unanswered, pooled.filled, pooled.uncounted) == (1, 0, 1)
    several = evaluate(build_any("distinct(n=1)"), [example("1", "a b"), example("2", "")])
    assert (several.unanswered, several.uncounted) == (1, 1)


@pytest.mark.parametrize("limits", ["", "decency.limits = (0, 1)\n"])
def test_a_function_that_has_no_value_for_silence_leaves_it_uncounted_or_declares_limits(tmp_path, limits):
    code = "def decency(response):\n    return float('!' not in response) if response else None\n\n\n"
    (tmp_path / "own.py").write_text(code + limits)
    found = evaluate(build_any("own.py:decency", tmp_path), [example("1", "Yes."), example("2", "")])
    assert (found.scored, found.filled, found.uncounted) == ((2, 1, 0) if limits else (1, 0, 1))


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


@pytest.mark.parametrize("name", ["embedding_average", "vector_extrema", "greedy_matching"])
def test_silence_counts_under_measures_with_further_columns(name: str) -> None:
    said = ["a lamp", "", "the lamp is nice"]
    subjects = [
        Example(str(place), "s", (), Response(text), ("a nice lamp",)) for place, text in enumerate(said)
    ]
    result = evaluate(build(name), subjects)
    assert result.unanswered == 1
    assert result.rows[1].tolist() == [0, 1, 0, 0]
