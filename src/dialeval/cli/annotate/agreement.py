"""``dialeval annotate agreement``: agreement of raters, as tables or JSON."""

from __future__ import annotations

import json as jsonlib
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from dialeval.cli.annotate.reading import (
    OnlyCriteria,
    OnlySystems,
    RatingFiles,
    RatingsFormat,
    ScaleOption,
    chosen_ratings,
    exported_flags,
)
from dialeval.cli.options import Json, RepeatsOption, scale_given
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.core import Resampling
from dialeval.display.consoles import PrintableConsole
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.errors import DialevalError, RunFailed
from dialeval.options import Option, Options
from dialeval.ratings import Cut, agreement_json, agreement_of, drop_raters, with_flags, write_dropped

if TYPE_CHECKING:
    from dialeval.ratings import CriterionAgreement, Dropped, RaterAgreement
    from dialeval.stats.estimate import Estimate


def agreement(
    ratings: RatingFiles,
    criterion: OnlyCriteria = None,
    system: OnlySystems = None,
    format: RatingsFormat = None,
    classes: Annotated[
        list[str] | None,
        Option(
            "--classes", metavar="CUT", help="Also report agreement on two classes, as in '>3'. Repeatable."
        ),
    ] = None,
    scale: ScaleOption = None,
    drop_below: Annotated[
        float | None,
        Option(
            "--drop-below",
            metavar="KAPPA",
            help="Show raters below it, and what dropping them changes.",
        ),
    ] = None,
    drop_rule: Annotated[
        Literal["mean", "worst-first", "every-pair"],
        Option(
            "--drop-rule", help="Which kappas must reach it, and whether raters are dropped one at a time."
        ),
    ] = "mean",
    drop_file: Annotated[
        Path | None,
        Option(
            "--drop-file",
            help="Write who is dropped to this file, for '--leave-out' of 'dialeval meta' and 'annotate means'.",
        ),
    ] = None,
    repeats: RepeatsOption = None,
    raters: Annotated[
        Literal["fixed", "sampled"],
        Option("--raters", help="Intervals for these raters, or also for other raters like them."),
    ] = "fixed",
    resampling: Annotated[Resampling, Options("cluster", "resamples", "seed")] = Resampling(),
    json: Json = False,
) -> None:
    """Print how well raters agree on each criterion, what each rater did, and whom to drop.

    A column for each rater (CSV, TSV) is read with '--from ratings-wide'.

    Example: dialeval annotate agreement ratings.jsonl

    Example: dialeval annotate agreement sheet.csv --from ratings-wide --scale 1-5

    Example: dialeval annotate agreement ratings.jsonl --classes '>3' --drop-below 0.1
    """
    if drop_file is not None and drop_below is None:
        raise BadUsage("'--drop-file' needs '--drop-below', which says who is dropped.", where="--drop-file")
    cuts = _cuts(classes or ())
    given = chosen_ratings(ratings, format, repeats, criterion, system, scale_given(scale))
    agreements = agreement_of(given, cuts=cuts, resampling=resampling, raters=raters)
    agreements = with_flags(agreements, exported_flags(ratings, given))
    dropped = None
    if drop_below is not None:
        comparable = [
            agreement.criterion
            for agreement in agreements
            if agreement.kappas is not None and agreement.raters > 1
        ]
        none = Resampling(resamples=0)
        dropped = [
            drop_raters(given, name, drop_below, rule=drop_rule, resampling=none) for name in comparable
        ]
    if drop_file is not None and dropped is not None:
        write_dropped(drop_file, dropped)
    if json:
        print(jsonlib.dumps(agreement_json(agreements, dropped), ensure_ascii=False, allow_nan=False))
    else:
        print_agreement(agreements, dropped)
    if all(agreement.raters < 2 for agreement in agreements):
        raise RunFailed("No agreement was computed: no criterion has answers of two raters.")


def _cuts(texts: Sequence[str]) -> list[Cut]:
    try:
        return [Cut.parse(text) for text in texts]
    except DialevalError as error:
        raise BadUsage(str(error), where="--classes") from None


