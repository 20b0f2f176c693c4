"""Plain text files, as nlg-eval reads them."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given, strategies as st

from dialeval.data import Example, Response, read, read_prompts, read_texts
from dialeval.data.importers.text import _look
from dialeval.errors import BadInput


def test_nlg_evals_own_files_line_up(shared_data):
    folder = shared_data / "nlg-eval"
    first, second = read_texts(folder / "hyp.txt", [folder / "ref1.txt", folder / "ref2.txt"], system="mine")
    assert first == Example(
        "1",
        "mine",
        (),
        Response("this is the model generated sentence1 which seems good enough"),
        ("this is one reference sentence for sentence1", "this is one more reference sentence for sentence1"),
    )
    assert second.references[1] == "this is the second reference sentence for sentence2"


def test_empty_lines_are_empty_responses_and_absent_references(tmp_path):
    responses, one, two = (tmp_path / name for name in ("out.txt", "a.txt", "b.txt"))
    responses.write_bytes(b"hello\r\n\r\nyes")
    one.write_bytes(b"hi\n\nno\n")
    two.write_bytes(b"\nwell\n\n")
    examples = list(read_texts(responses, [one, two]))
    assert [(example.response.text, example.references) for example in examples] == [
        ("hello", ("hi",)),
        ("", ("well",)),
        ("yes", ("no",)),
    ]


def test_only_line_feeds_end_lines(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("one\u2028still one\x0cstill\ntwo\n", encoding="utf-8")
    assert [one.item for one in read(path, "example", format="text")] == ["1", "2"]


ANDROID = """\
18/11/2026, 09:29 - Messages and calls are end-to-end encrypted.
18/11/2026, 09:30 - Anna: Hi, are you open?
I need shoes: size 40.

