"""A judge that changed between two runs: refused, or compared on the evidence of anchors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import yaml

from dialeval.core import Resampling
from dialeval.judge.drift import JudgeIdentity, changes, drift_of
from support.bot_server import BotServer, bot_server
from support.command import Command
from support.judge_server import response_of, verdict

ITEMS = 60
LABEL = "judge(rubric='relevance',model='m-1',mode='json')"


def scoring(shift: Callable[[str], int], model: str) -> Callable[[Mapping], dict]:
    """A judge that gives 2 to 4 by the answer's text, moved by ``shift``; the server calls it ``model``."""

    def reply(body: Mapping) -> dict:
        text = response_of(body)
        told = verdict(body, min(5, max(1, 2 + sum(map(ord, text)) % 3 + shift(text))))
        return {**told, "model": model}

    return reply


@contextmanager
def judge_of(shift: Callable[[str], int], model: str) -> Iterator[BotServer]:
    with bot_server(whole=scoring(shift, model)) as server:
        yield server


def same(text: str) -> int:
    return 0


def lenient(text: str) -> int:
    return 1


def run(
    folder: Path, dialeval: Command, server: BotServer, systems: Mapping[str, str], **judge: object
) -> None:
    """A run whose systems answer with their word and the number of the item."""
    prompts = [{"id": f"q{n}", "context": [{"role": "user", "content": f"Why {n}?"}]} for n in range(ITEMS)]
    folder.mkdir()
    write(folder / "prompts.jsonl", prompts)
    for system, word in systems.items():
        write(folder / f"{system}.jsonl", [{"id": p["id"], "response": f"{word} {p['id']}"} for p in prompts])
    given = {"name": "judge", "rubric": "relevance", "model": "m-1", "mode": "json", "cache": "kept", **judge}
    study = {
        "data": "prompts.jsonl",
        "systems": [{"name": n, "kind": "transcript", "path": f"{n}.jsonl"} for n in systems],
        "measures": [{**given, "base_url": server.url}, "length"],
        "trials": 100,
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(study))
    done = dialeval("run", folder / "study.yaml", "-o", folder / "out")
    assert done.code == 0, done.err


def test_the_same_judge_is_compared_without_more(tmp_path: Path, dialeval: Command) -> None:
    with judge_of(same, "m-2026") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
        run(tmp_path / "b", dialeval, server, {"bot": "new"})
    done = dialeval("compare", "a/out", "b/out")
    assert done.code == 0, done.err
    assert "the judge is not the same" not in done.out


def test_an_alias_that_moved_on_is_refused_without_anchors(tmp_path: Path, dialeval: Command) -> None:
    names = ["m-2026-03"]
    with bot_server(whole=lambda body: scoring(same, names[-1])(body)) as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
        names.append("m-2026-11")
        run(tmp_path / "b", dialeval, server, {"bot": "new"})
    done = dialeval("compare", "a/out", "b/out")
    assert done.code == 1
    assert "differ in model returned (m-2026-03 and m-2026-11)" in done.err
    assert "0 answers judged by both, where 10 are needed" in done.err
    assert "dialeval judge drift" in done.err
    done = dialeval("compare", "a/out", "b/out", "-m", "length")
    assert done.code == 0, done.err


@pytest.mark.parametrize("shift", [same, lenient])
def test_answers_that_both_runs_share_are_free_anchors(
    shift: Callable[[str], int], tmp_path: Path, dialeval: Command
) -> None:
    with judge_of(same, "m-2026-03") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old", "base": "base"})
    with judge_of(shift, "m-2026-11") as server:
        run(tmp_path / "b", dialeval, server, {"bot": "new", "base": "base"})
    given = ["compare", "a/out:bot", "b/out:bot", "--json"]
    done = dialeval(*given)
    assert done.code == 1  # one system was picked from each side, and they share no answer
    done = dialeval("compare", "a/out", "b/out", "--json")
    if shift is lenient:
        assert done.code == 1
        assert "its verdicts are not comparable: +1 [" in done.err
        return
    assert done.code == 0, done.err
    (change,) = json.loads(done.out)["judges"]
    assert change["evidence"]["verdict"] == "equivalent"
    assert change["evidence"]["difference"]["n"] == ITEMS
    assert change["evidence"]["equal"] == 1
    assert change["evidence"]["margin"] == pytest.approx(0.2)
    assert "its verdicts are equivalent" in " ".join(dialeval("compare", "a/out", "b/out").out.split())
    done = dialeval("compare", "a/out", "b/out", "--margin", f"{LABEL}=0.001")
    assert done.code == 1
    assert "undecided, so not comparable" in done.err


