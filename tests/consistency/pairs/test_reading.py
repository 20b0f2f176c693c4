"""Labelled pairs from the files of several sets, written here as these sets write them."""

from __future__ import annotations

import json

import pytest

from dialeval.consistency.pairs.reading import read_all, read_pairs
from dialeval.consistency.pairs.types import LabelledPair, Pair
from dialeval.errors import BadInput


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_natural_language_inference(tmp_path):
    path = lines(
        tmp_path / "nli.jsonl",
        {"split": "train", "premise": "A man sleeps.", "hypothesis": "A man runs.", "label": "contradiction"},
    )
    expected = LabelledPair(Pair("A man sleeps.", "A man runs."), "contradiction", "nli", "train")
    assert list(read_pairs(path)) == [expected]


def test_decode_has_zero_for_a_contradiction(tmp_path):
    path = tmp_path / "predictions.tsv"
    path.write_text('seg1\tseg2\tlabel\tpred\nI hate "tea"\tI love tea\t0\tx\nHi\tHello\t1\tx\n')
    assert [(each.pair.earlier, each.label) for each in read_pairs(path)] == [
        ('I hate "tea"', "contradiction"),
        ("Hi", "consistent"),
    ]


def dialogue_of_decode(contradicts, evidence, count=6):
    turns = [
        {"turn_id": place, "agent_id": place % 2, "text": f"turn {place}", "turn_context": ""}
        for place in range(count)
    ]
    return {
        "record_id": "r1",
        "turns": turns,
        "is_contradiction": contradicts,
        "aggregated_contradiction_indices": evidence,
        "num_of_turns_by_writer": 2,
    }


def test_decodes_own_dialogues_have_a_pair_for_each_turn_that_is_contradicted(tmp_path):
    # The last turn is always among the evidence; a turn of the other speaker never is a pair.
    path = lines(tmp_path / "dev.jsonl", dialogue_of_decode(True, [1, 2, 5]))
    expected = LabelledPair(
        Pair("turn 1", "turn 5", "turn 4"), "contradiction", "decode", "dev", others=("turn 3",)
    )
    assert list(read_pairs(path)) == [expected]
    both = lines(tmp_path / "test.jsonl", dialogue_of_decode(True, [1, 3, 5]))
    assert [each.pair.earlier for each in read_pairs(both)] == ["turn 1", "turn 3"]


def test_decodes_own_dialogues_without_a_contradiction_give_one_consistent_pair(tmp_path):
    path = lines(tmp_path / "train.jsonl", dialogue_of_decode(False, []))
    [found] = read_pairs(path)
    assert (found.label, found.group, found.pair.response) == ("consistent", "train", "turn 5")
    assert {found.pair.earlier, *found.others} == {"turn 1", "turn 3"}
    assert list(read_pairs(path)) == [found]
    lone = lines(tmp_path / "rct.jsonl", dialogue_of_decode(False, [], count=1))
    assert list(read_pairs(lone)) == []
    assert read_all([path], leave_out=["train"]) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("is_contradiction", "yes"), ("aggregated_contradiction_indices", [9]), ("turns", [{"text": "a"}])],
)
def test_a_dialogue_of_decode_with_a_wrong_field_is_refused(tmp_path, field, value):
    path = lines(tmp_path / "dev.jsonl", {**dialogue_of_decode(True, [1, 5]), field: value})
    with pytest.raises(BadInput, match=f"line 1, field '{field}'"):
        list(read_pairs(path))


def test_prosecco_takes_propositions(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        "id,speaker_id,locution_1,locution_2,proposition_1,proposition_2,label\n"
        "1,s1,it is,it isn't,tax is high,tax isn't high,self-contradiction\n"
        "2,s1,it is,it isn't,,,no self-contradiction\n"
    )
    first, second = read_pairs(path)
    assert first.pair == Pair("tax is high", "tax isn't high")
    assert (second.pair, second.label, second.group) == (Pair("it is", "it isn't"), "consistent", "s1")


def test_ci_tod_keeps_contradictions_of_the_history_and_clean_dialogues(tmp_path):
    turns = [
        {"speaker": s, "text": t}
        for s, t in zip("daDA", ("hi", "it is 4_miles away", "ok", "5_miles"), strict=True)
    ]
    path = lines(
        tmp_path / "c.jsonl",
        {"turns": turns, "hi": 1, "qi": 1},
        {"turns": turns, "hi": 0, "qi": 0},
        {"turns": turns, "hi": 0, "qi": 1},
        {"turns": turns[:2], "hi": 0, "qi": 0},
    )
    pairs = list(read_pairs(path))
    assert [each.label for each in pairs] == ["contradiction", "consistent"]
    assert pairs[0].pair == Pair("it is 4 miles away", "5 miles", "ok")


