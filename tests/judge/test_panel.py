"""Panels on several servers, repeats, what one more verdict is worth, and the use of the scale."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml

from dialeval.core import Resampling
from dialeval.data import Example, Response, Turn
from dialeval.errors import BadInput, DialevalError
from dialeval.judge.metric import Judge
from dialeval.judge.panel import load_panel
from dialeval.judge.repeats import panel_record, record_of_table
from dialeval.judge.scale_use import scale_use
from dialeval.stats.agreement.icc import icc
from support.bot_server import BotServer, bot_server
from support.command import Command
from support.judge_server import response_of, verdict

ITEMS = 12
LIMITS = (1.0, 5.0)


def scoring(rule: Callable[[str, int], int]) -> Callable[[Mapping], dict]:
    """A judge that scores a response by its length, and by how often it was asked about it."""
    asked: dict[str, int] = {}

    def reply(body: Mapping) -> dict:
        text = response_of(body)
        asked[text] = asked.get(text, 0) + 1
        return verdict(body, rule(text, asked[text]))

    return reply


@pytest.fixture
def servers() -> Iterator[tuple[BotServer, BotServer]]:
    """One judge goes by length, the other gives 1 more to short ones."""
    with (
        bot_server(whole=scoring(lambda text, _: 1 + len(text) % 5)) as one,
        bot_server(whole=scoring(lambda text, _: min(5, 2 + len(text) % 5))) as two,
    ):
        yield one, two


def panel_file(tmp_path: Path, servers: tuple[BotServer, BotServer]) -> Path:
    members = [
        {"model": "m-1", "base_url": servers[0].url, "price_input": 1.0, "price_output": 2.0},
        {"model": "m-2", "base_url": servers[1].url},
    ]
    path = tmp_path / "panel.yaml"
    path.write_text(yaml.safe_dump(members))
    return path


def examples(n: int = ITEMS, system: str = "new") -> list[Example]:
    return [Example(f"q{k}", system, (Turn("user", "Why?"),), Response("x" * (k + 1))) for k in range(n)]


def test_judges_on_different_servers_are_one_panel(
    tmp_path: Path, servers: tuple[BotServer, BotServer]
) -> None:
    panel = Judge(judges=str(panel_file(tmp_path, servers)), mode="json", cache=str(tmp_path / "kept"))
    assert panel.models == ("m-1", "m-2")
    given = panel.verdicts(examples(4))
    assert [[one.value for one in own] for own in given] == [[2, 3], [3, 4], [4, 5], [5, 5]]
    assert [panel.combined(own).value for own in given] == [2.5, 3.5, 4.5, 5]
    assert [len(server.bodies) for server in servers] == [4, 4]
    assert panel.explain(examples(1)[0]).splitlines()[0] == "2, 3: 1 apart"
    assert [one.value for one in panel.recalled(examples(1)[0])] == [2, 3]
    assert [len(server.bodies) for server in servers] == [4, 4]
    assert panel.cost(100, 10) is None  # prices differ


def test_the_signature_tells_panels_apart_and_single_judges_stay_as_they_were(
    tmp_path: Path, servers: tuple[BotServer, BotServer]
) -> None:
    path = panel_file(tmp_path, servers)
    one = Judge(judges=str(path), mode="json").signature
    assert "panel" in dict(one.facts)
    members = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump([{**members[0], "revision": "2"}, members[1]]))
    assert str(Judge(judges=str(path), mode="json").signature) != str(one)
    single = Judge("m-1", base_url=servers[0].url, mode="json").signature
    assert "panel" not in dict(single.facts)
    assert "judges" not in dict(single.parameters)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("- {model: a}\n", "1 judge"),
        ("model: a\n", "no list"),
        ("- {model: a}\n- {base_url: x}\n", "field '[1].model': found nothing"),
        ("- {model: a}\n- {model: b, url: x}\n", "found the key 'url'"),
        ("- {model: a}\n- {model: a}\n", "'a' twice"),
        ("- {model: a}\n- {model: 'b,c'}\n", "'b,c'"),
        ("- {model: [\n", "valid YAML"),
    ],
)
def test_what_is_wrong_with_a_panel_is_named(content: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(content)
    with pytest.raises(BadInput) as caught:
        load_panel("p.yaml", tmp_path)
    assert found in str(caught.value)


def test_a_panel_has_no_further_model(tmp_path: Path) -> None:
    with pytest.raises(DialevalError, match="goes without 'model' and 'base_url'"):
        Judge("m-1", judges=str(tmp_path / "p.yaml"))
    with pytest.raises(BadInput, match="no such file"):
        Judge(judges=str(tmp_path / "p.yaml"))


def table(
    seed: int, n: int, members: int, repeats: int, item: float, judge: float, noise: float
) -> np.ndarray:
    """Verdicts with these standard deviations of items, of items by judges, and of repeats."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(0, item, (n, 1, 1)), rng.normal(0, judge, (n, members, 1))
    leniency = np.arange(members).reshape(1, -1, 1)
    return 3 + leniency + sum(parts) + rng.normal(0, noise, (n, members, repeats))


