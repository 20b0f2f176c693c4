"""``dialeval judge drift``: a judge of an earlier run beside today's, on answers of that run."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from dialeval.cli.gates import GATE_NOT_MET
from dialeval.cli.judge.verdicts import verdicts_in
from dialeval.cli.options import Json, Seed
from dialeval.core import Resampling
from dialeval.data.types import Example
from dialeval.errors import UnknownName, Unsuitable
from dialeval.files.documents import as_json, write_document
from dialeval.judge.drift import Drift, JudgeIdentity, changes, drift_of
from dialeval.judge.metric import Judge, scale_of_judge
from dialeval.options import Argument, Option
from dialeval.study import load_run, load_study
from dialeval.study.folder import read_manifest
from dialeval.study.measures import JUDGE, build_measure

if TYPE_CHECKING:
    from dialeval.study.loading import LoadedRun


def drift(
    run: Annotated[
        Path, Argument(metavar="RUN", help="An earlier run, or file of verdicts; these are the anchors.")
    ],
    judge: Annotated[
        str,
        Argument(
            metavar="JUDGE",
            help='Today\'s judge, as in "judge(model=..., base_url=...)", or a study with it; or a run or file with '
            "verdicts on the same answers.",
        ),
    ],
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="FILE", help="What 'compare --anchors' reads.")
    ] = None,
    measure: Annotated[
        str | None,
        Option(
            "--measure",
            metavar="NAME",
            help="The earlier judge, if RUN has several.",
            show_default="the only one",
        ),
    ] = None,
    now: Annotated[
        str | None,
        Option(
            "--now", metavar="NAME", help="The later judge, in a file of several.", show_default="--measure"
        ),
    ] = None,
    anchors: Annotated[
        int, Option("--anchors", min=1, metavar="N", help="Most answers to judge again.")
    ] = 100,
    margin: Annotated[
        float | None,
        Option(
            "--margin",
            help="The largest mean difference that does not matter.",
            show_default="5 % of the scale",
        ),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Judge answers of an earlier run again, and say whether the verdicts are equivalent.

    The answers are a random sample of those with a verdict. Kept replies are not used: every anchor is asked again.
    Leaves with 100 unless the judges are shown to be equivalent within the margin.

    Example: dialeval judge drift runs/march study.yaml -o drift.json
    """
    if margin is not None and margin <= 0:
        raise Unsuitable(f"'--margin': found {margin:g}, expected a number above 0.")
    if Path(judge).exists() and not judge.endswith((".yaml", ".yml")):
        found = recorded_drift(str(run), judge, (measure, now or measure), margin)
        label = found.then.signature.partition("|")[0]
    else:
        loaded = load_run(run)
        label = _label(loaded, run, measure)
        today = _judge(judge, label)
        drawn = _anchors(loaded, label, anchors, seed)
        found = _again(today, drawn, _identity(loaded, run, label), margin, loaded.resampling)
    if out is not None:
        write_document(out, found)
    if json:
        print(jsonlib.dumps(as_json(found), ensure_ascii=False))
    else:
        changed = changes(found.then, found.now)
        told = f"the judge differs in {changed}" if changed else "the same judge by name"
        print(f"{label}: {told}; its verdicts are {found.sentence}.")
        if found.equal is not None:
            print(f"Equal verdicts: {found.equal:.0%}; mean absolute difference {found.mean_difference:.3g}.")
    if found.verdict != "equivalent":
        sys.exit(GATE_NOT_MET)


def recorded_drift(
    run: str, other: str, judges: tuple[str | None, str | None], margin: float | None
) -> Drift:
    """Verdicts of two runs or files on the same answers; nobody is asked."""
    sides = [verdicts_in(source, judge) for source, judge in zip((run, other), judges, strict=True)]
    (then, before), (now, after) = sides
    shared = [key for key in before if key in after]
    limits = scale_of_judge(then)
    if limits is None and margin is None:
        raise Unsuitable(
            f"The scale of {then!r} is not known. Give the largest difference that does not matter, --margin."
        )
    values = [np.array([own[key] for key in shared], dtype=np.float64) for own in (before, after)]
    return drift_of(
        values[0],
        values[1],
        [item for item, _ in shared],
        (JudgeIdentity(then, _returned(run, then)), JudgeIdentity(now, _returned(other, now))),
        limits=limits or (0.0, 2.0),  # of scores, whose step is 1, if the ends are not known
        margin=margin,
        resampling=Resampling(),
    )


