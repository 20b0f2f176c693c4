from __future__ import annotations

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
        )
    )
    seen: list[tuple[str, TrainConfig]] = []

    def quickly(data: Split, config: TrainConfig, folder: Path, start: Path | None) -> Outcome:
        seen.append((folder.name, config))
        return train(data, config, folder, start=start, session=Session(minutes=0))

    extras = {"other": Split(made_split().held_out, [])}
    trials = list(train_roster(roster, made_split(), extras, "tiny", tmp_path / "out", quickly))
    assert [name for name, _ in seen] == ["one", "two", "more"]
    assert [seen[at][1].turns for at in range(3)] == [3, 1, 3]
    assert seen[0][1].shape.hidden == 8
    assert trials[2].outcome is not None
    assert trials[2].outcome.lessons == 4
    assert "give it with --extra unknown=FILE" in trials[3].reason
    assert "someone/large from Hugging Face" in trials[4].reason
    lines = yaml.safe_load(study_lines([roster.systems[0], roster.systems[4]], Path("/x")))["systems"]
    assert lines == [
        {"name": "one", "kind": "trained", "path": "/x/one"},
        {"name": "big", "kind": "huggingface", "model": "someone/large"},
    ]
