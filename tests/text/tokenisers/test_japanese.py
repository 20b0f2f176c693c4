from __future__ import annotations

import sys

import pytest

from dialeval.errors import ResourceUnavailable
from dialeval.text import tokenisers as japanese
from dialeval.text.tokenisers import mecab_version, split_japanese


def test_words_are_those_of_sacrebleu() -> None:
    pytest.importorskip("MeCab", reason="needs MeCab; install dialeval[ja]")
    bleu = pytest.importorskip("sacrebleu.metrics.bleu", reason="the judge is sacrebleu")
    theirs = bleu._get_tokenizer("ja-mecab")()
    lines = [
        "すもももももももものうち",
        "  今日は良い天気ですね。 ",
        "Tokyoに 行きたい！",
        "",
        "一\n二",
        "ﾊﾝｶｸ 2,000円",
    ]
    assert split_japanese(lines) == [theirs(line.rstrip()).split() for line in lines]
    assert split_japanese(["今日は良い天気"]) == [["今日", "は", "良い", "天気"]]
    assert mecab_version() == theirs.signature().removeprefix("ja-mecab-")


def test_without_mecab_the_install_line_is_shown_and_nothing_scores_0(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    japanese._tagger.cache_clear()
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(ResourceUnavailable, match=r"pip install '\S+\[ja\]'"):
        split_japanese(["今日"])
    japanese._tagger.cache_clear()
