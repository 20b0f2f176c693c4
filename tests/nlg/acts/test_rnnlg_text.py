"""RNNLG's spelling of sentences, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.errors import BadInput
from dialeval.nlg.acts.rnnlg_text import normalise, read_mapping


@pytest.mark.parametrize(
    ("sentence", "normal"),
    [
        ("Red Door is nice .", "red door is nice"),
        ("It's nice, isn't it?", "it is nice , is not it"),
        ("call 415 282-8283!", "call 4152828283"),
        ("lunch/dinner", "lunch and dinner"),
        ("joe's bar weighs 1.5 kg.", "joe 's bar weighs 1.5 kg"),
        ("I can't, you won't and they'd go", "i cannot , you will not and they would go"),
        ("", ""),
    ],
)
def test_by_hand(sentence: str, normal: str) -> None:
    assert normalise(sentence) == normal


def test_a_mapping_replaces_words(tmp_path: Path) -> None:
    path = tmp_path / "mapping.pair"
    path.write_text("restaurants\trestaurant -s\n\nst\tstreet\n", encoding="utf-8")
    assert normalise("Restaurants in Main St.", read_mapping(path)) == "restaurant -s in main street"
    path.write_text("no tab\n", encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        read_mapping(path)
