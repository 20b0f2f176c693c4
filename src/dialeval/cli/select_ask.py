"""``dialeval select ask``: which candidates do systems choose?"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.options import CacheFolder, Json, Limit, Resume, Seed, Trials
from dialeval.cli.select_files import Format, Questions, Repository, read_questions, utterances_of
from dialeval.cli.systems import named_system
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.core import System
    from dialeval.data import Question
    from dialeval.selection.asking import Asked
    from dialeval.selection.choices_json import Json as Document
    from dialeval.selection.choosers import Chooser
    from dialeval.study import Workshop
    from dialeval.study.asked import HumanRanking, TrialsDone


def ask(
    questions: Questions,
    system: Annotated[
        list[str],
        typer.Option(
            "--system",
            metavar="NAME",
            help="tfidf, encoder, smollm2-135m-instruct, a folder of weights, a kind with its keys, or "
            "STUDY.yaml:NAME. Repeatable.",
        ),
    ],
    format: Format = None,
    normalise: Annotated[
        Literal["sum", "mean"],
        typer.Option("--normalise", help="Log-probabilities over a candidate's tokens."),
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
    repository: Repository = None,
    pool: Annotated[
        int | None,
        typer.Option("--pool", min=1, help="Random candidates per question.", show_default="3 x false + 1"),
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
        bool,
        typer.Option("--cluster", help="Resample together questions whose ids agree up to the last '/'."),
    ] = False,
    seed: Seed = 0,
    trials: Trials = 1000,
    limit: Limit = None,
    resume: Resume = True,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Ask systems to choose: accuracy with intervals, MRR, hits@k, and who is better.

    A system's choice is the candidate it finds likeliest; a tie with a false one is wrong. Interrupted? The same
    command goes on where it stopped.

    Example: dialeval select ask questions.jsonl --system tfidf --system smollm2-135m-instruct

    Example: dialeval select ask questions.jsonl --system tfidf --random-trials 100 -o asked
    """
    from dialeval.evaluate import Plan, by_dialogue
    from dialeval.selection.asking import ask as ask_systems
    from dialeval.study import Settings
    from dialeval.study.asked import asked_json, choice_rows, write_asked

    _check_target(out)
    asked = _narrowed(read_questions(questions, format, limit), error, one_truth=one_truth)
    systems = _named(system)
    people = _ranking(human, human_criterion) if human else None
    settings = Settings(trials, seed, 0.95, "dialogue" if cluster else None)
    with open_workshop(jobs=1, cache=cache, resume=resume) as shop:
        plan = Plan(trials=trials, seed=seed, cluster=by_dialogue if cluster else None, cache=shop.cache)
        found = ask_systems(
            systems, asked, normalise=normalise, hits=tuple(hits or (2,)), plan=plan, watch=shop.watch
        )
        done = (
            _trials(
                found,
                systems,
                shop,
                people,
                repository=repository,
                trials=random_trials,
                pool=pool,
                seed=seed,
            )
            if random_trials and found.answered
            else None
        )
    content = asked_json(found, settings, trials=done, sources=_digests([questions, *(repository or [])]))
    rows = choice_rows(found)
    if per_item is not None:
        from dialeval.selection.choices_json import write_choices

        write_choices(per_item, rows)
    if out is not None:
        write_asked(out, content, rows)
    _show(content, out, json=json)
    _leave(found)


def _check_target(folder: Path | None) -> None:
    """A folder with other things in it is never written into."""
    from dialeval.errors import BadInput

    if folder is None or not folder.exists():
        return
    others = folder.is_dir() and any(folder.iterdir()) and not (folder / "asked.json").is_file()
    if others or not folder.is_dir():
        found = "a folder with other files" if others else "a file"
        raise BadInput(str(folder), found, "a new or empty folder, or one from here", "Give another -o.")