def test_rgm_looks_responses_up_and_leaves_out_unpublished_ones(tmp_path):
    (tmp_path / "responses").mkdir()
    (tmp_path / "contexts").mkdir()
    (tmp_path / "responses" / "bot.json").write_text(json.dumps({"[[bot:1]]": "I have no dog."}))
    row = {
        "utterances": ["I like tea.", "Oh.", "I have a dog.", "Its name?", "[[bot:1]]"],
        "speakers": ["A", "B", "A", "B", "A"],
        "annotation_target_pair": [2, 4],
        "rgm_name": "bot",
        "contradictory_label_count": 3,
    }
    other = {
        **row,
        "utterances": ["I have a dog.", "Its name?", "[[secret:1]]"],
        "annotation_target_pair": [0, 2],
    }
    (labelled,) = read_pairs(lines(tmp_path / "contexts" / "c.jsonl", row, other))
    assert labelled.pair == Pair("I have a dog.", "I have no dog.", "Its name?")
    assert (labelled.group, labelled.votes, labelled.others) == ("bot", 3, ("I like tea.",))


@pytest.mark.parametrize("lacking", ["utterances", "annotation_target_pair", "contradictory_label_count"])
def test_a_row_of_rgm_that_lacks_a_field_is_refused_with_its_line(tmp_path, lacking):
    for name in ("responses", "contexts"):
        (tmp_path / name).mkdir()
    (tmp_path / "responses" / "bot.json").write_text(json.dumps({"[[bot:1]]": "I have no dog."}))
    row = {
        "utterances": ["I have a dog.", "Its name?", "[[bot:1]]"],
        "annotation_target_pair": [0, 2],
        "rgm_name": "bot",
        "contradictory_label_count": 3,
    }
    other = {name: value for name, value in row.items() if name != lacking}
    with pytest.raises(BadInput, match=f"line 2.*{lacking}"):
        list(read_pairs(lines(tmp_path / "contexts" / "c.jsonl", row, other)))


def test_rgm_without_its_responses_says_what_is_missing(tmp_path):
    row = {"utterances": ["a", "[[b:1]]"], "annotation_target_pair": [0, 1], "contradictory_label_count": 0}
    with pytest.raises(BadInput, match="folder 'responses'"):
        list(read_pairs(lines(tmp_path / "c.jsonl", row)))


@pytest.mark.parametrize(
    "row",
    [{"a": 1}, {"premise": "x", "hypothesis": "y", "label": "maybe"}, {"premise": "x", "label": "neutral"}],
)
def test_what_is_no_labelled_pair_is_refused_with_its_line(tmp_path, row):
    path = lines(tmp_path / "x.jsonl", row)
    with pytest.raises(BadInput, match="line 1"):
        list(read_pairs(path))
    bad = []
    assert list(read_pairs(path, on_bad=bad.append)) == []
    assert len(bad) == 1


def test_reading_all_drops_repeats_long_pairs_and_groups(tmp_path):
    def row(premise, split="train"):
        return {"premise": premise, "hypothesis": "b", "label": "neutral", "split": split}

    path = lines(tmp_path / "n.jsonl", row("a"), row("a"), row("c d e"), row("f", "test"))
    kept = read_all([path, path], leave_out=["test"], words=3)
    assert [each.pair.earlier for each in kept] == ["a"]


def test_real_sets_have_the_sizes_that_their_papers_give(shared_data):
    decode = next((shared_data / "decode" / "pair_predictions").glob("*roberta*"))
    labels = [each.label for each in read_pairs(decode)]
    assert (labels.count("contradiction"), labels.count("consistent")) == (685, 640)
    contexts = shared_data / "rgm-contradiction" / "contexts"
    readable = read_all(sorted(contexts.rglob("*.jsonl")))
    assert {each.group for each in readable} == {"blender3-3B", "blender3-30B", "opt-60B"}
    assert 890 <= len(readable) <= 900


def test_labelled_answers_are_read_with_their_system_and_without_the_ambiguous_ones(tmp_path, caplog):
    context = [
        {"role": "assistant", "content": "I like tea."},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "I own a cat."},
        {"role": "user", "content": "Which tea?"},
    ]
    line = {
        "id": "p",
        "system": "bot",
        "earlier": "I like tea.",
        "between": "Which tea?",
        "response": "I hate tea.",
        "label": "contradiction",
        "votes": 2,
        "raters": 3,
        "by": "people",
        "context": context,
        "referent": 0,
        "distance": 3,
    }
    path = tmp_path / "labelled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (line, {**line, "label": "ambiguous"})))
    with caplog.at_level("INFO"):
        (found,) = read_pairs(path)
    assert (found.group, found.votes, found.others) == ("bot", 2, ("I own a cat.",))
    assert "left out 1 ambiguous pair" in caplog.text
