from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from dialeval.errors import BadInput
from dialeval.systems.trained.config import TrainConfig
from dialeval.systems.trained.lessons import Split
from dialeval.systems.trained.roster import load_roster, study_lines, train_roster
from dialeval.systems.trained.trainer import Outcome, train
from dialeval.training.loop import Session
from support.small_generators import made_split


def write(path: Path, *systems: dict[str, object]) -> str:
    path.write_text(yaml.safe_dump({"systems": list(systems)}))
    return str(path)


def test_the_papers_ten_are_those_of_table_6() -> None:
    found = [
        (entry.architecture, entry.layers, entry.embedding, entry.hidden)
        for entry in load_roster("paper").systems[:7]
    ]
    assert found == [
        ("gru", 1, 256, 256),
        ("gru", 1, 512, 512),
        ("gru", 2, 256, 256),
        ("gru", 2, 512, 512),
        ("lstm", 1, 256, 256),
        ("lstm", 1, 512, 512),
        ("lstm", 2, 512, 512),
    ]
    rest = [(entry.layers, entry.embedding, entry.heads) for entry in load_roster("paper").systems[7:]]
    assert rest == [(2, 256, 4), (2, 512, 4), (4, 256, 4)]


def test_the_thesis_has_twenty_of_which_fifteen_are_trained_here() -> None:
    systems = load_roster("thesis").systems
    assert len(systems) == 20
    assert sum(entry.huggingface is None for entry in systems) == 15
    assert systems[6].turns == 1
    assert (systems[8].start_from, systems[8].corpus) == (systems[7].name, "self-dialogue")
    assert load_roster("thesis").corpora == ["self-dialogue"]
    assert systems[9].config("paper").shape.layers == 20


@pytest.mark.parametrize("name", ["paper", "thesis"])
@pytest.mark.parametrize("scale", ["tiny", "small", "paper"])
def test_every_published_entry_makes_sense_at_every_scale(name: str, scale) -> None:
    for entry in load_roster(name).systems:
        if entry.architecture:
            config = entry.config(scale)
            assert config.shape.architecture == entry.architecture
            assert config.turns == (entry.turns or 3)


@pytest.mark.parametrize(
    ("systems", "told"),
    [
        ([{"name": "a", "architecture": "gru"}, {"name": "a", "architecture": "gru"}], "the name 'a' twice"),
        ([{"name": "a", "start_from": "b"}], "'a' starting from 'b', which is not an earlier entry"),
        ([{"name": "a"}], "'a' with 3 of architecture, start_from and huggingface left out, expected 2"),
        ([{"name": "a", "architecture": "gru", "hidden": 5}], "'a': hidden is 5; expected even"),
        ([{"name": "a", "architecture": "gru", "layer": 1}], "systems.0.layer.*Did you mean 'layers'"),
        ([{"name": "../a", "architecture": "gru"}], "systems.0.name"),
        ([], "at least 1 item"),
    ],
)
def test_what_is_wrong_with_a_roster_is_said(tmp_path: Path, systems, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        load_roster(write(tmp_path / "roster.yaml", *systems))
    with pytest.raises(BadInput, match="an unreadable file"):
        load_roster(str(tmp_path / "none.yaml"))


def test_a_roster_is_trained_entry_by_entry(tmp_path: Path) -> None:
    small = {"layers": 1, "embedding": 64, "hidden": 64, "heads": 2}
    roster = load_roster(
        write(
            tmp_path / "roster.yaml",
            {"name": "one", "architecture": "gru", **small},
            {"name": "two", "architecture": "transformer", "turns": 1, **small},
            {"name": "more", "start_from": "one", "corpus": "other"},
            {"name": "lost", "start_from": "one", "corpus": "unknown"},
            {"name": "big", "huggingface": "someone/large"},
            {"name": "big-other", "huggingface": "someone/large", "corpus": "other"},
            {"name": "big-unknown", "huggingface": "someone/large", "corpus": "unknown"},
        )
    )
    seen: list[tuple[str, TrainConfig]] = []

    def quickly(data: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        seen.append((folder.name, config))
        return train(data, config, folder, start=start, session=Session(minutes=0))

    extras = {"other": Split(made_split().held_out, [])}

    def never(data: Split, folder: Path, model: str) -> Outcome:
        raise AssertionError(f"{model} is not here, so it cannot be tuned")

    trials = list(train_roster(roster, made_split(), extras, "tiny", tmp_path / "out", quickly, never))
    assert [name for name, _ in seen] == ["one", "two", "more"]
    assert [seen[at][1].turns for at in range(3)] == [3, 1, 3]
    assert seen[0][1].shape.hidden == 8
    assert trials[2].outcome is not None
    assert trials[2].outcome.lessons == 4
    assert "give it with --extra unknown=FILE" in trials[3].reason
    assert "someone/large from Hugging Face" in trials[4].reason
    assert "someone/large is not tuned, since it is not here" in trials[5].reason
    assert "someone/large is not tuned without the corpus 'unknown'" in trials[6].reason
    # An untuned model never stands under the name of a tuned one.
    assert [trial.entry.name for trial in trials if trial.ready] == ["one", "two", "more", "big"]
    lines = yaml.safe_load(study_lines([roster.systems[0], roster.systems[4]], Path("/x")))["systems"]
    assert lines == [
        {"name": "one", "kind": "trained", "path": "/x/one"},
        {"name": "big", "kind": "huggingface", "model": "someone/large"},
    ]


def test_a_model_of_hugging_face_is_tuned_on_its_corpus(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    import torch

    from dialeval.systems.huggingface import HuggingFace
    from dialeval.systems.trained.pretrained import TUNING, tune
    from support.tiny_models import CHAT, llama, save, tokenizer

    torch.manual_seed(7)
    model = save(tmp_path / "model", llama(tokenizer()), tokenizer(CHAT))
    roster = load_roster(
        write(
            tmp_path / "roster.yaml",
            {"name": "plain", "huggingface": str(model)},
            {"name": "plain-self", "huggingface": str(model), "corpus": "self"},
        )
    )

    def tuned(data: Split, folder: Path, name: str) -> Outcome:
        config = replace(TUNING, schedule=replace(TUNING.schedule, epochs=1, learning_rate=1e-3))
        return tune(data, config, folder, name, session=Session(device="cpu"))

    def never(data: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        raise AssertionError("nothing is trained from scratch here")

    out = tmp_path / "out"
    extras = {"self": Split(made_split().held_out, made_split().train[:2])}
    plain, own = train_roster(roster, made_split(), extras, "tiny", out, never, tuned)
    assert (plain.outcome, plain.ready, own.ready) == (None, True, True)
    lines = yaml.safe_load(study_lines([plain.entry, own.entry], out))["systems"]
    assert [line["model"] for line in lines] == [str(model), str(out / "plain-self")]
    context = made_split().train[0].context
    before, after = (HuggingFace(line["name"], line["model"]).logprob([context], ["tea"]) for line in lines)
    assert before[0] != after[0]
