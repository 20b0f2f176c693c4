"""OpenAI, ShareGPT and ParlAI files, written by hand."""

from __future__ import annotations

import json
from typing import ClassVar

import pytest

from dialeval.data import Dialogue, Example, Prompt, Response, Turn, read, read_prompts
from dialeval.errors import BadInput

CHAT = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "What is"}, {"type": "image_url", "image_url": {}}],
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
    {"role": "tool", "content": "a cat", "name": "look"},
    {"role": "assistant", "content": "A cat."},
]


@pytest.fixture
def put(tmp_path):
    def put(content: str):
        path = tmp_path / "file.json"
        path.write_text(content, encoding="utf-8")
        return path

    return put


class TestOpenAI:
    def test_every_message_stays_a_turn(self, put):
        path = put(json.dumps({"messages": CHAT}) + "\n" + json.dumps({"id": "b", "messages": []}) + "\n")
        first, second = read(path, "dialogue", format="openai")
        assert first.item == "1"
        assert first.turns == (
            Turn("system", "Be brief."),
            Turn("user", "What is\n[image_url]", extra={"content": CHAT[1]["content"]}),
            Turn("assistant", "", extra={"content": None, "tool_calls": CHAT[2]["tool_calls"]}),
            Turn("tool", "a cat", "look"),
            Turn("assistant", "A cat."),
        )
        assert second == Dialogue("b", ())

    def test_the_last_answer_is_a_reference_or_a_response(self, put):
        path = put(json.dumps({"messages": CHAT[3:], "model": "m"}))
        context = (Turn("tool", "a cat", "look"),)
        assert list(read(path, "prompt", format="openai")) == [Prompt("1", context, ("A cat.",))]
        assert list(read(path, "example", format="openai")) == [
            Example("1", "m", context, Response("A cat."))
        ]
        assert list(read_prompts(path, format="openai")) == [Prompt("1", context, ("A cat.",))]

    def test_a_conversation_that_waits_is_a_prompt_but_no_example(self, put):
        path = put(json.dumps({"messages": CHAT[:2]}))
        assert next(read(path, "prompt", format="openai")).references == ()
        with pytest.raises(
            BadInput, match=r"line 1: found a last turn by 'user', expected a last turn by 'assistant'"
        ):
            list(read(path, "example", format="openai"))

    def test_an_array_of_conversations_and_bare_lists_are_read(self, put):
        assert len(list(read(put(json.dumps([{"messages": CHAT}] * 3)), "dialogue", format="openai"))) == 3
        assert next(read(put('{"id": 1, "messages": []}\n[]\n'), "dialogue", format="openai")).item == "1"

    @pytest.mark.parametrize(
        ("message", "field", "found"),
        [
            ({"content": "a"}, "messages[0].role", "no such field"),
            ({"role": "user"}, "messages[0].content", "no such field"),
            ({"role": "user", "content": 3}, "messages[0].content", "the number 3"),
            ({"role": "user", "content": [3]}, "messages[0].content[0]", "the number 3"),
            ({"role": "user", "content": [{}]}, "messages[0].content[0].type", "no such field"),
            ("hello", "messages[0]", "the text 'hello'"),
        ],
    )
    def test_broken_messages_are_named(self, put, message, field, found):
        with pytest.raises(BadInput) as caught:
            list(read(put(json.dumps({"messages": [message]})), "dialogue", format="openai"))
        assert caught.value.field == field
        assert caught.value.found.startswith(found)


