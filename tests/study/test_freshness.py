"""Cached answers are announced, checked against the server, asked for again on demand, and not used in CI."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from support.bot_server import BotServer, Raw, bot_server, completion
from support.faulty_proxy import Drop, faulty_proxy

ITEMS = 48


def version(number: int):
    return lambda asked: f"{asked}, says version {number}"


def write_study(folder: Path, address: str, *, items: int = ITEMS, more: dict | None = None, **keys) -> Path:
    rows = [
        {"id": f"i{n}", "context": [{"role": "user", "content": f"ask {n}"}], "references": [f"ask {n}"]}
        for n in range(items)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = {"name": "bot", "kind": "openai", "base_url": address, "model": "m", "retries": 0, **keys}
    study = {"name": "s", "data": "prompts.jsonl", "trials": 50, "systems": [served], "measures": ["rouge_l"]}
    (folder / "study.yaml").write_text(json.dumps(study | (more or {})))
    return folder / "study.yaml"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of our own, outside CI: answers are kept below it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


@pytest.fixture
def bot():
    with bot_server(version(1)) as server:
        yield server


def answers(folder: Path) -> dict:
    (source,) = json.loads((folder / "manifest.json").read_text())["answers"]
    return source


def texts(folder: Path) -> list[str]:
    return [json.loads(line)["response"] for line in (folder / "examples.jsonl").read_text().splitlines()]


def make_older(folder: Path, days: float) -> None:
    """Let all answers below a folder have been asked so many days earlier."""
    from dialeval.engine.cache import Cache

    for path in [path for path in folder.rglob("??/*") if len(path.name) == 64]:
        payload = path.read_bytes()[42:]
        moved = re.sub(
            rb"(?<![\d.])1[67]\d{8}(\.\d+)?(?![\d.])",
            lambda found: str(float(found[0]) - days * 86400).encode(),
            payload,
        )
        cache = Cache(path.parent.parent)
        cache.path = lambda *_, here=path: here  # type: ignore[method-assign]
        cache.put("", "", moved)
        then = path.stat().st_mtime - days * 86400
        os.utime(path, (then, then))


def test_prompts_that_are_equal_are_asked_once_and_are_not_answers_from_the_cache(dialeval, home, bot):
    study = write_study(home, bot.url)
    (home / "prompts.jsonl").write_text((home / "prompts.jsonl").read_text().replace('"ask 40"', '"ask 1"'))
    ran = dialeval("run", study, "-o", home / "out")
    assert ran.code == 0, ran.err
    assert len(bot.asked) == ITEMS - 1
    assert "from the cache" not in ran.out
    assert (answers(home / "out")["answers"], answers(home / "out")["cached"]) == (ITEMS, 0)
    again = dialeval("run", study, "-o", home / "out")
    assert f"bot: {ITEMS} of {ITEMS} answers from the cache" in " ".join(again.out.split())


@pytest.mark.parametrize("options", [(), ("--no-resume",)])
def test_cached_answers_are_announced_with_their_age_in_output_report_and_json(dialeval, home, bot, options):
    study = write_study(home, bot.url)
    first = dialeval("run", study, "-o", home / "out")
    assert first.code == 0, first.err
    assert "from the cache" not in first.out + first.err
    assert (answers(home / "out")["answers"], answers(home / "out")["cached"]) == (ITEMS, 0)
    make_older(home / "home", 2.1)
    again = dialeval("run", study, "-o", home / "out", *options)
    assert again.code == 0, again.err
    told = f"bot: {ITEMS} of {ITEMS} answers from the cache, asked 2 days ago ("
    assert told in " ".join(again.out.split())
    assert "; 3 asked again, and the same" in " ".join(again.out.split())
    assert told in " ".join((home / "out" / "report.html").read_text().split())
    assert len(bot.asked) == ITEMS + 3
    document = dialeval("run", study, "-o", home / "out", "--json", *options)
    (source,) = json.loads(document.out)["answers"]
    assert (source["system"], source["answers"], source["cached"]) == ("bot", ITEMS, ITEMS)
    assert (
        source["first_asked"]
        <= source["last_asked"]
        < json.loads((home / "out" / "manifest.json").read_text())["started"]
    )
    assert told in document.err


def test_a_redeployed_server_ends_the_run_and_leaves_the_folder_as_it_was(dialeval, home, bot: BotServer):
    study = write_study(home, bot.url)
    assert dialeval("run", study, "-o", home / "out").code == 0
    before = {path.name: path.read_bytes() for path in (home / "out").iterdir() if path.is_file()}
    bot.reply = version(2)
    for options in ((), ("--no-resume",)):
        ended = dialeval("run", study, "-o", home / "out", *options)
        assert ended.code == 1
        assert "the server has changed: --ask-again, or revision:" in " ".join(ended.err.split())
        assert "'ask 0, says version 1' then and 'ask 0, says version 2' now" in " ".join(ended.err.split())
        assert "Traceback" not in ended.err
    assert {path.name: path.read_bytes() for path in (home / "out").iterdir() if path.is_file()} == before

    asked = len(bot.asked)
    new = dialeval("run", study, "-o", home / "out", "--ask-again")
    assert new.code == 0, new.err
    assert len(bot.asked) - asked == ITEMS
    assert all(text.endswith("version 2") for text in texts(home / "out"))
    assert answers(home / "out")["cached"] == 0
    assert not (home / "out" / ".answers").exists()

    later = dialeval("run", study, "-o", home / "out")  # the cache was replaced
    assert later.code == 0, later.err
    assert len(bot.asked) - asked == ITEMS + 3
    assert all(text.endswith("version 2") for text in texts(home / "out"))


def test_another_revision_is_asked_and_the_old_answers_stay(dialeval, home, bot: BotServer):
    assert dialeval("run", write_study(home, bot.url), "-o", home / "old").code == 0
    bot.reply = version(2)
    study = write_study(home, bot.url, revision="2")
    assert dialeval("run", study, "-o", home / "new").code == 0
    assert len(bot.asked) == 2 * ITEMS
    bot.reply = version(1)
    assert dialeval("run", write_study(home, bot.url), "-o", home / "again").code == 0
    assert texts(home / "again") == texts(home / "old") != texts(home / "new")
    assert len(bot.asked) == 2 * ITEMS + 3


def test_adding_a_measure_pays_for_nothing_but_the_check(dialeval, home, bot: BotServer):
    assert dialeval("run", write_study(home, bot.url), "-o", home / "out").code == 0
    study = write_study(home, bot.url, more={"measures": ["rouge_l", "chrf"]})
    assert dialeval("run", study, "-o", home / "out").code == 0
    assert len(bot.asked) == ITEMS + 3


def test_a_server_that_cannot_be_reached_leaves_the_cached_answers_and_a_warning(dialeval, home, bot):
    with faulty_proxy(bot.url) as proxy:
        study = write_study(home, proxy.url)
        assert dialeval("run", study, "-o", home / "out").code == 0
        proxy.script += [Drop()] * 9
        done = dialeval("run", study, "-o", home / "out")
    assert done.code == 0, done.err
    assert "not checked: The server at" in " ".join(done.out.split())
    assert answers(home / "out")["check"] == "unreachable"


def test_a_server_that_varies_without_sampling_is_said_not_to_be_checked(dialeval, home, bot: BotServer):
    study = write_study(home, bot.url)
    assert dialeval("run", study, "-o", home / "out").code == 0
    bot.reply = lambda asked: f"{asked} {len(bot.asked)}"
    done = dialeval("run", study, "-o", home / "out")
    assert done.code == 0, done.err
    assert answers(home / "out")["check"] == "unrepeatable"
    assert "answers the same question differently each time" in " ".join(done.out.split())


def test_samples_cannot_be_checked_and_this_is_said(dialeval, home, bot: BotServer):
    study = write_study(home, bot.url, decoding={"method": "sample"})
    assert dialeval("run", study, "-o", home / "out").code == 0
    bot.reply = version(2)
    done = dialeval("run", study, "-o", home / "out")
    assert done.code == 0, done.err
    assert "not checked, as the server samples" in " ".join(done.out.split())
    assert len(bot.asked) == ITEMS


def test_the_check_keeps_to_the_budget(dialeval, home, bot: BotServer):
    study = write_study(home, bot.url, items=4)
    assert dialeval("run", study, "-o", home / "out").code == 0
    study = write_study(home, bot.url, items=4, budget={"requests": 2})
    done = dialeval("run", study, "-o", home / "out")
    assert done.code == 0, done.err
    assert len(bot.asked) == 6
    assert answers(home / "out")["check"] == "unreachable"


@pytest.mark.parametrize(("rule", "second"), [("none", ITEMS), ("run", ITEMS), ("keep", 3)])
def test_a_system_says_how_long_its_answers_are_cached(dialeval, home, bot: BotServer, rule, second):
    study = write_study(home, bot.url, cache=rule)
    assert dialeval("run", study, "-o", home / "out").code == 0
    assert len(bot.asked) == ITEMS
    assert (home / "home" / ".cache" / "dialeval" / "openai").exists() == (rule == "keep")
    assert not (home / "out" / ".answers").exists()
    assert dialeval("run", study, "-o", home / "out").code == 0
    assert len(bot.asked) == ITEMS + second


def test_answers_of_a_run_alone_are_used_to_resume_it(dialeval, home, bot: BotServer):
    with faulty_proxy(bot.url, *[None] * 40, *[Drop()] * 9) as proxy:
        study = write_study(home, proxy.url, cache="run", concurrency=1)
        assert dialeval("run", study, "-o", home / "out").code == 3
        assert len(bot.asked) == 40
        proxy.script.clear()
        assert dialeval("run", study, "-o", home / "out").code == 0
        assert len(bot.asked) == ITEMS + 3
        assert answers(home / "out")["cached"] == 40
        assert not (home / "out" / ".answers").exists()


def test_asking_again_resumes_where_it_stopped(dialeval, home, bot: BotServer):
    with faulty_proxy(bot.url) as proxy:
        study = write_study(home, proxy.url, concurrency=1)
        assert dialeval("run", study, "-o", home / "out").code == 0
        bot.reply = version(2)
        proxy.script += [*[None] * 40, *[Drop()] * 9]
        assert dialeval("run", study, "-o", home / "out", "--ask-again").code == 3
        proxy.script.clear()
        assert dialeval("run", study, "-o", home / "out", "--ask-again").code == 0
        assert len(bot.asked) == 2 * ITEMS + 3
        assert all(text.endswith("version 2") for text in texts(home / "out"))


GATED = {"gates": ["bot: rouge_l >= 0.1"]}


def test_a_study_with_gates_in_ci_uses_only_what_it_asked(dialeval, home, bot: BotServer, monkeypatch):
    study = write_study(home, bot.url, more=GATED)
    assert dialeval("run", study, "-o", home / "out").code == 0
    monkeypatch.setenv("CI", "true")
    bot.reply = version(2)
    done = dialeval("run", study, "-o", home / "ci")
    assert done.code == 0, done.err
    assert "only answers that this run asks for are used" in " ".join(done.err.split())
    assert len(bot.asked) == 2 * ITEMS
    assert all(text.endswith("version 2") for text in texts(home / "ci"))
    for told, options in (({}, ("--use-cache",)), ({"cache": "keep"}, ())):
        asked = len(bot.asked)
        study = write_study(home, bot.url, more=GATED, **told)
        assert dialeval("run", study, "-o", home / "told", *options).code == 0
        assert len(bot.asked) - asked == 3
    ungated = write_study(home, bot.url)
    asked = len(bot.asked)
    assert dialeval("run", ungated, "-o", home / "ungated").code == 0
    assert len(bot.asked) - asked == 3


def test_in_ci_an_interrupted_run_resumes(dialeval, home, bot: BotServer, monkeypatch):
    monkeypatch.setenv("CI", "true")
    with faulty_proxy(bot.url, *[None] * 40, *[Drop()] * 9) as proxy:
        study = write_study(home, proxy.url, more=GATED, concurrency=1)
        assert dialeval("run", study, "-o", home / "out").code == 3
        proxy.script.clear()
        assert dialeval("run", study, "-o", home / "out").code == 0
        assert len(bot.asked) == ITEMS + 3


def test_custom_systems_are_announced_and_baselines_are_not(dialeval, home):
    (home / "own.py").write_text("def shout(messages):\n    return messages[-1]['content'].upper()\n")
    systems = [{"name": "floor", "kind": "echo"}, {"name": "own", "kind": "own.py:shout", "cache": "keep"}]
    study = write_study(home, "http://127.0.0.1:1/v1", more={"systems": systems})
    assert dialeval("run", study, "-o", home / "out").code == 0
    done = dialeval("run", study, "-o", home / "out")
    assert f"own: {ITEMS} of {ITEMS} answers from the cache, asked " in " ".join(done.out.split())
    assert [row["system"] for row in json.loads((home / "out" / "manifest.json").read_text())["answers"]] == [
        "own"
    ]
    again = dialeval("run", study, "-o", home / "out", "--ask-again")
    assert "from the cache" not in again.out


def test_questions_of_measures_are_announced_and_asked_again(dialeval, home, bot: BotServer):
    probes = [
        {
            "id": f"p{n}",
            "context": [
                {"role": "assistant", "content": "I like dogs."},
                {"role": "user", "content": f"Do you like dogs {n}?"},
            ],
            "expected": "yes",
        }
        for n in range(3)
    ]
    (home / "stimuli.jsonl").write_text("".join(json.dumps(row) + "\n" for row in probes))
    measures = ["length", {"name": "nbest", "stimuli": "stimuli.jsonl", "n": 2, "reader": "first_word"}]
    bot.reply = lambda asked: f"Yes, {asked}"
    study = write_study(home, bot.url, items=4, decoding={"method": "sample"}, more={"measures": measures})
    first = dialeval("run", study, "-o", home / "out")
    assert first.code == 0, first.err + first.out
    assert len(bot.asked) == 4 + 6
    for options in ((), ("--no-resume",)):
        done = dialeval("run", study, "-o", home / "out", *options)
        assert "answers to questions under nbest" in " ".join(done.out.split())
        assert len(bot.asked) == 10
    again = dialeval("run", study, "-o", home / "out", "--ask-again")
    assert again.code == 0, again.err
    assert len(bot.asked) == 20
    assert "from the cache" not in again.out


def test_answers_of_older_versions_have_an_unknown_time(dialeval, home, bot: BotServer):
    from dialeval.engine.cache import Cache

    study = write_study(home, bot.url, items=4)
    assert dialeval("run", study, "-o", home / "out").code == 0
    for path in [path for path in (home / "home").rglob("??/*") if len(path.name) == 64]:
        payload = path.read_bytes()[42:]
        if payload[:1] not in b"[{":  # statistics
            continue
        entry = json.loads(payload)
        if isinstance(entry, dict):
            old: list = entry["answer"][:5]
        elif entry == [True]:
            continue
        else:
            old = [[[*response[:3], response[3][:3]] for response in given] for given in entry]
        cache = Cache(path.parent.parent)
        cache.path = lambda *_, here=path: here  # type: ignore[method-assign]
        cache.put("", "", json.dumps(old).encode())
    for options in ((), ("--no-resume",)):
        done = dialeval("run", study, "-o", home / "out", *options)
        assert "4 of 4 answers from the cache, asked at an unknown time" in " ".join(done.out.split())
        assert answers(home / "out")["undated"] == 4


def test_no_limit_on_tokens_is_sent_unless_the_study_states_one(dialeval, home, bot: BotServer):
    study = write_study(home, bot.url, items=2)
    assert dialeval("run", study, "-o", home / "out").code == 0
    assert all("max_tokens" not in body for body in bot.bodies)
    study = write_study(home, bot.url, items=2, decoding={"max_tokens": 40})
    assert dialeval("run", study, "-o", home / "out").code == 0
    assert [body.get("max_tokens") for body in bot.bodies] == [None, None, 40, 40]


def test_answers_that_were_cut_are_counted_and_shown(dialeval, home, bot: BotServer):
    bot.reply = lambda asked: completion(
        f"{asked} and so", "length" if int(asked.split()[1]) < 12 else "stop"
    )
    study = write_study(home, bot.url)
    told = f"bot: 12 of {ITEMS} answers were cut at max_tokens"
    for options in ((), (), ("--no-resume",)):
        done = dialeval("run", study, "-o", home / "out", *options)
        assert done.code == 0, done.err
        assert told in " ".join(done.out.split())
        assert told in " ".join((home / "out" / "report.html").read_text().split())
        assert answers(home / "out")["cut"] == 12
    document = dialeval("run", study, "-o", home / "out", "--json")
    assert json.loads(document.out)["answers"][0]["cut"] == 12
    assert told in document.err


def test_a_link_in_place_of_the_answers_of_a_run_is_not_followed(dialeval, home, bot: BotServer):
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    study = write_study(home, bot.url, items=2, cache="run")
    assert dialeval("run", study, "-o", home / "out").code == 0
    (home / "out" / ".answers").symlink_to(elsewhere)
    assert dialeval("run", study, "-o", home / "out").code == 1
    assert list(elsewhere.iterdir()) == []


def test_a_rule_that_does_not_exist_is_refused(dialeval, home):
    study = write_study(
        home, "http://127.0.0.1:1/v1", more={"systems": [{"name": "a", "kind": "echo", "cache": "never"}]}
    )
    done = dialeval("run", study, "-o", home / "out")
    assert done.code == 1
    assert "systems[0].cache" in done.err
    assert "none, run or keep" in done.err


def test_prompts_that_the_server_refused_are_counted_and_the_first_reason_shown(
    dialeval, home, bot: BotServer
):
    error = {"error": {"message": "flagged by the content filter", "code": "content_filter"}}
    refusal = Raw(json.dumps(error).encode(), 400)
    bot.reply = lambda asked: refusal if int(asked.split()[1]) < 5 else asked
    done = dialeval("run", write_study(home, bot.url), "-o", home / "out")
    told = " ".join(done.out.split())
    assert f"bot: 5 of {ITEMS} prompts refused: " in told
    assert "flagged by the content filter" in told
    assert answers(home / "out")["refused"] == 5
    assert "flagged by the content filter" in answers(home / "out")["refusal"]
