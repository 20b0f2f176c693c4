"""``dialeval run``, and evaluations with a verb of their own, which are studies made from options."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from dialeval.cli.costs import DryRun, print_costs
from dialeval.cli.execution import Execution, open_workshop
from dialeval.cli.gates import (
    add_job_summary,
    exit_on_gates,
    in_ci,
    parse_fail_under,
    refuse_silence,
    show_in_job,
)
from dialeval.cli.options import (
    AllowUnmatched,
)
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.shards import work_on_study
from dialeval.core import Replayer, Resampling
from dialeval.data.codec.sources import file_of
from dialeval.display.wording import count
from dialeval.errors import RunFailed, Unsuitable
from dialeval.files.documents import as_json
from dialeval.files.folders import is_plain_name
from dialeval.options import Argument, Option, Options
from dialeval.resources.device import use
from dialeval.study import compose_study, load_study, run_study, write_page, write_run
from dialeval.study.folder import (
    ANSWERS,
    STDIN,
    check_run_folder,
    describe,
    forget_answers,
    keep_input,
    study_in,
)
from dialeval.study.freshness import AnswerPolicy, answer_notes
from dialeval.study.provenance import Beginning
from dialeval.study.report.text import as_markdown, print_brief, print_leaderboard
from dialeval.study.scores import holding_all

if TYPE_CHECKING:
    from dialeval.evaluation.shards import Shard
    from dialeval.study import Run, Study
    from dialeval.study.document import Content, Summary

PARTLY_ANSWERED: Final = 3
"""The exit code if nothing failed but that some answers are missing; the same command asks for them."""

BIG: Final = 2**30
"""Bytes of a data file from which a note tells which parts of the study hold all of it in memory."""


def run(
    study: Annotated[Path, Argument(help="The study file.", metavar="STUDY.YAML")],
    out: Annotated[
        Path | None, Option("--out", "-o", help="The run folder.", show_default="runs/NAME")
    ] = None,
    seed: Annotated[int | None, Option("--seed", min=0, help="Override the study's seed.")] = None,
    allow_unmatched: AllowUnmatched = False,
    dry_run: DryRun = False,
    execution: Annotated[Execution, Options()] = Execution(),
) -> None:
    """Compare systems on your data: a leaderboard with intervals and significance, and an HTML report.

    Interrupted? The same command resumes where it stopped.

    Example: dialeval run study.yaml -o runs/monday --jobs 2

    Example: dialeval run study.yaml --engine ray --address 10.0.0.1:6379

    Example: dialeval run study.yaml -o parts/1 --shard 1/3
    """
    use(execution.device, execution.precision)
    arguments: dict[str, Any] = {
        "study": str(study),
        "seed": seed,
        "limit": execution.limit,
        "fail_under": execution.fail_under,
        "allow_unmatched": allow_unmatched,
        "allow_unanswered": execution.allow_unanswered,
    }
    loaded, part = loaded_study(**arguments), execution.part
    if dry_run:
        from dialeval.study.costs import study_costs, uncounted_measures

        costs, uncounted = study_costs(loaded), uncounted_measures(loaded)
        print_costs(costs, json=execution.json, uncounted=uncounted, budget=loaded.budget)
    elif part is None:
        carry_out(loaded, out or _folder(loaded), execution)
    else:
        folder = out or _folder(loaded, f"-{part.number}-of-{part.of}")
        work_on_study(loaded, arguments, part, folder, execution)


def _folder(study: Study, ending: str = "") -> Path:
    """The folder that is named after the study; refused where the name, perhaps a stranger's, leads elsewhere."""
    if not is_plain_name(study.name):
        raise Unsuitable(
            f"{study.path}: found the name {study.name!r}, expected one that can name a folder in runs/. Change it, or "
            "give the run folder with -o."
        )
    return Path("runs") / f"{study.name}{ending}"


def loaded_study(
    study: str | Mapping[str, Any],
    seed: int | None,
    limit: int | None,
    fail_under: list[str] | None,
    allow_unmatched: bool,
    allow_unanswered: float | None = None,
) -> Study:
    """Return the study in a file, or with these keys, with what the command line adds noted at the top of its text."""
    given = load_study(study) if isinstance(study, str) else compose_study(study)
    loaded = _override(given, seed=seed, limit=limit)
    gates = parse_fail_under(fail_under, {measure.label: measure.metric for measure in loaded.measures})
    loaded = annotated(loaded, *(f"with the gate {gate}" for gate in gates))
    loaded = annotated(loaded, *(["with --allow-unmatched"] if allow_unmatched else []))
    if allow_unanswered is not None:
        loaded = annotated(loaded, f"with allow_unanswered: {allow_unanswered:g}, overriding the key below")
        loaded = dataclasses.replace(loaded, allow_unanswered=allow_unanswered)
    return dataclasses.replace(loaded, gates=loaded.gates + gates, allow_unmatched=allow_unmatched)


