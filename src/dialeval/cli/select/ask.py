"""``dialeval select ask``: systems choose among candidates."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.cached import CachedAnswers
from dialeval.cli.options import (
    Address,
    AskAgain,
    CacheFolder,
    EngineOption,
    Json,
    Limit,
    Resume,
    Seed,
    Trials,
    engine_given,
)
from dialeval.cli.select.files import Format, Questions, Sources, read_questions, utterances_of
from dialeval.cli.select.trials import TrialsPlan, Tried, read_ranking, refuse_idle_options, try_random
from dialeval.cli.systems import named_system
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.core import System
    from dialeval.data import Question
    from dialeval.data.choices import ChoiceRow
    from dialeval.selection.asking.choosers import Chooser
    from dialeval.selection.document import AskedDocument


def ask(
    questions: Questions,
    system: Annotated[
        list[str],
        typer.Option(
            "--system",
            metavar="NAME",
            help="tfidf, encoder, a language model, a folder of weights, a kind with its keys, or "
            "STUDY.yaml:NAME. Repeatable.",
        ),
    ],
    format: Format = None,
    normalise: Annotated[
        Literal["sum", "mean"],
        typer.Option("--normalise", help="Sum or mean of the log-probabilities of a candidate's tokens."),
    ] = "sum",
    hits: Annotated[
        list[int] | None,
        typer.Option("--hits", metavar="K", min=1, help="Also hits@K. Repeatable.", show_default="2"),
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option("--error", metavar="LABEL", help="Only false candidates of this label. Repeatable."),
    ] = None,
    one_truth: Annotated[
        bool, typer.Option("--one-truth", help="Ask about each correct candidate on its own.")
    ] = False,
    random_trials: Annotated[
        int, typer.Option("--random-trials", min=0, metavar="T", help="Also T trials with random candidates.")
    ] = 0,
    repository: Sources = None,
    pool: Annotated[
        int | None,
        typer.Option(
            "--pool", min=1, metavar="N", help="Random candidates per question.", show_default="3 x false + 1"
        ),
    ] = None,
    human: Annotated[
        Path | None,
        typer.Option("--human", help="People's judgements of the systems, to correlate trials with."),
    ] = None,
    human_criterion: Annotated[
        str | None,
        typer.Option("--human-criterion", help="What people judged.", show_default="the only one"),
    ] = None,
    per_item: Annotated[
        Path | None, typer.Option("--per-item", help="Write every choice and score here, a line each.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for asked.json, choices.jsonl, asked.html.")
    ] = None,
    cluster: Annotated[
        Literal["auto", "dialogue", "none"],
        typer.Option(
            "--cluster",
            metavar="HOW",
            help="Resample together questions of one context or dialogue (ids DIALOGUE/TURN): auto, where there are "
            "several; dialogue, always; or none.",
        ),
    ] = "auto",
    seed: Seed = 0,
    trials: Trials = 1000,
    limit: Limit = None,
    engine: EngineOption = None,
    address: Address = None,
    resume: Resume = True,
    ask_again: AskAgain = None,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Ask systems to choose: accuracy with intervals, MRR, hits@k, and who is better.

    A system's choice is the candidate with the highest log-probability; a tie with a false one counts as wrong.
    Interrupted? The same command resumes.

    Example: dialeval select ask questions.jsonl --system tfidf --system smollm2-135m-instruct

    Example: dialeval select ask questions.jsonl --system tfidf --random-trials 100 -o asked
    """
    from dialeval.core import Resampling
    from dialeval.evaluation.runner import Plan
    from dialeval.files.folders import check_target
    from dialeval.selection.asking.asking import ask as ask_systems
    from dialeval.selection.asking.findings import asked_document, choice_rows
    from dialeval.selection.asking.questions import by_context
    from dialeval.selection.folder import FILES

    refuse_idle_options(
        random_trials=random_trials,
        repository=repository,
        pool=pool,
        human=human,
        human_criterion=human_criterion,
    )
    if out is not None:
        check_target(out, "asked.json", kind="asked", parts=FILES)
    asked = _narrowed(read_questions(questions, format, limit), error, one_truth=one_truth)
    systems = _named(system)
    tried, planned = Tried(None, None), None
    if random_trials:
        names = [each.name for each in systems]
        people = read_ranking(human, human_criterion, names) if human else None
        planned = TrialsPlan(*utterances_of(repository, asked), random_trials, pool, seed, people)
    resampling = Resampling(resamples=trials, seed=seed, cluster=cluster, group=by_context(asked))
    chosen = engine_given(engine, address)
    with open_workshop(jobs=1, cache=cache, resume=resume, engine=chosen) as shop:
        plan = Plan(resampling=resampling, cache=shop.cache, executor=shop.executor)
        cached = CachedAnswers(shop, ask_again=ask_again is True)
        watched = [cached.watched(each) for each in systems]
        found = ask_systems(
            watched,
            asked,
            normalise=normalise,
            hits=tuple(hits or (2,)),
            plan=plan,
            watch=shop.watch,
            caches=cached.caches,
        )
        if planned is not None:
            tried = try_random(planned, found, watched, shop, cached.caches)
        cached.tell()
    sources = _digests([questions, *(repository or [])])
    document = asked_document(
        found, resampling, trials=tried.trials, trials_reason=tried.reason, sources=sources
    )
    rows = choice_rows(found)
    _write(document, rows, out, per_item)
    _show(document, rows, out, json=json)
    _leave(document)