NAMES: Final[Mapping[str, str]] = {
    "fleiss_kappa": "Fleiss' kappa",
    "fleiss_kappa_complete": "Fleiss' kappa, complete items",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "percent_agreement": "agreeing pairs of ratings",
    "mean_cohen_kappa": "mean pairwise Cohen's kappa",
    "icc_2_1": "ICC(2,1), one rater",
    "icc_2_k": "ICC(2,k), mean of raters",
}
MOST_RATERS: Final = 30
"""Raters that are listed; if there are more, those who agree least."""


def print_agreement(agreements: Sequence[CriterionAgreement], dropped: Sequence[Dropped] | None) -> None:
    """Each criterion's tables, one below the other; criteria of one rater are only named.

    ``dropped`` is None if dropping was not asked for.
    """
    console, gone = PrintableConsole(), {drop.criterion: drop for drop in dropped or ()}
    alone = [agreement for agreement in agreements if agreement.raters == 1]
    tables: list[Table] = []
    for agreement in agreements:
        if agreement.raters != 1:
            tables += _tables(agreement)
            if agreement.criterion in gone:
                tables += _dropped(gone[agreement.criterion])
            elif dropped is not None:
                tables.append(
                    _table(f"{agreement.criterion}: no rater can be dropped", (), (), (str(agreement.apart),))
                )
    for index, table in enumerate(tables):
        if index:
            console.print()
        print_table(table, console)
    if alone:
        print(_alone(alone))


def _alone(agreements: Sequence[CriterionAgreement]) -> str:
    named = ", ".join(agreement.criterion for agreement in agreements[:8]) + (
        " ..." if len(agreements) > 8 else ""
    )
    criteria = f"{len(agreements):,} {'criterion' if len(agreements) == 1 else 'criteria'}"
    return (
        f"No agreement with a single rater: {criteria} ({named}).\n"
        "Agreement requires two or more raters of the same answers: give their files, too."
    )


def _tables(agreement: CriterionAgreement) -> Iterator[Table]:
    yield _measures(agreement)
    if agreement.kappas is not None and agreement.kappas.pairs:
        yield _pairs(agreement)
    if agreement.per_rater:
        yield _raters(agreement)


def _measures(agreement: CriterionAgreement) -> Table:
    whole = agreement.complete_items == agreement.items
    rows = [(NAMES[name], measured) for name, measured in _ordered(agreement.measures, whole)]
    for cut, measures in agreement.classes.items():
        rows += [(f"{NAMES[name]}, {cut}", measured) for name, measured in _ordered(measures, whole)]
    cells = [(name, *_value(measured), _over(name, measured)) for name, measured in rows]
    notes = [*_described(agreement), *(f"warning: {text}" for text in agreement.warnings)]
    notes += [*_undefined(rows), *_intervals(agreement, rows)]
    if not whole:
        notes.append(f"complete: the {agreement.complete_items:,} items with as many ratings as any has")
    raters = (
        f"{agreement.raters:,} raters"
        if agreement.per_rater
        else f"up to {agreement.raters:,} anonymous raters each"
    )
    title = f"{agreement.criterion}: {agreement.items:,} items, {raters}, {agreement.ratings:,} ratings"
    return _table(title, ("", "value", "95 % interval", "over"), cells, notes)


def _ordered(measures: Mapping[str, Estimate], whole: bool = True) -> list[tuple[str, Estimate]]:
    """Return the measures in order, without those of complete items if all items are complete."""
    return [
        (name, measures[name])
        for name in NAMES
        if name in measures and not (whole and name == "fleiss_kappa_complete")
    ]


def _undefined(rows: Sequence[tuple[str, Estimate]]) -> Iterator[str]:
    """Yield the reasons why measures are undefined, each once."""
    reasons: dict[str, list[str]] = {}
    for name, measured in rows:
        if measured.value is None and measured.reason is not None:
            reasons.setdefault(measured.reason, []).append(name)
    for reason, names in reasons.items():
        yield f"{'; '.join(names)}: {reason}"


