from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dialeval.meta.document import Document
from dialeval.meta.report.verdict import headline, verdict
from support.made_meta import rival, row

Made = Callable[..., Document]


def test_the_best_measure_is_named_with_its_interval_and_p(made: Made) -> None:
    said = verdict(made())
    assert said.startswith(
        "2 measures against people's 'overall': 200 ratings by 5 raters of 40 answers by 3 systems."
    )
    assert (
        "Item by item, length agrees best with people on these 3 systems (Spearman 0.400 [0.300, 0.500]), "
        "significantly better than every other measure (p = 0.004)." in said
    )
    assert (
        "Two halves of the raters correlate at 0.450 [0.400, 0.500], two groups of full size would at 0.620; a perfect "
        "measure would reach 0.787 with all raters." in said
    )


def test_few_systems_are_not_believed(made: Made) -> None:
    assert (
        "rouge_l has the highest correlation (Spearman 0.500 [0.400, 0.600]), but 3 systems are too few to conclude "
        "anything." in verdict(made())
    )


def test_measures_that_are_not_significantly_different_are_named(made: Made) -> None:
    def even(content: dict[str, Any]) -> None:
        content["rivals"] = [rival("rouge_l", "length", "item", -0.3, p=0.3)]

    assert headline(made(even)) == (
        "People's 'overall': length agrees best with people on these 3 systems (Spearman 0.400 [0.300, 0.500]); "
        "rouge_l is not significantly different."
    )


def test_what_is_missing_is_said(made: Made) -> None:
    said = verdict(made())
    assert "1 rated answer has no score under any measure." in said
    assert "7 scored answers were not rated." in said


def test_nothing_to_correlate_is_said(made: Made) -> None:
    def nothing(content: dict[str, Any]) -> None:
        content["rows"] = [row("length", "item", None), row("length", "system", None)]

    assert "Item by item, no measure has a correlation." in verdict(made(nothing))
    assert headline(made(nothing)) == "No measure has a correlation with people's 'overall'."


def test_a_measure_that_is_beaten_where_both_were_looked_at_is_not_called_better(made: Made) -> None:
    def reversed_(content: dict[str, Any]) -> None:
        content["rivals"] = [rival("rouge_l", "length", "item", 0.3, p=0.004)]

    said = headline(made(reversed_))
    assert said == (
        "People's 'overall': length agrees best with people on these 3 systems (Spearman 0.400 [0.300, 0.500]), "
        "but rouge_l agrees significantly better on the answers that both scored: their order depends on coverage."
    )


def test_where_lower_is_better_the_lowest_correlation_comes_first(made: Made) -> None:
    def lower(content: dict[str, Any]) -> None:
        content["rows"] = [row("ter", "item", -0.6), row("length", "item", 0.4)]
        content["rivals"] = [rival("ter", "length", "item", 0.2, p=0.01)]
        content["settings"]["lower_is_better"] = ["ter"]

    assert headline(made(lower)) == (
        "People's 'overall': ter agrees best with people on these 3 systems (Spearman -0.600 [-0.700, -0.500], "
        "lower being better), significantly better than every other measure (p = 0.010)."
    )


def test_a_measure_without_a_correlation_is_not_called_level(made: Made) -> None:
    def silent(content: dict[str, Any]) -> None:
        content["rows"] = [row("length", "item", 0.4), row("rouge_l", "item", None)]
        content["rivals"] = []

    assert headline(made(silent)) == (
        "People's 'overall': length agrees best with people on these 3 systems (Spearman 0.400 [0.300, 0.500]). "
        "rouge_l has no correlation here."
    )
