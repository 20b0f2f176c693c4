"""Tables of systems' choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dialeval.display.notes import texts
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.display.wording import (
    COEFFICIENTS,
    NOTHING,
    count,
    interval,
    listing,
    number,
    p_value,
    percent,
    signed,
)
from dialeval.selection.document import AskedDocument, Comparison, ErrorLabel, Trials, is_guess

UNLABELLED: Final = "no label"


def ranking(document: AskedDocument) -> Table:
    """The systems, best first: accuracy with its interval, mean reciprocal rank, hits, ties."""
    rows = sorted(document.results, key=lambda row: (row.accuracy is None, -(row.accuracy or 0)))
    ks = list(dict.fromkeys(k for row in rows for k in row.hits))
    unscored = any(row.unscored for row in rows)
    columns = [
        Column("system"),
        Column("accuracy", numeric=True),
        Column("MRR", numeric=True),
        *(Column(f"hits@{k}", numeric=True) for k in ks),
        Column("ties", numeric=True),
        Column("n", numeric=True),
        *([Column("unscored", numeric=True)] if unscored else []),
    ]
    cells = [
        (
            Cell(row.system),
            Cell(number(row.accuracy), interval(row.low, row.high)),
            Cell(number(row.mrr)),
            *(Cell(number(row.hits.get(k))) for k in ks),
            Cell(f"{row.ties:,}"),
            Cell(f"{row.n:,}"),
            *([Cell(f"{row.unscored:,}")] if unscored else []),
        )
        for row in rows
    ]
    title = f"{count(len(document.results), 'system')} on {count(document.questions.n, 'question')}"
    return Table(title, tuple(columns), tuple(cells), tuple(_notes(document)))


def pairs(document: AskedDocument) -> Table:
    """Every pair of systems by accuracy."""
    columns = (
        *(Column("pair"), Column("difference", numeric=True), Column("right alone", numeric=True)),
        *(Column("p (Holm)", numeric=True), Column("better")),
    )
    rows = tuple(_pair(pair) for pair in document.comparisons)
    decides = (
        "swaps of whole clusters decide"
        if document.settings.cluster == "dialogue"
        else "McNemar's test decides"
    )
    notes = (
        f"right alone: questions that only the first system, and only the second, gets right; {decides}",
    )
    return Table("Pairs of systems", columns, rows, notes if rows else ())


def errors(system: str, labels: Sequence[ErrorLabel]) -> Table:
    """One system's wrong choices by what is wrong with them."""
    total = sum(label.chosen for label in labels)
    columns = (
        *(Column("what is wrong"), Column("chosen", numeric=True), Column("share", numeric=True)),
        *(Column("candidates", numeric=True), Column("accuracy alone", numeric=True)),
    )
    rows = tuple(
        (
            Cell(error.label or UNLABELLED),
            Cell(f"{error.chosen:,}"),
            Cell(percent(error.chosen / total if total else None)),
            Cell(f"{error.candidates:,}"),
            Cell(number(error.alone), interval(error.low, error.high)),
        )
        for error in labels
    )
    guesses = [error.label for error in labels if error.label and is_guess(error.label)]
    notes = [f"accuracy alone: in questions with no other false candidates than these{_guessing(labels)}"]
    notes += [f"{listing(guesses)}: guessed by a program, not by raters"] if guesses else []
    return Table(f"{system}: {count(total, 'wrong choice')}", columns, rows, tuple(notes) if rows else ())


def trials(document: Trials) -> Table:
    """Accuracies with chosen and with random false candidates."""
    columns = (
        *(Column("system"), Column("CHOSEN", numeric=True)),
        *(Column("RANDOM, mean", numeric=True), Column("range over trials", numeric=True)),
    )
    rows = tuple(
        (
            Cell(row.system),
            Cell(number(row.chosen)),
            Cell(number(row.mean)),
            Cell(interval(row.five[0], row.five[-1])),
        )
        for row in document.systems
    )
    left = f"; {count(document.left_out, 'question')} left out" if document.left_out else ""
    drawn = (
        f"{count(document.trials, 'trial')} over {count(document.questions, 'question')}{left}; each trial draws its "
        f"false candidates from {document.pool} per question, which came at random from {document.source}"
    )
    return Table(
        "RANDOM against CHOSEN", columns, rows, (drawn, *_range_notes(document), *_people_notes(document))
    )


def failures(document: AskedDocument) -> Table:
    """Systems that could not be asked, and trials that could not be made."""
    trials = document.trials
    reasons = [(failure.system, failure.message) for failure in document.failures]
    if document.trials_reason:
        reasons.append(("trials with random candidates", document.trials_reason))
    if trials is not None:
        reasons += [(f"{failure.system}, random candidates", failure.message) for failure in trials.failures]
    if trials is not None and trials.human_reason:
        reasons.append(("people's ranking", trials.human_reason))
    rows = tuple((Cell(name), Cell(message)) for name, message in reasons)
    return Table("Failures", (Column("system"), Column("reason")), rows)


