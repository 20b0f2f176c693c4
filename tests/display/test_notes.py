from __future__ import annotations

from pydantic import TypeAdapter

from dialeval.display.notes import Note, codes, texts


def test_a_note_read_back_is_equal_and_has_no_code() -> None:
    note = Note("few_systems", "only 3 systems")
    (read,) = TypeAdapter(tuple[Note, ...]).validate_json('["only 3 systems"]', strict=True)
    assert read == note
    assert codes([note, read]) == ("few_systems", "")
    assert texts([note, read]) == ("only 3 systems", "only 3 systems")
