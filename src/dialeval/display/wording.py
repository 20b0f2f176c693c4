"""Numbers, names and lists as people read them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

NOTHING = "—"
COEFFICIENTS: Final = {"spearman": "Spearman", "pearson": "Pearson", "kendall": "Kendall"}
"""Coefficients of correlation by the names of those who gave them theirs."""
NEGLIGIBLE = 0.00005
"""Scores below this are zero for all that four decimals can tell: smoothing leaves such where nothing matches."""

_OVERRIDES: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Signs that turn the direction of the text after them."""


def one_line(text: str, *, limit: int | None = None) -> str:
    """The text on one line, without control characters or lone surrogates, cut to ``limit`` characters."""
    clean = "".join(
        " "
        if char in "\n\r\t\u2028\u2029"
        else "�"
        if unicodedata.category(char) in ("Cc", "Cs") or char in _OVERRIDES
        else char
        for char in text
    )
    return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"


def decimals(numbers: Iterable[float | None]) -> int:
    """Return the number of decimals that show these numbers to about three digits, the same for all of them."""
    largest = max((abs(n) for n in numbers if n is not None), default=0.0)
    if largest < NEGLIGIBLE:
        return 4 if largest else 3
    return min(max(3 - max(math.floor(math.log10(largest)), 0), 0) + _leading_zeros(largest), 6)


def _leading_zeros(number: float) -> int:
    return max(-math.floor(math.log10(number)) - 1, 0)


def number(value: float | None, places: int = 3) -> str:
    """The number with that many decimals; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def score(value: float | None, places: int = 3) -> str:
    """The number, or ``<0.001`` where it is more than nothing and would be shown as such."""
    text = number(value, places)
    return f"<{10**-places:.{places}f}" if value and value > 0 and not text.strip("0.") else text


def signed(value: float | None, places: int = 3) -> str:
    """The number with its sign, as differences are written."""
    text = number(value, places)
    return text if text == NOTHING or text.startswith("-") or not text.strip("0.") else f"+{text}"


def interval(low: float | None, high: float | None, places: int = 3) -> str:
    """``[0.180, 0.240]``; empty where there is none."""
    return "" if low is None or high is None else f"[{number(low, places)}, {number(high, places)}]"


def score_with_interval(value: float | None, low: float | None, high: float | None, places: int = 3) -> str:
    """``0.210 [0.180, 0.240]``."""
    return f"{score(value, places)} {interval(low, high, places)}".strip()


def percent(share: float | None) -> str:
    """The share as a percentage that says 100 only of the whole, and 0 only of nothing."""
    if share is None:
        return NOTHING
    if 0 < share < 0.01:
        return "<1 %"
    return f"{100 if share >= 1 else min(round(100 * share), 99)} %"


def p_value(p: float | None) -> str:
    """The p-value as papers print it."""
    return NOTHING if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def listing(words: Sequence[str], *, most: int = 5) -> str:
    """``a, b and c``; after ``most`` of them, how many more there are."""
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most} more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def first_few(names: Sequence[str], *, most: int = 3) -> str:
    """The first of the names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


_BLEUS: Final = {
    "nlgeval": "BLEU as nlg-eval computes it, from 0 to 1; sacrebleu's is another, from 0 to 100",
    "sacrebleu": "BLEU as sacrebleu computes it, divided by 100",
    "nltk": "BLEU as NLTK computes it, from 0 to 1; sacrebleu's is another, from 0 to 100",
}


def which_bleu(signatures: Mapping[str, str]) -> Iterator[str]:
    """Say whose BLEU the measures with these signatures are, and on which scale; nothing of other measures.

    >>> list(which_bleu({"bleu": "bleu(order=4)|profile=sacrebleu|tokens=13a|version=1", "length": "length|version=1"}))
    ['bleu is BLEU as sacrebleu computes it, divided by 100']
    """
    labels: dict[str, list[str]] = {}
    for label, signature in signatures.items():
        profile = _profile_of_bleu(signature)
        if profile in _BLEUS:
            labels.setdefault(profile, []).append(label)
    for profile, named in labels.items():
        yield f"{listing(named)} {'is' if len(named) == 1 else 'are'} {_BLEUS[profile]}"


def as_sacrebleu_prints(
    numbers: Iterable[tuple[str, str, str, float | None, float | None, float | None]],
) -> Iterator[str]:
    """Say BLEU of the profile sacrebleu on that tool's scale; nothing of other measures.

    ``numbers`` are the label and signature of a measure, whose number it is, the number, and the ends of its interval.

    >>> list(as_sacrebleu_prints([("bleu", "bleu(order=4)|profile=sacrebleu|version=1", "new", 0.3821, 0.31, 0.452)]))
    ['bleu as sacrebleu prints it, from 0 to 100: new 38.21 [31.00, 45.20]']
    """
    shown: dict[str, list[str]] = {}
    for label, signature, owner, value, low, high in numbers:
        if _profile_of_bleu(signature) == "sacrebleu" and value is not None and math.isfinite(value):
            ends = "" if low is None or high is None else f" [{100 * low:z.2f}, {100 * high:z.2f}]"
            shown.setdefault(label, []).append(f"{owner} {100 * value:z.2f}{ends}")
    for label, scores in shown.items():
        yield f"{label} as sacrebleu prints it, from 0 to 100: {', '.join(scores)}"


def _profile_of_bleu(signature: str) -> str:
    """The tool whose BLEU the signature is of; empty of another measure."""
    call, *facts = signature.split("|")
    named = dict(fact.split("=", 1) for fact in facts if "=" in fact)
    return named.get("profile", "") if call.partition("(")[0] == "bleu" else ""


def count(n: int, noun: str) -> str:
    """``1 item``, ``2 items``, ``1,000 items``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def about(n: int) -> str:
    """An estimate in two digits: ``87``, ``1,200``, ``1.9 million``; more would claim to be known."""
    rounded = int(float(f"{n:.2g}"))
    for size, word in ((10**9, "billion"), (10**6, "million")):
        if rounded >= size:
            return f"{rounded / size:,.1f}".removesuffix(".0") + f" {word}"
    return f"{rounded:,}"
