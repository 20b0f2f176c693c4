from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Turn
from dialeval.errors import BadInput
from dialeval.systems.trained.subwords import BREAK, END, Subwords, learn, load_subwords
from support.small_generators import said, two_words

LEARNT = learn(["the tea is hot", "the tea is cold", "is the soup hot"], 300)


def test_turns_are_joined_by_breaks_and_end():
    read = two_words().context(said("yes", "no yes"), turns=3, longest=10)
    assert read == ((4, BREAK, 5, 4, END), 0, False)
    assert two_words().context((), turns=3, longest=10) == ((END,), 0, False)


def test_only_the_last_turns_are_read_and_system_prompts_never():
    context = (Turn("system", "no no"), *said("yes", "no", "yes"))
    assert two_words().context(context, turns=2, longest=10) == ((5, BREAK, 4, END), 1, False)


@pytest.mark.parametrize(
    ("longest", "tokens", "dropped"),
    [
        (6, (4, 4, BREAK, 5, 4, END), 0),
        (5, (5, 4, END), 1),  # the older turn goes as a whole
        (2, (4, END), 1),  # then the last one loses its beginning
        (1, (END,), 1),
    ],
)
def test_what_is_too_long_is_cut_on_the_left(longest: int, tokens: tuple[int, ...], dropped: int):
    read = two_words().context(said("yes yes", "no yes"), turns=3, longest=longest)
    assert read == (tokens, dropped, longest < 6)


def test_a_response_ends():
    assert two_words().response("yes no") == (4, 5, END)
    assert two_words().response("") == (END,)


@given(st.text())
def test_every_text_comes_back_but_for_its_spaces(text: str):
    clean = text.encode("utf-8", "replace").decode("utf-8")
    said = LEARNT.text(LEARNT.response(clean))
    # What the regular expressions of both libraries take for a space differs in control characters.
    strip = str.maketrans("\x1c\x1d\x1e\x1f\x85", " " * 5)
    wanted = " ".join(unicodedata.normalize("NFC", clean).translate(strip).split())
    assert " ".join(said.translate(strip).split()) == wanted


def test_a_text_that_spells_a_special_token_is_text():
    tokens = LEARNT.response("<end> <pad>")
    assert END not in tokens[:-1]
    assert 0 not in tokens
    assert LEARNT.text(tokens) == "<end> <pad>"


def test_words_are_the_same_at_the_start_and_within():
    assert LEARNT.response("the tea")[1:] == LEARNT.response("tea")
    assert LEARNT.response("the   tea ") == LEARNT.response("the tea")


def test_learning_is_repeatable_and_files_are_read_back(tmp_path: Path):
    again = learn(["the tea is hot", "the tea is cold", "is the soup hot"], 300)
    assert again.save() == LEARNT.save()
    (tmp_path / "tokenizer.json").write_bytes(LEARNT.save())
    read = load_subwords(tmp_path / "tokenizer.json")
    assert read.response("the soup <end>") == LEARNT.response("the soup <end>")
    assert isinstance(read, Subwords)


def test_a_file_that_is_no_vocabulary_is_explained(tmp_path: Path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BadInput, match=r"an invalid vocabulary .*Train the model again"):
        load_subwords(tmp_path / "tokenizer.json")
