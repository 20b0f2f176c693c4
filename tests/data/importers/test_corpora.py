"""The corpora in shared data: counts from its README, values looked up by eye, facts.md where it has a number."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import mean

import pytest

from dialeval.data import read, read_prompts
from dialeval.errors import BadInput

RATINGS = "multirefeval/mturk_rating_processed_output.csv"


def speaks_last(records) -> set[str]:
    return {record.context[-1].speaker for record in records}


class TestFed:
    @pytest.fixture
    def path(self, shared_data):
        return shared_data / "fed" / "fed_data.json"

    def test_turns_become_examples_and_dialogues_dialogues(self, path):
        examples = list(read(path, "example", format="fed"))
        dialogues = list(read(path, "dialogue", format="fed"))
        assert (len(examples), len(dialogues)) == (375, 125)
        assert not {one.item for one in examples} & {one.item for one in dialogues}
        assert Counter(one.system for one in examples) == {"Mitsuku": 132, "Human": 123, "Meena": 120}
        assert speaks_last(examples) == {"user"}
        first = examples[0]
        assert first.item == "fed-1"
        assert first.context[1].speaker == "assistant"
        assert first.context[1].text == "Hi! What's up?"
        assert first.response.text == "It's probably boring, isn't it?"

    def test_every_rating_is_kept_and_words_become_reasons(self, path):
        judgements = list(read(path, "judgement", format="fed"))
        assert len(judgements) == 375 * 9 * 5 + 125 * 11 * 5
        assert {one.rater for one in judgements} == {"#1", "#2", "#3", "#4", "#5"}
        silent = [one for one in judgements if one.value is None]
        assert silent
        assert all(one.reason.startswith("N/A") for one in silent)
        assert all(one.reason is None for one in judgements if one.value is not None)
        first = [one.value for one in judgements if one.item == "fed-1" and one.criterion == "Overall"]
        assert first == [2, 1, 3, 3, 4]


class TestGrade:
    def test_every_response_has_its_reference_and_its_raters(self, shared_data):
        examples = list(read(shared_data / "grade", "example", format="grade"))
        assert len(examples) == 900
        assert {len(one.references) for one in examples} == {1}
        assert speaks_last(examples) == {"user"}
        folder = shared_data / "grade" / "eval_data" / "convai2" / "bert_ranker"
        mine = [one for one in examples if one.system == "bert_ranker"]
        expected = (folder / "human_ref.txt").read_text().split("\n")[:150]
        assert [one.references[0] for one in mine] == expected
        joined = ["|||".join(turn.text for turn in one.context) for one in mine]
        assert joined == (folder / "human_ctx.txt").read_text().split("\n")[:150]

    def test_means_of_the_raters_are_those_published(self, shared_data):
        ratings = defaultdict(list)
        for one in read(shared_data / "grade", "judgement", format="grade"):
            ratings[one.item, one.system].append(one.value)
        assert len(ratings) == 900
        assert {len(values) for values in ratings.values()} == {8, 9, 10, 11}
        found = [mean(values) for (_, system), values in ratings.items() if system == "dialogGPT"]
        path = shared_data / "grade" / "human_score" / "convai2" / "dialogGPT" / "human_score.txt"
        assert found == pytest.approx([float(line) for line in path.read_text().split()], abs=5e-5)

    def test_systems_share_items_where_they_share_contexts(self, shared_data):
        # 150 + 260 distinct: DailyDialog's two systems answer one list of contexts, one of which is in it twice.
        assert len(list(read_prompts(shared_data / "grade", format="grade"))) == 410


class TestUsr:
    def test_the_original_response_is_the_reference_and_no_example(self, shared_data):
        path = shared_data / "usr-topicalchat" / "topical_chat_result.json"
        examples = list(read(path, "example", format="usr"))
        assert len(examples) == 300
        assert len({one.system for one in examples}) == 5
        assert "Original Ground Truth" not in {one.system for one in examples}
        assert len({one.item for one in examples}) == 60
        assert examples[0].references[0].startswith("i recently met a girl who lives in that area")
        assert examples[0].response.text.startswith("i think it 's interesting that peter gabriel")
        assert len(examples[0].context) == 5
        assert speaks_last(examples) == {"user"}

    def test_all_six_are_judged(self, shared_data):
        judgements = list(
            read(shared_data / "usr-topicalchat" / "topical_chat_result.json", "judgement", format="usr")
        )
        assert len(judgements) == 360 * 6
        argmax = {
            one.criterion: one.value
            for one in judgements
            if one.item == "usr-1" and one.system.startswith("Arg")
        }
        assert argmax["overall"] == 3.3333333333


class TestMultirefeval:
    def test_rated_responses_have_four_references_each(self, shared_data):
        examples = list(read(shared_data / RATINGS, "example", format="multirefeval"))
        judgements = list(read(shared_data / RATINGS, "judgement", format="multirefeval"))
        assert (len(examples), len(judgements)) == (500, 500)
        assert {len(one.references) for one in examples} == {4}
        assert Counter(one.system for one in examples)["CVAEf"] == 100
        assert (judgements[0].item, judgements[0].system, judgements[0].value) == ("73_4", "human", 4.8)
        assert [turn.speaker for turn in examples[0].context] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
        ]

    def test_every_turn_but_the_last_is_a_prompt(self, shared_data):
        prompts = list(
            read(shared_data / "multirefeval" / "multireftest.json", "prompt", format="multirefeval")
        )
        assert len(prompts) == 6740
        assert {len(one.references) for one in prompts} == {5}
        assert prompts[1].item == "0/1"
        assert [turn.text for turn in prompts[1].context] == [
            "Hey man , you wanna buy some weed ?",
            "Some what ?",
        ]
        assert prompts[1].references[1] == "weed , you know , marijuana"
        assert speaks_last(prompts) == {"user"}

    def test_whole_dialogues_can_be_read_too(self, shared_data):
        path = shared_data / "multirefeval" / "multireftest.json"
        assert sum(len(one.turns) for one in read(path, "dialogue", format="multirefeval")) == 7740


class TestDailyDialogPlusPlus:
    def test_good_responses_are_references(self, shared_data):
        folder = shared_data / "dailydialog-plusplus"
        prompts = list(read(folder / "dev.json", "prompt", format="dailydialog++"))
        assert len(prompts) == 1028
        assert prompts[0].references[0] == "So nice of you."
        assert speaks_last(prompts) == {"user"}
        assert len(list(read(folder / "data_positives.json", "prompt", format="dailydialog++"))) == 7641

    def test_questions_say_what_is_wrong_with_each_candidate(self, shared_data):
        path = shared_data / "dailydialog-plusplus" / "test.first571.json"
        questions = list(read(path, "question", format="dailydialog++"))
        assert len(questions) == 571
        errors = Counter(one.error for one in questions[0].candidates)
        assert errors == {None: 5, "adversarial": 5, "random": 5}
        assert {one.correct for one in questions[0].candidates if one.error is None} == {True}
        assert questions[0].candidates[5].text == "I enjoy listening jazz music in my free time."


class TestTopicalChat:
    def test_conversations_are_dialogues_of_two_agents(self, shared_data):
        path = shared_data / "topical-chat" / "test_freq.json.gz"
        dialogues = list(read(path, "dialogue", format="topical-chat"))
        assert dialogues[0].item == "t_d004c097-424d-45d4-8f91-833d85c2da31"
        assert dialogues[0].turns[0].text.startswith("Did you know that the University of Iowa's locker room")
        assert {turn.speaker for one in dialogues for turn in one.turns} == {"agent_1", "agent_2"}
        assert len(dialogues) == len({one.item for one in dialogues}) == 539

    @pytest.mark.parametrize(
        ("written", "field"),
        [
            ("[]", "an object of conversations"),
            ('{"t": []}', "t"),
            ('{"t": {}}', "t.content"),
            ('{"t": {"content": {}}}', "t.content"),
            ('{"t": {"content": ["Hi."]}}', "t.content[0]"),
            ('{"t": {"content": [{"agent": "agent_1"}]}}', "t.content[0].message"),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path, written, field):
        (tmp_path / "train.json").write_text(written, encoding="utf-8")
        with pytest.raises(BadInput, match=re.escape(field)):
            list(read(tmp_path / "train.json", "dialogue", format="topical-chat"))