def print_asked(document: AskedDocument) -> None:
    """Print the ranking, the pairs, errors by label, trials and failures."""
    from dialeval.display.consoles import PrintableConsole

    console = PrintableConsole()
    shown = [ranking(document), pairs(document)]
    shown += [errors(row.system, row.errors) for row in document.results]
    shown += [trials(document.trials)] if document.trials else []
    shown += [failures(document)]
    for index, table in enumerate([table for table in shown if table.rows]):
        if index:
            console.print()
        print_table(table, console)


def _range_notes(document: Trials) -> Iterable[str]:
    """How ranges make up for the shared pool, and what they leave out."""
    known = [row.widening for row in document.systems if row.widening is not None]
    if len(known) < len(document.systems):
        yield (
            "ranges are too narrow: trials draw from pools of fewer than twice a question's false candidates; "
            "give a larger --pool"
        )
    elif known and max(known) >= 1.005:
        wider = percent(max(known) - 1)
        yield f"ranges of accuracies are widened by up to {wider} because all trials draw from the same pools"
    yield "ranges show the draw of false candidates only; other questions or utterances would change accuracies further"


def _people_notes(document: Trials) -> Iterable[str]:
    people = document.human
    if people is None:
        return
    spread = "undefined" if people.five is None else interval(people.five[0], people.five[-1], 2)
    yield (
        f"{COEFFICIENTS[people.coefficient]} with people's {people.criterion} over "
        f"{count(people.systems, 'system')}: CHOSEN {number(people.chosen, 2)}, RANDOM {number(people.mean, 2)} on "
        f"average, range {spread} as drawn"
    )
    if people.systems < 3:
        yield "the correlation of two systems can only be 1 or -1"
    if people.not_judged:
        yield f"left out because people did not judge them: {listing(people.not_judged)}"
    if people.undefined:
        yield f"{count(people.undefined, 'trial')} without a correlation: all systems tie"


def _guessing(labels: Sequence[ErrorLabel]) -> str:
    """What guessing would get against each label alone; nothing in files that do not say."""
    chances = {
        error.label or UNLABELLED: number(error.chance) for error in labels if error.chance is not None
    }
    if not chances:
        return ""
    if len(set(chances.values())) == 1:
        return f", where guessing would get {next(iter(chances.values()))}"
    return (
        f", where guessing would get {listing([f'{chance} ({label})' for label, chance in chances.items()])}"
    )


def _notes(document: AskedDocument) -> Iterable[str]:
    yield document.questions.status
    yield from texts(document.questions.warnings)
    yield f"guessing would get {number(document.questions.chance)}; a tie with a false candidate counts as wrong"
    if any(row.low is not None for row in document.results):
        yield f"brackets hold {document.settings.level:.0%} intervals{_resampled(document)}"
    if any(row.by_likelihood for row in document.results):
        yield f"log-probabilities: {document.settings.normalise} over tokens"
    yield from _unscored_notes(document)
    yield from _idle_hits(document)


def _idle_hits(document: AskedDocument) -> Iterable[str]:
    most = document.questions.most_candidates
    for k in sorted({int(k) for row in document.results for k in row.hits}):
        if k >= most:
            yield f"hits@{k} is 1 whatever is chosen: no question has more than {count(most, 'candidate')}"


def _resampled(document: AskedDocument) -> str:
    if document.settings.cluster == "dialogue":
        return f", questions of one context or dialogue being taken together{_design_effects(document)}"
    shared = document.questions.sharing_a_context
    if not shared:
        return ""
    have = "question has" if shared == 1 else "questions have"
    return (
        f", as if all questions were independent; but {shared:,} {have} the context of another one, so '--cluster "
        "auto' is safer"
    )


def _design_effects(document: AskedDocument) -> str:
    effects = [row.design_effect for row in document.results if row.design_effect is not None]
    if not effects:
        return ""
    ends = dict.fromkeys(number(effect, 2) for effect in (min(effects), max(effects)))
    return f" (design effect {' to '.join(ends)})"


def _unscored_notes(document: AskedDocument) -> Iterable[str]:
    """Why questions are unscored, and that accuracies over different questions do not compare."""
    for row in document.results:
        if row.unscored:
            why = f", the first because {row.reason}" if row.reason else ""
            yield f"{row.system}: {row.unscored:,} unscored{why}"
    if len({row.n for row in document.results}) > 1:
        yield "accuracies are over different questions: pairs of systems are compared over those that both have"


def _pair(comparison: Comparison) -> tuple[Cell, ...]:
    none = comparison.wins is None or comparison.losses is None
    alone = NOTHING if none else f"{comparison.wins:,} / {comparison.losses:,}"
    return (
        Cell(f"{comparison.a} − {comparison.b}"),
        Cell(signed(comparison.difference), interval(comparison.low, comparison.high)),
        Cell(alone),
        Cell(p_value(comparison.p_adjusted)),
        Cell(comparison.better or "not shown", strong=comparison.significant),
    )
