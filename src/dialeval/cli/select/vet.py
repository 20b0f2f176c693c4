"""``dialeval select tasks``, ``vet`` and ``label``: people's scores make the test set, and name errors in it."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dialeval.annotation.answers import fault_counts, faults_told
from dialeval.annotation.blind_items import provenance
from dialeval.annotation.forms import ACCEPTABILITY
from dialeval.annotation.items import utterances_of
from dialeval.annotation.tasks import export_tasks
from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.sampling import Sample, drawn
from dialeval.cli.select.files import (
    Format,
    Key,
    Out,
    Questions,
    Scores,
    read_questions,
    read_scores,
    warn_of_faults,
)
from dialeval.core import LikelihoodModel
from dialeval.data import write
from dialeval.display.consoles import PrintableConsole
from dialeval.display.table import Cell, Column, Table
from dialeval.display.terminal import print_table
from dialeval.errors import Unsuitable
from dialeval.files.documents import as_json
from dialeval.files.folders import check_links
from dialeval.options import Option
from dialeval.selection.labelling.labelling import (
    ERROR_CLASSES,
    consistency_subset,
    labelling_record,
    settle_labels,
    write_labelling,
)
from dialeval.selection.labelling.mistakes import guess_mistakes, mistake_form
from dialeval.selection.vetting.filter import sift
from dialeval.selection.vetting.plausibility import default_judges
from dialeval.selection.vetting.record import write_sifted, write_vetted
from dialeval.selection.vetting.rules import Fewest, Most, Rules, Settled
from dialeval.selection.vetting.vetting import apply
from dialeval.study import named_system

if TYPE_CHECKING:
    from dialeval.annotation.answers import Unusable
    from dialeval.annotation.forms import Form
    from dialeval.data import Question
    from dialeval.selection.vetting.vetting import VettingResult

_JUDGE = "smollm2-135m-instruct"


def tasks(
    questions: Questions,
    out: Out,
    form: Annotated[
        Literal["acceptability", "error_class", "mistake"],
        Option("--form", help="What is asked: does it fit (0 to 5), or what is wrong with it."),
    ] = "acceptability",
    format: Format = None,
    limit: Limit = None,
    sample: Sample = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write blind annotation tasks, the ground truth mixed in, for the browser, a crowd platform or a spreadsheet.

    The folder is a study that 'dialeval annotate serve' serves and 'annotate export' exports. Or raters get for_raters/
    (CSV and JSON Lines); key.jsonl says which candidate each task shows and stays with you.

    Example: dialeval select tasks draft/draft.jsonl -o tasks
    """
    given = read_questions(questions, format)
    asked, told = drawn(given, lambda question: question.item, limit=limit, sample=sample, seed=seed)
    warn_of_faults(asked, unvetted=form != "acceptability")
    chosen = form_named(form)
    utterances = utterances_of(asked, false_only=chosen.false_only)
    where = export_tasks(utterances, out, form=chosen, seed=seed, provenance=provenance(questions, told))
    if json:
        print(
            jsonlib.dumps({key: str(v) if isinstance(v, Path) else v for key, v in where._asdict().items()})
        )
        return
    print(f"{where.tasks:,} tasks for raters: {where.csv}, {where.jsonl}")
    print(f"The key to them, which raters must not see: {where.key}")
    then = "vet" if form == "acceptability" else f"label --form {form}"
    print(f"Next: dialeval select {then} {questions} --scores FILLED.csv --key {where.key} -o OUT")
    print(f"In the browser: dialeval annotate serve {out}, then --scores EXPORTED.jsonl without the key")