def carry_out(
    study: Study,
    folder: Path | None,
    execution: Execution,
    *,
    others: Sequence[Path] = (),
    brief: bool = False,
    then: Callable[[], None] | None = None,
    merging: bool = False,
    also: Callable[[Run, Summary], Mapping[str, Any]] | None = None,
) -> None:
    """Run the study, write its folder and report, print the leaderboard, and leave with the right exit code.

    Without a folder nothing is written.
    ``brief`` prints the verdict and as many columns as stand side by side. ``then`` is called after that and
    may write folders that the report links. ``also`` prints and writes what a verb shows of the run beside the
    leaderboard, and returns further keys of the JSON. When shards are merged, their answers are used as they are.
    """
    if folder is not None:
        check_run_folder(folder, study)
        _warn_of_another_study(study, folder)
    tell_of_memory(study)
    beginning = Beginning.now()
    json, ask_again = execution.json, execution.ask_again
    policy = (
        AnswerPolicy(bool(ask_again), in_ci() and ask_again is None)
        if folder is None
        else _policy(study, folder, ask_again=ask_again, resume=execution.resume, merging=merging)
    )
    with open_workshop(execution, engine=study.engine, others=others) as workshop:
        done = run_study(study, workshop, policy)
    circumstances = beginning.end(shlex.join(["dialeval", *sys.argv[1:]]))
    content = describe(done, circumstances) if folder is None else write_run(done, folder, circumstances)
    if folder is not None and not done.failures:
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
    further = {} if also is None else also(done, content.summary)
    add_job_summary(as_markdown(content.summary, content.notes))
    report = None if folder is None else write_page(content, folder)
    if json:
        print(_summary(content, folder, report, further))
    elif report is not None:
        print(f"Report: {report}")
    _leave(done, folder)


def _policy(
    study: Study, folder: Path, *, ask_again: bool | None, resume: bool, merging: bool
) -> AnswerPolicy:
    """Return which cached answers the run may use; in CI, a note says that a study with gates uses none."""
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
    """Warn if the folder has the run of a study of another name, which this one replaces at its end."""
    other = study_in(folder)
    if other not in (None, study.name):
        print(
            f"warning: {folder} has the run of another study, {other!r}, which will be replaced by that of "
            f"{study.name!r}. To keep both, stop and give another -o.",
            file=sys.stderr,
        )


def tell_of_memory(study: Study) -> None:
    """Print which parts of the study hold all of a big file in memory."""
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
    """Return the study with the options of the command line."""
    given = (("seed", seed), ("limit", limit))
    study = annotated(
        study,
        *(f"with {key}: {value}, overriding the key below" for key, value in given if value is not None),
    )
    resampling = study.resampling if seed is None else dataclasses.replace(study.resampling, seed=seed)
    return dataclasses.replace(study, resampling=resampling, limit=study.limit if limit is None else limit)


def annotated(study: Study, *notes: str) -> Study:
    """Return the study with notes on its run at the top of the copy that the run folder keeps."""
    return dataclasses.replace(study, text="".join(f"# run {note}\n" for note in notes) + study.text)


def _summary(content: Content, folder: Path | None, report: Path | None, further: Mapping[str, Any]) -> str:
    usage = [as_json(used) for used in content.manifest.usage]
    answers = [as_json(source) for source in content.manifest.answers]
    places = {"folder": str(folder), "report": str(report)} if folder is not None else {}
    judges = {"judges": as_json(content.manifest.judges)} if content.manifest.judges else {}
    judges |= {"judge_pairs": as_json(pairs)} if (pairs := content.manifest.judge_pairs) else {}
    told = {**as_json(content.summary), **places, "usage": usage, "answers": answers, **judges, **further}
    return jsonlib.dumps(told, ensure_ascii=False)


def _leave(done: Run, folder: Path | None) -> None:
    place = "" if folder is None else f" in {folder}"
    for failure in done.failures:
        show_in_job(failure.sentence)
    if done.failures:
        partial = [failure for failure in done.failures if failure.partial]
        if len(partial) == len(done.failures):
            names = ", ".join(failure.system or "" for failure in partial)
            print(
                f"error: {names} failed before all items were answered. What was answered is scored{place}; "
                "the same command asks only for the rest.",
                file=sys.stderr,
            )
            sys.exit(PARTLY_ANSWERED)
        failed = count(len(done.failures), "part")
        others = f"; the other results are in {folder}. The report lists the failures."
        first = f". {done.failures[0].sentence}"
        raise RunFailed(f"{failed} of the study failed{first if folder is None else others}")
    exit_on_gates(done.gates)
    by_silence = sorted(done.scored, key=lambda each: each.result.unanswered)
    most = {each.system: each.result for each in by_silence}
    refuse_silence(most.items(), done.study.allow_unanswered)


def evaluate_study(
    name: str,
    content: Mapping[str, Any],
    resampling: Resampling,
    execution: Execution,
    *,
    out: Path | None = None,
    also: Callable[[Run, Summary], Mapping[str, Any]] | None = None,
    allow_unmatched: bool = False,
) -> None:
    """Run the study with these keys, print what it found, and write a run folder or that of a shard to ``out``.

    ``also`` is that of `carry_out`; there is nothing for it to show of a shard.
    """
    sampling = {"seed": resampling.seed, "trials": resampling.resamples, "cluster": resampling.cluster}
    arguments: dict[str, Any] = {
        "study": {"name": name, **sampling, **content},
        "seed": None,
        "limit": execution.limit,
        "fail_under": list(execution.fail_under) if execution.fail_under else None,
        "allow_unmatched": allow_unmatched,
        "allow_unanswered": execution.allow_unanswered,
    }
    study = loaded_study(**arguments)
    if execution.part is None:
        carry_out(study, out, execution, also=also)
    elif out is None:
        raise BadUsage("requires -o, the folder of the shard", where="--shard")
    else:
        work_on_study(study, arguments, execution.part, out, execution)


@contextmanager
def as_file(source: str, shard: Shard | None = None, out: Path | None = None) -> Iterator[Path]:
    """Yield the path of a file; of ``-``, that of one with what stands on standard input.

    It is kept in the run folder ``out``, whose study names it and can be run again; it is temporary if there is none.
    Not of a shard, which is merged from the same files later.
    """
    if source == "-" and shard is not None:
        raise BadUsage("needs a file, which is read again when shards are merged; found -", where="--shard")
    if source != "-":
        yield Path(source)
        return
    data = sys.stdin.buffer.read()
    if out is not None:
        yield keep_input(out, data)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / STDIN
        path.write_bytes(data)
        yield path
