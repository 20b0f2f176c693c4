"""Keys are read from the environment when expected, and turn up nowhere else."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import time
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from dialeval.data.types import Context, Turn
from dialeval.errors import DialevalError, ResourceUnavailable, RunFailed
from dialeval.study import load_study, run_study, write_run
from dialeval.systems.decoding import Decoding
from dialeval.systems.openai import OpenAI
from dialeval.systems.openai.keys import Key, read_key
from support.documented_server import documented_server
from support.faulty_proxy import Reply, faulty_proxy

HI: Context = (Turn("user", "Hi there"),)


def spellings(key: str) -> list[str]:
    return [key, quote(key, safe=""), base64.b64encode(key.encode()).decode(), key[:16]]


def nothing_leaks(key: str, folder: Path, *said: str) -> None:
    """No file under ``folder``, by name or content, and nothing said holds the key or its larger part."""
    for form in spellings(key):
        for text in said:
            assert form not in text
        for path in folder.rglob("*"):
            assert form not in path.name
            assert not path.is_file() or form.encode() not in path.read_bytes()


def bot(address: str, cache: Path, **options: object) -> OpenAI:
    settings = {"decoding": Decoding(max_tokens=3), "backoff": 0.01, "retries": 1, **options}
    return OpenAI("bot", address, "bigrams", api_key_env="DIALEVAL_TEST_KEY", cache=cache, **settings)


def test_the_server_gets_the_key_and_no_file_signature_or_log_has_it(
    key: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with documented_server() as server, caplog.at_level(logging.DEBUG):
        system = bot(server.url, tmp_path, likelihood="prompt_logprobs")
        system.generate([HI])
        system.logprob([HI], ["Yes."])
        assert set(server.keys) == {f"Bearer {key}"}
        assert any(tmp_path.rglob("*"))
        nothing_leaks(
            key, tmp_path, caplog.text, repr(system), str(system.signature), repr(pickle.dumps(system))
        )


def test_a_server_that_repeats_the_header_in_an_error_is_quoted_without_it(
    key: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with documented_server(tells_the_key=True) as server, caplog.at_level(logging.DEBUG):
        with pytest.raises(RunFailed) as caught:
            bot(server.url, tmp_path).generate([HI])
        told = "".join(traceback.format_exception(caught.value))
        assert "HTTP 401" in told
        assert "[key hidden]" in told
        assert "Check the key in 'DIALEVAL_TEST_KEY'." in told
        # The HTTP library logs the headers of answers, in which this server repeats the key too.
        assert "X-Seen" in caplog.text
        nothing_leaks(key, tmp_path, told, caplog.text)


@pytest.mark.parametrize("status", [400, 404, 429, 500])
def test_no_spelling_of_the_key_is_passed_on_wherever_the_message_is_cut(
    key: str, status: int, tmp_path: Path
) -> None:
    forms = [
        key,
        quote(key, safe=""),
        base64.b64encode(key.encode()).decode(),
        json.dumps(key),
        f"Bearer {key}",
    ]
    paddings = (0, 275, 290, 297)
    bodies = [
        json.dumps({"error": {"message": "x" * n + form + " and " + form}})
        for form in forms
        for n in paddings
    ]
    replies = [Reply(status, body) for body in bodies]
    with documented_server() as server, faulty_proxy(server.url, *replies) as proxy:
        for _ in bodies:
            with pytest.raises(RunFailed) as caught:
                bot(proxy.url, tmp_path, retries=0).generate([HI])
            nothing_leaks(key, tmp_path, str(caught.value))
        assert proxy.received == len(bodies)


def test_an_answer_that_holds_the_key_is_kept_without_it(key: str, tmp_path: Path) -> None:
    body = json.dumps({"choices": [{"message": {"content": f"Your header was Bearer {key}."}}]})
    with documented_server() as server, faulty_proxy(server.url, Reply(200, body)) as proxy:
        ((response,),) = bot(proxy.url, tmp_path).generate([HI])
    assert response.text == "Your header was Bearer [key hidden]."
    nothing_leaks(key, tmp_path)


def test_a_run_folder_and_its_report_hold_no_key(
    key: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dialeval.study import render

    (tmp_path / "prompts.jsonl").write_text(
        "".join(
            json.dumps(
                {"id": str(at), "context": [{"role": "user", "content": f"Hi {at}"}], "references": ["yes"]}
            )
            + "\n"
            for at in range(3)
        )
    )
    with documented_server() as works, documented_server(tells_the_key=True) as tells:
        (tmp_path / "study.yaml").write_text(
            "data: prompts.jsonl\nmeasures: [rouge_l]\nsystems:\n"
            + "".join(
                f"  - {{name: {name}, kind: openai, base_url: '{url}', model: bigrams, "
                "api_key_env: DIALEVAL_TEST_KEY, budget: {requests: 50}, decoding: {max_tokens: 4}}\n"
                for name, url in (("works", works.url), ("tells", tells.url))
            )
        )
        monkeypatch.setattr("dialeval.systems.openai.session.kept_folder", lambda what: tmp_path / what)
        with caplog.at_level(logging.DEBUG):
            run = run_study(load_study(tmp_path / "study.yaml"))
            write_run(run, tmp_path / "run")
            page = render(tmp_path / "run")
    assert [failure.system for failure in run.failures if failure.measure is None] == ["tells"]
    assert "[key hidden]" in (tmp_path / "run" / "summary.json").read_text()
    assert Path(page).is_file()
    assert (tmp_path / "openai").is_dir()
    nothing_leaks(key, tmp_path, caplog.text)


def test_a_key_that_is_not_set_is_named_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DIALEVAL_TEST_KEY", raising=False)
    with documented_server() as server:
        system = bot(server.url, tmp_path)  # the key is not needed yet
        with pytest.raises(
            ResourceUnavailable, match="'DIALEVAL_TEST_KEY', named by 'api_key_env', is not set"
        ):
            system.generate([HI])
        monkeypatch.setenv("DIALEVAL_TEST_KEY", "sk-two\nlines")
        with pytest.raises(ResourceUnavailable, match="a line break") as caught:
            system.generate([HI])
        assert "sk-two" not in str(caught.value)
        assert server.received == 0


def test_no_key_is_sent_where_none_is_named(key: str, tmp_path: Path) -> None:
    with documented_server() as server:
        OpenAI("bot", server.url, "bigrams", decoding=Decoding(max_tokens=3), cache=tmp_path).generate([HI])
        assert server.keys == [None]


def test_a_short_key_stays_a_word_in_answers_but_not_in_errors() -> None:
    assert Key("EMPTY").hide_in_answer("The box is EMPTY.") == "The box is EMPTY."
    assert Key("EMPTY").hide("The box is EMPTY.") == "The box is [key hidden]."
    assert Key(None).hide("Authorization: Bearer abc.def") == "Authorization: Bearer [key hidden]"
    assert "EMPTY" not in repr(Key("EMPTY"))
    assert read_key(None).headers == {}


@pytest.mark.parametrize(
    "address", ["http://me:sk-secret@127.0.0.1/v1", "me:sk-secret@127.0.0.1", "ftp://x@y/sk"]
)
def test_addresses_with_passwords_are_refused_without_repeating_them(address: str) -> None:
    with pytest.raises(DialevalError, match="'base_url'") as caught:
        OpenAI("bot", address, "m")
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_llama_cpp_behind_a_key(
    key: str, locked_llama: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = OpenAI(
        "bot",
        locked_llama,
        "m",
        api_key_env="DIALEVAL_TEST_KEY",
        decoding=Decoding(max_tokens=3),
        cache=tmp_path,
    )
    assert system.generate([HI])[0]
    monkeypatch.setenv("DIALEVAL_TEST_KEY", "sk-wrong-0123456789")
    assert system.generate([HI])[0]  # kept: the server is not asked
    with pytest.raises(RunFailed, match=r"HTTP 401.*Check the key in 'DIALEVAL_TEST_KEY'") as caught:
        system.generate([(Turn("user", "Something else"),)])
    assert "sk-wrong" not in str(caught.value)


def test_a_key_within_a_long_word_of_base64_is_hidden_in_no_time():
    secret = "sk-0123456789abcdef"
    encoded = base64.b64encode(f"Bearer {secret}".encode()).decode()
    text = "A" * 100_000 + encoded + "B" * 100_000
    began = time.perf_counter()
    hidden = Key(secret).hide_in_answer(text)
    assert time.perf_counter() - began < 5  # it was a minute and more
    assert encoded not in hidden
    assert hidden.startswith("A" * 99_000)
    assert hidden.endswith("B" * 99_000)
