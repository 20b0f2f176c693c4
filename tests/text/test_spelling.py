"""Words in one spelling, by hand, with places that fit the text."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.text.spelling import tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Cafés in the city center", "cafe in the city centre"),
        ("£20-£25 or 20 pounds", "£ 20 £ 25 or 20 £"),
        ("twelve euros fifty, or three pounds and five pence", "12.5 € or 3.05 £"),
        ("two hundred dollars ninety-nine", "200.99 $"),
        ("12 euros 50 a night", "12.5 € a night"),
        ("12 euros 50 miles away", "12 € 50 mile away"),
        ("twelve euros and fifty minutes", "12 € and 50 minute"),
        ("twenty-five churches and families", "25 church and family"),
        ("(415) 282-8283 or 415.282.8283", "4152828283 or 4152828283"),
        ("3 pm, 3:00 p.m., 15:00, 3 o'clock", "3:00 pm 3:00 pm 3:00 3:00 o'clock"),
        ("1,000.50 dollars and 1.20 kg", "1000.5 $ and 1.2 kg"),
        ("kid -s love a++ ratings on the 3rd", "kid love a++ rating on the 3"),
        ("4gb i5 1080p", "4 gb i5 1080 p"),
        ("half past seven, a quarter to 8", "7:30 a 7:45"),
        ("five past six, ten minutes to one", "6:05 12:50"),
        ("at seven thirty, seven pm, seven o'clock", "at 7:30 7:00 pm 7:00 o'clock"),
        ("from ten to twelve pounds", "from 10 to 12 £"),
        ("two hundred and fifty, a thousand, two dozen", "250 1000 24"),
        ("between one hundred and two hundred", "between 100 and 200"),
        ("one thousand two hundred and five", "1205"),
        ("four point five stars, to the point", "4.5 star to the point"),
        ("family-friendly, it's Joe's", "family friendly it joe"),
        ("新宿のホテルABC、3階", "新 宿 の ホ テ ル abc 3 階"),
        ("", ""),
    ],
)
def test_by_hand(text: str, words: str) -> None:
    assert " ".join(tokenise(text).words) == words


@given(st.text(max_size=40))
def test_places_are_in_order_and_inside_the_text(text: str) -> None:
    tokens = tokenise(text)
    previous = 0
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        assert previous <= start < end <= len(text)
        previous = end
    assert all(tokens.words)
