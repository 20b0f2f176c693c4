"""``dialeval select ask``: systems choose among candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dialeval.catalogue.systems import SYSTEMS
from dialeval.cli.execution import Execution
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.run import as_file, evaluate_study
from dialeval.cli.select.files import Format, Questions, Sources
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.data.choices import write_choices
from dialeval.errors import DialevalError, UnknownName, Unsuitable
from dialeval.meta import only_criterion
from dialeval.options import Option, Options
from dialeval.ratings import read_judgements
from dialeval.selection.asking.choosers import CHOOSERS
from dialeval.selection.asking.people import read_ranking, why_no_ranking
from dialeval.selection.asking.questions import narrowed
from dialeval.selection.measure import choice_rows, joined_labels
from dialeval.study import named_system
from dialeval.systems.huggingface import EMBEDDED
from dialeval.text.calls import print_call, split_call

if TYPE_CHECKING:
    from dialeval.study import Run
    from dialeval.study.document import Summary


def ask(
    questions: Questions,
    system: Annotated[
        list[str],
        Option(
            "--system",
            metavar="NAME",
            help="tfidf, encoder, a language model, a folder of weights, a kind with its keys, or "
            "STUDY.yaml:NAME. Repeatable.",
        ),
    ],
    format: Format = None,
    normalise: Annotated[
        Literal["sum", "mean"],
        Option("--normalise", help="Sum or mean of the log-probabilities of a candidate's tokens."),
    ] = "sum",
    hits: Annotated[
        list[int] | None,
        Option("--hits", metavar="K", min=1, help="Also hits@K. Repeatable.", show_default="2"),
    ] = None,
    error: Annotated[
        list[str] | None,
        Option("--error", metavar="LABEL", help="Only false candidates of this label. Repeatable."),
    ] = None,
    one_truth: Annotated[
        bool, Option("--one-truth", help="Ask about each correct candidate on its own.")
    ] = False,
    random_trials: Annotated[
        int, Option("--random-trials", min=0, metavar="T", help="Also T trials with random candidates.")
    ] = 0,
    repository: Sources = None,
    pool: Annotated[
        int | None,
        Option(
            "--pool", min=1, metavar="N", help="Random candidates per question.", show_default="3 x false + 1"
        ),
    ] = None,
    human: Annotated[
        Path | None,
        Option("--human", help="People's judgements of the systems, to correlate trials with."),
    ] = None,
    human_criterion: Annotated[
        str | None,
        Option("--human-criterion", help="What people judged.", show_default="the only one"),
    ] = None,
    per_item: Annotated[
        Path | None, Option("--per-item", help="Write every choice and score here, a line each.")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="A run folder, with every choice in choices.jsonl.")
    ] = None,
    cluster: Annotated[
        Literal["auto", "dialogue", "none"],
        Option(
            "--cluster",
            metavar="HOW",
            help="Resample together questions of one context or dialogue (ids DIALOGUE/TURN): auto, if there are "
            "several; dialogue, always; or none.",
        ),
    ] = "auto",
    resampling: Annotated[Resampling, Options("seed", "resamples")] = Resampling(),
    execution: Annotated[
        Execution,
        Options(
            *("limit", "engine", "address", "resume", "ask_again", "cache"),
            *("fail_under", "allow_unanswered", "shard", "json"),
        ),
    ] = Execution(),
) -> None:
    """Ask systems to choose: accuracy with intervals, MRR, hits@k, and who is better.

    A system's choice is the candidate with the highest log-probability; a tie with a false one counts as wrong. The
    output, the folder and the report are those of 'dialeval run'. Interrupted? The same command resumes.

    Example: dialeval select ask questions.jsonl --system tfidf --system smollm2-135m-instruct

    Example: dialeval select ask questions.jsonl --system tfidf --random-trials 100 -o asked
    """
    _refuse_idle_options(
        random_trials=random_trials,
        repository=repository,
        pool=pool,
        human=human,
        human_criterion=human_criterion,
    )
    if execution.part is not None and per_item is not None:
        raise BadUsage("cannot be combined with --shard; merge the shards first", where="--per-item")
    systems = _named(system)
    criterion = _criterion(human, human_criterion, list(systems)) if human else ""
    with as_file(questions, execution.part, out) as path:
        file = f"{format}:{path}" if format else str(path)
        narrowed(
            list(read(file, "question")), error or ()
        )  # a label that nobody has, before anybody is asked
        narrowing = {
            "questions": file,
            "normalise": None if normalise == "sum" else normalise,
            "errors": joined_labels(error) if error else None,
            "one_truth": one_truth or None,
        }
        given = {key: value for key, value in narrowing.items() if value is not None}
        measures: list[dict[str, Any]] = [
            {"name": "selection_accuracy", **given},
            {"name": "selection_mrr", **given},
            *({"name": "selection_hits", "k": k, **given} for k in dict.fromkeys(hits or (2,))),
        ]
        if random_trials:
            trying = {
                "trials": random_trials,
                "pool": pool,
                "seed": resampling.seed or None,
                "repository": ",".join(repository or ()) or None,
                "human": None if human is None else str(human),
                "criterion": criterion or None,
            }
            tried = {key: value for key, value in trying.items() if value is not None}
            measures.append({"name": "selection_random", **tried, **given})
        content = {
            "data": file,
            "systems": list(systems.values()),
            "measures": measures,
            "primary": _label(given),
        }
        also = None if per_item is None else partial(_write_choices, per_item)
        chosen = replace(resampling, cluster=cluster)
        evaluate_study("selection", content, chosen, execution, out=out, also=also)


def _write_choices(path: Path, run: Run, _summary: Summary) -> dict[str, Any]:
    """Write every choice, a line each; the JSON has nothing more than the summary."""
    write_choices(path, choice_rows((scored.label, scored.subjects) for scored in run.scored))
    return {}


def _refuse_idle_options(*, random_trials: int, **given: object) -> None:
    """Usage errors for options that would do nothing: those of trials without trials, a criterion without ratings."""
    for name, value in given.items():
        if value is not None and not random_trials:
            option = f"--{name.replace('_', '-')}"
            raise BadUsage("does nothing without --random-trials", where=option)
    if given.get("human_criterion") is not None and given.get("human") is None:
        raise BadUsage("does nothing without --human", where="--human-criterion")


def _label(given: dict[str, Any]) -> str:
    """The label of accuracy, which decides."""
    return print_call(
        "selection_accuracy", [(key, value) for key, value in given.items() if key != "questions"]
    )


def _named(names: Sequence[str]) -> dict[str, Any]:
    """Return the systems as a study writes them, by name; choosers of one name are called as they were written."""
    own = [_name(text) for text in names]
    called = [
        text if own.count(name) > 1 and text.partition("(")[0].strip() in CHOOSERS else name
        for text, name in zip(names, own, strict=True)
    ]
    twice = sorted({name for name in called if called.count(name) > 1})
    if twice:
        raise DialevalError(
            f"Several systems are called {', '.join(twice)}. Give each a different name, as in "
            "--system \"tfidf(name='mine')\"."
        )
    return {
        name: text if name == first else _chooser(text)
        for name, first, text in zip(called, own, names, strict=True)
    }


def _name(text: str) -> str:
    """The name of the system that a line of text names."""
    try:
        return named_system(text).name
    except UnknownName as error:
        if error.kind != "system":
            raise
        known = [*CHOOSERS, *SYSTEMS, EMBEDDED]
        todo = f"There are {', '.join(known)}; folders of weights and files of responses."
        raise UnknownName("system", text, known, todo=todo) from None


def _chooser(text: str) -> dict[str, Any]:
    """A chooser under the name that was written, as a study writes it."""
    call = split_call(text)
    return {"kind": call.name, **dict(call.parameters), "name": text}


def _criterion(human: Path, given: str | None, systems: Sequence[str]) -> str:
    """Return what people judged, once it is clear that they judged two of the systems."""
    name = given or only_criterion(read_judgements([human]), todo="Name it with --human-criterion.")
    reason = why_no_ranking(read_ranking(human, name), systems)
    if reason:
        raise Unsuitable(f"{human}: {reason}")
    return name