Today!
18/11/2026, 09:31 - Shop: <Media omitted>
18/11/2026, 09:32 - Shop: Yes: until six.
"""
IPHONE = """\
[11/18/26, 9:29:01\u202fAM] Shop: \u200eMessages and calls are end-to-end encrypted.
[11/18/26, 9:30:01\u202fAM] Anna: Hi, are you open?
\u200e[11/18/26, 9:31:01\u202fPM] Shop: \u200eimage omitted
"""
GERMAN = "18.11.26, 09:30 - Anna: Hallo\n18.11.26, 09:31 - Ben: Na\n"


class TestWhatsApp:
    def test_a_chat_is_one_dialogue(self, put):
        (dialogue,) = read(put("chat.txt", ANDROID), "dialogue")
        assert dialogue.item == "chat"
        assert [(turn.speaker, turn.name, turn.text) for turn in dialogue.turns] == [
            ("user", "Anna", "Hi, are you open?\nI need shoes: size 40.\n\nToday!"),
            ("assistant", "Shop", "[media]"),
            ("assistant", "Shop", "Yes: until six."),
        ]
        (example,) = read("chat.txt", "example")
        assert example.response.text == "Yes: until six."
        assert next(read_prompts("chat.txt")).references == ("Yes: until six.",)

    def test_brackets_seconds_and_twelve_hours(self, put):
        (dialogue,) = read(put("chat.txt", IPHONE), "dialogue")
        assert [(turn.speaker, turn.name, turn.text) for turn in dialogue.turns] == [
            ("user", "Anna", "Hi, are you open?"),
            ("assistant", "Shop", "[media]"),
        ]

    @pytest.mark.parametrize(
        ("line", "kept"),
        [
            ("\u200eMissed voice call", []),
            ("\u200eYou deleted this message.", []),
            ("\u200eLocation: https://maps.example/?q=1,2", ["Location: https://maps.example/?q=1,2"]),
            ("\u200ePOLL:\nWhen?\n\u200eOPTION: Now", ["POLL:\nWhen?\nOPTION: Now"]),
            ("See you \u200e<This message was edited>", ["See you"]),
            ("Until six", ["Until six"]),
        ],
    )
    def test_what_whatsapp_itself_writes_under_a_name_is_left_out(self, put, line, kept):
        (dialogue,) = read(put("chat.txt", f"{IPHONE}[11/18/26, 9:32:01\u202fPM] Shop: {line}\n"), "dialogue")
        assert [turn.text for turn in dialogue.turns[2:]] == kept

    def test_what_is_left_out_is_counted(self, put, caplog):
        caplog.set_level(logging.INFO, "dialeval.data")
        list(read(put("one.txt", IPHONE.replace("Anna", "Zoe")), "dialogue"))
        assert "2 messages of Zoe (user), Shop (assistant); 1 line of WhatsApp itself left out" in caplog.text

    @pytest.mark.parametrize(
        "note",
        [
            *(
                "GIF omitted",
                "Contact card omitted",
                "bill.pdf • 2 pages document omitted",
                "Bild weggelassen",
            ),
            *("<Medien ausgeschlossen>", "<Médias omis>", "<Multimedia omitido>", "<attached: 01-PHOTO.jpg>"),
            *("<pièce jointe : 01-PHOTO.jpg>", "IMG-1.jpg (file attached)", "immagine omessa"),
        ],
    )
    def test_media(self, put, note):
        (dialogue,) = read(put("chat.txt", GERMAN.replace("Na", note)), "dialogue")
        assert dialogue.turns[1].text == "[media]"

    @pytest.mark.parametrize(
        "said", ["it was omitted", "sorry I omitted", "<3>", "<b>", "see (file attached)"]
    )
    def test_words_that_only_resemble_a_note_on_media_stay(self, put, said):
        (dialogue,) = read(put("chat.txt", GERMAN.replace("Na", said)), "dialogue")
        assert dialogue.turns[1].text == said

    def test_dots_between_the_parts_of_a_date(self, put):
        (dialogue,) = read(put("chat.txt", GERMAN), "dialogue")
        assert [turn.text for turn in dialogue.turns] == ["Hallo", "Na"]

    def test_as_responses_only_if_named(self, put):
        with pytest.raises(
            BadInput, match="found a chat exported from WhatsApp, expected one response a line"
        ):
            list(read_texts(put("chat.txt", ANDROID), ()))
        assert len(list(read_texts("text:chat.txt", ()))) == 7
        assert len(list(read("text:chat.txt", "example"))) == 7

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["Anna", "Ben B.", "+49 151 1"]),
                st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).filter(
                    lambda t: t[0] != "<"
                ),
            ),
            min_size=1,
        )
    )
    def test_every_message_comes_back(self, tmp_path_factory, messages):
        path = tmp_path_factory.mktemp("chat") / "chat.txt"
        lines = [f"[18/11/2026, 09:{n % 60:02}:00] {who}: {text}\n" for n, (who, text) in enumerate(messages)]
        path.write_text("".join(lines), encoding="utf-8")
        (dialogue,) = read(path, "dialogue", format="whatsapp")
        assert [(turn.name, turn.text) for turn in dialogue.turns] == messages


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("Anna, [18.11.2026 09:30]\nHi\n\nBen, [18.11.2026 09:31]\nHo\n", "Telegram"),
        ("anna  [9:30 AM]\nhello\nben  [9:31 AM]\nhi\n", "Slack"),
        (
            "User: hi\nBot: hello\nUser: bye\nBot: see you\n",
            "a transcript, with the speaker's name before each line",
        ),
    ],
)
def test_other_chats_are_refused_with_the_ways_out(put, text, noun):
    name = put("chat.txt", text)
    for reading in (lambda: list(read(name, "example")), lambda: list(read_texts(name, ()))):
        with pytest.raises(BadInput) as bad:
            reading()
        assert noun in bad.value.found
        assert "--from my.py:read" in str(bad.value)
        assert str(bad.value).endswith("name the format: text:chat.txt.")
    assert len(list(read_texts(f"text:{name}", ()))) == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "Sure: it is here.\nNo problem at all.\nNote: we close at six.\nBye.\n",
        "Hi.\nHello.\n",
        "[laughs] no\n{not json}\n",
        "Bot: hello\nBot: bye\nBot: yes\nBot: no\n",
        "At 9:30 we open.\n12/11/2026 is fine.\n",
    ],
)
def test_plain_lines_stay_lines(put, text):
    assert len(list(read(put("x.txt", text), "example"))) == text.count("\n")


@given(st.lists(st.text()))
def test_looking_never_fails(texts):
    _look([text for text in texts if text])


class TestJsonForText:
    def test_responses_and_references_of_records(self, put):
        put("h.jsonl", '{"response": "a b"}\n{"response": null}\n')
        put("r.jsonl", '{"references": ["a b", "c"]}\n{"reference": "d"}\n')
        first, second = read_texts("h.jsonl", ["r.jsonl"])
        assert (first.response.text, first.references) == ("a b", ("a b", "c"))
        assert second.response.missing
        assert second.references == ("d",)
        put("h.txt", '{"completion": "a b"}\n')
        put("r.txt", "a b\n")
        (only,) = read_texts("h.txt", ["r.txt"])
        assert (only.response.text, only.references) == ("a b", ("a b",))
        (alone,) = read("h.txt", "example")
        assert alone.response.text == "a b"

    def test_without_a_response_they_are_refused(self, put):
        with pytest.raises(BadInput, match="found a record with 'bar', 'foo', expected 'response' for score"):
            list(read_texts(put("h.jsonl", '{"foo": 1, "bar": 2}\n'), ()))
        with pytest.raises(BadInput, match="field 'references'"):
            list(read_texts(put("h.txt", "x\n"), [put("r.jsonl", '{"foo": 1}\n')]))

    def test_tables_and_several_systems(self, put):
        assert next(read_texts(put("h.csv", "response\nHi.\n"), ())).response.text == "Hi."
        rows = "".join(
            json.dumps({"id": "1", "system": name, "response": "x", "context": []}) + "\n" for name in "ab"
        )
        with pytest.raises(BadInput, match="responses of 'a' and 'b', expected those of one system"):
            list(read_texts(put("two.jsonl", rows), ()))


def shown_reader(error: BadInput) -> str:
    return "\n".join(
        line[4:] for part in str(error).split("\n\n")[1:-1] for line in (*part.splitlines(), "    ")
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("odd.jsonl", '{"foo": "Where?", "bar": "Here."}\n'),
        ("odd.json", '[{"foo": "Where?", "bar": "Here."}]\n'),
        ("odd.json", '[\n  {"foo": "Where?", "bar": "Here."}\n]\n'),
        ("odd.csv", "foo,bar\nWhere?,Here.\n"),
        ("odd.csv", "foo;bar\nWhere?;Here.\n"),
        ("odd.tsv", "foo\tbar\nWhere?\tHere.\n"),
        ("odd.csv", "\ufefffoo;bar\nWhere?;Here.\n"),
        ("odd.csv", "foo;bar\nWo ist das Café für müde Gäste?;Here.\n".encode("cp1252")),
        ("odd.csv", "foo;bar\nWhere?;Here.\n".encode("utf-16")),
    ],
)
def test_the_reader_that_the_error_shows_works(put, name, content):
    put(name, content)
    with pytest.raises(BadInput) as bad:
        list(read(name, "example"))
    put("my.py", shown_reader(bad.value))
    (example,) = read(name, "example", format="my.py:read")
    assert example.response.text == "Here."
    assert f"my.py:read:{name}" in str(bad.value)
    (again,) = read(f"my.py:read:{name}", "example")
    assert again.response == example.response


@pytest.mark.parametrize(
    "text",
    [
        "Anna, [18.11.2026 09:30]\nHi\nthere\n\nBen, [18.11.2026 09:31]\nHo\n",
        "anna  [9:30 AM]\nHi\nthere\nben  [9:31 AM]\nHo\n",
        "Anna: Hi\nBen: Ho\nAnna: bye\nBen: see you\n",
    ],
)
def test_the_reader_that_is_shown_for_a_chat_reads_it(put, text):
    name = put("chat.txt", text)
    with pytest.raises(BadInput) as bad:
        list(read(name, "example"))
    put("my.py", shown_reader(bad.value))
    (dialogue,) = read(name, "dialogue", format="my.py:read")
    assert [turn.text.replace("\nthere", "") for turn in dialogue.turns[:2]] == ["Hi", "Ho"]
    assert ("there" in dialogue.turns[0].text) == ("there" in text)
    assert [turn.speaker for turn in dialogue.turns[:2]] == ["user", "assistant"]
