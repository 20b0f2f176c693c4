"""The bundled example study keeps what its README promises, checked with nothing but a JSON reader."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
import yaml

from support.paths import ROOT

FOLDER = ROOT / "src" / "dialeval" / "study" / "demo"
TRANSCRIPTS = ("attentive", "hasty", "chatty")
UNANSWERED = {"demo-023", "demo-058"}

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def prompts() -> list[Row]:
    return rows("prompts")


@pytest.fixture(scope="module")
def corpus() -> list[Row]:
    return rows("corpus")


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def assert_turns_alternate(messages: list[Row]) -> None:
    roles = [message["role"] for message in messages]
    assert set(roles) == {"user", "assistant"}
    assert all(one != other for one, other in pairwise(roles)), roles


def test_there_are_enough_dialogues_of_both_sorts(prompts: list[Row], corpus: list[Row]) -> None:
    assert len(prompts) == 72
    assert len(corpus) == 60


@pytest.mark.parametrize("name", ["prompts", "corpus", *TRANSCRIPTS])
def test_ids_are_unique_and_in_order(name: str) -> None:
    ids = [row["id"] for row in rows(name)]
    assert ids == sorted(set(ids))


def test_prompts_hold_only_the_documented_fields(prompts: list[Row]) -> None:
    assert {tuple(prompt) for prompt in prompts} == {("id", "context", "references")}


def test_prompts_alternate_and_end_with_the_user(prompts: list[Row]) -> None:
    for prompt in prompts:
        assert_turns_alternate(prompt["context"])
        assert prompt["context"][-1]["role"] == "user", prompt["id"]


def test_prompts_have_three_to_nine_turns_of_varied_number(prompts: list[Row]) -> None:
    lengths = Counter(len(prompt["context"]) for prompt in prompts)
    assert min(lengths) == 3
    assert max(lengths) == 9
    assert max(lengths.values()) <= len(prompts) / 2


def test_dialogues_of_the_corpus_alternate_and_have_four_to_ten_turns(corpus: list[Row]) -> None:
    for dialogue in corpus:
        assert_turns_alternate(dialogue["messages"])
    lengths = [len(dialogue["messages"]) for dialogue in corpus]
    assert (min(lengths), max(lengths)) == (4, 10)


def test_every_prompt_has_a_reference_and_most_have_several(prompts: list[Row]) -> None:
    counts = Counter(len(prompt["references"]) for prompt in prompts)
    assert counts[0] == 0
    assert counts[1] > 0
    assert counts[2] + counts[3] >= len(prompts) / 2
    assert counts[3] >= 4


def test_references_of_a_prompt_differ(prompts: list[Row]) -> None:
    for prompt in prompts:
        assert len({plain(text) for text in prompt["references"]}) == len(prompt["references"]), prompt["id"]


def test_the_corpus_covers_many_topics_evenly(corpus: list[Row]) -> None:
    topics = Counter(dialogue["metadata"]["topic"] for dialogue in corpus)
    assert len(topics) == 24
    assert max(topics.values()) <= 4


def test_the_readme_names_every_topic(corpus: list[Row]) -> None:
    readme = plain((FOLDER / "README.md").read_text("utf-8"))
    assert [topic for d in corpus if (topic := d["metadata"]["topic"]) not in readme] == []


def test_no_text_is_in_both_the_corpus_and_the_prompts(prompts: list[Row], corpus: list[Row]) -> None:
    said = {plain(turn["content"]) for dialogue in corpus for turn in dialogue["messages"]}
    asked = {plain(turn["content"]) for prompt in prompts for turn in prompt["context"]}
    answered = {plain(text) for prompt in prompts for text in prompt["references"]}
    assert said & (asked | answered) == set()


def test_no_text_is_empty_or_padded(prompts: list[Row], corpus: list[Row]) -> None:
    turns = [turn for row in (*prompts, *corpus) for turn in row.get("context", row.get("messages"))]
    texts = [turn["content"] for turn in turns]
    texts += [text for prompt in prompts for text in prompt["references"]]
    texts += [row["response"] for name in TRANSCRIPTS for row in rows(name)]
    assert [text for text in texts if not text or text != text.strip()] == []


def test_some_prompts_are_not_ascii(prompts: list[Row]) -> None:
    contexts = [" ".join(turn["content"] for turn in prompt["context"]) for prompt in prompts]
    assert sum(not context.isascii() for context in contexts) >= 4
    assert any("お腹" in context for context in contexts)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_answer_the_prompts_in_their_own_words(name: str, prompts: list[Row]) -> None:
    by_id = {prompt["id"]: prompt for prompt in prompts}
    for row in rows(name):
        prompt = by_id[row["id"]]
        assert row["system"] == name
        assert row["context"] == prompt["context"], row["id"]
        assert plain(row["response"]) not in {plain(text) for text in prompt["references"]}, row["id"]


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_only_the_hasty_system_leaves_prompts_unanswered(name: str, prompts: list[Row]) -> None:
    missing = {prompt["id"] for prompt in prompts} - {row["id"] for row in rows(name)}
    assert missing == (UNANSWERED if name == "hasty" else set())


def test_the_three_systems_differ_in_length_as_their_names_say() -> None:
    words = {
        name: [len(row["response"].split()) for row in rows(name)]
        for name in ("hasty", "attentive", "chatty")
    }
    hasty, attentive, chatty = (sum(counts) / len(counts) for counts in words.values())
    assert hasty * 1.5 < attentive < chatty / 1.5


def test_the_study_names_files_that_are_there() -> None:
    study = yaml.safe_load((FOLDER / "study.yaml").read_text("utf-8"))
    named = [study["data"], *(s[key] for s in study["systems"] for key in ("path", "corpus") if key in s)]
    assert [name for name in named if not (FOLDER / name).is_file()] == []
    assert [s["name"] for s in study["systems"]] == [*TRANSCRIPTS, "retrieval", "echo", "random"]
    assert (study["name"], study["seed"], "gates" in study) == ("demo", 7, False)
