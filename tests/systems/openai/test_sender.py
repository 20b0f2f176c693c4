"""What networks and busy servers do to requests: faults by our proxy, before our server and before llama.cpp's."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.core import PartlyAnswered
from dialeval.data.types import Context, Turn
from dialeval.errors import RunFailed
from dialeval.systems.decoding import Decoding
from dialeval.systems.openai import OpenAI
from dialeval.systems.openai.sender import back_off, retry_after
from support.documented_server import documented_server
from support.faulty_proxy import BreakOff, Drip, Drop, Fault, FaultyProxy, Reply, Truncate, faulty_proxy

HI: Context = (Turn("user", "Hi there"),)
BUSY = '{"error": {"message": "Too many requests.", "type": "rate_limit_error"}}'


@pytest.fixture(params=["ours", pytest.param("llama.cpp", marks=pytest.mark.slow)])
def upstream(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that works."""
    if request.param == "llama.cpp":
        yield request.getfixturevalue("llama")
    else:
        with documented_server() as server:
            yield server.url


def bot(address: str, cache: Path, **options: object) -> OpenAI:
    settings = {"decoding": Decoding(max_tokens=3), "backoff": 0.01, "retries": 3, "timeout": 30.0, **options}
    return OpenAI("bot", address, "bigrams", cache=cache, **settings)


@pytest.mark.parametrize(
    ("script", "passed_on"),
    [
        ([Drop()], 1),
        ([Drop(), Drop(), Drop()], 1),
        ([Reply(500, "oops"), Reply(503, "{}"), Reply(502, "<html>bad gateway</html>")], 1),
        ([Reply(408), Reply(409), Reply(429, BUSY)], 1),
        ([Truncate()], 2),
        ([BreakOff()], 2),
        ([Truncate(), BreakOff(), Drop()], 3),
        ([Reply(200, "[]"), Reply(200, '{"choices": []}'), Reply(200, '{"choices": [{"text": 7}]}')], 1),
    ],
)
def test_after_faults_the_answer_is_the_servers_own(
    upstream: str, script: list[Fault], passed_on: int, tmp_path: Path
) -> None:
    expected = bot(upstream, tmp_path / "direct").generate([HI])
    with faulty_proxy(upstream, *script) as proxy:
        assert bot(proxy.url, tmp_path / "proxy").generate([HI]) == expected
        assert proxy.received == len(script) + 1
        assert proxy.forwarded == passed_on
        assert all(body == proxy.bodies[0] for body in proxy.bodies)


def test_retry_after_is_waited_for_by_all_requests(upstream: str, tmp_path: Path) -> None:
    contexts = [(Turn("user", f"Say {number}"),) for number in range(4)]
    expected = bot(upstream, tmp_path / "direct").generate(contexts)
    busy = Reply(429, BUSY, (("Retry-After", "1"),))
    with faulty_proxy(upstream, busy) as proxy:
        began = time.monotonic()
        assert bot(proxy.url, tmp_path / "p", concurrency=1).generate(contexts) == expected
        assert time.monotonic() - began >= 1
        assert proxy.received == 5


def test_slow_bytes_are_waited_for_within_the_time_limit(upstream: str, tmp_path: Path) -> None:
    expected = bot(upstream, tmp_path / "direct").generate([HI])
    with faulty_proxy(upstream, Drip(pause=0.01, bytes_at_once=50)) as proxy:
        assert bot(proxy.url, tmp_path / "p").generate([HI]) == expected
        assert (proxy.received, proxy.forwarded) == (1, 1)


def test_bytes_too_slow_for_the_time_limit_are_asked_for_again(upstream: str, tmp_path: Path) -> None:
    expected = bot(upstream, tmp_path / "direct").generate([HI])
    # Each byte comes well before any single read would time out.
    with faulty_proxy(upstream, Drip(pause=0.2)) as proxy:
        assert bot(proxy.url, tmp_path / "p", timeout=3.0).generate([HI]) == expected
        assert (proxy.received, proxy.forwarded) == (2, 2)


def ours(*script: Fault) -> Iterator[FaultyProxy]:
    with documented_server() as server, faulty_proxy(server.url, *script) as proxy:
        yield proxy


def failure(proxy: FaultyProxy, cache: Path, **options: object) -> str:
    with pytest.raises(RunFailed) as caught:
        bot(proxy.url, cache, **options).generate([HI])
    return str(caught.value)


def test_after_so_many_retries_it_gives_up_and_says_what_happened_last(tmp_path: Path) -> None:
    for proxy in ours(*[Reply(500, '{"error": {"message": "out of memory"}}')] * 9):
        told = failure(proxy, tmp_path, retries=2)
        assert "tried 3 times" in told
        assert "HTTP 500, out of memory" in told
        assert "are kept" not in told  # there is nothing to go on from
        assert proxy.received == 3