def _narrowed(questions: list[Question], errors: Sequence[str] | None, *, one_truth: bool) -> list[Question]:
    from dialeval.errors import UnknownName
    from dialeval.selection.asking import checked_questions
    from dialeval.selection.narrowing import against, one_truth_each

    known = {one.error for question in questions for one in question.candidates if one.error}
    for label in errors or ():
        if label not in known:
            todo = f"There are {', '.join(sorted(known))}." if known else "No candidate has a label."
            raise UnknownName("error label in these questions", label, known, todo=todo)
    kept = against(questions, errors) if errors else questions
    return list(checked_questions(one_truth_each(kept) if one_truth else kept))


def _named(names: Sequence[str]) -> list[System | Chooser]:
    """The systems and choosers of these names, each under a name of its own."""
    from dialeval.errors import DialevalError
    from dialeval.selection.choosers import CHOOSERS
    from dialeval.text.building import construct

    systems: list[System | Chooser] = [
        construct(name, CHOOSERS, kind="chooser")
        if name.partition("(")[0].strip() in CHOOSERS
        else named_system(name)
        for name in names
    ]
    own = [system.name for system in systems]
    twice = sorted({name for name in own if own.count(name) > 1})
    if twice:
        raise DialevalError(
            f"Several systems are called {', '.join(twice)}. Name them, as in 'encoder(name=\\'mine\\')'."
        )
    return systems


def _ranking(file: Path, criterion: str | None) -> HumanRanking:
    """Each system's mean rating by people."""
    import numpy as np

    from dialeval.meta.criteria import only_criterion
    from dialeval.meta.reading import read_judgements
    from dialeval.study.asked import HumanRanking

    ratings = read_judgements([file])
    name = criterion or only_criterion(ratings, todo="Name it with --human-criterion.")
    kept = ratings.criterion_named(name)
    means = {
        system: float(np.nanmean(own))
        for at, system in enumerate(kept.systems)
        if not np.isnan(own := kept.value[kept.system == at]).all()
    }
    return HumanRanking(name, means)


def _trials(
    asked: Asked,
    systems: Sequence[System | Chooser],
    shop: Workshop,
    people: HumanRanking | None,
    *,
    repository: Sequence[str] | None,
    trials: int,
    pool: int | None,
    seed: int,
) -> TrialsDone:
    from dialeval.selection.trials import run_trials
    from dialeval.study.asked import TrialsDone

    able = {one.system for one in asked.answered}
    utterances, source = utterances_of(repository, asked.questions)
    found = run_trials(
        [system for system in systems if system.name in able],
        asked.questions,
        utterances,
        trials=trials,
        pool=pool,
        seed=seed,
        normalise=asked.normalise,
        cache=shop.cache,
        watch=shop.watch,
    )
    return TrialsDone(found, source, people)


def _digests(sources: Sequence[str]) -> dict[str, str]:
    from dialeval.data import file_digest

    files = [
        path / "repository.json" if (path := Path(source)).is_dir() else Path(source) for source in sources
    ]
    return {str(path): file_digest(path) for path in files if path.is_file()}


def _show(content: Document, out: Path | None, *, json: bool) -> None:
    from dialeval.report import print_asked, render_asked
    from dialeval.report.selection.page import document_of

    if not json:
        print_asked(document_of(content))  # before the page: its plots take a moment
    page = render_asked(out) if out is not None else None
    if json:
        places = {} if out is None else {"folder": str(out), "report": str(page)}
        print(jsonlib.dumps({**content, **places}, ensure_ascii=False, allow_nan=False))
    elif page is not None:
        print(f"Report: {page}")


def _leave(asked: Asked) -> None:
    from dialeval.errors import RunFailed

    if asked.refused:
        first = asked.refused[0]
        raise RunFailed(
            f"{len(asked.refused)} of {len(asked.refused) + len(asked.answered)} systems could not be asked, the "
            f"rest was. {first.system}: {first.message}"
        )
