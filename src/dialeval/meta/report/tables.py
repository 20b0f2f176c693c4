"""The tables of measures and people, from a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.wording import (
    COEFFICIENTS,
    NOTHING,
    count,
    decimals,
    interval,
    listing,
    number,
    p_value,
    signed,
)
from dialeval.judge.document import BesidePeople
from dialeval.meta.document import (
    Ceiling,
    Coefficient,
    DifferenceEstimate,
    Document,
    Estimates,
    InstanceValidation,
    Level,
    Planned,
    PowerCurve,
    Rivalry,
    Row,
    SystemEstimate,
    SystemTest,
    TrueMeans,
)
from dialeval.meta.document.few_ratings import RankRange, range_of
from dialeval.meta.report.levels import (
    MEANINGS,
    TITLES,
    correlation,
    decided,
    ordered,
    resampled,
    scope,
    unit,
)

KINDS: Final[tuple[Coefficient, ...]] = ("spearman", "pearson", "kendall")
MOST_RATERS: Final = 30


def agreement(document: Document, level: Level) -> Table:
    """Each measure's correlations with people at one level, highest first."""
    rows = ordered(document, level)
    if all(row.value is None for row in rows):
        return Table(_title(document, level), (), (), tuple(_undefined(rows)))
    main = document.settings.coefficient
    others = [name for name in KINDS if name != main]
    ranked = any(row.cluster is not None for row in rows)
    columns = [Column("measure"), Column(COEFFICIENTS[main], numeric=True)]
    tested = any(row.p_test is not None for row in rows)
    columns += [Column("p", numeric=True), Column("p (Holm)", numeric=True)] if tested else []
    columns += [Column(COEFFICIENTS[name], numeric=True) for name in others]
    true = any(row.true_means is not None and row.true_means.pearson.value is not None for row in rows)
    columns += [Column("true means", numeric=True)] if true else []
    columns += [Column("n", numeric=True)]
    columns += [Column("rank group", numeric=True)] if ranked else []
    best = next((row.value for row in rows), None)
    shown = []
    for row in rows:
        cells = [Cell(row.measure)]
        top = row.value is not None and row.value == best
        cells.append(Cell(marked(document, row), interval(row.estimate.low, row.estimate.high), strong=top))
        cells += [Cell(p_value(row.p_test)), Cell(p_value(row.p_adjusted))] if tested else []
        cells += [Cell(_value(row.of(name))) for name in others]
        cells += [_true_means(row.true_means)] if true else []
        cells.append(Cell(f"{row.estimate.n:,}"))
        cells += [Cell(NOTHING if row.cluster is None else str(row.cluster))] if ranked else []
        shown.append(tuple(cells))
    return Table(
        _title(document, level), tuple(columns), tuple(shown), tuple(notes_on(document, level, rows))
    )


def ceiling(document: Document) -> Table:
    """Agreement of two halves of the people, level by level, and what that leaves for a measure to reach."""
    coefficient = COEFFICIENTS[document.settings.coefficient]
    columns = (
        *(Column("level"), Column(coefficient, numeric=True), Column("n", numeric=True)),
        *(Column("corrected", numeric=True), Column("bound", numeric=True)),
        Column("best measure", numeric=True),
    )
    rows = tuple(_ceiling(document, ceiling) for ceiling in document.ceiling)
    return Table("Ceiling: people with people", columns, rows, tuple(_ceiling_notes(document)))


def raters(document: Document) -> Table:
    """Agreement of each rater with the mean of all others, the least first."""
    ranked = sorted(document.raters, key=lambda one: (one.value is None, one.value or 0.0))
    columns = (Column("rater"), Column(COEFFICIENTS[document.settings.coefficient], numeric=True))
    rows = tuple(
        (Cell(rater.rater), Cell(_value(rater.value)), Cell(f"{rater.n:,}")) for rater in ranked[:MOST_RATERS]
    )
    left = len(ranked) - len(rows)
    notes = (f"and {count(left, 'rater')} with higher agreement, or none",) if left else ()
    return Table("Each rater with the others", (*columns, Column("n", numeric=True)), rows, notes)


