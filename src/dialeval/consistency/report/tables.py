"""Tables of consistency: rates of systems, and the two turns that clash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dialeval.consistency.document import (
    AnalysisDocument,
    AnswerRates,
    Detected,
    DialoguesInfo,
    Drawn,
    Measured,
    SystemRate,
    SystemRelevance,
    Target,
)
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.wording import NOTHING, count, interval, number, one_line, p_value, percent

_RATES = (
    Column("system"),
    Column("rate of checked", numeric=True),
    Column("contradictions", numeric=True),
    Column("ambiguous", numeric=True),
    Column("checked", numeric=True),
    Column("excluded", numeric=True),
)
_PAIRS = (
    Column("dialogue"),
    Column("system"),
    Column("turns"),
    Column("earlier"),
    Column("later"),
    Column("probability", numeric=True),
)
_MEASURED = (
    Column("set"),
    Column("accuracy", numeric=True),
    Column("AUC", numeric=True),
    Column("calibration error", numeric=True),
    Column("ambiguous", numeric=True),
    Column("n", numeric=True),
)
_TARGETS = (
    Column("target system"),
    Column("before (CD_HUM)", numeric=True),
    Column("trained on the others (CD_RGS)", numeric=True),
    Column("n", numeric=True),
)
_QUOTED = 70
_BY_VOTES = ("not all raters", "all raters")


def rates(systems: Sequence[SystemRate], notes: Sequence[str] = ()) -> Table:
    """One row per system."""
    rows = tuple(
        (
            Cell(rate.system or "(no system)"),
            estimate_cell(*rate.rate[:3]),
            Cell(f"{rate.contradictions:,}"),
            Cell(f"{rate.ambiguous:,}"),
            Cell(f"{rate.rate.n:,}"),
            Cell(f"{rate.excluded:,}"),
        )
        for rate in systems
    )
    return Table("Contradictions", _RATES, rows, tuple(notes))


def worst(detected: Sequence[Detected], *, most: int = 10) -> Table:
    """The first of these pairs, shortened to a line each; ``+2`` says that the dialogue has two more contradictions."""
    return Table("Where it contradicts itself", _PAIRS, tuple(_row(each) for each in detected[:most]))


def _row(each: Detected) -> tuple[Cell, ...]:
    assert each.quotes is not None
    assert each.pair is not None
    earlier, later = each.quotes
    return (
        Cell(each.id),
        Cell(each.system),
        Cell(f"{each.pair[0]}, {each.pair[1]}" + (f" +{len(each.others)}" if each.others else "")),
        Cell(one_line(earlier.text, limit=_QUOTED)),
        Cell(one_line(later.text, limit=_QUOTED)),
        Cell(number(each.probability, 2), mark="?" if each.verdict == "ambiguous" else ""),
    )


def elicited(systems: Sequence[SystemRate]) -> list[str]:
    """Number of contradictions that answer a question; nothing if there are none."""
    parts = [
        f"{rate.system or '(no system)'} {rate.after_question:,} of {rate.contradictions:,}"
        for rate in systems
        if rate.contradictions
    ]
    return [f"contradictions in an answer to a question: {'; '.join(parts)}"] if parts else []


def notes_of(info: DialoguesInfo) -> list[str]:
    """What the numbers mean, and what was left out."""
    low, high = info.band
    told = [
        f"contradiction from {number(high, 2)}, ambiguous (?) from {number(low, 2)}; threshold "
        f"{number(info.threshold, 2)}"
    ]
    if info.turn == "all" and info.speakers == "system":
        known = sum(rate.rate.n + rate.excluded for rate in info.systems) - info.all_speakers
        told += [f"{count(known, 'dialogue')}: the system's turns only (--speakers all compares all)"] * bool(
            known
        )
        if info.all_speakers:
            told.append(
                f"{count(info.all_speakers, 'dialogue')}: all speakers, as nobody is known as the system"
            )
    if info.not_compared:
        told.append(
            f"{count(info.not_compared, 'pair')} of turns not compared: more than {info.reach} turns apart "
            "(--reach 0 compares all)"
        )
    told += elicited(info.systems)
    return told + [f"{count(n, 'dialogue')} not checked: {reason}" for reason, n in info.excluded.items()]


def measured_table(measured: Mapping[str, Measured]) -> Table:
    """How a detector does on each set of labelled pairs."""
    rows = tuple(
        (
            Cell(name),
            estimate_cell(*found.accuracy[:3]),
            estimate_cell(*found.auc[:3]),
            Cell(number(found.calibration_error)),
            Cell(f"{found.ambiguous:,}"),
            Cell(f"{found.accuracy.n:,}"),
        )
        for name, found in measured.items()
    )
    return Table("Detector against people", _MEASURED, rows)


def cross_validated(targets: Sequence[Target]) -> Table:
    """The layout of the thesis's Table 4.4 (b): one row per target system."""
    rows = tuple(
        (
            Cell(target.system),
            estimate_cell(*target.before.accuracy[:3]),
            estimate_cell(*target.after.accuracy[:3]) if target.after is not None else Cell(NOTHING),
            Cell(f"{target.before.accuracy.n:,}"),
        )
        for target in targets
    )
    return Table("Leave one system out", _TARGETS, rows)