def test_another_rubric_prompt_or_model_is_another_judge(tmp_path: Path, dialeval: Command) -> None:
    with judge_of(same, "m-2026") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
        run(tmp_path / "b", dialeval, server, {"bot": "new"}, model="m-2")
        run(tmp_path / "c", dialeval, server, {"bot": "new"}, seed=7)
    for other, what in (("b", "model ('m-1' and 'm-2')"), ("c", "seed (0 and 7)")):
        done = dialeval("compare", "a/out", f"{other}/out")
        assert done.code == 1
        assert what.replace("'", "") in done.err.replace("'", "")


@pytest.mark.parametrize("shift", [same, lenient])
def test_frozen_anchors_are_judged_again(
    shift: Callable[[str], int], tmp_path: Path, dialeval: Command
) -> None:
    with judge_of(same, "m-2026-03") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
    with judge_of(shift, "m-2026-11") as server:
        run(tmp_path / "b", dialeval, server, {"bot": "new"})
        asked = len(server.bodies)
        call = f"judge(rubric='relevance',model='m-1',mode='json',base_url={server.url!r})"
        for today in (call, "b/study.yaml"):
            done = dialeval("judge", "drift", "a/out", today, "-o", "drift.json", "--anchors", 50)
            assert done.code == (0 if shift is same else 100), done.err
        assert len(server.bodies) == asked + 100  # kept replies are not used
    found = json.loads(Path("drift.json").read_text())
    assert found["then"]["returned"] == ["m-2026-03"]
    assert found["now"]["returned"] == ["m-2026-11"]
    assert found["difference"]["n"] == 50
    done = dialeval("compare", "a/out", "b/out", "--anchors", "drift.json", "--json")
    if shift is lenient:
        assert found["verdict"] == "drifted"
        assert done.code == 1
        return
    assert found["verdict"] == "equivalent"
    assert done.code == 0, done.err
    (change,) = json.loads(done.out)["judges"]
    assert change["changed"].endswith("model returned (m-2026-03 and m-2026-11)")
    assert {one["measure"] for one in json.loads(done.out)["comparisons"]} == {LABEL, "length"}
    swapped = dialeval("compare", "b/out", "a/out", "--anchors", "drift.json")
    assert swapped.code == 0