def _narrowed(questions: list[Question], errors: Sequence[str] | None, *, one_truth: bool) -> list[Question]:
    from dialeval.errors import UnknownName
    from dialeval.selection.asking.questions import against, checked_questions, one_truth_each

    known = {
        candidate.error for question in questions for candidate in question.candidates if candidate.error
    }
    for label in errors or ():
        if label not in known:
            todo = f"There are {', '.join(sorted(known))}." if known else "No candidate has a label."
            raise UnknownName("error label in these questions", label, known, todo=todo)
    kept = against(questions, errors) if errors else questions
    return list(checked_questions(one_truth_each(kept) if one_truth else kept))


def _named(names: Sequence[str]) -> list[System | Chooser]:
    """The systems and choosers of these names, each under a name of its own."""
    from dialeval.errors import DialevalError

    systems = [_built(name) for name in names]
    own = [system.name for system in systems]
    if len(set(names)) == len(names):
        # encoder and encoder(context='all') are both called encoder, but what was written tells them apart.
        systems = [
            _renamed(system, text) if own.count(system.name) > 1 else system
            for system, text in zip(systems, names, strict=True)
        ]
        own = [system.name for system in systems]
    twice = sorted({name for name in own if own.count(name) > 1})
    if twice:
        raise DialevalError(
            f"Several systems are called {', '.join(twice)}. Give each a different name, as in "
            "--system \"tfidf(name='mine')\"."
        )
    return systems


def _built(text: str) -> System | Chooser:
    from dialeval.errors import UnknownName
    from dialeval.selection.asking.choosers import CHOOSERS
    from dialeval.systems import SYSTEMS
    from dialeval.systems.huggingface.files import EMBEDDED
    from dialeval.text.calls import construct

    if text.partition("(")[0].strip() in CHOOSERS:
        return construct(text, CHOOSERS, kind="chooser")
    try:
        return named_system(text)
    except UnknownName as error:
        if error.kind != "system":
            raise
        known = [*CHOOSERS, *SYSTEMS, EMBEDDED]
        todo = f"There are {', '.join(known)}; folders of weights and files of responses."
        raise UnknownName("system", text, known, todo=todo) from None


def _renamed(system: System | Chooser, name: str) -> System | Chooser:
    """A chooser under that name; other systems keep the name they were given."""
    from dataclasses import replace

    from dialeval.selection.asking.choosers import EncoderChooser, TfIdfChooser

    return replace(system, name=name) if isinstance(system, EncoderChooser | TfIdfChooser) else system


def _digests(sources: Sequence[str]) -> dict[str, str]:
    from dialeval.files.digests import hash_file

    files = [
        path / "repository.json" if (path := Path(source)).is_dir() else Path(source) for source in sources
    ]
    return {str(path): hash_file(path) for path in files if path.is_file()}


def _write(
    document: AskedDocument, rows: Sequence[ChoiceRow], out: Path | None, per_item: Path | None
) -> None:
    from dialeval.data.choices import write_choices
    from dialeval.selection.folder import write_asked

    if per_item is not None:
        write_choices(per_item, rows)
    if out is not None:
        write_asked(out, document, rows)


def _show(document: AskedDocument, rows: Sequence[ChoiceRow], out: Path | None, *, json: bool) -> None:
    from dialeval.files.documents import as_json
    from dialeval.selection.folder import write_page
    from dialeval.selection.report.tables import print_asked

    if not json:
        print_asked(document)  # before the page: its plots take a moment
    page = write_page(out, document, rows) if out is not None else None
    if json:
        places = {} if out is None else {"folder": str(out), "report": str(page)}
        print(jsonlib.dumps({**as_json(document), **places}, ensure_ascii=False, allow_nan=False))
    elif page is not None:
        print(f"Report: {page}")


def _leave(document: AskedDocument) -> None:
    from dialeval.errors import RunFailed

    asked, failures = len(document.results), document.failures
    if failures:
        part = f"{len(failures)} of {len(failures) + asked} systems could not be asked; the others were."
        part = part if asked else "No system could be asked."
        raise RunFailed(f"{part} {failures[0].system}: {failures[0].message}")
    if document.trials_reason:
        raise RunFailed(
            f"The trials with random candidates failed; the other results were kept. {document.trials_reason}"
        )
    if document.trials and document.trials.failures:
        first, *_ = refused = document.trials.failures
        raise RunFailed(
            f"{len(refused)} of {asked} systems could not be asked about random candidates, only about chosen ones. "
            f"{first.system}: {first.message}"
        )