def combined(document: Document) -> Table:
    """Weights of the combined measures."""
    names = dict.fromkeys(name for combination in document.combined for name in combination.weights)
    columns = (
        Column("measure"),
        *(Column(combination.measure, numeric=True) for combination in document.combined),
    )
    rows = tuple(
        (Cell(name), *(Cell(signed(combination.weights.get(name), 3)) for combination in document.combined))
        for name in names
    )
    notes = [
        f"{combination.measure}: each value is predicted by a fit to the ratings of other items"
        if combination.fitted
        else f"{combination.measure}: no ratings are used"
        for combination in document.combined
    ]
    return Table("Weights of the combined measures", columns, rows, tuple(notes))


def joint(document: Document) -> Table:
    """Numbers of answers that each measure shares with people, and that only one side has."""
    columns = (
        *(Column("measure"), Column("joined", numeric=True), Column("only people", numeric=True)),
        Column("only the measure", numeric=True),
    )
    rows = tuple(
        (
            Cell(coverage.measure),
            Cell(f"{coverage.both:,}"),
            Cell(f"{coverage.only_human:,}"),
            Cell(f"{coverage.only_measure:,}"),
        )
        for coverage in document.unjoined.measures
    )
    return Table("What joined", columns, rows)


def unjoined(document: Document) -> Iterator[str]:
    """The first answers that only one side has, a line each."""
    for cell in document.unjoined.first:
        who = "people rated" if cell.side == "human" else f"{cell.side} scored"
        yield f"only {who} item {cell.item}, system {cell.system}"


def marked(document: Document, row: Row) -> str:
    """The correlation, with a star if it is significant after the correction."""
    significant = row.p_adjusted is not None and row.p_adjusted < _alpha(document)
    return _value(row.value) + ("*" if significant else "")


def _alpha(document: Document) -> float:
    return round(1 - document.settings.level, 10)


def notes_on_p(document: Document, level: Level) -> Iterator[str]:
    """A note on the test behind the p-values at one level, and what a star means."""
    rows = [row for row in document.at(level) if row.p_test is not None]
    if not rows:
        return
    kind = COEFFICIENTS[document.settings.coefficient]
    if all(row.estimate.bounds is None for row in rows):
        test = f"{kind}'s own test, its points taken as a random sample"
    else:
        test = f"t test that {kind}'s coefficient is 0 with the jackknife's error over {resampled(document)}"
    holm = f"Holm's p over {count(len(rows), 'measure')} at this level"
    yield f"* p < {_alpha(document):g} after the correction ({holm}); p: {test}"


def _title(document: Document, level: Level) -> str:
    human = document.human
    return f"{TITLES[level]}: measures against people's {human.criterion!r}"


def notes_on(document: Document, level: Level, rows: list[Row]) -> Iterator[str]:
    """Notes on points, intervals, rank groups and single measures."""
    groups = {row.groups for row in rows if row.groups}
    of_what = "systems" if level == "item_within_system" else "items"
    yield MEANINGS[level] + (
        f" over {listing([f'{n:,}' for n in sorted(groups)])} {of_what}" if groups else ""
    )
    yield from _interval_notes(document, level, rows)
    yield from notes_on_p(document, level)
    if any(row.cluster is not None for row in rows):
        alpha = f"{1 - document.settings.level:.2g}"
        yield (
            f"measures in one rank group do not differ significantly {scope(document)} "
            f"({decided(document)}, Holm's p < {alpha})"
        )
    human = document.human
    if level == "item" and human.system_identity is not None:
        yield (
            f"a measure that knew only which system answered would have Pearson "
            f"{correlation(human.system_identity_corrected)}, that is {correlation(human.system_identity)} less what "
            f"chance adds (if systems did not differ: {correlation(human.system_identity_by_chance)})"
        )
    measures: dict[str, list[str]] = {}
    for row in rows:
        for note in row.warnings:
            measures.setdefault(note.text, []).append(row.measure)
    for text, names in measures.items():
        yield text if len(names) == len(rows) else f"{listing(names)}: {text}"


