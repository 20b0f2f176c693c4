"""``dialeval run``: the main job."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dialeval.cli.gates import (
    add_job_summary,
    exit_on_gates,
    in_ci,
    parse_fail_under,
    refuse_silence,
    show_in_job,
)
from dialeval.cli.options import (
    Address,
    AllowUnanswered,
    AllowUnmatched,
    AskAgain,
    CacheFolder,
    EngineOption,
    FailUnder,
    Jobs,
    Json,
    Limit,
    Resume,
    ShardOption,
    engine_given,
    shard_given,
)
from dialeval.cli.parsing.declaring import bad_usage
from dialeval.cli.shards import work_on_study
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.engine import EngineSettings
    from dialeval.study import Run, Study
    from dialeval.study.document import Content
    from dialeval.study.freshness import AnswerPolicy


PARTLY_ANSWERED: Final = 3
"""The exit code where all that failed is that some answers are missing; they can be asked for by the same command."""

BIG: Final = 2**30
"""Bytes of a data file that are told of where parts of the study hold all of it in memory."""


def run(
    study: Annotated[Path, typer.Argument(help="The study file.", metavar="STUDY.YAML")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run folder.", show_default="runs/NAME")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Override the study's seed.")] = None,
    limit: Limit = None,
    jobs: Jobs = 1,
    engine: EngineOption = None,
    address: Address = None,
    resume: Resume = True,
    ask_again: AskAgain = None,
    cache: CacheFolder = None,
    fail_under: FailUnder = None,
    allow_unanswered: AllowUnanswered = None,
    allow_unmatched: AllowUnmatched = False,
    shard: ShardOption = None,
    json: Json = False,
) -> None:
    """Compare systems on your data: a leaderboard with intervals and significance, and an HTML report.

    Interrupted? The same command resumes where it stopped.

    Example: dialeval run study.yaml -o runs/monday --jobs 2

    Example: dialeval run study.yaml --engine ray --address 10.0.0.1:6379

    Example: dialeval run study.yaml -o parts/1 --shard 1/3
    """
    part, chosen = shard_given(shard), engine_given(engine, address)
    arguments: dict[str, Any] = {
        "study": str(study),
        "seed": seed,
        "limit": limit,
        "fail_under": fail_under,
        "allow_unmatched": allow_unmatched,
        "allow_unanswered": allow_unanswered,
    }
    loaded = loaded_study(**arguments)
    if part is not None:
        if ask_again:
            raise bad_usage(
                "cannot be combined with --shard; change the system's 'revision:' instead",
                where="--ask-again",
            )
        folder = out or _folder(loaded, f"-{part.number}-of-{part.of}")
        work_on_study(
            loaded,
            arguments,
            part,
            folder,
            jobs=jobs,
            cache=cache,
            resume=resume,
            engine=chosen,
            own_only=in_ci() and ask_again is None,
        )
    else:
        folder = out or _folder(loaded)
        carry_out(
            loaded,
            folder,
            jobs=jobs,
            resume=resume,
            cache=cache,
            json=json,
            engine=chosen,
            ask_again=ask_again,
        )


def _folder(study: Study, ending: str = "") -> Path:
    """The folder that is named after the study; refused where the name, perhaps a stranger's, leads elsewhere."""
    from dialeval.errors import Unsuitable
    from dialeval.files.folders import is_plain_name

    if not is_plain_name(study.name):
        raise Unsuitable(
            f"{study.path}: found the name {study.name!r}, expected one that can name a folder in runs/. Change it, or "
            "give the run folder with -o."
        )
    return Path("runs") / f"{study.name}{ending}"


def loaded_study(
    study: str,
    seed: int | None,
    limit: int | None,
    fail_under: list[str] | None,
    allow_unmatched: bool,
    allow_unanswered: float | None = None,
) -> Study:
    """The study in a file with the command line's say, which is noted at the top of its text."""
    from dialeval.study import load_study

    loaded = _override(load_study(study), seed=seed, limit=limit)
    gates = parse_fail_under(fail_under, {measure.label: measure.metric for measure in loaded.measures})
    loaded = annotated(loaded, *(f"with the gate {gate}" for gate in gates))
    loaded = annotated(loaded, *(["with --allow-unmatched"] if allow_unmatched else []))
    if allow_unanswered is not None:
        loaded = annotated(loaded, f"with allow_unanswered: {allow_unanswered:g}, overriding the key below")
        loaded = dataclasses.replace(loaded, allow_unanswered=allow_unanswered)
    return dataclasses.replace(loaded, gates=loaded.gates + gates, allow_unmatched=allow_unmatched)


