"""``dialeval selfeval levels``: how well scores tell how many turns of a dialogue were replaced."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, cast

from dialeval.catalogue import build_any
from dialeval.cli.options import Device, Json, Limit, Precision, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.cli.train.settings import Format, read_whole
from dialeval.display.table import Cell, Column, Table, estimate_cell
from dialeval.display.terminal import print_table
from dialeval.display.wording import count
from dialeval.files.documents import as_json
from dialeval.options import Argument, Option
from dialeval.resources.device import use
from dialeval.selfeval.levels import LevelsResult, ScoresDialogues, Talk, measure_levels, talks_of

_COLUMNS = ("Rep-0", "Rep-1", "Rep-2", "overall", "0 above 1", "1 above 2")


def levels(
    dialogues: Annotated[
        str,
        Argument(metavar="DIALOGUES", help="Dialogues, or prompts with references such as DailyDialog++."),
    ],
    metric: Annotated[
        list[str] | None,
        Option("--metric", "-m", help="A metric of whole dialogues. Repeatable.", show_default="selfeval"),
    ] = None,
    cuts_from: Annotated[
        str | None,
        Option(
            "--cuts-from",
            metavar="DIALOGUES",
            help="Choose cut points between levels on these.",
            show_default="every second dialogue",
        ),
    ] = None,
    format: Format = None,
    seed: Seed = 0,
    limit: Limit = None,
    device: Device = None,
    precision: Precision = None,
    json: Json = False,
) -> None:
    """Measure how well scores tell how many turns were replaced: none, one, or more (SelF-Eval's Table 2).

    Each dialogue of four turns or more has three versions, with turns of other dialogues. Levels are predicted from the
    score by two cut points, chosen on other dialogues; chance is 1/3. Also how often a version is above the next.

    Example: dialeval selfeval levels test.json --from dailydialog++ --cuts-from dev.json -m selfeval -m dynaeval
    """
    use(device, precision)
    built = {name: build_any(name) for name in metric or ["selfeval"]}
    for name, each in built.items():
        if not getattr(each, "whole_dialogues", False):
            raise BadUsage(f"{name} scores responses; expected a metric of whole dialogues", where="--metric")
    talks = _talks(dialogues, format, limit)
    # Prompts give several dialogues of one origin, which must not stand on both sides.
    origins = {talk.origin: number for number, talk in enumerate(talks)}
    second = set(list(origins)[1::2]) if cuts_from is None else set()
    known = _talks(cuts_from, format, limit) if cuts_from else [t for t in talks if t.origin in second]
    tested = [talk for talk in talks if talk.origin not in second]
    found = {
        name: measure_levels(cast(ScoresDialogues, each), known, tested, seed=seed)
        for name, each in built.items()
    }
    if json:
        rows = [{"metric": name, **as_json(result)} for name, result in found.items()]
        print(jsonlib.dumps({"levels": rows, "cuts_from": len(known), "seed": seed}, ensure_ascii=False))
        return
    print_table(_table(found, len(known)))


def _talks(path: str, format: str | None, limit: int | None) -> list[Talk]:
    return talks_of(islice(read_whole(path, format), limit))


def _table(found: Mapping[str, LevelsResult], known: int) -> Table:
    rows = [
        (
            Cell(name),
            *(
                estimate_cell(each.value, each.low, each.high)
                for each in (
                    *result.by_level,
                    result.overall,
                    result.first_above_second,
                    result.second_above_third,
                )
            ),
            Cell(f"{result.dialogues:,}"),
        )
        for name, result in found.items()
    ]
    unscored = [
        f"{name}: {count(each.unscored, 'dialogue')} unscored."
        for name, each in found.items()
        if each.unscored
    ]
    columns = (Column("metric"), *(Column(title, numeric=True) for title in (*_COLUMNS, "n")))
    note = f"Cut points between levels chosen on {count(known, 'other dialogue')}; chance is .333."
    return Table("Levels of replacement", columns, tuple(rows), (note, *unscored))