def _interval_notes(document: Document, level: Level, rows: Sequence[Row]) -> Iterator[str]:
    confidence = f"{document.settings.level:.0%}"
    if any(row.estimate.bounds for row in rows):
        means = " (of means of as many items)" if level == "system" else ""
        others = f"other {resampled(document)} like these{means}"
        yield f"brackets hold {confidence} intervals for {others}, by the jackknife"
    true = [row.true_means for row in rows if row.true_means is not None]
    if any(means.pearson.value is not None for means in true):
        yield (
            f"true means: Pearson's correlation of these systems' means freed from the noise of few items, with its "
            f"{confidence} interval for other {resampled(document)}; the other columns are of the means as observed"
        )
    for reason in dict.fromkeys(means.pearson.reason for means in true if means.pearson.reason):
        yield f"no interval for the correlation of systems' true means: {reason}"
    effects = sorted(row.design_effect for row in rows if row.design_effect is not None)
    if effects:
        span = f"{effects[0]:.2f} to {effects[-1]:.2f}"
        yield f"turns of a dialogue are taken together, which multiplies variances by {span} (design effect)"
    elif document.settings.cluster == "none":
        yield "items are taken to be independent, also those of one dialogue (--cluster none)"


def _true_means(means: TrueMeans | None) -> Cell:
    if means is None or means.pearson.value is None:
        return Cell(NOTHING)
    return Cell(correlation(means.pearson.value), interval(means.pearson.low, means.pearson.high))


def _undefined(rows: Sequence[Row]) -> Iterator[str]:
    yield "no measure has a correlation with people at this level"
    yield from dict.fromkeys(note.text for row in rows for note in row.warnings)


def _value(value: float | None) -> str:
    return "undefined" if value is None else correlation(value)


def _ceiling(document: Document, ceiling: Ceiling) -> tuple[Cell, ...]:
    best = next(iter(ordered(document, ceiling.level)), None)
    value = None if best is None else best.value
    return (
        Cell(TITLES[ceiling.level].lower()),
        Cell(_value(ceiling.mean.value), interval(ceiling.mean.low, ceiling.mean.high)),
        Cell(f"{ceiling.mean.n:,}" if ceiling.mean.n else NOTHING),
        Cell(correlation(ceiling.corrected)),
        Cell(correlation(ceiling.bound)),
        Cell(correlation(value), best.measure if best and value is not None else ""),
    )


def _ceiling_notes(document: Document) -> Iterator[str]:
    defined = [ceiling for ceiling in document.ceiling if ceiling.mean.value is not None]
    if defined:
        first = defined[0]
        what = "the raters" if first.split == "raters" else "each answer's ratings"
        halves = f"mean over {count(first.repeats, 'random split')} of {what} into halves"
        yield f"{halves}, {count(first.raters, 'rater')} in all"
    if any(ceiling.mean.bounds for ceiling in defined):
        yield f"brackets hold {document.settings.level:.0%} intervals for other {unit(document)}s and these raters"
    if any(ceiling.corrected is not None for ceiling in defined):
        yield "corrected: expected agreement of two groups as large as all raters (Spearman-Brown)"
    if any(ceiling.bound is not None for ceiling in defined):
        yield "bound: expected correlation of a perfect measure, the mean of infinitely many raters, with these raters"
    yield from dict.fromkeys(
        f"{TITLES[ceiling.level].lower()}: not corrected, {ceiling.uncorrected}"
        for ceiling in defined
        if ceiling.uncorrected
    )
    yield from dict.fromkeys(
        f"{TITLES[ceiling.level].lower()}: {ceiling.mean.reason}"
        for ceiling in document.ceiling
        if ceiling.mean.reason
    )


MOST_RIVALS: Final = 60


def rivals(document: Document, level: Level) -> Table:
    """Each pair of measures that have a correlation at one level, the surest difference first."""
    pairs = [
        rival for rival in document.rivals if rival.level == level and rival.difference.value is not None
    ]
    pairs.sort(key=lambda rival: (rival.p_adjusted is None, rival.p_adjusted or 0.0))
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("p (Holm)", numeric=True)),
        *(Column("p", numeric=True), Column("p (Williams)", numeric=True), Column("verdict")),
    )
    shown = pairs[:MOST_RIVALS]
    rows = tuple(_rival(rivalry, scope(document)) for rivalry in shown)
    return Table(TITLES[level], columns, rows, tuple(_rival_notes(document, pairs)))


