from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dialeval.data.types import Context, Turn
from dialeval.systems import Random


@pytest.fixture
def system(tmp_path: Path) -> Random:
    path = tmp_path / "prompts.jsonl"
    # The text "common" follows three contexts and must not be three times as likely.
    texts = ["common", "common", "common", "rare", "odd"]
    lines = [{"id": str(at), "context": [], "references": [text]} for at, text in enumerate(texts)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Random("r", path)


def contexts(count: int) -> list[Context]:
    return [(Turn("user", f"turn {at}"),) for at in range(count)]


def test_every_text_is_equally_likely(system: Random) -> None:
    drawn = Counter(answers[0].text for answers in system.generate(contexts(3000)))
    # Each is 1000 on average with a standard deviation of 26.
    assert drawn.keys() == {"common", "rare", "odd"}
    assert all(850 < count < 1150 for count in drawn.values())


def test_every_order_of_the_n_best_is_equally_likely(system: Random) -> None:
    drawn = Counter(tuple(one.text for one in answers) for answers in system.generate(contexts(6000), n=9))
    assert len(drawn) == 6
    assert all(850 < count < 1150 for count in drawn.values())


def test_seed_speaker_and_every_turn_matter(system: Random) -> None:
    asked = contexts(40)
    plain = system.generate(asked)
    assert system.generate(asked, seed=1) != plain
    assert system.generate([(Turn("assistant", one[0].text),) for one in asked]) != plain
    assert system.generate([(Turn("user", "before"), *one) for one in asked]) != plain


def test_the_draw_is_pinned(system: Random) -> None:
    # Published numbers rest on it: a change here must raise the version in the signature.
    assert [one.text for one in system.generate(contexts(1), n=3, seed=7)[0]] == ["rare", "odd", "common"]
