from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.metrics.embedding.sources import UNKNOWN, WordPiece

PIECES = [UNKNOWN, "un", "##aff", "##able", "##a", "play", ".", "東", "σ"]
SMALL = WordPiece({piece: at for at, piece in enumerate(PIECES)})


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unaffable", [1, 2, 3]),  # the longest piece first: ##aff, not ##a
        ("Play", [5]),
        ("plâÿ", [5]),  # without accents
        ("play.", [5, 6]),
        ("play.un", [5, 6, 1]),
        ("unplay", [0]),  # a word that cannot be spelled to its end is unknown as a whole
        ("東play", [7, 5]),
        ("Σ", [8]),
        ("pl\u200bay", [5]),  # invisible marks vanish
        ("", []),
        ("u" * 101, [0]),
    ],
)
def test_words_by_hand(text: str, pieces: list[int]) -> None:
    assert SMALL.pieces(text) == pieces


@pytest.fixture(scope="module")
def both(encoder_folder: Path):
    tokenizers = pytest.importorskip("tokenizers")
    reference = tokenizers.Tokenizer.from_file(str(encoder_folder / "tokenizer.json"))
    reference.no_truncation()
    reference.no_padding()
    lines = (encoder_folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return WordPiece({piece: at for at, piece in enumerate(lines)}), reference


def test_every_word_of_a_real_corpus_is_cut_as_tokenizers_does(both, shared_data: Path) -> None:
    ours, theirs = both
    text = (shared_data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8")
    words = sorted(set(re.findall(r"\S+", text)) | set(re.findall(r"\w+", text)))
    assert len(words) > 15_000
    cut = [encoding.ids for encoding in theirs.encode_batch(words, add_special_tokens=False)]
    assert [ours.pieces(word) for word in words] == cut


# Scripts whose characters have long been in Unicode: tables of different versions differ only in newer ones.
LETTERS = st.characters(max_codepoint=0x52F) | st.characters(min_codepoint=0x3041, max_codepoint=0x9FFF)


@settings(max_examples=300, deadline=None)
@given(text=st.text(LETTERS, max_size=12))
def test_any_text_is_cut_as_tokenizers_does(both, text: str) -> None:
    ours, theirs = both
    assert ours.pieces(text) == theirs.encode(text, add_special_tokens=False).ids