def on_edge(pairs: Sequence[Rivalry]) -> Iterator[str]:
    """A note on pairs whose verdict depends on which swaps were drawn."""
    names = [
        f"{rivalry.a} − {rivalry.b} ({p_value(rivalry.p_adjusted)})" for rivalry in pairs if rivalry.on_edge
    ]
    if names:
        them = "it" if len(names) == 1 else "them"
        yield f"borderline: more resamples or another seed could change {them}: {listing(names, most=3)}"


def _rival_notes(document: Document, pairs: Sequence[Rivalry]) -> Iterator[str]:
    if pairs:
        yield f"p: {decided(document)}; it says whether measures differ {scope(document)}"
    if len(pairs) > MOST_RIVALS:
        yield f"and {count(len(pairs) - MOST_RIVALS, 'less significant pair')}"
    if any(rivalry.difference.bounds for rivalry in pairs):
        yield f"brackets hold {document.settings.level:.0%} intervals for other {resampled(document)} like these"
    systems = document.human.systems
    if document.settings.resample == "systems" and systems < 7:
        yield f"with {count(systems, 'system')} no p-value can fall below {2 ** (1 - systems):.2g}"
    error = max((rivalry.p_error or 0.0 for rivalry in pairs), default=0.0)
    if error:
        yield f"p is from random swaps, with a standard error of at most {error:.2g}"
    yield from on_edge(pairs)
    if any(rivalry.only_a or rivalry.only_b for rivalry in pairs):
        yield "two measures are compared over the answers that both scored, fewer than in the tables of agreement"


def _rival(rivalry: Rivalry, where: str) -> tuple[Cell, ...]:
    better = rivalry.better
    verdict = "no significant difference" if better is None else f"{better} agrees better with people {where}"
    decisive = rivalry.p_jackknife if rivalry.test == "jackknife" else rivalry.p_permutation
    return (
        Cell(f"{rivalry.a} − {rivalry.b}"),
        Cell(signed(rivalry.difference.value), interval(rivalry.difference.low, rivalry.difference.high)),
        Cell(p_value(rivalry.p_adjusted)),
        Cell(p_value(decisive)),
        Cell(p_value(rivalry.p_williams)),
        Cell(verdict, strong=rivalry.significant),
    )