def features(document: AnalysisDocument) -> Table:
    """Features of the question, the most provoking first."""
    columns = (
        Column("feature of the question"),
        Column("with it", numeric=True),
        Column("without", numeric=True),
        Column("contexts", numeric=True),
        Column("p, one-tailed", numeric=True),
    )
    ranked = sorted(document.features, key=lambda feature: feature.p if feature.p is not None else 2.0)
    rows = tuple(
        (
            Cell(feature.feature),
            Cell(number(feature.mean)),
            Cell(number(feature.mean_others)),
            Cell(f"{feature.contexts:,} / {feature.others:,}"),
            Cell(p_value(feature.p), mark="★" if feature.significant else ""),
        )
        for feature in ranked
    )
    note = f"contradictory answers per context and system; ★ significant at {document.alpha:g}"
    return Table("What provokes contradictions", columns, rows, (note,))


def misses(document: AnalysisDocument) -> Table:
    """Contradictions that the detector misses, by how many raters saw them."""
    columns = (Column("seen by"), Column("missed", numeric=True), Column("found", numeric=True))
    if document.misses is None:
        return Table("Detector and ambiguity", columns, ())
    rows = tuple(
        (Cell(name), Cell(f"{missed:,}"), Cell(f"{found:,}"))
        for name, (missed, found) in zip(_BY_VOTES, document.misses, strict=True)
    )
    why = f" ({document.misses_reason})" if document.misses_reason else ""
    note = f"chi-square p {p_value(document.misses_p)}{why}"
    return Table("Detector and ambiguity", columns, rows, (note,))


def compared(document: AnalysisDocument) -> Table:
    """Contradictions that one detector finds and the other misses, beside those that both find."""
    found = document.compared
    columns = (
        Column("found by"),
        *(Column(f"seen by {name}", numeric=True) for name in _BY_VOTES),
        Column("share of the first", numeric=True),
    )
    if found is None:
        return Table("Two detectors", columns, ())
    kinds = {
        f"{found.model} only": found.gained,
        "both": found.both,
        f"{found.against} only": found.lost,
        "neither": found.neither,
    }
    rows = tuple(
        (
            Cell(name),
            Cell(f"{some:,}"),
            Cell(f"{every:,}"),
            Cell(percent(some / (some + every) if some + every else None)),
        )
        for name, (some, every) in kinds.items()
    )
    why = f" ({found.reason})" if found.reason else ""
    return Table("Two detectors", columns, rows, (f"first two rows: chi-square p {p_value(found.p)}{why}",))


def people_rates(systems: Sequence[AnswerRates], *, within: bool = False, notes: Sequence[str] = ()) -> Table:
    """One row per system: contradictory answers from those that any rater sees to those that all see."""
    columns = (
        Column("system"),
        Column("by any rater", numeric=True),
        Column("by label", numeric=True),
        Column("by all raters", numeric=True),
        *([Column("within the answer", numeric=True)] if within else []),
        Column("answers", numeric=True),
    )
    rows = tuple(
        (
            Cell(rate.system),
            estimate_cell(*rate.any[:3]),
            estimate_cell(*rate.contradictory[:3]),
            estimate_cell(*rate.all[:3]),
            *([Cell(NOTHING if rate.within is None else f"{rate.within:,}")] if within else []),
            Cell(f"{rate.answers:,}"),
        )
        for rate in systems
    )
    return Table("Contradictory answers", columns, rows, tuple(notes))


