"""``dialeval consistency tasks`` and ``label``: people's labels of answers to probes."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from dialeval.annotation.answers import fault_counts, faults_told, read_answers as read_scores
from dialeval.annotation.blind_items import provenance
from dialeval.annotation.project import read_key
from dialeval.annotation.tasks import check_key, export_tasks
from dialeval.cli.consistency.detect import Model
from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.sampling import Sample, drawn
from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.folder import read_answers
from dialeval.consistency.labelling.labels import (
    FORM,
    Rule,
    label_by_detector,
    qualified,
    settle,
    utterances_of_answers,
)
from dialeval.data import encode, read
from dialeval.data.codec.sources import check
from dialeval.display.wording import count
from dialeval.errors import Unsuitable
from dialeval.files.documents import finite, write_json_lines
from dialeval.options import Argument, Option

if TYPE_CHECKING:
    from dialeval.consistency.collecting.answers import ProbeAnswer
    from dialeval.consistency.labelling.labels import AtDistance, Labels

Answers: TypeAlias = Annotated[
    Path, Argument(metavar="ANSWERS", help="What 'dialeval consistency collect' wrote.")
]


def tasks(
    answers: Answers,
    out: Annotated[Path, Option("--out", "-o", help="The folder of tasks to write.")],
    limit: Limit = None,
    sample: Sample = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write blind tasks for raters: does each answer contradict what its speaker said? Three raters each.

    The folder is a study that 'dialeval annotate serve' serves and 'annotate export' exports; or raters fill in
    for_raters/tasks.csv.

    Example: dialeval consistency tasks answers.jsonl -o tasks
    """
    asked, told = drawn(
        utterances_of_answers(_read(answers)), lambda said: said.item, limit=limit, sample=sample, seed=seed
    )
    written = export_tasks(asked, out, form=FORM, seed=seed, provenance=provenance(str(answers), told))
    if json:
        print(jsonlib.dumps({"tasks": written.tasks, "csv": str(written.csv), "key": str(written.key)}))
        return
    print(f"{written.tasks:,} tasks, for {FORM.raters} raters each: {written.csv}")
    print(f"Keep the key to yourself: {written.key}")
    print(f"In the browser: dialeval annotate serve {out}")


