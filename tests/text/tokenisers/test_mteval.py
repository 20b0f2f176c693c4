"""The tokenisers of translation BLEU against sacrebleu's own, on real lines and on text made to break shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.tokenisers import TOKENISERS

sacrebleu = pytest.importorskip(
    "sacrebleu.metrics.bleu", reason="the judge is sacrebleu; install dialeval[peers]"
)

Name = Literal["13a", "intl", "zh", "char", "none"]
NAMES: tuple[Name, ...] = ("13a", "intl", "zh", "char", "none")
every_name = pytest.mark.parametrize("name", NAMES)
TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            "B",
            ".",
            "..",
            ",",
            "-",
            "1",
            "23",
            '"',
            "'",
            "&",
            "&amp;",
            "&lt;",
            "&amp;quot;",
            "<skipped>",
            "-\n",
            "\n",
            " ",
            " ",
            "  ",
            "\t",
            "\x1c",
            "\xa0",
            "\u2028",
            "\u3000",
            "(",
            "/",
            "!",
            "£",
            "“",
            "¿",
            "東",
            "。",
            "²",
            "Ⅷ",
            "٣",
            "́",
            "½",
            "~",
            "_",
            "\u2000",
            "\u2001",
            "Ⓐ",
            "ｱ",
            "𠀀",
            "🙂",
            "+",
            "$",
        ]
    ),
    max_size=10,
).map("".join)


def judge(name: Name) -> Callable[[str], list[str]]:
    tokeniser = sacrebleu._get_tokenizer(name)()
    return lambda text: list(tokeniser(text.rstrip()).split())


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("13a", "It's $3.88, isn't it?", ["It's", "$", "3.88", ",", "isn't", "it", "?"]),
        (
            "13a",
            "a..5 1..5 1-2 a-b",
            ["a", ".", ".5", "1", ".", ".", "5", "1", "-", "2", "a-b"],
        ),  # dots by turns
        ("13a", "end-\nline &amp;lt; x-\n", ["endline", "<", "x-"]),  # trailing white space goes first
        ("13a", "", []),
        (
            "intl",
            "in 1984. In 1984.",
            ["in", "1984", ".", "In", "1984."],
        ),  # the last full stop stays with its number
        ("intl", "¿2 €?", ["¿2", "€", "?"]),
        ("zh", "我有3.5元 ok.", ["我", "有", "3.5", "元", "ok", "."]),
        ("zh", "𠀀𠀀…", ["𠀀𠀀", "…"]),  # beyond U+FFFF nothing is Chinese, and an ellipsis is
        ("char", "ab 東", ["a", "b", "東"]),
        ("none", " a  b\u3000c ", ["a", "b", "c"]),
    ],
)
def test_words_by_hand(name: Name, text: str, words: list[str]) -> None:
    assert TOKENISERS[name]([text]) == [words] == [judge(name)(text)]


ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))
"""The characters that Python's Unicode tables know; those of the `regex` package may be of a later version."""


@every_name
def test_every_real_line_has_sacrebleus_words(name: Name, real_lines: list[str]) -> None:
    lines, theirs = real_lines[::11], judge(name)
    assert len(lines) > 5000
    ours = TOKENISERS[name](lines)
    assert [(line, words) for line, words in zip(lines, ours, strict=True) if words != theirs(line)] == []


@every_name
@settings(max_examples=300, deadline=None)
@given(text=TEXTS | st.text(ASSIGNED, max_size=12))
def test_any_text_has_sacrebleus_words(name: Name, text: str) -> None:
    assert TOKENISERS[name]([text]) == [judge(name)(text)]
