"""``dialeval talks`` and ``dialeval scenarios``: users beside each other, and scenarios from logs or checked."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

from dialeval.cli.execution import Sampling
from dialeval.cli.options import From, Json, Limit
from dialeval.core import Estimate, Resampling, Result
from dialeval.data import Dialogue, read, write
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.terminal import print_table
from dialeval.display.wording import count, number
from dialeval.errors import Unsuitable
from dialeval.files.documents import as_json
from dialeval.options import Argument, Option
from dialeval.study import load_run
from dialeval.talks.behaviour import Behaviour, behaviour_of
from dialeval.talks.correction import Corrected, correct_success
from dialeval.talks.distil import distil
from dialeval.talks.faults import with_faults
from dialeval.talks.measure import TALKS, read_talks
from dialeval.talks.outcome import scenario_of, success_of
from dialeval.talks.scenarios import read_scenarios, write_scenarios
from dialeval.talks.success import with_outcomes
from dialeval.talks.survival import SENTENCES, Survival, compare_users

_PLACES: Final = 3


def users(
    talks: Annotated[
        str,
        Argument(metavar="TALKS", help="Dialogues, or a run folder with talks.jsonl; one group of users."),
    ],
    others: Annotated[
        str | None, Argument(metavar="OTHERS", help="Dialogues of other users, such as real ones.")
    ] = None,
    format: From = None,
    resampling: Sampling = Resampling(),
    json: Json = False,
) -> None:
    """Describe how users behave in talks, and how simulated ones differ from real ones.

    Turns, words, questions, thanks, complaints, ends, and how much is told in the first turn, each with an interval.
    The two groups are independent samples; repeats of a scenario (ids SCENARIO/REPEAT) are one unit.

    Example: dialeval talks users runs/talks

    Example: dialeval talks users runs/talks real_talks.jsonl
    """
    first = _dialogues(talks, format)
    second = None if others is None else _dialogues(others, format)
    found = behaviour_of(first, second, resampling)
    if json:
        rows = [{key: value for key, value in as_json(each).items() if value is not None} for each in found]
        sizes = [len(first), *([] if second is None else [len(second)])]
        print(jsonlib.dumps({"figures": rows, "talks": sizes}, ensure_ascii=False))
        return
    print_table(_figures(found, *_short(talks, others), len(first), len(second or ())))


def _dialogues(given: str, format: str | None) -> list[Dialogue]:
    path = Path(given)
    source: str | Path = path / TALKS if path.is_dir() and (path / TALKS).is_file() else given
    found = list(read(source, "dialogue", format=format))
    if not found:
        raise Unsuitable(f"{given} holds no dialogue.")
    return found


def _short(talks: str, others: str | None) -> tuple[str, str | None]:
    """Names of both groups for columns: those of the files, unless these are the same."""
    names = Path(talks).name, None if others is None else Path(others).name
    return (talks, others) if names[0] == names[1] else names


def _figures(found: Sequence[Behaviour], talks: str, others: str | None, first: int, second: int) -> Table:
    titles = ["figure", talks, *([others, "difference", "p"] if others is not None else [])]
    columns = tuple(Column(title, numeric=index > 0) for index, title in enumerate(titles))
    rows = [
        (
            Cell(each.figure),
            _cell(each.first),
            *(
                (_cell(each.second), _cell(each.difference), Cell(number(each.p, _PLACES)))
                if each.second is not None and each.difference is not None
                else ()
            ),
        )
        for each in found
    ]
    told = f"{count(first, 'talk')}" + (f" beside {count(second, 'talk')}" if others is not None else "")
    notes = (told, *(["p-values are not corrected for the number of figures"] if others is not None else []))
    return Table("Users", columns, tuple(rows), notes)


def _cell(estimate: Estimate) -> Cell:
    return estimate_cell(estimate.value, estimate.low, estimate.high)


def survive(
    run: Annotated[Path, Argument(metavar="RUN", help="A run folder of talks with one simulated user.")],
    other: Annotated[
        Path, Argument(metavar="OTHER", help="The same scenarios and systems with another user.")
    ],
    metric: Annotated[
        str, Option("--metric", "-m", help="A measure of single talks that both runs have.")
    ] = "success",
    json: Json = False,
) -> None:
    """Tell whether the ranking of systems survives another simulated user, or depends on the user.

    Systems are paired talk by talk under each user; all repeats of a scenario are left out together. The ranking
    survives if every difference is shown under both users in the same direction. It depends on the user if one turns
    round by more than chance (Holm over all tests).

    Example: dialeval talks survive runs/with-gpt runs/with-llama
    """
    _same_scenarios(run, other)
    first, second = load_run(run), load_run(other)
    sides = [_results(each.scored, metric, str(each.folder)) for each in (first, second)]
    found = compare_users(metric, sides[0], sides[1], first.resampling)
    if json:
        print(jsonlib.dumps({**as_json(found), "sentence": SENTENCES[found.verdict]}, ensure_ascii=False))
        return
    print(f"{metric}: {SENTENCES[found.verdict]}.")
    print_table(_pairs(found, str(run), str(other)))


def _same_scenarios(run: Path, other: Path) -> None:
    """Refuse runs of one user, or of scenarios that differ; the talks of a run say both."""
    users, digests = [], []
    for folder in (run, other):
        talks = list(read_talks(folder))
        users.append({(talk.metadata.get("user_signature"), talk.metadata.get("seed")) for talk in talks})
        digests.append({scenario_of(talk): talk.metadata.get("scenario_digest") for talk in talks})
    if users[0] == users[1] and users[0]:
        raise Unsuitable(f"{run} and {other} are talks with one and the same simulated user; give another's.")
    shared = digests[0].keys() & digests[1].keys()
    differ = sorted(name for name in shared if digests[0][name] != digests[1][name])
    if differ:
        raise Unsuitable(
            f"The scenario {differ[0]!r} says something else in {other} than in {run}. Run both users with one file of "
            "scenarios."
        )


def _results(scored: Sequence[object], metric: str, folder: str) -> dict[str, Result]:
    from dialeval.study.scores import SystemResult

    own = [each for each in scored if isinstance(each, SystemResult)]
    found = {each.system: each.result for each in own if each.label == metric}
    if not found:
        labels = ", ".join(dict.fromkeys(each.label for each in own))
        raise Unsuitable(f"{folder} has no measure {metric!r}; it has {labels}. Name one with -m.")
    return found


def _pairs(found: Survival, run: str, other: str) -> Table:
    titles = ("difference", run, "p", other, "p", "change", "p")
    rows = [
        (
            Cell(f"{pair.a} – {pair.b}"),
            *(
                cell
                for estimate, p in (
                    (pair.first, pair.p_first),
                    (pair.second, pair.p_second),
                    (pair.change, pair.p_change),
                )
                for cell in (_cell(estimate), Cell(number(p, _PLACES)))
            ),
        )
        for pair in found.pairs
    ]
    columns = tuple(Column(title, numeric=index > 0) for index, title in enumerate(titles))
    notes = (f"{count(found.talks, 'talk')} of each system with each user; p-values after Holm's correction",)
    return Table("", columns, tuple(rows), notes)


def correct(
    run: Annotated[
        str, Argument(metavar="RUN", help="A run folder of talks with a simulated user, or its talks.jsonl.")
    ],
    real: Annotated[
        str, Argument(metavar="REAL", help="Talks of real users about some of the scenarios, with outcomes.")
    ],
    format: From = None,
    json: Json = False,
) -> None:
    """Estimate success with real users from few real talks and many simulated ones (PPI++), and the differences.

    The unit is the scenario. The simulator's bias cancels, whatever it is, if the scenarios that real users played are
    a random part of all; a simulator that predicts nothing leaves the mean of the real talks.

    Example: dialeval talks correct runs/talks real_talks.jsonl
    """
    simulated, played = _dialogues(run, None), _dialogues(real, format)
    found = correct_success(simulated, played)
    known = {(talk.system, scenario_of(talk)) for talk in simulated}
    strange = [talk for talk in played if (talk.system, scenario_of(talk)) not in known]
    if json:
        left_out = [{"id": talk.item, "system": talk.system} for talk in strange]
        print(jsonlib.dumps({"success": as_json(found), "left_out": left_out}, ensure_ascii=False))
        return
    print_table(_corrections(found))
    if strange:
        print(
            f"{count(len(strange), 'real talk')} left out, of a system and scenario without simulated talks, such as "
            f"{strange[0].item!r} with {strange[0].system!r}",
            file=sys.stderr,
        )


def _corrections(found: Sequence[Corrected]) -> Table:
    titles = ("success", "with real users", "real talks alone", "simulated", "trust", "worth", "p")
    rows = [
        (
            Cell(each.system if each.other is None else f"{each.system} – {each.other}"),
            _cell(each.corrected),
            _cell(each.real),
            Cell(number(each.simulated, _PLACES)),
            Cell(number(each.tuning, 2)),
            Cell(number(each.worth, 1)),
            Cell("" if each.other is None else number(each.p, _PLACES)),
        )
        for each in found
    ]
    columns = tuple(Column(title, numeric=index > 0) for index, title in enumerate(titles))
    rated = max(each.real.n for each in found)
    notes = (
        f"{count(rated, 'scenario')} with real talks at most; valid if they are a random part of all scenarios",
        "trust: weight of the simulated talks; worth: scenarios with real talks alone that would be as exact",
    )
    return Table("Success with real users", columns, tuple(rows), notes)


def judge(
    talks: Annotated[
        str, Argument(metavar="TALKS", help="Recorded dialogues about the scenarios (ids SCENARIO/REPEAT).")
    ],
    scenarios: Annotated[Path, Option("--scenarios", "-s", help="Scenarios with criteria of success.")],
    out: Annotated[Path, Option("--out", "-o", help="The talks with outcomes and faults, as dialogues.")],
    format: From = None,
) -> None:
    """Judge recorded talks by the criteria of their scenarios, and look for the users' faults by rules.

    The scenario of a talk is 'scenario' in its metadata, or its id up to the last slash. 'dialeval score OUT -m success
    -m user_faults' measures the result, and 'dialeval talks correct' takes it as talks of real users.

    Example: dialeval talks judge live_talks.jsonl -s scenarios.yaml -o judged.jsonl
    """
    known = read_scenarios(scenarios).scenarios
    names = {scenario.id for scenario in known}
    given = [_about(talk) for talk in _dialogues(talks, format)]
    strange = [talk for talk in given if talk.metadata["scenario"] not in names]
    if len(strange) == len(given):
        raise Unsuitable(
            f"No talk in {talks} is about a scenario in {scenarios}: the first, {given[0].item!r}, is about "
            f"{given[0].metadata['scenario']!r}. Name scenarios in 'metadata.scenario', or by ids SCENARIO/REPEAT."
        )
    kept = [talk for talk in given if talk.metadata["scenario"] in names]
    judged = with_faults(with_outcomes(kept, known, scenarios.parent), known)
    write(out, judged)
    told = Counter(
        {True: "reached", False: "not reached", None: "not known"}[_success(talk)] for talk in judged
    )
    print(
        f"{out}: goal {', '.join(f'{name} {times}' for name, times in told.most_common())}", file=sys.stderr
    )
    if strange:
        print(
            f"{count(len(strange), 'talk')} about no scenario in {scenarios} left out, such as {strange[0].item!r}",
            file=sys.stderr,
        )


def _about(talk: Dialogue) -> Dialogue:
    return replace(talk, metadata={**talk.metadata, "scenario": scenario_of(talk)})


def _success(talk: Dialogue) -> bool | None:
    value = success_of(talk)
    return None if value is None else value == 1


def from_dialogues(
    dialogues: Annotated[str, Argument(metavar="DIALOGUES", help="Dialogues with real users, such as logs.")],
    out: Annotated[Path, Option("--out", "-o", help="The file to write: .yaml or .jsonl.")],
    format: From = None,
    limit: Limit = None,
) -> None:
    """Distil scenarios from dialogues, by rules: a draft to be read and completed.

    The first turn becomes the scripted one and the goal; numbers, codes and addresses that the user told later become
    facts, to be told only if asked where the system had asked for them. Success criteria are left to you.

    Example: dialeval scenarios from logs.jsonl -o scenarios.yaml --limit 50
    """
    found = distil(islice(read(dialogues, "dialogue", format=format), limit))
    if not found:
        raise Unsuitable(f"{dialogues} holds no dialogue in which a user speaks.")
    write_scenarios(out, found)
    facts = sum(len(scenario.facts) for scenario in found)
    print(f"{count(len(found), 'scenario')} with {count(facts, 'fact')}: {out}", file=sys.stderr)
    print(
        "No scenario has criteria of success yet: 'dialeval docs talks' shows how to write them.",
        file=sys.stderr,
    )


def check(
    scenarios: Annotated[Path, Argument(metavar="SCENARIOS", help="Scenarios in YAML or JSON Lines.")],
    json: Json = False,
) -> None:
    """Check a file of scenarios, and count what it holds.

    Example: dialeval scenarios check scenarios.yaml
    """
    found = read_scenarios(scenarios)
    kinds = Counter(
        name
        for scenario in found.scenarios
        for criterion in scenario.success
        for name in type(criterion).model_fields
        if getattr(criterion, name) is not None
    )
    without = sum(not scenario.success for scenario in found.scenarios)
    facts = sum(len(scenario.facts) for scenario in found.scenarios)
    if json:
        content = {"scenarios": len(found.scenarios), "facts": facts, "criteria": dict(kinds)}
        print(jsonlib.dumps({**content, "without_criteria": without, "sha256": found.digest}))
        return
    told = ", ".join(f"{name} {times}" for name, times in kinds.most_common()) or "none"
    print(f"{count(len(found.scenarios), 'scenario')}, {count(facts, 'fact')}; criteria of success: {told}")
    if without:
        print(f"{count(without, 'scenario')} without criteria: their talks have no outcome")