def relevance(systems: Sequence[SystemRelevance]) -> Table:
    """One row per system: whether its answers are about what was asked."""
    columns = (
        Column("system"),
        Column("cosine to the last turn", numeric=True),
        Column("repeats a turn", numeric=True),
        Column("commonest answer", numeric=True),
    )
    rows = tuple(
        (
            Cell(each.system or "(no system)"),
            estimate_cell(*each.cosine[:3]),
            estimate_cell(*each.repeats[:3]),
            Cell(NOTHING if each.commonest is None else percent(each.commonest)),
        )
        for each in systems
    )
    return Table("Relevance of the same answers", columns, rows)


def answer_rates(document: AnalysisDocument) -> Table:
    """Contradictory answers of each system, from those that any rater sees to those that all see."""
    share = document.unanimity
    notes = [
        f"of {count(share.n, 'answer')} that a rater calls contradictory, all raters do of {percent(share.value)} "
        f"{interval(share.low, share.high)}"
    ] * (share.value is not None)
    notes.append(
        "within the answer: contradictory answers in which the detector also finds two statements that clash"
    )
    return people_rates(document.systems, within=True, notes=notes)


def draws(document: AnalysisDocument) -> Table:
    """Contradictions by how probes were drawn, the layout of the thesis's Table 4.2."""
    by_distance: dict[int | None, list[Drawn]] = {}
    for each in document.draws:
        by_distance.setdefault(each.distance, []).append(each)
    rules = [_rule(each.votes) for each in by_distance.get(None, ())]
    columns = (Column("distance"), Column("probes drawn"), *(Column(rule, numeric=True) for rule in rules))
    rows: list[tuple[Cell, ...]] = []
    for distance, cells in by_distance.items():
        where = "all" if distance is None else f"{distance}"
        by_rule = {_rule(each.votes): each for each in cells}
        held = [by_rule.get(rule) for rule in rules]
        for draw in dict.fromkeys(draw for each in cells for draw in each.counts):
            rows.append((Cell(where), Cell(draw.upper()), *(_share(each, draw) for each in held)))
        rows.append((Cell(where), Cell("p"), *(_tested(each, document.alpha) for each in held)))
    names = {draw for each in document.draws for draw in each.counts}
    notes = [
        "at least so many raters call the answer contradictory; p: one-tailed Student's t over contexts, that TOP "
        f"provokes more; ★ significant at {document.alpha:g}"
    ]
    if document.by_detector:
        notes.append(f"{count(document.by_detector, 'answer')} labelled by the detector, not by people")
    return Table("RANDOM and TOP", columns, tuple(rows) if len(names) > 1 else (), tuple(notes))


def _rule(votes: int | None) -> str:
    return "by label" if votes is None else f"{votes} or more"


def _share(each: Drawn | None, draw: str) -> Cell:
    if each is None or draw not in each.counts:
        return Cell(NOTHING)
    yes, of = each.counts[draw]
    return Cell(f"{yes:,} / {of:,}", percent(yes / of if of else None))


def _tested(each: Drawn | None, alpha: float) -> Cell:
    p = None if each is None else each.p
    return Cell(p_value(p), mark="★" if p is not None and p < alpha else "")


def kappa_sentence(document: AnalysisDocument) -> str:
    """Whether contexts make several systems contradict themselves."""
    if document.kappa is None:
        return f"Fleiss' kappa over systems is undefined: {document.kappa_reason}."
    over = count(document.kappa_contexts, "context")
    return f"Fleiss' kappa over systems is {number(document.kappa)}, over {over} that two or more answered."


def analyses(document: AnalysisDocument) -> tuple[Table, ...]:
    """All tables of an analysis, some of them without rows."""
    return (
        answer_rates(document),
        features(document),
        misses(document),
        compared(document),
        draws(document),
    )


def print_analysis(document: AnalysisDocument) -> None:
    """Print all analyses to the terminal."""
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.terminal import print_table

    console = PrintableConsole()
    systems = count(len(document.systems), "system")
    print(f"{count(document.answers, 'answer')} of {systems} in {count(document.contexts, 'context')}")
    print(kappa_sentence(document))
    for table in analyses(document):
        if table.rows:
            print_table(table, console)