def test_recorded_verdicts_of_two_judges_are_compared(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "batcheval" / "fed_dialogue.scores.jsonl.gz"
    assert (
        dialeval("data", "convert", path, "fed.jsonl", "--from", "batcheval", "--as", "judgement").code == 0
    )
    names = [
        f"batcheval(judge='{name}',quality='Coherent',run='mean')" for name in ("gpt-4", "gpt-4-1106-preview")
    ]
    given = ["judge", "drift", "fed.jsonl", "fed.jsonl", "--measure", names[0], "--now", names[1], "--json"]
    done = dialeval(*given, "--margin", 0.1)
    found = json.loads(done.out)
    rows = [json.loads(line) for line in Path("fed.jsonl").read_text().splitlines()]
    before, after = ({row["item"]: row["value"] for row in rows if row["rater"] == name} for name in names)
    assert found["difference"]["n"] == len(before) == 125
    assert found["difference"]["value"] == pytest.approx(
        np.mean([after[item] - before[item] for item in before])
    )
    low, high = found["difference"]["low"], found["difference"]["high"]
    assert found["verdict"] == ("equivalent" if low > -0.1 and high < 0.1 else found["verdict"])
    assert done.code == (0 if found["verdict"] == "equivalent" else 100)
    assert dialeval(*given, "--margin", 1).code == 0
    assert "give the largest difference" in dialeval(*given).err.lower()


def test_anchors_of_other_judges_are_no_evidence(tmp_path: Path, dialeval: Command) -> None:
    with judge_of(same, "m-2026-03") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
    with judge_of(same, "m-2026-11") as server:
        run(tmp_path / "b", dialeval, server, {"bot": "new"})
    with judge_of(same, "m-2027") as server:
        call = f"judge(rubric='relevance',model='m-1',mode='json',base_url={server.url!r})"
        assert dialeval("judge", "drift", "a/out", call, "-o", "drift.json").code == 0
    assert dialeval("compare", "a/out", "b/out", "--anchors", "drift.json").code == 1


def test_what_cannot_be_judged_again_is_refused(tmp_path: Path, dialeval: Command) -> None:
    with judge_of(same, "m") as server:
        run(tmp_path / "a", dialeval, server, {"bot": "old"})
    assert "expected a judge" in dialeval("judge", "drift", "a/out", "rouge_l").err
    assert "There is no judge in" in dialeval("judge", "drift", "a/out", "rouge_l", "--measure", "x").err
    assert "found 0" in dialeval("judge", "drift", "a/out", "a/study.yaml", "--margin", 0).err


THEN, NOW = (
    JudgeIdentity("judge(model='a')|rubric=1|version=1", ("a",)),
    JudgeIdentity("judge(model='b')|rubric=1|version=1", ("b",)),
)


def drift(then, now, items=None, margin=None):  # type: ignore[no-untyped-def]
    names = items or [str(n) for n in range(len(then))]
    return drift_of(
        np.asarray(then, float),
        np.asarray(now, float),
        names,
        (THEN, NOW),
        limits=(1.0, 5.0),
        margin=margin,
        resampling=Resampling(),
    )


def test_a_shift_as_large_as_the_margin_is_rarely_called_equivalent() -> None:
    generator = np.random.default_rng(8)
    wrong = right = 0
    for _ in range(400):
        then = generator.integers(1, 6, 80)
        noise = generator.choice([-1, 0, 1], 80, p=[0.1, 0.6, 0.3])  # .2 more on average
        wrong += drift(then, then + noise).verdict == "equivalent"
        right += (
            drift(then, then + generator.choice([-1, 0, 1], 80, p=[0.05, 0.9, 0.05])).verdict == "equivalent"
        )
    assert wrong / 400 <= 0.06
    assert right / 400 >= 0.8


def test_turns_of_a_dialogue_count_together() -> None:
    generator = np.random.default_rng(9)
    then = generator.integers(1, 6, 100).astype(float)
    now = then + np.repeat(generator.choice([-1.0, 0, 1], 20), 5)
    alone, together = drift(then, now), drift(then, now, [f"d{n // 5}/{n}" for n in range(100)])
    assert together.difference.high - together.difference.low > 1.8 * (
        alone.difference.high - alone.difference.low
    )


@pytest.mark.parametrize(("n", "verdict"), [(9, "undecided"), (10, "undecided"), (24, "equivalent")])
def test_few_equal_verdicts_prove_little(n: int, verdict: str) -> None:
    found = drift([3.0] * n, [3.0] * n)
    assert found.verdict == verdict
    if n == 10:
        assert found.needed is not None
        assert 10 < found.needed <= 24
        assert "about" in found.sentence


def test_what_changed_is_named() -> None:
    assert changes(THEN, THEN) is None
    assert changes(THEN, NOW) == "model (a and b) and model returned (a and b)"
    assert changes(THEN, THEN._replace(returned=())) == "model returned (a and not named)"


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