def estimates(estimates: Estimates) -> Table:
    """Each system's mean human rating over all items, the mean of the ratings alone beside it."""
    places = decimals(x for system in estimates.systems for x in system.estimate[:3])
    columns = (
        *(Column("system"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("rated", numeric=True), Column("unrated", numeric=True), Column("worth", numeric=True)),
        *([Column("ranks", numeric=True)] if len(estimates.ranks) > 1 else []),
    )
    ranks = {rank.system: rank for rank in estimates.ranks if len(estimates.ranks) > 1}
    rows = tuple(
        (
            Cell(system.system),
            _mean(*system.estimate[:3], places)._replace(strong=system.estimate.value is not None),
            _mean(*system.classical.estimate[:3], places),
            _counted(system.estimate.n, system.classical.estimate.n),
            Cell(f"{system.n_unrated:,}"),
            Cell(_worth(system.effective_n)),
            *([Cell(_ranks(rank))] if (rank := ranks.get(system.system)) else []),
        )
        for system in estimates.systems
    )
    title = f"People's mean {estimates.criterion!r} over all items, by {estimates.measure}"
    return Table(title, columns, rows, tuple(_estimate_notes(estimates)))


def differences(estimates: Estimates) -> Table:
    """Each pair of systems: the difference of their mean human ratings over all items."""
    places = decimals(x for difference in estimates.differences for x in difference.estimate[:3])
    columns = (
        *(Column("pair"), Column("estimate", numeric=True), Column("ratings alone", numeric=True)),
        *(Column("p (Holm)", numeric=True), Column("worth", numeric=True), Column("verdict")),
    )
    rows = tuple(
        (
            Cell(f"{difference.a} − {difference.b}"),
            _difference(*difference.estimate[:3], places),
            _difference(*difference.classical.estimate[:3], places),
            Cell(p_value(difference.p_adjusted)),
            Cell(_worth(difference.effective_n)),
            Cell(_rated_higher(difference), strong=difference.higher is not None),
        )
        for difference in estimates.differences
    )
    return Table("Differences between systems", columns, rows, tuple(_warnings(estimates.differences)))


def _ranks(rank: RankRange) -> str:
    return str(rank.best) if rank.best == rank.worst else f"{rank.best}–{rank.worst}"


def _worth(effective: float | None) -> str:
    return NOTHING if effective is None else f"{effective:,.0f} ratings"


def _mean(value: float | None, low: float | None, high: float | None, places: int) -> Cell:
    return Cell("undefined" if value is None else number(value, places), interval(low, high, places))


def _difference(value: float | None, low: float | None, high: float | None, places: int) -> Cell:
    return Cell(signed(value, places), interval(low, high, places))


def _counted(entered: int, rated: int) -> Cell:
    return Cell(f"{entered:,}", f"of {rated:,}" if rated > entered else "")


def _rated_higher(difference: DifferenceEstimate) -> str:
    return (
        "not significantly different" if difference.higher is None else f"{difference.higher} is rated higher"
    )


def _estimate_notes(estimates: Estimates) -> Iterator[str]:
    yield (
        f"{estimates.measure} replaces the ratings of unrated items, and the rated items correct its bias "
        f"(PPI++); brackets hold {estimates.level:.0%} intervals, valid however biased the measure is"
    )
    yield "worth: how many ratings would give an equally short interval without the measure"
    yield estimates.note.text
    effects = sorted(system.design_effect for system in estimates.systems if system.design_effect is not None)
    if effects:
        span = f"{effects[0]:.2f} to {effects[-1]:.2f}"
        yield f"turns of a dialogue are taken together, which multiplies variances by {span} (design effect)"
    yield from _warnings(estimates.systems)


def _warnings(estimates: Sequence[SystemEstimate | DifferenceEstimate]) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for estimate in estimates:
        name = estimate.system if isinstance(estimate, SystemEstimate) else f"{estimate.a} − {estimate.b}"
        for text in (
            *texts(estimate.warnings),
            *([estimate.estimate.reason] if estimate.estimate.reason else []),
        ):
            named.setdefault(text, []).append(name)
    for text, names in named.items():
        yield text if len(names) == len(estimates) > 1 else f"{listing(names)}: {text}"


NOUNS = {"items": "item", "dialogues": "dialogue", "raters": "rating", "systems": "system"}


def planning(document: Document) -> Table:
    """Each question, what there is, and what would be enough."""
    columns = (
        *(Column("question"), Column("available", numeric=True), Column("enough", numeric=True)),
        Column("for"),
    )
    answered = [plan for plan in document.planning if plan.reason is None]
    rows = tuple(map(_plan_row, answered))
    return Table("What the next study needs", columns, rows, tuple(_plan_notes(document.planning)))


def _plan_row(plan: Planned) -> tuple[Cell, ...]:
    noun = NOUNS[plan.over]
    most = max((point.size for point in plan.points), default=0)
    enough = f"> {count(most, noun)}" if plan.enough is None else count(plan.enough, noun)
    return (
        Cell(plan.question),
        Cell(NOTHING if plan.at_hand is None else count(plan.at_hand, noun)),
        Cell(enough, _range(plan), strong=plan.enough is not None),
        Cell(f"{plan.goal} {plan.target:g}"),
    )


def _range(plan: Planned) -> str:
    return range_of(plan.needed) if isinstance(plan, PowerCurve) and plan.needed else ""


def _plan_notes(plans: Sequence[Planned]) -> Iterator[str]:
    answered = [plan for plan in plans if plan.reason is None]
    if any(plan.goal == "power" for plan in answered):
        yield (
            "power: how often a study of that size would detect the observed difference, resampling the present data"
        )
    if any(isinstance(plan, PowerCurve) and plan.needed for plan in answered):
        yield (
            "ranges: what eight of ten resamples of the present data call for; perhaps never, where more than one in "
            "ten shows no difference in this direction. Collect all of it before you look, or correct for looking twice"
        )
    if any(plan.goal == "width" for plan in answered):
        yield "width: of the 95% interval over studies of that size"
    if any(plan.over == "raters" for plan in answered):
        yield "ratings are of each answer"
    yield from dict.fromkeys(note.text for plan in answered for note in plan.notes)
    said: dict[str, list[str]] = {}
    for plan in plans:
        if plan.reason is not None:
            said.setdefault(plan.reason, []).append(f"{plan.question} ({plan.over})")
    for reason, questions in said.items():
        yield f"{listing(questions, most=2)}: {reason}"


TESTS = {"welch": "Welch's t test", "student": "Student's t test", "fisher": "Fisher's exact test"}


def trust(document: Document) -> Table:
    """What each measure may be trusted with, and the numbers that this rests on."""
    columns = (
        *(
            Column("measure"),
            Column("within systems", numeric=True),
            Column("half of the raters", numeric=True),
        ),
        *(Column("difference", numeric=True), Column("kappa", numeric=True), Column("spread", numeric=True)),
        Column("verdict"),
    )
    rows = tuple(_trust_row(each.measure, each.people) for each in document.trust)
    unknown = {reason for each in document.trust if (reason := each.people.difference.reason)}
    notes = [f"no difference, kappa and spread where {reason}" for reason in sorted(unknown)]
    return Table("What to trust them with", columns, rows, tuple(notes) if rows else ())


def _trust_row(measure: str, people: BesidePeople) -> tuple[Cell, ...]:
    shown = (people.within, people.ceiling, people.difference, people.kappa, people.spread)
    cells = [
        Cell(NOTHING) if one is None or one.value is None else estimate_cell(*one[:3], places=2)
        for one in shown
    ]
    return (Cell(measure), *cells, Cell("" if people.trust is None else people.trust.sentence))


def instances(validation: InstanceValidation) -> Table:
    """Each system's mean rating where the measure says right, and where it says wrong."""
    what = "share" if validation.test == "fisher" else "mean"
    columns = (
        *(Column("system"), Column("right", numeric=True), Column("wrong", numeric=True)),
        *(Column(f"{what} if right", numeric=True), Column(f"{what} if wrong", numeric=True)),
        *(Column("p", numeric=True), Column("p (Holm)", numeric=True)),
    )
    places = decimals(x for system in validation.systems for x in (system.mean_right, system.mean_wrong))
    rows = tuple(_instance_row(system, places, validation.alpha) for system in validation.systems)
    return Table(
        f"Single answers: right where {validation.rule}", columns, rows, tuple(_instance_notes(validation))
    )


def _instance_row(test: SystemTest, places: int, alpha: float) -> tuple[Cell, ...]:
    return (
        Cell(test.system),
        Cell(f"{test.right:,}"),
        Cell(f"{test.wrong:,}"),
        *(Cell(NOTHING if x is None else number(x, places)) for x in (test.mean_right, test.mean_wrong)),
        Cell(p_value(test.p), strong=test.p is not None and test.p < alpha),
        Cell(p_value(test.p_adjusted)),
    )


def _instance_notes(validation: InstanceValidation) -> Iterator[str]:
    way = "higher" if validation.alternative == "greater" else "lower"
    holds = f"{validation.criterion} is significantly {way} where {validation.rule}"
    yield (
        f"{holds} for {validation.significant} of {validation.tested} systems "
        f"({validation.significant_adjusted} after Holm's correction): one-tailed {TESTS[validation.test]}, "
        f"p < {validation.alpha:g}"
    )
    said: dict[str, list[str]] = {}
    for system in validation.systems:
        if system.reason:
            said.setdefault(system.reason, []).append(system.system)
    yield from (f"{listing(names)}: {reason}" for reason, names in said.items())