def test_no_retries_means_one_attempt(tmp_path: Path) -> None:
    for proxy in ours(Truncate()):
        assert "tried once; the last time: an answer of" in failure(proxy, tmp_path, retries=0)
        assert proxy.received == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            Reply(429, BUSY, (("Retry-After", "86400"),)),
            "returned Retry-After: 86400 s (limit 300 s): HTTP 429",
        ),
        (Reply(429, '{"error": {"code": "insufficient_quota", "message": "Pay."}}'), "no credit left"),
        (Reply(400, '{"error": {"message": "Bad thing."}}'), "refused (HTTP 400): Bad thing."),
        (
            Reply(401, '{"error": {"message": "No."}}'),
            "Name the variable that holds its key in 'api_key_env'",
        ),
        (Reply(302, "", (("Location", "http://127.0.0.1:1/"),)), "give that address as 'base_url'"),
        (Reply(400, '{"error": {"message": "logprobs are not supported"}}'), "set 'logprobs: false'"),
        (Reply(400, '{"error": {"message": "use max_completion_tokens"}}'), "max_completion_tokens: 60"),
        (Reply(422, '{"detail": [{"loc": ["body", "n"]}]}'), "refused (HTTP 422): [{'loc': ['body', 'n']}]"),
        (Reply(200, '{"error": {"message": "I am a gateway."}}'), "refused (HTTP 200): I am a gateway."),
    ],
)
def test_what_would_not_change_is_not_asked_again(reply: Reply, expected: str, tmp_path: Path) -> None:
    for proxy in ours(reply):
        assert expected in failure(proxy, tmp_path)
        assert proxy.received == 1


def test_filtered_contexts_have_no_answer_and_the_rest_goes_on(tmp_path: Path) -> None:
    filtered = Reply(400, '{"error": {"code": "content_filter", "message": "Mind your words."}}')
    for proxy in ours(filtered):
        system = bot(proxy.url, tmp_path, concurrency=1)
        answers = system.generate([HI, (Turn("user", "Bye"),)])
        assert [response.missing for response in answers[0]] == [
            "no response: the server filtered this context (HTTP 400): Mind your words. (content_filter)"
        ]
        assert answers[1][0].text
        assert system.generate([HI, (Turn("user", "Bye"),)]) == answers
        assert proxy.received == 2


def test_after_a_failure_nothing_new_is_begun_but_what_is_under_way_is_kept(tmp_path: Path) -> None:
    contexts = [(Turn("user", f"Say {number}"),) for number in range(20)]
    wrong = Reply(401, '{"error": {"message": "Bad thing."}}')
    for proxy in ours(None, None, Drip(pause=0.02, bytes_at_once=20), wrong):
        system = bot(proxy.url, tmp_path, concurrency=2)
        with pytest.raises(PartlyAnswered, match="3 of the 20 answers asked for are kept") as caught:
            system.generate(contexts)
        assert [bool(answer) for answer in caught.value.answers] == [True] * 3 + [False] * 17
        assert proxy.received == 4
        answers = system.generate(contexts)
        assert proxy.received == 4 + 17
        assert all(answers)


def test_a_bad_request_is_of_one_item_once_the_server_answers_others(tmp_path: Path) -> None:
    contexts = [(Turn("user", f"Say {number}"),) for number in range(3)]
    wrong = Reply(400, '{"error": {"message": "Bad thing."}}')
    for proxy in ours(wrong):
        system = bot(proxy.url, tmp_path, concurrency=1)
        answers = system.generate(contexts)
        told = "no response: the server refused this request (HTTP 400): Bad thing"
        assert [answer[0].missing for answer in answers] == [told, None, None]
        assert system.generate(contexts[:1]) == answers[:1]
        assert proxy.received == 3
    # Another session knows that these settings are answered, though it sends only the bad request.
    for proxy in ours(None, wrong):
        system = bot(proxy.url, tmp_path / "later", concurrency=1)
        system.generate(contexts[:1])
        assert system.generate(contexts[1:2])[0][0].missing == told


def test_kept_answers_are_used_after_a_failure(tmp_path: Path) -> None:
    contexts = [(Turn("user", f"Say {number}"),) for number in range(6)]
    for proxy in ours(None, None, *[Drop()] * 5):
        system = bot(proxy.url, tmp_path, concurrency=1, retries=0)
        system.generate(contexts[4:])
        with pytest.raises(PartlyAnswered) as caught:
            system.generate(contexts)
        assert [bool(answer) for answer in caught.value.answers] == [False] * 4 + [True] * 2
        assert "3 requests in a row were given up" in str(caught.value)
        assert "2 of the 6 answers asked for are kept" in str(caught.value)
        assert proxy.received == 2 + 3


def test_a_server_that_is_down_is_said_to_be(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    system = bot(f"http://127.0.0.1:{port}/v1", tmp_path, retries=1)
    with pytest.raises(RunFailed) as caught:
        system.generate([HI] * 30)
    told = str(caught.value)
    assert f"The server at http://127.0.0.1:{port}/v1 cannot be reached, tried 2 times" in told
    assert "Start it, or correct 'base_url'." in told


NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("-3", None),
        ("Sun, 15 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 15 Nov 2026 11:00:00 GMT", 0.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_servers_say_when_to_come_back_by_number_or_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, NOON) == seconds
    assert retry_after({}, NOON) is None


@pytest.mark.parametrize("wrong", [NOON, NOON.replace(year=2025), NOON.replace(year=2027)])
def test_a_date_to_come_back_is_counted_from_the_servers_own_clock(wrong: datetime) -> None:
    headers = {"retry-after": "Sun, 15 Nov 2026 12:01:30 GMT", "date": "Sun, 15 Nov 2026 12:01:00 GMT"}
    assert retry_after(headers, wrong) == 30.0
    assert retry_after(headers | {"date": "yesterday"}, NOON) == 90.0


@given(first=st.floats(0, 10), attempt=st.integers(0, 5000))
def test_waits_double_up_to_half_a_minute_and_half_of_each_is_chance(first: float, attempt: int) -> None:
    longest = min(30.0, first * 2.0 ** min(attempt, 16))
    assert longest / 2 <= back_off(first, attempt) <= longest


def test_waits_are_not_all_the_same() -> None:
    assert len({back_off(1.0, 3) for _ in range(20)}) > 1