def carry_out(
    study: Study,
    folder: Path,
    *,
    jobs: int,
    resume: bool,
    cache: Path | None,
    json: bool,
    others: Sequence[Path] = (),
    engine: EngineSettings | None = None,
    brief: bool = False,
    then: Callable[[], None] | None = None,
    ask_again: bool | None = None,
    merging: bool = False,
) -> None:
    """Run the study, write its folder and report, print the leaderboard, and leave with the right exit code.

    ``brief`` prints the verdict and as many columns as stand side by side. ``then`` is called after that and
    may write folders that the report links. When shards are merged, their answers are used as they are.
    """
    from dialeval.study import run_study, write_page, write_run
    from dialeval.study.folder import check_run_folder, forget_answers
    from dialeval.study.freshness import answer_notes
    from dialeval.study.provenance import Beginning
    from dialeval.study.report.exports import as_markdown
    from dialeval.study.report.terminal import print_brief, print_leaderboard

    check_run_folder(folder, study)
    _warn_of_another_study(study, folder)
    tell_of_memory(study)
    beginning = Beginning.now()
    chosen = engine or study.engine
    policy = _policy(study, folder, ask_again=ask_again, resume=resume, merging=merging)
    with open_workshop(jobs=jobs, cache=cache, resume=resume, others=others, engine=chosen) as workshop:
        done = run_study(study, workshop, policy)
    command = shlex.join(["dialeval", *sys.argv[1:]])
    content = write_run(done, folder, beginning.end(command))
    if not done.failures:
        forget_answers(folder)
    if json or brief:  # a leaderboard has them as notes
        for note in answer_notes(content.manifest.answers, content.manifest.started):
            print(f"note: {note}", file=sys.stderr)
    # First: the page's plots take a moment.
    if brief and not json:
        print_brief(content.summary)
    elif not json:
        used = content.manifest.usage
        print_leaderboard(content.summary, content.values, content.notes, used=used)
    if then is not None:
        sys.stdout.flush()  # into a pipe, too
        then()
    add_job_summary(as_markdown(content.summary, content.notes))
    report = write_page(content, folder)
    print(_summary(content, folder, report) if json else f"Report: {report}")
    _leave(done, folder)


def _policy(
    study: Study, folder: Path, *, ask_again: bool | None, resume: bool, merging: bool
) -> AnswerPolicy:
    """Which cached answers the run may use; in CI, a study with gates says that it uses none."""
    from dialeval.core import Replayer
    from dialeval.study.folder import ANSWERS, forget_answers
    from dialeval.study.freshness import AnswerPolicy

    if merging:
        return AnswerPolicy(check=False)
    if not resume or (folder / ANSWERS).is_symlink():
        forget_answers(folder)
    # Apart, so that what an interrupted run without --ask-again cached is asked again, too.
    own = folder / ANSWERS / ("again" if ask_again else "run")
    policy = AnswerPolicy(bool(ask_again), in_ci() and ask_again is None, own)
    asked = [system for system in study.systems if not isinstance(system, Replayer)]
    if policy.own_only and any(policy.rule(study, system.name).fresh for system in asked):
        print(
            "note: this is CI and the study has gates: only answers that this run asks for are used. Cached ones are "
            "used with --use-cache, or 'cache: keep' of a system.",
            file=sys.stderr,
        )
    return policy


def _warn_of_another_study(study: Study, folder: Path) -> None:
    """Say so where the folder has the run of a study of another name, which this one replaces at its end."""
    from dialeval.study.folder import study_in

    other = study_in(folder)
    if other not in (None, study.name):
        print(
            f"warning: {folder} has the run of another study, {other!r}, which will be replaced by that of "
            f"{study.name!r}. To keep both, stop and give another -o.",
            file=sys.stderr,
        )


def tell_of_memory(study: Study) -> None:
    """Say what holds all of a big file in memory."""
    from dialeval.data.codec.sources import file_of
    from dialeval.study.streaming import holding_all

    file = file_of(study.data)
    size = file.stat().st_size if file.is_file() else 0
    parts = holding_all(study) if size >= BIG else []
    if parts:
        print(
            f"note: {study.data} has {size / 2**30:.1f} GiB, and all texts are held in memory for {', '.join(parts)}; "
            "recorded responses and other metrics need no more than ids and statistics ('dialeval docs scale')",
            file=sys.stderr,
        )


def _override(study: Study, *, seed: int | None, limit: int | None) -> Study:
    """The study with the command line's say."""
    given = (("seed", seed), ("limit", limit))
    study = annotated(
        study,
        *(f"with {key}: {value}, overriding the key below" for key, value in given if value is not None),
    )
    resampling = study.resampling if seed is None else dataclasses.replace(study.resampling, seed=seed)
    return dataclasses.replace(study, resampling=resampling, limit=study.limit if limit is None else limit)


def annotated(study: Study, *notes: str) -> Study:
    """The study with notes on how it was run at the top of the copy that the run folder keeps."""
    return dataclasses.replace(study, text="".join(f"# run {note}\n" for note in notes) + study.text)


def _summary(content: Content, folder: Path, report: Path) -> str:
    from dialeval.files.documents import as_json

    usage = [as_json(used) for used in content.manifest.usage]
    answers = [as_json(source) for source in content.manifest.answers]
    told = {**as_json(content.summary), "folder": str(folder), "report": str(report)}
    told |= {"usage": usage, "answers": answers}
    return jsonlib.dumps(told, ensure_ascii=False)


def _leave(done: Run, folder: Path) -> None:
    from dialeval.display.wording import count
    from dialeval.errors import RunFailed

    for failure in done.failures:
        show_in_job(failure.sentence)
    if done.failures:
        partial = [failure for failure in done.failures if failure.partial]
        if len(partial) == len(done.failures):
            names = ", ".join(failure.system or "" for failure in partial)
            print(
                f"error: {names} failed before all items were answered. What was answered is scored in {folder}; "
                "the same command asks only for the rest.",
                file=sys.stderr,
            )
            raise typer.Exit(PARTLY_ANSWERED)
        failed = count(len(done.failures), "part")
        raise RunFailed(
            f"{failed} of the study failed; the other results are in {folder}. The report lists the failures."
        )
    exit_on_gates(done.gates)
    refuse_silence(
        ((each.system, each.result) for each in done.scored if each.measure.capability is None),
        done.study.allow_unanswered,
    )
