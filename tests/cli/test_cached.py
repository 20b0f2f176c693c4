"""Commands that ask systems without a study tell of cached answers, and ask again on demand."""

from __future__ import annotations

import json

import pytest

from support.bot_server import BotServer, bot_server

TURNS = [{"role": "user", "content": "Do you like tea?"}]


@pytest.fixture
def bot(tmp_path, monkeypatch):
    """A server, and a home without cached answers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with bot_server(lambda asked: "Yes, I do.") as server:
        yield server


def nbest(dialeval, folder) -> tuple[str, ...]:
    stimulus = {"id": "a", "context": TURNS, "expected": "yes"}
    (folder / "stimuli.jsonl").write_text(json.dumps(stimulus) + "\n")
    return "nbest", "measure", "stimuli.jsonl", "-n", "1", "--json"


def collect(dialeval, folder) -> tuple[str, ...]:
    talk = [*TURNS, {"role": "assistant", "content": "I have never liked tea."}]
    (folder / "talks.jsonl").write_text(json.dumps({"id": "a", "system": "a", "messages": talk}) + "\n")
    made = dialeval("consistency", "probe", "talks.jsonl", "-o", "probes.jsonl", "--kind", "entity")
    assert made.code == 0, made.err
    return "consistency", "collect", "probes.jsonl", "-o", "answers.jsonl"


@pytest.mark.parametrize("command", [collect])
def test_cached_answers_are_told_of_and_asked_for_again_on_demand(
    dialeval, tmp_path, bot: BotServer, command
):
    served = f"openai(base_url='{bot.url}', model='m', name='bot', retries=0)"
    words = (*command(dialeval, tmp_path), "--system", served)
    first = dialeval(*words)
    assert first.code == 0, first.err
    asked = len(bot.asked)
    assert asked > 0
    assert "from the cache" not in first.err
    second = dialeval(*words)
    assert second.code == 0, second.err
    assert len(bot.asked) == asked
    assert "bot: answers to questions under this command (1 cached) from the cache" in " ".join(
        second.err.split()
    )
    assert "from the cache, asked" in " ".join(second.err.split())
    assert "--ask-again asks for them again" in second.err
    third = dialeval(*words, "--ask-again")
    assert third.code == 0, third.err
    assert len(bot.asked) == 2 * asked
    assert "from the cache" not in third.err


def test_n_best_lists_of_a_server_are_cached_checked_and_asked_for_again_as_in_a_run(
    dialeval, tmp_path, bot: BotServer
):
    served = f"openai(base_url='{bot.url}', model='m', name='bot', retries=0)"
    words = (*nbest(dialeval, tmp_path), "--system", served)
    first = dialeval(*words)
    assert first.code == 0, first.err
    assert "from the cache" not in first.err
    assert len(bot.asked) == 1, "two measures of the same lists ask once"
    second = dialeval(*words)
    assert "bot: answers to questions under nbest(n=1) (1 cached) from the cache" in " ".join(
        second.err.split()
    )
    assert len(bot.asked) == 2, "one of them is asked again, to see whether the server has changed"
    bot.reply = lambda asked: "No, I do not."
    changed = dialeval(*words)
    assert changed.code == 1
    assert "--ask-again" in changed.err
    again = dialeval(*words, "--ask-again")
    assert again.code == 0, again.err
    assert "from the cache" not in again.err
