"""``dialeval select tasks`` and ``vet``: people look at every candidate, and their scores make the test set."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import Json, Seed
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

if TYPE_CHECKING:
    from dialeval.annotation.forms import Form
    from dialeval.data import Question
    from dialeval.selection.vetting.vetting import Vetted

_JUDGE = "smollm2-135m-instruct"


def tasks(
    questions: Questions,
    out: Out,
    form: Annotated[
        Literal["acceptability", "error_class", "mistake"],
        typer.Option("--form", help="What is asked: does it fit (0 to 5), or what is wrong with it."),
    ] = "acceptability",
    format: Format = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write blind annotation tasks, the ground truth mixed in, for a crowd platform or a spreadsheet.

    Raters get for_raters/ (CSV and JSON Lines); key.jsonl says which candidate each task shows and stays with you.

    Example: dialeval select tasks draft/draft.jsonl -o tasks
    """
    from dialeval.annotation.tasks import export_tasks

    asked = read_questions(questions, format)
    warn_of_faults(asked, unvetted=form != "acceptability")
    where = export_tasks(asked, out, form=form_named(form), seed=seed)
    if json:
        print(
            jsonlib.dumps({key: str(v) if isinstance(v, Path) else v for key, v in where._asdict().items()})
        )
        return
    print(f"{where.tasks:,} tasks for raters: {where.csv}, {where.jsonl}")
    print(f"The key to them, which raters must not see: {where.key}")
    then = "vet" if form == "acceptability" else f"label --form {form}"
    print(f"Next: dialeval select {then} {questions} --scores FILLED.csv --key {where.key} -o OUT")


def vet(
    draft: Questions,
    out: Out,
    scores: Scores = None,
    key: Key = None,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Without raters: drop what programs find plausible.")
    ] = False,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="With --automatic: the model whose log-probabilities are used, or 'none'.",
            show_default=_JUDGE,
        ),
    ] = None,
    raters: Annotated[
        int | None,
        typer.Option("--raters", min=3, help="Scores expected of each candidate.", show_default="5"),
    ] = None,
    false: Annotated[int, typer.Option("--false", min=1, help="False candidates per question.")] = 3,
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
        raise typer.BadParameter("give either --scores or --automatic", param_hint="--scores")
    _refuse_idle({"--key": key, "--raters": raters} if automatic else {"--system": system}, automatic)
    drafted = read_questions(draft, format)
    if automatic:
        _sift(drafted, system or _JUDGE, false, seed, out, json=json)
        return
    from dialeval.annotation.forms import ACCEPTABILITY
    from dialeval.files.documents import as_json
    from dialeval.selection.vetting.record import write_vetted
    from dialeval.selection.vetting.rules import Fewest, Most, Rules, Settled
    from dialeval.selection.vetting.vetting import apply

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
            raise typer.BadParameter(f"it {why}; leave one of them out", param_hint=option)


def form_named(name: Literal["acceptability", "error_class", "mistake"]) -> Form:
    """What raters are asked, by its criterion."""
    from dialeval.annotation.forms import ACCEPTABILITY
    from dialeval.selection.labelling.labelling import ERROR_CLASSES
    from dialeval.selection.labelling.mistakes import mistake_form

    forms = {"acceptability": ACCEPTABILITY, "error_class": ERROR_CLASSES, "mistake": mistake_form()}
    return forms[name]


def _say(vetted: Vetted, out: Path) -> None:
    from dialeval.annotation.answers import faults_told
    from dialeval.display.consoles import PrintableConsole
    from dialeval.display.table import Cell, Column, Table
    from dialeval.display.terminal import print_table

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
    from dialeval.cli.systems import named_system
    from dialeval.core import LikelihoodModel
    from dialeval.errors import Unsuitable
    from dialeval.files.documents import as_json
    from dialeval.selection.vetting.plausibility import default_judges
    from dialeval.selection.vetting.record import write_sifted
    from dialeval.selection.vetting.rules import Fewest, Most
    from dialeval.selection.vetting.sifting import sift

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