def _returned(source: str, rater: str) -> tuple[str, ...]:
    """The models that answered as that judge, if a run tells."""
    if not (Path(source) / "manifest.json").is_file():
        return ()
    manifest = read_manifest(Path(source))
    labels = {trace.measure for trace in manifest.provenance if trace.signature == rater}
    return next((record.returned for record in manifest.judges if record.measure in labels), ())


class _Anchor(NamedTuple):
    """An answer of the earlier run, and its verdict then."""

    subject: Example
    value: float


def _label(loaded: LoadedRun, run: Path, measure: str | None) -> str:
    known = list(dict.fromkeys(s.measure.label for s in loaded.scored if s.result.signature.name == JUDGE))
    if measure is not None and measure not in known:
        raise UnknownName(f"judge in {run}", measure, known, todo=f"It has: {', '.join(known) or 'none'}.")
    if measure is None and len(known) != 1:
        raise Unsuitable(
            f"{run} has {len(known)} judges{': ' + ', '.join(known) if known else ''}. "
            + ("Name one with --measure." if known else "Give a run with a judge among its measures.")
        )
    return measure or known[0]


def _judge(text: str, label: str) -> Judge:
    """Today's judge, of a call or of a study; of several in a study, the one of that label."""
    if text.endswith((".yaml", ".yml")):
        measures = [each for each in load_study(text).measures if isinstance(each.metric, Judge)]
        same = [each for each in measures if each.label == label] or measures
        if len(same) != 1:
            raise Unsuitable(f"{text} has {len(same)} judges, expected one, or one called {label}.")
        metric = same[0].metric
    else:
        metric = build_measure(text).metric
    if not isinstance(metric, Judge):
        raise Unsuitable(
            f'Found {text!r}, expected a judge, as in "judge(model=..., base_url=...)", or a study.'
        )
    return metric


def _anchors(loaded: LoadedRun, label: str, most: int, seed: int) -> list[_Anchor]:
    """A random sample of the answers that have a verdict."""
    texts = {(example.item, example.system): example for example in loaded.examples}
    known = [
        _Anchor(texts[item, scored.system], float(value))
        for scored in loaded.scored
        if scored.measure.label == label
        for item, value in zip(scored.result.items, scored.result.values.tolist(), strict=True)
        if np.isfinite(value) and (item, scored.system) in texts
    ]
    drawn = np.random.default_rng(seed).permutation(len(known))[:most]
    return [known[place] for place in sorted(drawn.tolist())]


def _identity(loaded: LoadedRun, run: Path, label: str) -> JudgeIdentity:
    result = next(scored.result for scored in loaded.scored if scored.measure.label == label)
    records = read_manifest(run).judges
    returned = next((record.returned for record in records if record.measure == label), ())
    return JudgeIdentity(str(result.signature), returned)


def _again(
    today: Judge, anchors: list[_Anchor], then: JudgeIdentity, margin: float | None, resampling: Resampling
) -> Drift:
    with TemporaryDirectory() as fresh:
        judge = replace(today, cache=fresh)
        given = judge.verdicts([anchor.subject for anchor in anchors])
    values = [judge.combined(own).value for own in given]
    models = {verdict.reply.model for own in given for verdict in own if verdict.reply.model}
    return drift_of(
        np.array([anchor.value for anchor in anchors]),
        np.array([np.nan if value is None else value for value in values]),
        [anchor.subject.item for anchor in anchors],
        (then, JudgeIdentity(str(today.signature), tuple(sorted(models)))),
        limits=today.limits,
        margin=margin,
        resampling=resampling,
    )
