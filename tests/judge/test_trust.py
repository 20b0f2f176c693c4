"""What a judge may be trusted with: noise is not, a good judge is once there are enough ratings, by intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dialeval import Judgement, Ratings, join
from dialeval.core import Resampling
from dialeval.judge.trust import PairOfSystems, Trust, judge_trust
from dialeval.meta import Inquiry, examine
from dialeval.stats.estimate import Estimate
from support.command import Command


def trust(
    seed: int,
    *,
    items: int = 60,
    levels: Sequence[float] = (2.5, 3.1, 3.7, 4.3),
    knows: float = 1.0,
    noise: float = 0.5,
    bias: Sequence[float] = (),
    raters: int = 3,
    sign: float = 1.0,
) -> Trust:
    """Trust in a judge that ``knows`` quality, with noise and a bias for each system."""
    dice = np.random.default_rng(seed)
    given = []
    for place, level in enumerate(levels):
        quality = level + dice.normal(0, 0.8, items)
        verdicts = knows * quality + dice.normal(0, noise, items) + (bias[place] if bias else 0)
        for item in range(items):
            name = f"s{place}"
            given.append(
                Judgement(str(item), name, "judge(model='m')", "judge", sign * float(verdicts[item]))
            )
            for rater in range(raters):
                rating = float(np.clip(round(quality[item] + dice.normal(0, 0.6)), 1, 5))
                given.append(Judgement(str(item), name, f"r{rater}", "overall", rating))
    lower = ("judge*",) if sign < 0 else ()
    inquiry = Inquiry(
        levels=("item_within_system",),
        resampling=Resampling(resamples=2),
        repeats=20,
        lower_is_better=lower,
        trust=True,
    )
    (found,) = examine(join(Ratings.of(given), "overall"), inquiry).document.trust
    assert found.people.trust is not None
    return found.people.trust


def test_noise_is_never_trusted_and_in_time_refused() -> None:
    found = [trust(seed, knows=0.0, items=80) for seed in range(40)]
    assert not any(one.rank == "yes" or one.find == "yes" for one in found)
    assert sum(one.find == "no" for one in found) >= 35


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_good_judge_with_enough_ratings_is_trusted(sign: float) -> None:
    found = [trust(seed, sign=sign, items=100) for seed in range(6)]
    assert {one.code for one in found} == {"rank_and_find"}
    assert found[0].sentence == "trust it to rank systems and to find bad answers"
    assert found[0].told_apart == found[0].agreed == 6


def test_few_ratings_leave_it_undecided_and_more_decide_as_announced() -> None:
    found = trust(0, items=12, noise=0.7)
    assert found.code == "undecided"
    assert found.find == "undecided"
    assert found.needed_to_find is not None
    assert "rated answers would decide" in found.sentence
    enough = [trust(seed, items=math.ceil(2 * found.needed_to_find / 4), noise=0.7) for seed in range(5)]
    assert sum(one.find != "undecided" for one in enough) >= 4


def test_a_judge_that_knows_only_the_system_is_not_trusted_to_rank() -> None:
    """Within systems it is noise; that it has them in the right order may be luck."""
    found = trust(4, knows=0.0, noise=0.3, bias=(1.0, 2.0, 3.0, 4.0), items=100)
    assert found.agreed == found.pairs == 6
    assert found.rank == "undecided"


def test_a_judge_that_turns_systems_round_is_refused_to_rank_though_it_finds_bad_answers() -> None:
    found = trust(5, bias=(2.0, 0.0, 0.0, 0.0), items=100)
    assert (found.rank, found.find, found.code) == ("no", "yes", "find")
    assert found.opposed >= 1
    assert found.sentence == "trust it to find bad answers; do not trust it to rank systems"


def test_noise_that_turns_systems_round_is_trusted_with_nothing() -> None:
    found = trust(6, knows=0.0, noise=0.3, bias=(4.0, 3.0, 2.0, 1.0), items=100)
    assert found.code == "not_here"
    assert found.sentence == "do not trust it here"


def test_two_systems_are_too_few_and_one_rater_shows_no_ceiling() -> None:
    assert trust(7, levels=(2.5, 4.0), items=100).rank == "undecided"
    alone = trust(7, raters=1, items=100, noise=0.1)
    assert alone.bound.value is None
    assert alone.find == "yes"  # half of 1 is reached
    poor = trust(7, raters=1, items=100, noise=5.0)
    assert poor.find == "undecided"
    assert poor.bound.reason == "only one rater: no agreement between people can be computed"


def estimate(value: float, reach: float, n: int = 100) -> Estimate:
    return Estimate(value, value - reach, value + reach, n)


def of(people: Estimate, judge: Estimate, name: str = "b") -> PairOfSystems:
    return PairOfSystems("a", name, people, judge)


CLEAR, OPEN, OTHER = estimate(1, 0.5), estimate(0.2, 0.4), estimate(-1, 0.5)
BOUND = estimate(0.8, 0.05)


@pytest.mark.parametrize(
    ("pairs", "within", "bound", "rank", "find"),
    [
        ([of(CLEAR, CLEAR), of(CLEAR, CLEAR, "c"), of(OPEN, CLEAR, "d")], 0.6, BOUND, "yes", "yes"),
        ([of(CLEAR, CLEAR), of(CLEAR, OPEN, "c")], 0.6, BOUND, "undecided", "yes"),
        ([of(CLEAR, CLEAR), of(CLEAR, OTHER, "c")], 0.6, BOUND, "no", "yes"),
        ([of(OPEN, CLEAR), of(OPEN, CLEAR, "c")], 0.6, BOUND, "undecided", "yes"),
        ([of(CLEAR, CLEAR), of(CLEAR, CLEAR, "c")], 0.05, BOUND, "undecided", "no"),
        ([of(CLEAR, CLEAR), of(CLEAR, CLEAR, "c")], 0.4, BOUND, "yes", "undecided"),
        ([of(CLEAR, CLEAR)], 0.4, Estimate.undefined("one rater"), "undecided", "undecided"),
        ([], 0.75, Estimate.undefined("one rater"), "undecided", "yes"),
    ],
)
def test_the_rules_case_by_case(
    pairs: list[PairOfSystems], within: float, bound: Estimate, rank: str, find: str
) -> None:
    found = judge_trust(tuple(pairs), estimate(within, 0.1), bound, 100)
    assert (found.rank, found.find) == (rank, find)


def test_without_an_interval_nothing_is_decided() -> None:
    found = judge_trust((of(CLEAR, CLEAR), of(CLEAR, CLEAR, "c")), Estimate(0.9, None, None, 4), BOUND, 4)
    assert found.code == "undecided"
    assert found.needed_to_find is None


def test_a_recorded_judge_of_fed_ranks_and_may_not_find(dialeval: Command, shared_data: Path) -> None:
    scores = shared_data / "batcheval" / "fed_dialogue.scores.jsonl.gz"
    people = shared_data / "fed" / "fed_data.json"
    for path, name, form in ((scores, "scores", "batcheval"), (people, "people", "fed")):
        done = dialeval("data", "convert", path, f"{name}.jsonl", "--from", form, "--as", "judgement")
        assert done.code == 0, done.err
    lines = Path("scores.jsonl").read_text().splitlines()
    mean = [line for line in lines if "judge='gpt-4',quality='Overall',run='mean'" in line]
    Path("one.jsonl").write_text("\n".join(mean) + "\n")
    given = [
        "meta",
        "people.jsonl",
        "one.jsonl",
        "--human-criterion",
        "Overall",
        "--trials",
        20,
        "-o",
        "meta",
    ]
    done = dialeval(*given, "--level", "item_within_system", "--trust", "--json")
    assert done.code == 0, done.err
    (found,) = json.loads(done.out)["trust"]
    assert "What to trust them with" in Path("meta/meta.html").read_text(encoding="utf-8")
    beside = found["people"]
    assert beside["within"]["value"] == pytest.approx(0.3580, abs=5e-5)
    assert beside["within"]["low"] < 0.3580 < beside["within"]["high"]
    assert beside["trust"]["code"] == "rank"
    assert beside["trust"]["agreed"] == 3
    assert 0.15 < beside["ceiling"]["low"] < beside["ceiling"]["value"] < beside["ceiling"]["high"]
    assert beside["difference"]["reason"] == "the judge's scale is not known"
