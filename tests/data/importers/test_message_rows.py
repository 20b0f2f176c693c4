"""Files with a row for each message become dialogues: grouped, in order, with roles that are shown."""

from __future__ import annotations

import csv
import json
import logging

import pytest
from hypothesis import given, strategies as st

from dialeval.data import Turn, kind_of, read, read_prompts, write
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.rows import Row
from dialeval.data.importers.message_rows import message_columns, message_records
from dialeval.errors import BadInput

ROWS = [
    {"conversation_id": "c1", "role": "customer", "text": "Hi.", "created_at": "2026-11-18T09:00:00"},
    {"conversation_id": "c2", "role": "customer", "text": "Yo.", "created_at": "2026-11-18T09:01:00"},
    {"conversation_id": "c1", "role": "bot", "text": "Anything else?", "created_at": "2026-11-18T09:03:00"},
    {"conversation_id": "c1", "role": "bot", "text": "Hello.", "created_at": "2026-11-18T09:02:00"},
    {"conversation_id": "c2", "role": "bot", "text": "Hey.", "created_at": "2026-11-18T09:05:00"},
]
EXPECTED = {
    "c1": (Turn("user", "Hi."), Turn("assistant", "Hello."), Turn("assistant", "Anything else?")),
    "c2": (Turn("user", "Yo."), Turn("assistant", "Hey.")),
}


def table(rows, separator=","):
    import io

    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def turns(path, **options):
    return {dialogue.item: dialogue.turns for dialogue in read(path, "dialogue", **options)}


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_interleaved_conversations_in_the_order_of_their_times(put, form, caplog):
    caplog.set_level(logging.INFO, "dialeval.data")
    path = f"m-{form}.{form}"
    if form in ("csv", "tsv"):
        put(path, table(ROWS, "," if form == "csv" else "\t"))
    elif form == "jsonl":
        put(path, "".join(json.dumps(row) + "\n" for row in ROWS))
    elif form == "xlsx":
        from openpyxl import Workbook

        put("x", "")
        book = Workbook()
        for cells in [list(ROWS[0]), *(list(row.values()) for row in ROWS)]:
            book.active.append(cells)
        book.save(path)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        put("x", "")
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    assert turns(path) == EXPECTED
    assert turns(path, format="message-rows") == EXPECTED
    assert kind_of(path) == "dialogue"
    (told,) = caplog.messages
    assert "conversation=conversation_id, role=role, content=text, time=created_at" in told
    assert "customer is the user, bot is the assistant; in the order of their times" in told
    assert [prompt.references for prompt in read_prompts(path)] == [("Anything else?",), ("Hey.",)]
    write("again.jsonl", read(path, "dialogue"))
    assert turns("again.jsonl") == EXPECTED


class TestOrder:
    def test_without_times_it_is_that_of_the_file(self, put):
        rows = [{"session_id": "a", "role": role, "content": role} for role in ("user", "assistant", "user")]
        assert [turn.text for turn in turns(put("x.csv", table(rows)))["a"]] == ["user", "assistant", "user"]

    def test_by_numbers(self, put):
        rows = [{"session_id": "a", "turn": n, "role": "user", "content": str(n)} for n in (10, 2, 1)]
        assert [turn.text for turn in turns(put("x.csv", table(rows)))["a"]] == ["1", "2", "10"]

    def test_a_number_that_cannot_be_read_costs_one_message(self, put):
        rows = [{"thread": "a", "role": "user", "content": str(n), "turn": n} for n in (2, 1, "x")]
        with pytest.raises(BadInput, match="expected the number of the message"):
            turns(put("x.csv", table(rows)))
        aside = []
        assert [turn.text for turn in turns("x.csv", on_bad=aside.append)["a"]] == ["1", "2"]
        assert [line.error.line for line in aside] == [4]

    def test_equal_times_stay_as_they_are(self, put):
        rows = [{"thread": "a", "role": "user", "content": str(n), "time": "2026-01-01"} for n in range(5)]
        assert [turn.text for turn in turns(put("x.csv", table(rows)))["a"]] == list("01234")

    @pytest.mark.parametrize(
        "times",
        [
            ("1763456400", "1763456401"),
            ("1763456400000", "1763456401000"),
            ("2026-11-18T09:00:00Z", "2026-11-18T10:30:00+01:00"),
            ("18.11.2026 09:00", "18.11.2026 10:00"),
            ("11/18/2026, 9:00 AM", "11/18/2026, 1:00 PM"),
            ("Wed, 18 Nov 2026 09:00:00 +0000", "Wed, 18 Nov 2026 09:00:01 +0000"),
        ],
    )
    def test_ways_to_write_a_time(self, put, times):
        rows = [
            {"thread": "a", "role": "user", "content": "second", "time": times[1]},
            {"thread": "a", "role": "user", "content": "first", "time": times[0]},
        ]
        assert [turn.text for turn in turns(put("x.csv", table(rows)))["a"]] == ["first", "second"]

    @pytest.mark.parametrize("time", ["soon", "", "99:99"])
    def test_a_time_that_cannot_be_read_is_refused_by_line(self, put, time):
        rows = [{**row} for row in ROWS]
        rows[3]["created_at"] = time
        with pytest.raises(BadInput, match=r"expected a time such as 2026-11-18T09:30:00") as bad:
            turns(put("x.csv", table(rows)))
        assert (bad.value.line, bad.value.field) == (5, "time")
        aside = []
        kept = turns("x.csv", on_bad=aside.append)
        assert [line.error.line for line in aside] == [5]
        assert [turn.text for turn in kept["c1"]] == ["Hi.", "Anything else?"]
        ignored = turns("x.csv", columns="time=")
        assert [turn.text for turn in ignored["c1"]] == ["Hi.", "Anything else?", "Hello."]

    def test_days_and_months_that_matter_and_can_be_swapped_are_refused(self, put):
        rows = [
            {"thread": "a", "role": "user", "content": "x", "time": time}
            for time in ("02/01/2026 09:00", "01/03/2026 09:00")
        ]
        with pytest.raises(BadInput, match="a date whose day and month cannot be swapped"):
            turns(put("x.csv", table(rows)))


