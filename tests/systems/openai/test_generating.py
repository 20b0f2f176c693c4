"""Generation by a real server: llama.cpp's, with the embedded model."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path

import pytest

from dialeval.core import Generator
from dialeval.data.types import Context, Turn
from dialeval.errors import RunFailed, Unsuitable
from dialeval.systems.decoding import Decoding
from dialeval.systems.openai import Layout, OpenAI
from support.faulty_proxy import faulty_proxy

pytestmark = pytest.mark.slow

GREET: Context = (Turn("user", "Hi there"),)
CAPITAL: Context = (
    Turn("user", "Hello."),
    Turn("assistant", "Hello! How can I help?"),
    Turn("user", "What is the capital of France?"),
)
SHORT = Decoding(max_tokens=6)


def direct(address: str, path: str, **body: object) -> dict:
    """The server's answer to a request that is not ours."""
    request = urllib.request.Request(
        f"{address}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
        return json.load(answer)


def test_chat_answers_are_the_servers_own_with_its_log_probabilities(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama + "/", "smollm2", decoding=SHORT, cache=tmp_path)
    assert isinstance(system, Generator)
    answers = system.generate([GREET, CAPITAL])
    for context, (response,) in zip([GREET, CAPITAL], answers, strict=True):
        messages = [{"role": turn.speaker, "content": turn.text} for turn in context]
        expected = direct(
            llama, "chat/completions", messages=messages, temperature=0, max_tokens=6, logprobs=True
        )["choices"][0]
        assert response.text == expected["message"]["content"].strip()
        total = sum(token["logprob"] for token in expected["logprobs"]["content"])
        assert response.logprob == pytest.approx(total, abs=1e-2)
    assert "Paris" in answers[1][0].text or "capital" in answers[1][0].text


def test_completions_see_the_layout_and_stop_at_the_turns_end(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama, "smollm2", api="completions", decoding=SHORT, cache=tmp_path)
    with faulty_proxy(llama) as proxy:
        through = OpenAI("bot", proxy.url, "smollm2", api="completions", decoding=SHORT, cache=tmp_path)
        (answer,) = through.generate([CAPITAL])
    assert system.generate([CAPITAL]) == [answer]
    (asked,) = proxy.bodies
    assert asked["prompt"] == (
        "user: Hello.\nassistant: Hello! How can I help?\nuser: What is the capital of France?\nassistant:"
    )
    assert asked["stop"] == ["\n"]
    assert "\n" not in answer[0].text
    assert answer[0].logprob is not None


def test_chat_markup_in_the_layout_gives_what_the_chat_api_gives(llama: str, tmp_path: Path) -> None:
    context = (Turn("system", "You are a helpful cook."), *CAPITAL)
    chat = OpenAI("chat", llama, "smollm2", decoding=SHORT, cache=tmp_path)
    layout = Layout(turn="<|im_start|>{role}\n{text}<|im_end|>\n", cue="<|im_start|>assistant\n", lead="")
    plain = OpenAI(
        "p",
        llama,
        "smollm2",
        api="completions",
        layout=layout,
        end="<|im_end|>",
        decoding=SHORT,
        cache=tmp_path,
    )
    (told,), (written,) = chat.generate([context])[0], plain.generate([context])[0]
    assert written.text == told.text
    assert written.logprob == pytest.approx(told.logprob, abs=0.05)


def test_samples_follow_from_the_seed_and_come_likeliest_first(llama: str, tmp_path: Path) -> None:
    def system(cache: str) -> OpenAI:
        # In the same company, and from scratch each time: else the last bits of its numbers vary, and chance with them.
        same = {"concurrency": 1, "extra": {"cache_prompt": False}}
        decoding = Decoding("sample", max_tokens=6)
        return OpenAI("bot", llama, "smollm2", decoding=decoding, cache=tmp_path / cache, **same)

    (first,) = system("a").generate([GREET], n=4, seed=1)
    assert len(first) == 4
    assert [r.logprob for r in first] == sorted((r.logprob for r in first), reverse=True)
    assert len({r.text for r in first}) > 1
    # Another memory, the context in other company: the same samples.
    assert {r.text for r in system("b").generate([CAPITAL, GREET], n=4, seed=1)[1]} == {r.text for r in first}
    assert {r.text for r in system("a").generate([GREET], n=4, seed=2)[0]} != {r.text for r in first}


def test_more_samples_cost_only_the_further_ones(llama: str, tmp_path: Path) -> None:
    with faulty_proxy(llama) as proxy:
        system = OpenAI(
            "bot", proxy.url, "smollm2", decoding=Decoding("nucleus", max_tokens=3), cache=tmp_path
        )
        two = system.generate([GREET], n=2, seed=5)[0]
        assert proxy.received == 2
        five = system.generate([GREET], n=5, seed=5)[0]
        assert proxy.received == 5
        assert {r.text for r in two} <= {r.text for r in five}
        assert {(body["temperature"], body["top_p"]) for body in proxy.bodies} == {(1.0, 0.9)}
        assert len({body["seed"] for body in proxy.bodies}) == 5


def test_greedy_has_one_answer_whatever_the_seed(llama: str, tmp_path: Path) -> None:
    with faulty_proxy(llama) as proxy:
        system = OpenAI("bot", proxy.url, "smollm2", decoding=SHORT, cache=tmp_path)
        assert len(system.generate([GREET], n=5, seed=1)[0]) == 1
        assert system.generate([GREET], seed=2) == system.generate([GREET], seed=1)
        assert proxy.received == 1
        assert "seed" not in proxy.bodies[0]


def test_equal_contexts_are_asked_once_and_nothing_costs_nothing(llama: str, tmp_path: Path) -> None:
    with faulty_proxy(llama) as proxy:
        system = OpenAI("bot", proxy.url, "smollm2", decoding=SHORT, cache=tmp_path)
        answers = system.generate([GREET, GREET, GREET])
        assert answers[0] == answers[1] == answers[2]
        assert system.generate([]) == []
        assert system.generate([GREET], n=0) == [()]
        assert proxy.received == 1


def test_no_more_requests_are_under_way_than_allowed(llama: str, tmp_path: Path) -> None:
    contexts = [(Turn("user", f"Say {number}"),) for number in range(9)]
    with faulty_proxy(llama) as proxy:
        system = OpenAI("b", proxy.url, "m", decoding=Decoding(max_tokens=2), concurrency=3, cache=tmp_path)
        system.generate(contexts)
        assert proxy.received == 9
        assert 2 <= proxy.most_busy <= 3


def test_it_works_inside_a_running_event_loop(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama, "smollm2", decoding=SHORT, cache=tmp_path)

    async def notebook() -> list:
        return system.generate([GREET])

    assert asyncio.run(notebook()) == system.generate([GREET])


def test_a_context_longer_than_the_window_loses_its_oldest_turns_and_they_are_counted(
    llama: str, tmp_path: Path
) -> None:
    long = (Turn("user", "word " * 1500), Turn("assistant", "I see."), *GREET)
    with faulty_proxy(llama) as proxy:
        system = OpenAI("bot", proxy.url, "smollm2", decoding=SHORT, cache=tmp_path)
        with pytest.warns(
            UserWarning, match="1 of 2 contexts are longer .* oldest turns, 1 in all, were left"
        ):
            answers = system.generate([long, GREET])
        assert answers[0] == system.generate([long[1:]])[0]
        asked = proxy.received
        assert asked == 3  # refused, without its oldest turn, the other; the direct one was kept
        with pytest.warns(UserWarning, match="1 of 2"):
            assert system.generate([long, GREET]) == answers
        assert proxy.received == asked


def test_a_last_turn_longer_than_the_window_has_no_answer_and_the_others_have(
    llama: str, tmp_path: Path
) -> None:
    system = OpenAI("bot", llama, "smollm2", decoding=SHORT, cache=tmp_path)
    with pytest.warns(UserWarning, match="the last turn alone of 1 of 2 contexts is longer"):
        answers = system.generate([(Turn("user", "word " * 1500),), GREET])
    assert [response.missing for response in answers[0]] == [
        "no response: the last turn alone is longer than the server's window"
    ]
    assert answers[1][0].text


def test_an_empty_context_is_answered_where_the_server_does(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama, "smollm2", decoding=SHORT, cache=tmp_path)
    assert system.generate([()])[0]


def test_roles_that_no_chat_knows_are_named(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama, "smollm2", decoding=SHORT, cache=tmp_path)
    with pytest.raises(Unsuitable, match=r"role 'martian'.*system, developer, user, assistant"):
        system.generate([(Turn("martian", "Zzz"),)])
    with faulty_proxy(llama) as proxy:
        anyone = OpenAI("bot", proxy.url, "smollm2", api="completions", decoding=SHORT, cache=tmp_path)
        anyone.generate([(Turn("martian", "Zzz"),)])
    assert proxy.bodies[0]["prompt"] == "martian: Zzz\nassistant:"


def test_extra_keys_reach_the_server_and_null_takes_ours_away(llama: str, tmp_path: Path) -> None:
    with faulty_proxy(llama) as proxy:
        extra = {"max_tokens": None, "max_completion_tokens": 3, "min_p": 0.0}
        system = OpenAI("bot", proxy.url, "m", system_prompt="Be brief.", extra=extra, cache=tmp_path)
        system.generate([GREET])
    (asked,) = proxy.bodies
    assert "max_tokens" not in asked
    assert asked["max_completion_tokens"] == 3
    assert asked["min_p"] == 0.0
    assert asked["messages"][0] == {"role": "system", "content": "Be brief."}


def test_llama_cpp_gives_no_likelihood_of_prompts_and_none_is_made_up(llama: str, tmp_path: Path) -> None:
    def system(likelihood: str) -> OpenAI:
        return OpenAI("bot", llama, "m", api="completions", likelihood=likelihood, cache=tmp_path)

    with pytest.raises(Unsuitable, match="'bot' cannot give the log-probability of a response"):
        system("none").logprob([GREET], ["Hello."])
    with pytest.raises(Unsuitable, match="'bot' cannot give the log-probability of a response"):
        system("none").tokens(["Hello."])
    with pytest.raises(Unsuitable, match="by 'echo', the server did not repeat the prompt"):
        system("echo").logprob([GREET], ["Hello."])
    with pytest.raises(Unsuitable, match="by 'prompt_logprobs', the server gave no 'prompt_logprobs'"):
        system("prompt_logprobs").logprob([GREET], ["Hello."])


def test_a_wrong_address_is_told_with_the_servers_words(llama: str, tmp_path: Path) -> None:
    system = OpenAI("bot", llama.removesuffix("/v1") + "/v9", "m", cache=tmp_path)
    with pytest.raises(RunFailed, match=r"HTTP 404\): File Not Found .*Check 'model' and 'base_url'"):
        system.generate([GREET])
