"""``dialeval nlg score``: slot errors of responses to dialogue acts, beside any other metric."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dialeval.cli.costs import JUDGE_NAMES
from dialeval.cli.execution import Execution, Sampling
from dialeval.cli.options import MetricNames, SkipBad
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.run import evaluate_study
from dialeval.cli.score import rows_of_run, write_judgements
from dialeval.cli.scoring import side_file
from dialeval.core import Resampling
from dialeval.data import Example, SideFile, refuse
from dialeval.display.consoles import PrintableConsole
from dialeval.display.terminal import print_table
from dialeval.errors import DialevalError
from dialeval.files.documents import write_json_lines
from dialeval.nlg.document import ItemFindings
from dialeval.nlg.report.section import counts_table
from dialeval.nlg.responses import StudyFiles, is_study_file, read_responses, system_of, write_study_files
from dialeval.nlg.slots.metric import PARTS, SlotErrorRate
from dialeval.nlg.slots.summary import BOUND, item_findings, notes_on, slot_counts
from dialeval.nlg.subjects import act_text
from dialeval.options import Argument, Option, Options
from dialeval.text.calls import print_call, split_call

if TYPE_CHECKING:
    from dialeval.data.codec.bad import OnBad
    from dialeval.display.notes import Note
    from dialeval.judge.slots import JudgedSlotErrors
    from dialeval.nlg.acts.files import ActItem
    from dialeval.nlg.document import SlotCounts
    from dialeval.study import Run
    from dialeval.study.document import Summary


def score(
    file: Annotated[
        str,
        Argument(help="Lines of id, system, act, response and references; or e2e:FILE.tsv. - for stdin."),
    ],
    metric: MetricNames = None,
    pool: Annotated[
        Literal["act", "slots", "none"],
        Option(
            "--pool",
            help="Whose references count for -m: of identical acts, of acts with the same slots (refilled, as RNNLG), "
            "or each item's alone.",
        ),
    ] = "act",
    references: Annotated[
        str | None,
        Option(
            "--references",
            metavar="FILE",
            help="References by act, for items without: rnnlg:FILE, e2e:FILE ...",
        ),
    ] = None,
    profile: Annotated[
        Literal["dialeval", "wen2015", "rnnlg"],
        Option("--profile", help="Whose definition of slot errors is used."),
    ] = "dialeval",
    by: Annotated[
        str | None,
        Option(
            "--by",
            metavar="judge:NAME",
            help=f"A judge in place of the rules: {JUDGE_NAMES}.",
        ),
    ] = None,
    aliases: Annotated[
        Path | None, Option("--aliases", help="Further words for values: JSON, YAML or TSV.")
    ] = None,
    per_item: Annotated[
        Path | None, Option("--per-item", help="Write one judgement per item and metric here.")
    ] = None,
    slots: Annotated[
        Path | None, Option("--slots", help="Write every slot with the words that say it here (JSONL).")
    ] = None,
    bound: Annotated[
        float, Option("--bound", min=0, help="Warn if the references' slot error rate exceeds this.")
    ] = BOUND,
    out: Annotated[Path | None, Option("--out", "-o", help="A run folder, with a report.")] = None,
    skip_bad: SkipBad = False,
    resampling: Sampling = Resampling(),
    execution: Annotated[
        Execution,
        Options(
            *("limit", "jobs", "engine", "address", "resume", "cache"),
            *("fail_under", "allow_unanswered", "shard", "json"),
        ),
    ] = Execution(),
) -> None:
    r"""Score responses to dialogue acts: slots missing, wrong, added, repeated, and the references' own errors.

    An act is "inform(name='x';area=centre)", name\[x], or {"act": "inform", "slots": {"name": "x"}}. The output, the
    folder and the report are those of 'dialeval run'.

    Example: dialeval nlg score outputs.jsonl --json

    Example: dialeval nlg score outputs.jsonl -m bleu -m meteor --pool slots --slots slots.jsonl

    Example: dialeval nlg score outputs.jsonl -o scored

    Example: dialeval nlg score outputs.jsonl --by judge:strong.yaml
    """
    part = execution.part
    if part is not None and (per_item or slots or execution.json):
        raise BadUsage("cannot be combined with --per-item, --slots or --json", where="--shard")
    on_bad: OnBad = SideFile(side_file(file)) if skip_bad else refuse
    items = read_responses(file, references, on_bad)
    if isinstance(on_bad, SideFile) and (left_out := on_bad.message()):
        print(left_out, file=sys.stderr)
    plain = SlotErrorRate(profile=profile, aliases="" if aliases is None else str(aliases))
    judge = None if by is None else _judge_of(by, ruled=profile != "dialeval" or aliases is not None)
    own = _slot_measures(plain, referenced=any(item.references for item in items))
    names = {
        **(own if judge is None else {judge.name: judge.signature.call}),
        **{name: _pooled(name, pool) for name in dict.fromkeys(metric or ()) if name != "slot_error_rate"},
    }
    with _study_files(file, items, as_it_is=references is None and not skip_bad) as files:
        if part is not None and str(files.data) != file:
            raise BadUsage(
                "needs lines with id, system, act and response in one file, which is read again when shards are merged",
                where="--shard",
            )
        systems = dict.fromkeys(map(system_of, items))
        place = {"kind": "transcript", "path": str(files.responses)}
        content = {
            "data": str(files.data),
            "systems": [{"name": name, **place, "system": name} for name in systems],
            "measures": list(names.values()),
        }
        gates = [_renamed(text, names) for text in execution.fail_under or ()]
        also = _slots_shown(
            plain if judge is None else judge,
            names,
            per_item=per_item,
            slots=slots,
            bound=bound,
            json=execution.json,
        )
        evaluate_study("nlg", content, resampling, replace(execution, fail_under=gates), out=out, also=also)


def _slot_measures(plain: SlotErrorRate, *, referenced: bool) -> dict[str, str]:
    """The slot error rate, its parts and that of the references: the measure of a study, by a name without options."""
    own = [("profile", plain.profile), ("aliases", plain.aliases)]
    given = [(key, value) for key, value in own if value not in ("", "dialeval")]
    parts = [("part", part) for part in PARTS] + [("of", "references")] * referenced
    measures = {"slot_error_rate": print_call("slot_error_rate", given)}
    for part in parts:
        measures[print_call("slot_error_rate", [part])] = print_call("slot_error_rate", [part, *given])
    return measures


def _pooled(name: str, pool: str) -> str:
    """The measure with its pool of references."""
    if pool == "none":
        return name
    call = split_call(name)
    return print_call(call.name, [*call.parameters, ("pool", pool)])


def _renamed(gate: str, names: Mapping[str, str]) -> str:
    """The gate with the measure of the study in place of a name without options, also in ``point(NAME)=VALUE``."""
    name, mark, value = gate.rpartition("=")
    bare = name.strip()
    if bare.startswith("point(") and (inner := bare.removeprefix("point(").removesuffix(")")) in names:
        return f"point({names[inner]}){mark}{value}"
    return f"{names.get(bare, name)}{mark}{value}"


@contextmanager
def _study_files(file: str, items: Sequence[ActItem], *, as_it_is: bool) -> Iterator[StudyFiles]:
    """The file itself if a study finds the same in it; else temporary ones."""
    if as_it_is and Path(file).is_file() and is_study_file(Path(file), items):
        yield StudyFiles(Path(file), Path(file))
        return
    with tempfile.TemporaryDirectory() as folder:
        yield write_study_files(Path(folder), items, file)


def _judge_of(by: str, *, ruled: bool) -> JudgedSlotErrors:
    """The measure of slot errors by a judge, which takes no part of the rules."""
    from dialeval.judge.slots import JudgedSlotErrors

    if ruled:
        raise BadUsage("cannot be combined with --profile or --aliases, which are of the rules", where="--by")
    try:
        return JudgedSlotErrors(by)
    except DialevalError as error:
        raise BadUsage(str(error), where="--by") from None


def _slots_shown(
    plain: SlotErrorRate | JudgedSlotErrors,
    names: Mapping[str, str],
    *,
    per_item: Path | None,
    slots: Path | None,
    bound: float,
    json: bool,
) -> Callable[[Run, Summary], Mapping[str, Any]]:
    """Return what writes judgements and slots of a run, and gives the keys of the JSON that 'score' has, too."""
    called = {measure: name for name, measure in names.items()}

    def show(run: Run, summary: Summary) -> Mapping[str, Any]:
        results = {(called.get(each.label, each.label), each.system): each.result for each in run.scored}
        if per_item is not None:
            write_judgements(per_item, results)
        examples = [each for given in run.respondents for each in given.examples if isinstance(each, Example)]
        items = _items_of(plain, examples)
        if slots is not None:
            write_json_lines(slots, items, follow=True)
        if not isinstance(plain, SlotErrorRate):
            return _shown(summary, results, slot_counts(items), (), json=json)
        of = print_call("slot_error_rate", [("of", "references")])
        rates = {system: result.score for (name, system), result in results.items() if name == of}
        notes = notes_on(plain, examples, rates, bound)
        shown = notes if json or bound != BOUND else ()
        return _shown(summary, results, slot_counts(items), shown, json=json)

    return show


def _items_of(metric: SlotErrorRate | JudgedSlotErrors, examples: Sequence[Example]) -> list[ItemFindings]:
    """Findings of each response whose act can be checked; those of a judge from its kept replies."""
    if isinstance(metric, SlotErrorRate):
        return item_findings(metric, examples)
    return [
        ItemFindings(
            e.item, e.system, act_text(e.context), e.response.text, tuple(metric.recalled(e).findings())
        )
        for e in examples
        if e.response.missing is None and metric.unscorable(e) is None
    ]


def _shown(
    summary: Summary,
    results: Mapping[tuple[str, str], Any],
    counts: Sequence[SlotCounts],
    notes: Sequence[Note],
    *,
    json: bool,
) -> Mapping[str, Any]:
    """Print the counts, or return the keys of the JSON."""
    if not json:
        console = PrintableConsole()
        console.print()
        print_table(counts_table(counts, [note.text for note in notes]), console)
        return {}
    return {
        "results": rows_of_run(summary, results),
        "slots": [asdict(count) for count in counts],
        "notes": [{"code": note.code, "text": note.text} for note in notes],
    }
