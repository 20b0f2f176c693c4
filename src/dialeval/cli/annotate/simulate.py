"""``dialeval annotate simulate``: a dry run of a study with simulated raters."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.annotation.pace import SIMULATED
from dialeval.annotation.project import copy_project, read_project
from dialeval.annotation.results import counted, judgements_of
from dialeval.annotation.simulation import Behaviour, simulate as work
from dialeval.annotation.web.server import in_background
from dialeval.cli.annotate.agreement import print_agreement
from dialeval.cli.annotate.serve import StoreUrl, Study, needs_serving, open_store, partners, store_errors
from dialeval.cli.options import Json
from dialeval.errors import RunFailed, Unsuitable
from dialeval.options import Option
from dialeval.ratings import Ratings, agreement_json, agreement_of

if TYPE_CHECKING:
    from dialeval.annotation.project import Project
    from dialeval.annotation.simulation import Tally
    from dialeval.annotation.store.store import Store


def simulate(
    study: Study,
    raters: Annotated[
        int | None,
        Option("--raters", min=1, metavar="N", help="Number of simulated raters.", show_default="as invited"),
    ] = None,
    behaviour: Behaviour = Behaviour(),
    into: Annotated[
        Path | None, Option("--copy", metavar="DIR", help="Simulate in a copy of the study, not in it.")
    ] = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Fill a study with simulated raters through its real server, and print what agreement would be.

    Answers have a made-up quality, which raters feel with noise and a bias of their own: it says how many raters and
    items a study needs, and nothing of the systems. A study that people have answered is refused.

    Example: dialeval annotate simulate ratings --copy dry-run --raters 5 --noise 0.2
    """
    needs_serving()

    project = read_project(study) if into is None else copy_project(read_project(study), into)
    url = store if into is None else None
    kept = open_store(project, url)
    _refuse_real(project, kept)
    count = raters or len(project.settings.raters) or project.settings.overlap
    with store_errors(project, url):
        tallies = _run(project, kept, count, behaviour)
    if into is None:
        todo = "make it again with 'dialeval annotate init' before people rate, or simulate with --copy DIR"
        print(f"note: the simulated answers are in {study} now; {todo}", file=sys.stderr)
    _report(project, tallies, url, json=json)


def _refuse_real(project: Project, store: Store) -> None:
    latest, counts = store.latest_answers(), store.counts()
    people = {given.rater for given in latest if not given.rater.startswith(SIMULATED)}
    if people:
        store.close()
        raise Unsuitable(
            f"{project.folder} holds answers of {len(people)} people; simulated ones would mix with them. "
            "Simulate in a copy, with --copy DIR."
        )
    if latest and counts["done"] >= counts["wanted"]:
        store.close()
        raise Unsuitable(
            f"{project.folder} holds {len(latest)} simulated answers and wants no more, so this simulation would "
            "change nothing. Simulate in a copy of a study without answers, with --copy DIR."
        )


def _run(project: Project, store: Store, count: int, behaviour: Behaviour) -> list[Tally]:
    from dialeval.annotation.invitations import invite
    from dialeval.annotation.web.app import create_app

    links = {}
    for number in range(1, count + 1):
        invitation = invite(project, store, f"{SIMULATED}{number}")
        links[invitation.rater] = invitation.path
    with in_background(create_app(project, store, partners=partners(project))) as address:
        print(f"{count} simulated raters at {address}", file=sys.stderr)
        return work(project, address, links, behaviour)


def _report(project: Project, tallies: list[Tally], url: str | None, *, json: bool) -> None:
    store = open_store(project, url)
    latest, everyone, counts = store.latest_answers(), store.raters(), store.counts()
    store.close()
    kept = {(given.rater, given.item) for given in latest}
    sent = [(tally.rater, item) for tally in tallies for item, _ in tally.acknowledged]
    lost = [answer for answer in sent if answer not in kept]
    if lost:
        raise RunFailed(f"{len(lost)} acknowledged answers are not in the store (first: {lost[0]}).")
    judgements = judgements_of(project, counted(project, latest, everyone))
    agreements = agreement_of(Ratings.of(judgements)) if judgements else ()
    if json:
        content = {**agreement_json(agreements), "places": counts, "judgements": len(judgements)}
        print(jsonlib.dumps(content, ensure_ascii=False, allow_nan=False))
        return
    if agreements:
        print_agreement(agreements, None)
    done, wanted = counts["done"], counts["wanted"]
    print(f"{done:,} of {wanted:,} wanted answers", file=sys.stderr)
    if done < wanted:
        print(
            "warning: not all items are finished; there were too few raters, or they skipped", file=sys.stderr
        )