def label(
    answers: Answers,
    out: Annotated[Path, Option("--out", "-o", help="The file of labelled answers to write.")],
    scores: Annotated[
        list[Path] | None,
        Option(
            "--scores", help="What raters answered: filled-in tasks, or the export of 'annotate'. Repeatable."
        ),
    ] = None,
    by_detector: Annotated[
        bool,
        Option("--by-detector", help="Label by the detector instead of people; the file says so."),
    ] = False,
    model: Model = "shipped",
    key: Annotated[
        Path | None,
        Option("--key", help="The key.jsonl that was written with the tasks, if they were filled in."),
    ] = None,
    qualification: Annotated[
        Path | None,
        Option(
            "--qualification",
            help="Judgements of 21 items, the known ones by rater 'gold': keep raters who pass.",
        ),
    ] = None,
    rule: Annotated[
        str,
        Option(
            "--rule",
            metavar="K-of-N",
            help="K votes make a contradiction; none of at least N, a consistent answer. 2-of-3 is the thesis's.",
        ),
    ] = "2-of-3",
    gold: Annotated[
        Path | None,
        Option(
            "--gold",
            help="Also write answers on which all raters agree, as known values for 'annotate init --gold --qualify'.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Settle raters' answers: contradictory by two or more, consistent by all of three, ambiguous otherwise.

    The file that is written trains detectors (dialeval train contradiction) and can be analysed. Counts of answers and
    contexts and Fleiss' kappa are also given for each distance of a question from what it asks about.

    Example: dialeval consistency label answers.jsonl --scores filled.csv --key tasks/key.jsonl -o labelled.jsonl
    """
    if by_detector == bool(scores):
        raise BadUsage("give --scores of people, or --by-detector where there are none")
    if by_detector and gold is not None:
        raise BadUsage("known values are those of people; leave out --by-detector", where="--gold")
    try:
        chosen = Rule.of(rule)
    except Unsuitable as error:
        raise BadUsage(str(error), where="--rule") from None
    given = _read(answers)
    if by_detector:
        labels = label_by_detector(given, PairDetector(model))
        write_json_lines(out, labels.answers, follow=True)
        _show(labels, out, json=json, chosen=chosen)
        return
    utterances = utterances_of_answers(given)
    known = read_key(key) if key is not None else None
    if known is not None:
        check_key(known, utterances, form=FORM)
    read_in = [read_scores(path, key=known, form=FORM, utterances=utterances) for path in scores or ()]
    judgements = [judgement for each in read_in for judgement in each.judgements]
    dropped: list[str] = []
    if qualification is not None:
        judgements, dropped = qualified(judgements, list(read(qualification, "judgement")))
    unusable = [fault for each in read_in for fault in each.unusable]
    labels = settle(given, judgements, rule=chosen, unusable_before=unusable, dropped=dropped)
    write_json_lines(out, labels.answers, follow=True)
    if gold is not None:
        write_json_lines(gold, map(encode, labels.gold), follow=True)
        print(f"{len(labels.gold):,} known values: {gold}", file=sys.stderr)
    _show(labels, out, json=json, chosen=chosen)


def _read(path: Path) -> list[ProbeAnswer]:
    check(path)
    answers = [answer for _, answer in read_answers(path)]
    if not answers:
        raise Unsuitable(f"{path} holds no answer. Collect some with 'dialeval consistency collect'.")
    return answers


def _distance_row(found: AtDistance) -> dict[str, object]:
    return {
        "distance": found.distance,
        "labels": dict(found.counts),
        "contexts": found.contexts,
        "contradicted_contexts": found.contradicted,
        "kappa": finite(found.kappa.value),
        "kappa_reason": found.kappa.reason,
        "unanimity": {**found.unanimity._asdict(), "share": found.unanimity.share},
    }


def _show_distances(labels: Labels) -> None:
    any_vote, every = labels.unanimity.any, labels.unanimity.all
    if any_vote:
        share = f"{every:,} of them ({every / any_vote:.1%}) by all raters"
        print(f"{any_vote:,} answers have a vote for a contradiction, {share}")
    for found in labels.by_distance:
        kappa = f"kappa {found.kappa.value:.3f}" if found.kappa.defined else "kappa undefined"
        counts = ", ".join(f"{name} {number:,}" for name, number in found.counts.items())
        contexts = f"{found.contradicted:,} of {found.contexts:,} contexts contradicted"
        print(f"  {count(found.distance, 'turn')} before the question: {counts}; {contexts}; {kappa}")


def _show(labels: Labels, out: Path, *, json: bool, chosen: Rule) -> None:
    kappa = labels.kappa
    if json:
        facts = {
            "labels": labels.counts,
            "kappa": finite(kappa.value),
            "kappa_reason": kappa.reason,
            "unanimity": {**labels.unanimity._asdict(), "share": labels.unanimity.share},
            "by_distance": [_distance_row(each) for each in labels.by_distance],
            "unusable_answers": fault_counts(labels.unusable),
            "dropped_raters": labels.dropped,
            "file": str(out),
        }
        print(jsonlib.dumps(facts, ensure_ascii=False))
        return
    for name, number in labels.counts.items():
        print(f"{name}: {number:,}")
    if any(answer.by == "detector" for answer in labels.answers):
        print("labelled by the detector, not by people: compare shares, do not report them", file=sys.stderr)
    else:
        print(
            f"Fleiss' kappa {kappa.value:.3f}"
            if kappa.defined
            else f"Fleiss' kappa undefined: {kappa.reason}"
        )
        _show_distances(labels)
        few = sum(answer.raters < chosen.raters for answer in labels.answers)
        if few:
            print(
                f"{few:,} of {len(labels.answers):,} answers have fewer than {chosen.raters} judgements, so they "
                "cannot be consistent: ask more raters, or give another --rule",
                file=sys.stderr,
            )
    for note in faults_told(labels.unusable):
        print(note, file=sys.stderr)
    if labels.dropped:
        print(f"did not pass the qualification test: {', '.join(labels.dropped)}", file=sys.stderr)
    print(f"{len(labels.answers):,} labelled answers: {out}")