def _intervals(agreement: CriterionAgreement, rows: Sequence[tuple[str, Estimate]]) -> Iterator[str]:
    """Yield notes on the scope of intervals, on clusters, and on missing intervals."""
    if any(measured.bounds for _, measured in rows):
        others = "other raters like these"
        fixed = "these raters" if agreement.clusters is not None else f"these raters (ICC: {others}, too)"
        yield f"intervals are for other items and {others if agreement.about == 'sampled' else fixed}"
    if agreement.clusters is not None:
        effect = "" if agreement.design_effect is None else f", design effect {agreement.design_effect:.2f}"
        yield f"turns of a dialogue, and answers to one item, are taken together ({agreement.clusters:,}{effect})"
    reasons: dict[str, list[str]] = {}
    for name, measured in rows:
        if measured.value is not None and measured.reason is not None:
            reasons.setdefault(measured.reason, []).append(name)
    for reason, names in reasons.items():
        which = "intervals" if len(names) == len(rows) else f"interval of {'; '.join(names)}"
        yield f"no {which}: {reason}"


def _described(agreement: CriterionAgreement) -> Iterator[str]:
    scale = agreement.scale
    if scale is not None and scale.different > 1:
        yield f"{scale.different:,} different values, from {scale.lowest:g} to {scale.highest:g}"
    if agreement.could_not_say:
        yield f"could not say: {agreement.could_not_say:,} of {agreement.ratings + agreement.could_not_say:,}"


def _value(measured: Estimate) -> tuple[str, str]:
    bounds = measured.bounds
    return _number(measured.number), f"[{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "–"


def _over(name: str, measured: Estimate) -> str:
    noun = "pairs" if name == NAMES["mean_cohen_kappa"] else "items"
    return f"{measured.n:,} {noun}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _pairs(agreement: CriterionAgreement) -> Table:
    assert agreement.kappas is not None
    total = len(agreement.kappas.pairs)
    rows = [
        (f"> {threshold:g}", f"{count}/{total}", f"{100 * count / total:.1f} %")
        for threshold, count in agreement.kappas.exceeding.items()
    ]
    return _table(f"{agreement.criterion}: pairs of raters", ("Cohen's kappa", "pairs", "share"), rows, ())


def _raters(agreement: CriterionAgreement) -> Table:
    chosen = list(agreement.per_rater)
    notes = []
    if len(chosen) > MOST_RATERS:
        chosen = sorted(chosen, key=_least)[:MOST_RATERS]
        notes.append(f"the {MOST_RATERS} of {agreement.raters:,} raters who agree least; --json has all")
    rows = [
        (
            rater.rater,
            f"{rater.ratings:,}",
            f"{rater.could_not_say:,}",
            _number(rater.mean),
            _number(rater.mean_kappa),
            f"{rater.others:,}",
            "; ".join(map(str, rater.flags)),
        )
        for rater in chosen
    ]
    titles = ("rater", "ratings", "could not say", "mean", "mean kappa", "others", "flagged")
    return _table(f"{agreement.criterion}: raters", titles, rows, notes)


def _least(rater: RaterAgreement) -> float:
    return math.inf if math.isnan(rater.mean_kappa) else rater.mean_kappa


def _dropped(drop: Dropped) -> Iterator[Table]:
    if not drop.who:
        yield _table(f"{drop.criterion}: no rater is below {drop.threshold:g} ({drop.rule})", (), (), ())
        return
    title = f"{drop.criterion}: raters below {drop.threshold:g} ({drop.rule})"
    yield _table(
        title, ("rater", "mean kappa", "why"), [(g.rater, _number(g.kappa), g.why) for g in drop.who], ()
    )
    rows = []
    for name, before in _ordered(drop.before.measures):
        after = math.nan if drop.after is None else drop.after.measures[name].number
        rows.append((NAMES[name], _number(before.number), _number(after), _number(after - before.number)))
    left = 0 if drop.after is None else drop.after.raters
    title = f"{drop.criterion}: with all {drop.before.raters:,} raters, and with {left:,}"
    yield _table(title, ("", "before", "after", "change"), rows, ())


def _table(title: str, titles: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> Table:
    words = {"", "rater", "why", "flagged", "Cohen's kappa"}
    columns = tuple(Column(title, numeric=title not in words) for title in titles)
    return Table(title, columns, tuple(tuple(Cell(text) for text in row) for row in rows), tuple(notes))