class TestRoles:
    @pytest.mark.parametrize(
        ("authors", "expected"),
        [
            (("Visitor", "Agent"), [("user", None), ("assistant", None)]),
            (("user", "system"), [("user", None), ("assistant", None)]),
            (("user", "assistant", "system"), [("user", None), ("assistant", None), ("system", None)]),
            (("Anna", "bot"), [("user", "Anna"), ("assistant", None)]),
            (("customer", "Ben", "Cleo"), [("user", None), ("assistant", "Ben"), ("assistant", "Cleo")]),
            (("Anna", "Ben"), [("user", "Anna"), ("assistant", "Ben")]),
        ],
    )
    def test_by_what_authors_are_called(self, put, authors, expected):
        rows = [{"chat_id": 7, "author": author, "message": "x"} for author in authors]
        (said,) = turns(put("x.csv", table(rows))).values()
        assert [(turn.speaker, turn.name) for turn in said] == expected

    def test_of_names_only_the_note_says_who_is_the_user(self, put, caplog):
        caplog.set_level(logging.INFO, "dialeval.data")
        rows = [{"ticket": 7, "sender": author, "message": "x"} for author in ("Anna", "Ben")]
        turns(put("names.csv", table(rows)))
        assert "conversation=ticket, name=sender" in caplog.text
        assert "; who writes first in a conversation is the user; in the order of the file" in caplog.text

    def test_a_role_and_an_author(self, put):
        rows = [{"chat_id": 7, "role": "agent", "author": "Ben", "message": "x"}]
        assert turns(put("x.csv", table(rows)))["7"] == (Turn("assistant", "x", "Ben"),)


def test_columns_can_be_named(put):
    rows = [{"case": 1, "who": "customer", "wrote": "Hi."}, {"case": 1, "who": "bot", "wrote": "Ho."}]
    found = turns(put("x.csv", table(rows)), columns="conversation=case,role=who,content=wrote")
    assert found == {"1": (Turn("user", "Hi."), Turn("assistant", "Ho."))}


@pytest.mark.parametrize(("field", "value"), [("conversation_id", ""), ("role", " ")])
def test_what_a_message_lacks_is_refused_by_line_or_set_aside(put, field, value):
    rows = [{**row} for row in ROWS]
    rows[1][field] = value
    name = put("x.csv", table(rows))
    with pytest.raises(BadInput) as bad:
        turns(name)
    assert (bad.value.line, bad.value.field) == (3, field)
    aside = []
    assert len(list(read(name, "dialogue", on_bad=aside.append))) == 2
    assert len(aside) == 1


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["user", "bot", "Ann"]), st.text()), min_size=1
    )
)
def test_no_message_is_lost_and_each_conversation_keeps_its_order(messages):
    rows = [
        Row(Where("x", n), n, {"session": talk, "sender": who, "body": text})
        for n, (talk, who, text) in enumerate(messages, 1)
    ]
    columns = message_columns(rows[0].fields)
    assert columns is not None
    found = {record.item: record for record in message_records(rows, columns, "dialogue", refuse, "x")}
    for talk in {talk for talk, _, _ in messages}:
        assert [turn.text for turn in found[talk].turns] == [text for key, _, text in messages if key == talk]