def record(values: np.ndarray, systems: list[str] | None = None, cluster: str = "none") -> object:
    n, members, _ = values.shape
    judges = [f"j{k}" for k in range(members)]
    items = [f"q{k}" for k in range(n)]
    return record_of_table(
        values, items, systems or ["s"] * n, judges, (-99.0, 99.0), Resampling(cluster=cluster)
    )


def test_the_worth_of_a_repeat_is_that_of_the_components_of_variance() -> None:
    """By hand from mean squares: one system, one judge, three repeats."""
    values = table(0, 40, 1, 3, 1.0, 0.0, 0.7)
    flat = values[:, 0]
    within = flat.var(axis=1, ddof=1).mean()
    item = flat.mean(axis=1).var(ddof=1) - within / 3
    found = record(values)
    assert found.second_repeat.value == pytest.approx(40 * ((item + within) / (item + within / 2) - 1))
    assert found.further_repeat.value == pytest.approx(40 * ((item + within / 3) / (item + within / 4) - 1))
    assert found.further_repeat.value < found.second_repeat.value < 40
    assert found.second_judge.reason == "there is one judge"


def test_the_worth_of_a_judge_does_not_count_leniency() -> None:
    """As the consistency of a two-way table: e² of judges is (1 - ICC(C,1)) of all."""
    values = table(1, 60, 4, 1, 1.0, 0.8, 0.0)
    found = record(values)
    flat = values[:, :, 0]
    rest = flat - flat.mean(axis=0) - flat.mean(axis=1, keepdims=True) + flat.mean()
    error = (rest**2).sum() / (59 * 3)
    item = flat.mean(axis=1).var(ddof=1) - error / 4
    assert found.second_judge.value == pytest.approx(60 * ((item + error) / (item + error / 2) - 1))
    more = record(values + np.array([0, 9, -9, 3]).reshape(1, -1, 1))
    assert more.second_judge.value == pytest.approx(found.second_judge.value)
    assert more.pairs[0].difference.value == pytest.approx(found.pairs[0].difference.value - 9)
    assert icc(flat, "2,1").value < 1  # the same table, where leniency counts


def test_systems_that_differ_are_no_variance_of_items() -> None:
    values = table(2, 60, 1, 2, 1.0, 0.0, 0.7)
    systems = ["a", "b"] * 30
    far = values + np.where(np.arange(60) % 2, 50.0, 0.0)[:, None, None]
    one, other = record(values, systems), record(far, systems)
    assert one.second_repeat.value == pytest.approx(other.second_repeat.value)
    assert one.second_repeat.value <= 30


def test_ends_of_the_worth_cover() -> None:
    covered = np.zeros(2)
    for seed in range(150):
        found = record(table(seed, 60, 1, 2, 1.0, 0.0, 0.8))
        truth = 60 * ((1 + 0.64) / (1 + 0.32) - 1)
        covered[0] += found.second_repeat.low <= truth <= found.second_repeat.high
        found = record(table(seed, 60, 3, 1, 1.0, 0.8, 0.0))
        covered[1] += found.second_judge.low <= truth <= found.second_judge.high
    assert (covered >= 0.92 * 150).all()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full((5, 1, 2), 3.0), "no verdicts vary"),
        (np.full((1, 1, 2), 3.0), "fewer than two items have all verdicts"),
        (np.empty((0, 1, 2)), "fewer than two items have all verdicts"),
    ],
)
def test_what_has_no_worth_has_a_reason(values: np.ndarray, reason: str) -> None:
    assert record(values).second_repeat.reason == reason


def test_repeats_that_never_differ_are_worth_nothing() -> None:
    values = np.repeat(np.arange(6.0).reshape(-1, 1, 1), 2, axis=2)
    found = record(values)
    assert found.second_repeat[:3] == (0, None, None)
    assert found.second_repeat.reason == "it is the same whichever item is left out"
    assert found.equal_within.value == 1
    assert found.spread.value == 0


def test_answers_without_all_verdicts_are_left_out(tmp_path: Path) -> None:
    reply = scoring(lambda text, times: 9 if text == "xxx" and times == 2 else 1 + (len(text) + times) % 4)
    with bot_server(whole=reply) as server:
        judge = Judge(
            "m", base_url=server.url, mode="json", repeats=2, temperature=1.0, cache=str(tmp_path / "kept")
        )
        judge.verdicts(examples())
        found = panel_record(judge, examples(), Resampling())
    assert (found.n, found.repeats, found.judges) == (ITEMS - 1, 2, ("m",))
    assert found.equal_within.value == 0
    assert found.equal_within.high < 0.5
    assert found.spread.value >= 1