class TestShareGPT:
    ROW: ClassVar = {
        "id": "x_0",
        "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
    }

    @pytest.mark.parametrize("lines", [True, False])
    def test_humans_are_users_and_models_assistants(self, put, lines):
        rows = [self.ROW, {**self.ROW, "id": "x_1", "system": "Be kind."}]
        path = put("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows, indent=2))
        first, second = read(path, "dialogue", format="sharegpt")
        assert first == Dialogue("x_0", (Turn("user", "Hi"), Turn("assistant", "Hello")))
        assert second.turns[0] == Turn("system", "Be kind.")

    def test_unknown_speakers_keep_their_names(self, put):
        path = put('{"conversations": [{"from": "Narrator", "value": "Once"}]}')
        assert next(read(path, "dialogue", format="sharegpt")).turns == (Turn("Narrator", "Once"),)

    def test_a_turn_without_words_is_named(self, put):
        with pytest.raises(BadInput, match=r"field 'conversations\[0\]\.value': found no such field"):
            list(
                read(
                    put('{"conversations": [{"from": "human", "text": "Hi"}]}'), "dialogue", format="sharegpt"
                )
            )


class TestParlAIText:
    TEXT = (
        "text:Hi.\\nI like tea.\tlabels:Me too.|I __PIPE__ do\n"
        "text:Green?\tlabels:Black.\tepisode_done:True\n"
        "\n"
        "text:Bye.\tepisode_done:True\n"
    )

    def test_episodes_are_dialogues(self, put):
        first, second = read(put(self.TEXT), "dialogue", format="parlai-text")
        assert first.item == "1"
        assert first.turns == (
            Turn("user", "Hi.\nI like tea."),
            Turn("assistant", "Me too."),
            Turn("user", "Green?"),
            Turn("assistant", "Black."),
        )
        assert second == Dialogue("2", (Turn("user", "Bye."),))

    def test_exchanges_are_prompts_with_their_labels(self, put):
        prompts = list(read(put(self.TEXT), "prompt", format="parlai-text"))
        assert [prompt.item for prompt in prompts] == ["1/1", "1/2", "2/1"]
        assert prompts[0].references == ("Me too.", "I | do")
        assert [turn.text for turn in prompts[1].context] == ["Hi.\nI like tea.", "Me too.", "Green?"]
        assert prompts[2].references == ()

    @pytest.mark.parametrize(
        ("text", "line", "found"),
        [
            ("text:a\tlabels:b\n", 1, "the end of the file inside an episode"),
            ("text:a\ntext:b\toops\tepisode_done:True\n", 2, "'oops'"),
            ("labels:b\tepisode_done:True\n", 1, "no such field (there are: 'labels', 'episode_done')"),
        ],
    )
    def test_broken_episodes_are_named(self, put, text, line, found):
        with pytest.raises(BadInput) as caught:
            list(read(put(text), "dialogue", format="parlai-text"))
        assert (caught.value.line, caught.value.found) == (line, found)

    def test_a_broken_episode_is_set_aside_whole(self, put):
        bad = []
        text = "text:a\nno\ttext:c\tepisode_done:True\n" + self.TEXT
        assert [one.item for one in read(put(text), "dialogue", format="parlai-text", on_bad=bad.append)] == [
            "2",
            "3",
        ]
        assert [one.raw for one in bad] == ["text:a\nno\ttext:c\tepisode_done:True"]


class TestParlAILog:
    def test_whoever_speaks_first_is_the_user(self, put):
        dialog = [
            [{"id": "context", "text": "At sea."}, {"id": "human", "text": "Ahoy"}],
            [{"id": "bot", "text": "Ahoy!"}, {"id": "human", "text": "Land?"}],
        ]
        (found,) = read(put(json.dumps({"dialog": dialog})), "dialogue", format="parlai-jsonl")
        assert [(turn.speaker, turn.name) for turn in found.turns] == [
            ("system", "context"),
            ("user", "human"),
            ("assistant", "bot"),
            ("user", "human"),
        ]

    def test_an_act_without_text_is_named(self, put):
        text = json.dumps({"dialog": [[{"id": "a", "text": "Hi"}, {"id": "b"}]]})
        with pytest.raises(BadInput, match=r"field 'dialog\[0\]\[1\]\.text': found no such field"):
            list(read(put(text), "dialogue", format="parlai-jsonl"))


@pytest.fixture
def put_rows(tmp_path):
    def put(*rows: object):
        path = tmp_path / "file.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return put


def turns(path):
    return next(read(path, "dialogue", format="turns")).turns


def test_texts_take_turns(put_rows):
    (dialogue,) = read(put_rows({"id": 7, "turns": ["Hi.", "Hello!", "Bye."]}), "dialogue", format="turns")
    assert dialogue.item == "7"
    assert dialogue.turns == (Turn("user", "Hi."), Turn("assistant", "Hello!"), Turn("user", "Bye."))


@pytest.mark.parametrize("field", ["turns", "dialogue", "dialog", "utterances", "log"])
def test_the_list_has_many_names(put_rows, field):
    assert turns(put_rows({field: [{"text": "Hi.", "act": "inform"}]})) == (Turn("user", "Hi."),)


def test_speakers_that_say_what_they_are_have_that_role(put_rows):
    said = [{"speaker": "SYSTEM", "text": "Yes?"}, {"speaker": "USER", "text": "A taxi."}]
    assert turns(put_rows({"turns": said})) == (
        Turn("assistant", "Yes?", "SYSTEM"),
        Turn("user", "A taxi.", "USER"),
    )


def test_of_other_speakers_the_first_is_the_user(put_rows):
    said = [{"speaker": who, "text": who} for who in ("B", "B", "A", "C", "B")]
    assert [(turn.speaker, turn.name) for turn in turns(put_rows({"turns": said}))] == [
        ("user", "B"),
        ("user", "B"),
        ("assistant", "A"),
        ("assistant", "C"),
        ("user", "B"),
    ]


def test_speakers_may_stand_beside_the_turns(put_rows):
    path = put_rows({"speakers": [0, 0, 1], "turns": ["a", "b", "c"]})
    assert [turn.speaker for turn in turns(path)] == ["user", "user", "assistant"]


def test_a_role_is_a_role(put_rows):
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
    assert turns(put_rows({"turns": said})) == (Turn("system", "Be brief."), Turn("user", "Hi."))


def test_the_last_answer_is_a_reference(put_rows):
    path = put_rows({"turns": ["Hi.", "Hello!"]})
    assert list(read(path, "prompt", format="turns")) == [Prompt("1", (Turn("user", "Hi."),), ("Hello!",))]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"words": []}, "field 'turns': found no such field"),
        ({"turns": "Hi."}, "field 'turns': found the text 'Hi.', expected a list of turns"),
        ({"turns": ["Hi.", 3]}, r"field 'turns\[1\]': found the number 3"),
        ({"turns": [{"speaker": "A"}]}, r"field 'turns\[0\].text': found no such field"),
    ],
)
def test_what_is_no_turn_is_named(put_rows, row, message):
    with pytest.raises(BadInput, match=rf"file\.jsonl, line 1, {message}"):
        list(read(put_rows(row), "dialogue", format="turns"))


def test_the_format_need_not_be_named(put_rows):
    path = put_rows({"id": "a", "turns": ["Hi."]})
    assert list(read(path, "dialogue")) == list(read(path, "dialogue", format="turns"))


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("dailydialog/valid.json", "Good morning , sir . Is there a bank near here ?"),
        ("multiwoz/val_test.jsonl.gz", "I need to book a hotel in the east that has 4 stars ."),
        ("cornell-movie/dialogues.jsonl.gz", "Did you change your hair?"),
    ],
)
def test_real_corpora_are_read(shared_data, file, first):
    if not (shared_data / file).is_file():
        pytest.skip(f"no such file: {file}")
    dialogue = next(read(shared_data / file, "dialogue", format="turns"))
    assert dialogue.turns[0] == Turn("user", first, dialogue.turns[0].name)
    assert {turn.speaker for turn in dialogue.turns} == {"user", "assistant"}