def vet(
    draft: Questions,
    out: Out,
    scores: Scores = None,
    key: Key = None,
    automatic: Annotated[
        bool, Option("--automatic", help="Without raters: drop what programs find plausible.")
    ] = False,
    system: Annotated[
        str | None,
        Option(
            "--system",
            metavar="NAME",
            help="With --automatic: the model whose log-probabilities are used, or 'none'.",
            show_default=_JUDGE,
        ),
    ] = None,
    raters: Annotated[
        int | None,
        Option("--raters", min=3, help="Scores expected of each candidate.", show_default="5"),
    ] = None,
    false: Annotated[int, Option("--false", min=1, help="False candidates per question.")] = 3,
    format: Format = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Turn a draft into a test set, by people's scores and the rules of Sato et al. (2020).

    Writes questions.jsonl and removed.jsonl, which names the rule for everything removed. With --automatic the result
    stays unvetted, and every report says so.

    Example: dialeval select vet draft/draft.jsonl --scores filled.csv --key tasks/key.jsonl -o set

    Example: dialeval select vet draft/draft.jsonl --automatic --system none -o set
    """
    if automatic == bool(scores):
        raise BadUsage("give either --scores or --automatic", where="--scores")
    _refuse_idle({"--key": key, "--raters": raters} if automatic else {"--system": system}, automatic)
    drafted = read_questions(draft, format)
    if automatic:
        _sift(drafted, system or _JUDGE, false, seed, out, json=json)
        return

    read = read_scores(scores or [], key, drafted, ACCEPTABILITY)
    rules = Rules(settled=Settled(raters or ACCEPTABILITY.raters), fewest=Fewest(false), most=Most(false))
    vetted = apply(rules, drafted, read.judgements, unusable=read.unusable, seed=seed)
    record = write_vetted(vetted, out)
    if json:
        print(jsonlib.dumps({**as_json(record), "folder": str(out)}, ensure_ascii=False))
        return
    _say(vetted, out)


def _refuse_idle(given: dict[str, object], automatic: bool) -> None:
    """Refuse options that would do nothing, so that nobody thinks they did."""
    for option, value in given.items():
        if value is not None:
            why = (
                "goes with --scores, and nobody is asked with --automatic"
                if automatic
                else "goes with --automatic"
            )
            raise BadUsage(f"it {why}; leave one of them out", where=option)


def form_named(name: Literal["acceptability", "error_class", "mistake"]) -> Form:
    """Return the form of a criterion."""
    forms = {"acceptability": ACCEPTABILITY, "error_class": ERROR_CLASSES, "mistake": mistake_form()}
    return forms[name]


def _say(vetted: VettingResult, out: Path) -> None:
    rows = tuple(
        (Cell(str(count.rule)), Cell(f"{count.questions:,}"), Cell(f"{count.candidates:,}"))
        for count in vetted.counts
        if count.rule != vetted.rules.surplus  # it makes questions, as the title says
    )
    columns = (Column("removed by"), Column("questions", numeric=True), Column("candidates", numeric=True))
    stood, second = len(vetted.questions) - vetted.second_questions, vetted.second_questions
    title = f"{len(vetted.questions):,} vetted questions: {stood:,} of the {vetted.drafted:,} drafted"
    title += f", and {second:,} made of surplus candidates" if second else ""
    print_table(Table(title, columns, rows, tuple(faults_told(vetted.unusable))), PrintableConsole())
    print(f"Written: {out}/questions.jsonl, scores.jsonl, removed.jsonl, vetting.json")


def _sift(drafted: list[Question], system: str, false: int, seed: int, out: Path, *, json: bool) -> None:
    model = None if system == "none" else named_system(system)
    if model is not None and not isinstance(model, LikelihoodModel):
        raise Unsuitable(f"{model.name} has no log-probabilities. Name another --system, or 'none'.")
    print("No rater checks the candidates: unvetted questions stay unvetted.", file=sys.stderr)
    try:
        sifted = sift(drafted, default_judges(model), fewest=Fewest(false), most=Most(false), seed=seed)
    except Unsuitable as error:
        raise Unsuitable(f"{error} Or name another --system, or 'none'.") from None
    record = write_sifted(sifted, len(drafted), out)
    if json:
        print(jsonlib.dumps({**as_json(record), "folder": str(out)}, ensure_ascii=False))
        return
    left = f"{len(sifted.questions):,} questions of {len(drafted):,} drafted"
    print(f"{left}, {record.status}: {out}/questions.jsonl")
    counts = Counter(
        (removal.rule, "question" if removal.candidate is None else "candidate") for removal in sifted.removed
    )
    for (rule, what), count in counts.most_common():
        print(f"  {count:,} {what}{'' if count == 1 else 's'} removed: {rule}")
    judged = " or ".join(["encoder", *([] if model is None else [model.name])])
    print(f"Do not evaluate {judged} on these questions: much of what would have misled it was removed.")


def label(
    questions: Questions,
    out: Out,
    scores: Scores = None,
    key: Key = None,
    form: Annotated[
        Literal["error_class", "mistake"], Option("--form", help="What raters were asked.")
    ] = "error_class",
    at_least: Annotated[int, Option("--at-least", min=1, help="Raters who must agree.")] = 2,
    guess: Annotated[
        bool,
        Option("--guess", help="Without raters: guess wrong subjects and tenses by their grammar."),
    ] = False,
    format: Format = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Label each false candidate with its error, so that errors can be counted by kind.

    Writes questions.jsonl with the labels and, of raters' answers, labelling.json, which says what became of each. From
    error classes it also writes consistency.jsonl, the two-candidate questions of 'selection_consistency'. A guess ends
    in '?'.

    Example: dialeval select label questions.jsonl --scores classes.csv --key key.jsonl -o labelled

    Example: dialeval select label questions.jsonl --guess -o labelled
    """
    if guess == bool(scores):
        raise BadUsage("give either --scores or --guess", where="--scores")
    if guess and key is not None:
        raise BadUsage("it goes with --scores; leave one of them out", where="--key")
    asked = read_questions(questions, format)
    warn_of_faults(asked, unvetted=True)
    if guess:
        _finish(guess_mistakes(asked), out, {}, (), json=json)
    else:
        _by_people(asked, scores or [], key, form, at_least, seed, out, json=json)


def _by_people(
    asked: list[Question],
    scores: list[Path],
    key: Path | None,
    form: Literal["error_class", "mistake"],
    at_least: int,
    seed: int,
    out: Path,
    *,
    json: bool,
) -> None:
    read = read_scores(scores, key, asked, form_named(form))
    facts: dict[str, int] = {}
    pairs: tuple[Question, ...] = ()
    if form == "error_class":
        subset = consistency_subset(
            asked, read.judgements, at_least=at_least, seed=seed, unusable=read.unusable
        )
        pairs, found = subset.questions, subset.labelled
        facts = {"consistency_questions": len(pairs), "several_truths": len(subset.several_truths)}
    else:
        found = settle_labels(
            asked, read.judgements, form=form_named(form), at_least=at_least, unusable=read.unusable
        )
    record = {**as_json(labelling_record(found, at_least=at_least)), **facts}
    write_labelling(record, pairs if form == "error_class" else None, out)
    facts |= {"undecided": len(found.undecided), "unasked": found.unasked}
    facts["labelled_before"] = found.labelled_before
    _finish(found.questions, out, facts, found.unusable, json=json)


def _finish(
    questions: Sequence[Question],
    out: Path,
    facts: dict[str, int],
    refused: Sequence[Unusable],
    *,
    json: bool,
) -> None:
    check_links(out)
    write(out / "questions.jsonl", questions)
    false = [
        candidate for question in questions for candidate in question.candidates if not candidate.correct
    ]
    labels = dict(Counter(candidate.error for candidate in false if candidate.error).most_common())
    content = {"candidates": len(false), "labels": labels, **facts, "unusable_answers": fault_counts(refused)}
    if json:
        print(jsonlib.dumps({**content, "folder": str(out)}, ensure_ascii=False))
        return
    print(f"{sum(labels.values()):,} of {len(false):,} false candidates have a label: {out}/questions.jsonl")
    for name, count in labels.items():
        print(f"  {name}: {count:,}")
    for name, count in facts.items():
        print(f"  {name.replace('_', ' ')}: {count:,}")
    for note in faults_told(refused):
        print(f"  {note}")
