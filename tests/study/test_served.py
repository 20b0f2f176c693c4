"""A study of a served system: what a failure in the middle leaves behind, and what its answers took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.study.freshness import CHECKED
from support.documented_server import documented_server
from support.faulty_proxy import Drip, Drop, FaultyProxy, Reply, faulty_proxy

ITEMS = 40
OUTAGE = [Drop()] * 6
"""So much as shows an outage: three requests in a row, each with one retry."""
REFUSED = Reply(400, '{"error": {"message": "Jinja: roles must alternate"}}')


def write_study(folder: Path, address: str, cache: str, *, items: int = ITEMS, **keys: object) -> Path:
    """A study of a served system and a baseline; answers are kept in ``cache``."""
    folder.mkdir(exist_ok=True)
    rows = [
        {
            "id": f"i{index}",
            "context": [{"role": "user", "content": f"say {index} please"}],
            "references": [f"{index} aqz"],
        }
        for index in range(items)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = {
        "name": "served",
        "kind": "openai",
        "base_url": address,
        "model": "bigrams",
        "decoding": {"max_tokens": 6},
        "concurrency": 1,
        "retries": 1,
        "backoff": 0.01,
        "cache": cache,
        **keys,
    }
    study = {
        "name": "partial",
        "data": "prompts.jsonl",
        "trials": 100,
        "systems": [served, {"name": "floor", "kind": "echo"}],
        "measures": ["length", "chrf"],
    }
    (folder / "study.yaml").write_text(json.dumps(study))
    return folder / "study.yaml"


def summary(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def asked_of(proxy: FaultyProxy) -> list[str]:
    return [body["messages"][-1]["content"] for body in proxy.bodies]


@pytest.mark.parametrize("answered", [20, 36])
def test_what_was_answered_is_scored_and_the_rest_is_asked_for_by_the_same_command(
    dialeval, tmp_path, answered
):
    with documented_server() as server, faulty_proxy(server.url) as proxy:
        proxy.script += [None] * answered + OUTAGE
        study = write_study(tmp_path, proxy.url, "kept")
        done = dialeval("run", study, "-o", tmp_path / "out", "--cache", tmp_path / "study-cache")
        assert done.code == 3, done.err
        assert "served failed before all items were answered" in done.err
        found = summary(tmp_path / "out")
        (failure,) = found["failures"]
        assert failure["partial"]
        assert f"only {answered} of {ITEMS} items were answered" in failure["message"]
        scores = {(r["system"], r["measure"]): r for r in found["results"]}
        assert scores["served", "length"]["own"]["n"] == answered
        assert scores["served", "length"]["unscored"] == ITEMS - answered
        assert scores["served", "length"]["estimate"]["value"] is not None
        assert f"{100 * answered // ITEMS}" in done.out.split("coverage")[1]
        assert "3 requests in a row were given up" in failure["message"]
        # Two attempts for each of the three items that showed the outage, and none for those after them.
        assert proxy.received == answered + len(OUTAGE)

        again = dialeval("run", study, "-o", tmp_path / "out", "--cache", tmp_path / "study-cache")
        assert again.code == 0, again.err
        asked = asked_of(proxy)[answered + len(OUTAGE) :]
        assert len(set(asked[:CHECKED])) == CHECKED
        assert asked[CHECKED:] == [f"say {index} please" for index in range(answered, ITEMS)]

        calm = write_study(tmp_path, proxy.url, "other")
        assert dialeval("run", calm, "-o", tmp_path / "calm", "--cache", tmp_path / "calm-cache").code == 0
        for name in ("summary.json", "examples.jsonl", "results.parquet"):
            assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "calm" / name).read_bytes(), name


def test_every_unanswered_item_has_the_reason(dialeval, tmp_path):
    with documented_server() as server, faulty_proxy(server.url, *[None] * 5, *[Reply(500)] * 6) as proxy:
        study = write_study(tmp_path, proxy.url, "kept")
        assert dialeval("run", study, "-o", tmp_path / "out").code == 3
        page = (tmp_path / "out" / "report.html").read_text()
    assert "not answered: The server at" in page
    assert "served failed before all items were answered" in page


def test_a_server_that_answers_nothing_fails_as_a_whole(dialeval, tmp_path):
    with documented_server() as server, faulty_proxy(server.url, *[Drop()] * 9) as proxy:
        study = write_study(tmp_path, proxy.url, "kept")
        done = dialeval("run", study, "-o", tmp_path / "out")
    assert done.code == 1
    (failure,) = summary(tmp_path / "out")["failures"]
    assert not failure["partial"]


def test_an_item_that_the_server_refuses_has_a_reason_and_the_others_are_answered(dialeval, tmp_path):
    with documented_server() as server, faulty_proxy(server.url, REFUSED, None, REFUSED) as proxy:
        study = write_study(tmp_path, proxy.url, "kept", items=6)
        for folder, checked in (("out", 0), ("again", CHECKED)):
            done = dialeval("run", study, "-o", tmp_path / folder, "--no-resume")
            assert done.code == 0, done.err
            (score,) = [
                r
                for r in summary(tmp_path / folder)["results"]
                if (r["system"], r["measure"]) == ("served", "length")
            ]
            assert (score["own"]["n"], score["unanswered"]) == (6, 2)
            assert "served left 2 of 6 items unanswered" in " ".join(done.out.split())
            assert proxy.received == 6 + checked, "a refusal is kept as an answer is"
        assert (tmp_path / "out" / "summary.json").read_bytes() == (
            tmp_path / "again" / "summary.json"
        ).read_bytes()


def test_refusals_before_a_failure_count_as_answers_of_the_server(dialeval, tmp_path):
    script = [None, REFUSED, *OUTAGE]
    with documented_server() as server, faulty_proxy(server.url, *script) as proxy:
        study = write_study(tmp_path, proxy.url, "kept", items=6)
        assert dialeval("run", study, "-o", tmp_path / "out", "--cache", tmp_path / "c").code == 3
        assert dialeval("run", study, "-o", tmp_path / "out", "--cache", tmp_path / "c").code == 0
        assert proxy.received == len(script) + 1 + 4, "the one cached answer is checked"
        reasons = (tmp_path / "out" / "report.html").read_text()
        assert "not answered" not in reasons
        assert "unanswered" in reasons


def test_a_server_that_refuses_every_request_is_not_asked_about_all_items(dialeval, tmp_path):
    with documented_server() as server, faulty_proxy(server.url, *[REFUSED] * ITEMS) as proxy:
        study = write_study(tmp_path, proxy.url, "kept")
        done = dialeval("run", study, "-o", tmp_path / "out")
        assert done.code == 1
        assert proxy.received == 16
    (failure,) = summary(tmp_path / "out")["failures"]
    assert "The server refused (HTTP 400): Jinja: roles must alternate" in failure["message"]


def usage(folder: Path) -> list[dict]:
    return json.loads((folder / "manifest.json").read_text())["usage"]


def test_time_tokens_and_cost_are_told_and_stay_the_same_in_a_later_run(dialeval, tmp_path):
    slow = [Drip(pause=0.1, bytes_at_once=300)] * 6
    with documented_server() as server, faulty_proxy(server.url, *slow) as proxy:
        study = write_study(tmp_path, proxy.url, "kept", items=6, prices={"input": 2, "output": 10})
        done = dialeval("run", study, "-o", tmp_path / "out")
        assert done.code == 0, done.err
        served, floor = usage(tmp_path / "out")
        prompt = sum(
            len(server.model.encode(server.model.chat(body["messages"], cue=True, go_on=False)))
            for body in server.bodies
        )
        assert (served["system"], served["answers"]) == ("served", 6)
        assert (served["prompt_tokens"], served["completion_tokens"]) == (prompt, 36)
        assert served["cost"] == pytest.approx((prompt * 2 + 36 * 10) / 1e6)
        assert 0.1 <= served["seconds_median"] <= served["seconds_p95"]
        assert (floor["prompt_tokens"], floor["cost"]) == (None, None)
        assert floor["seconds_median"] < 0.1
        assert "Time and tokens" in done.out
        assert max(map(len, done.out.splitlines()[:-1])) <= 80
        assert "Time and tokens" in (tmp_path / "out" / "report.html").read_text()

        for options in ((), ("--no-resume",)):
            again = dialeval("run", study, "-o", tmp_path / "again", "--json", *options)
            assert [row for row in json.loads(again.out)["usage"] if row["system"] == "served"] == [served]
        assert proxy.received == 6 + 2 * CHECKED
    for name in ("summary.json", "examples.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
        assert "seconds_median" not in (tmp_path / "out" / name).read_text()


def test_a_server_that_counts_no_tokens_has_times_and_no_cost(dialeval, tmp_path):
    with documented_server(usage=False) as server:
        study = write_study(tmp_path, server.url, "kept", items=3, prices={"input": 2})
        assert dialeval("run", study, "-o", tmp_path / "out").code == 0
    served = usage(tmp_path / "out")[0]
    assert (served["prompt_tokens"], served["cost"]) == (None, None)
    assert served["seconds_median"] > 0


def test_a_negative_price_is_refused(dialeval, tmp_path):
    study = write_study(tmp_path, "http://127.0.0.1:1/v1", "kept", prices={"input": -1})
    done = dialeval("run", study, "-o", tmp_path / "out")
    assert done.code == 1
    assert "The price of input: found -1.0, expected at least 0" in done.err


def test_quick_systems_and_transcripts_have_no_table_of_times(dialeval, study_folder):
    done = dialeval("run", study_folder / "study.yaml", "-o", study_folder / "out")
    assert done.code == 0, done.err
    assert "Time and tokens" not in done.out
    assert [row["system"] for row in usage(study_folder / "out")] == ["floor"]