def test_a_single_verdict_has_no_record(tmp_path: Path) -> None:
    assert panel_record(Judge("m", base_url="http://127.0.0.1:9/v1"), examples(), Resampling()) is None


def test_five_runs_of_gpt4_on_fed(shared_data: Path) -> None:
    """Golden: mean squares of the recorded runs (BatchEval), within the three systems."""
    path = shared_data / "batcheval" / "fed_dialogue.scores.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    values = np.array([row["judge"]["gpt-4"]["Overall"] for row in rows])[:, None, :]
    systems = [row["system"] for row in rows]
    found = record(values, systems)
    flat = values[:, 0]
    names, codes = np.unique(systems, return_inverse=True)
    means = flat.mean(axis=1)
    centred = means - np.array([means[codes == k].mean() for k in range(len(names))])[codes]
    within = flat.var(axis=1, ddof=1).mean()
    item = (centred**2).sum() / (125 - len(names)) - within / 5
    wanted = 125 / len(names) * ((item + within) / (item + within / 2) - 1)
    assert found.second_repeat.value == pytest.approx(wanted)
    assert 3 < found.second_repeat.low < found.second_repeat.value < found.second_repeat.high < 15
    assert found.equal_within.n == 125


def test_scores_are_counted_beside_peoples() -> None:
    judge = np.array([5.0, 5.0, 4.6, 5.0, np.nan])
    ratings, rated = np.array([1.0, 2.0, 5.0, 3.0, 4.0, 3.0, 1.0]), np.array([0, 0, 1, 1, 2, 3, 4])
    found = scale_use(
        judge, ratings, rated, [f"q{k}" for k in range(5)], scale=[1, 2, 3, 4, 5], resampling=Resampling()
    )
    assert [share.judge.value for share in found.shares] == [0, 0, 0, 0, 1]
    assert [share.people.value for share in found.shares] == pytest.approx(
        [1 / 6, 1 / 6, 2 / 6, 1 / 6, 1 / 6]
    )
    assert found.shares[4].judge.low < 1
    assert found.spread.value == pytest.approx(judge[:4].std() / ratings[:6].std())
    off = scale_use(judge, ratings + 9, rated, ["q"] * 5, scale=[1, 2, 3, 4, 5], resampling=Resampling())
    assert off is None


def test_a_panel_in_a_study_is_told_of(
    tmp_path: Path, servers: tuple[BotServer, BotServer], dialeval: Command
) -> None:
    panel_file(tmp_path, servers)
    prompts = [{"id": f"q{k}", "context": [{"role": "user", "content": "Why?"}]} for k in range(ITEMS)]
    write(tmp_path / "prompts.jsonl", prompts)
    write(tmp_path / "new.jsonl", [{"id": f"q{k}", "response": "x" * (k + 1)} for k in range(ITEMS)])
    ratings = [
        {"item": f"q{k}", "system": "new", "rater": who, "criterion": "good", "value": 1 + (k + add) % 5}
        for k in range(ITEMS)
        for add, who in enumerate(("ann", "ben"))
    ]
    write(tmp_path / "ratings.jsonl", ratings)
    study = {
        "data": "prompts.jsonl",
        "systems": [{"name": "new", "kind": "transcript", "path": "new.jsonl"}],
        "measures": [{"name": "judge", "judges": "panel.yaml", "mode": "json", "cache": "kept"}],
        "human": {"path": "ratings.jsonl", "scale": "1-5"},
    }
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    done = dialeval("run", tmp_path / "study.yaml", "-o", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    (told,) = json.loads(done.out)["judges"]
    assert told["asked"] == "m-1,m-2"
    assert told["panel"]["pairs"][0]["difference"]["value"] == pytest.approx(-10 / 12)
    assert told["panel"]["equal_between"]["value"] == pytest.approx(2 / 12)
    assert told["panel"]["second_judge"]["value"] >= 0
    assert sum(share["judge"]["value"] for share in told["scale"]["shares"]) == pytest.approx(1)
    assert sum(share["people"]["value"] for share in told["scale"]["shares"]) == pytest.approx(1)
    notes = " ".join(dialeval("run", tmp_path / "study.yaml", "-o", tmp_path / "out").out.split())
    assert "m-1 and m-2: weighted kappa" in notes
    assert "a second judge is worth" in notes
    assert "of each system" in notes
    assert "it gives 1 in" in notes
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "apart" in page
    assert dialeval("report", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == page


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
