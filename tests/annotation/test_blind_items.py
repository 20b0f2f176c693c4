from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.annotation.blind_items import blind, gather
from dialeval.annotation.project import read_project
from dialeval.data.types import Candidate, Dialogue, NBest, Question, Response, Turn
from dialeval.errors import BadInput, Unsuitable
from support.rating_studies import SYSTEMS, made_examples, made_project


def test_what_raters_see_names_no_system_and_no_source(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    shown = (project.folder / "items.jsonl").read_text(encoding="utf-8")
    assert not any(name in shown for name in (*SYSTEMS, "dialogue-"))
    assert {source.system for source in project.sources.values()} == set(SYSTEMS)


def test_names_of_speakers_become_letters_where_there_are_several() -> None:
    turns = (
        Turn("assistant", "Hi.", "alpha-bot"),
        Turn("user", "Hello."),
        Turn("assistant", "Ho.", "beta-bot"),
    )
    ((item, source),) = blind([Dialogue("d", turns, "alpha-bot")], "dialogue")
    assert [turn.name for turn in item.context] == ["A", None, "B"]
    assert source.system == "alpha-bot"


def test_pairs_are_all_pairs_of_systems_of_an_item() -> None:
    found = blind(made_examples(2), "pair")
    assert len(found) == 2 * 3
    assert all(len(item.candidates) == len(source.systems) == 2 for item, source in found)
    assert len({source.stratum for _, source in found}) == 3


def test_candidates_of_a_question_have_the_names_that_vetting_reads() -> None:
    question = Question("q", (Turn("user", "Tea?"),), (Candidate("Yes.", True), Candidate("Blue.", False)))
    found = blind([question], "response")
    assert [(source.item, source.system) for _, source in found] == [("q", "ground_truth"), ("q", "false_1")]


def test_n_best_responses_are_judged_one_by_one_or_compared() -> None:
    lists = [NBest("n", "bot", (Turn("user", "Tea?"),), (Response("Yes."), Response("No.")))]
    assert [(source.item, source.system) for _, source in blind(lists, "response")] == [
        ("n/1", "bot"),
        ("n/2", "bot"),
    ]
    ((_, source),) = blind(lists, "candidates")
    assert sorted(source.systems.values()) == ["bot/1", "bot/2"]


def test_a_probe_is_shown_with_its_question(tmp_path: Path) -> None:
    path = tmp_path / "probes.jsonl"
    context = [{"role": "user", "content": "I have a dog."}]
    path.write_text(json.dumps({"id": "p", "context": context, "question": "Have you a pet?"}) + "\n")
    ((item, source),) = gather(str(path), "dialogue")
    assert [turn.text for turn in item.context] == ["I have a dog.", "Have you a pet?"]
    assert source.item == "p"


def test_a_folder_without_answers_and_a_lone_response_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"examples\.jsonl"):
        gather(str(tmp_path), "response")
    with pytest.raises(Unsuitable, match="Nothing to compare"):
        blind(made_examples(2, ("alone",)), "pair")


def test_a_damaged_study_names_file_and_line(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    lines = (project.folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    (project.folder / "items.jsonl").write_text("\n".join([lines[0], '{"id": 3}']) + "\n", encoding="utf-8")
    with pytest.raises(BadInput) as refused:
        read_project(project.folder)
    assert refused.value.line == 2
