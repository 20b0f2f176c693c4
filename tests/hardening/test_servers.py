"""What a faulty or hostile server can do: one item has no response, with a reason, and the study goes on."""

from __future__ import annotations

import base64
import gzip
import json
import re
import resource
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from dialeval.data.types import Turn
from dialeval.errors import RunFailed
from dialeval.systems.openai import OpenAI
from dialeval.systems.openai.sender import LARGEST, retry_after
from support.bot_server import BotServer, Raw, bot_server, completion
from support.faulty_proxy import Reply, faulty_proxy

KEY = "sk-Ab/9+zz=_secret-0123456789"
BAD = "ask 1"
"""The one item to which the server gives a bad answer."""


def body(text: str) -> bytes:
    return json.dumps(completion(text)).encode()


def endless() -> Iterator[bytes]:
    yield b'{"choices": [{"message": {"content": "'
    while True:
        yield b"x" * 65536


def bomb() -> bytes:
    """Four gibibytes, packed to four mebibytes: one packed block, again and again."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + b"\0" * 6 + b"\xff" + block * 4096


GZIP = (("Content-Type", "application/json"), ("Content-Encoding", "gzip"))
DEEP = b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"

ONE_ITEM: dict[str, tuple[Callable[[], dict | Raw], str]] = {
    "lone surrogate": (lambda: completion("half \ud83d of it"), "half a character (U+D83D)"),
    "null character": (lambda: completion("nothing\x00 here"), "the answer holds U+0000"),
    "invalid UTF-8": (lambda: Raw(body("caf\xe9").replace(b"\\u00e9", b"\xe9\xff")), "that is not UTF-8"),
    "unknown charset": (
        lambda: Raw(
            body("x").replace(b"x", b"\xff"), headers=(("Content-Type", "text/json; charset=klingon"),)
        ),
        "that is not UTF-8",
    ),
    "charset that is no text": (
        lambda: Raw(body("x").replace(b"x", b"\xff"), headers=(("Content-Type", "text/json; charset=zlib"),)),
        "that is not UTF-8",
    ),
    "endless body": (lambda: Raw(endless()), "an answer of more than 8 MiB"),
    "large body": (lambda: Raw(body("y" * (LARGEST + 1))), "an answer of more than 8 MiB"),
    "gzip bomb": (lambda: Raw(bomb(), headers=GZIP), "an answer of more than 8 MiB"),
    "not what it says": (lambda: Raw(b"plain", headers=GZIP), "not what its head says, gzip"),
    "unknown packing": (lambda: Raw(b"x", headers=(("Content-Encoding", "br"),)), "packed as 'br'"),
    "deep JSON": (lambda: Raw(DEEP), "nested too deeply"),
}


def write_study(folder: Path, address: str, items: int = 4, **keys: object) -> Path:
    rows = [
        {"id": f"i{n}", "context": [{"role": "user", "content": f"ask {n}"}], "references": ["fine"]}
        for n in range(items)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = {"name": "bot", "kind": "openai", "base_url": address, "model": "m", "retries": 1, "backoff": 0}
    systems = [{**served, "cache": "kept", **keys}, {"name": "floor", "kind": "echo"}]
    study = {"data": "prompts.jsonl", "trials": 20, "systems": systems, "measures": ["length"]}
    (folder / "study.yaml").write_text(json.dumps(study))
    return folder / "study.yaml"


def files_of(folder: Path) -> Iterator[tuple[Path, bytes]]:
    return ((path, path.read_bytes()) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("fault", ONE_ITEM)
def test_one_bad_answer_costs_one_item_and_is_never_cached(dialeval, tmp_path, monkeypatch, fault):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bad, reason = ONE_ITEM[fault]
    with bot_server(lambda asked: bad() if asked == BAD else "fine") as bot:
        study = write_study(tmp_path, bot.url)
        done = dialeval("run", study, "-o", tmp_path / "out")
        assert done.code == 3, done.err
        assert "Traceback" not in done.err
        found = json.loads((tmp_path / "out" / "summary.json").read_text())
        scores = {result["system"]: result for result in found["results"]}
        assert (scores["bot"]["own"]["n"], scores["bot"]["unscored"]) == (3, 1)
        assert scores["floor"]["own"]["n"] == 4
        (failure,) = found["failures"]
        assert failure["partial"]
        assert reason in failure["message"]
        assert reason in (tmp_path / "out" / "report.html").read_text().replace("&#39;", "'")
        bot.reply = lambda asked: "fine"
        again = dialeval("run", study, "-o", tmp_path / "out")
        assert again.code == 0, again.err
        assert bot.asked[-1] == BAD
    lines = (tmp_path / "out" / "examples.jsonl").read_text().splitlines()
    texts = [json.loads(line)["response"] for line in lines]
    assert texts[:4] == ["fine"] * 4


def test_endless_and_packed_answers_take_little_memory_and_time(tmp_path):
    packed = bomb()
    with bot_server(lambda asked: Raw(packed, headers=GZIP) if asked == BAD else Raw(endless())) as bot:
        system = OpenAI("bot", bot.url, "m", cache=tmp_path, retries=0)
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answers = system.generate([(Turn("user", text),) for text in (BAD, "ask 2")])
        assert all(given[0].cause == "failed" for given in answers)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < 300_000, "kilobytes; the answers have four gibibytes and no end"
        assert time.monotonic() - began < 60


def test_packed_answers_of_honest_servers_are_read(tmp_path):
    packings = {
        "gzip": gzip.compress(body("one")),
        "two files": gzip.compress(body("two")[:20]) + gzip.compress(body("two")[20:]),
        "deflate": zlib.compress(body("three")),
        "bare deflate": zlib.compressobj(wbits=-15),
    }
    bare = packings["bare deflate"].compress(body("four")) + packings["bare deflate"].flush()
    replies = {
        "a": Raw(packings["gzip"], headers=GZIP),
        "b": Raw(packings["two files"], headers=GZIP),
        "c": Raw(packings["deflate"], headers=(("Content-Encoding", "deflate"),)),
        "d": Raw(bare, headers=(("Content-Encoding", "deflate"),)),
        "e": Raw(json.dumps(completion("fünf"), ensure_ascii=False).encode("utf-16")),
        "f": Raw(
            json.dumps(completion("sèche"), ensure_ascii=False).encode("latin-1"),
            headers=(("Content-Type", "application/json; charset=ISO-8859-1"),),
        ),
    }
    with bot_server(replies.__getitem__) as bot:
        system = OpenAI("bot", bot.url, "m", cache=tmp_path, retries=0)
        answers = system.generate([(Turn("user", name),) for name in replies])
        assert [given[0].text for given in answers] == ["one", "two", "three", "four", "fünf", "sèche"]
        assert {sent["accept-encoding"] for sent in bot.headers} == {"gzip, deflate"}


def test_a_bad_answer_that_an_older_version_cached_is_asked_for_again(dialeval, tmp_path, monkeypatch):
    from dialeval.engine.cache import Cache

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with bot_server(lambda asked: "fine") as bot:
        study = write_study(tmp_path, bot.url, cache="kept")
        assert dialeval("run", study, "-o", tmp_path / "out").code == 0
        spoilt = 0
        for path, content in list(files_of(tmp_path)):
            if len(path.name) == 64 and b'"fine"' in content[42:]:
                cache = Cache(path.parent.parent)
                cache.path = lambda *_, here=path: here  # type: ignore[method-assign]
                cache.put("", "", content[42:].replace(b'"fine"', b'"\\ud83d"'))
                spoilt += 1
        assert spoilt >= 4
        asked = len(bot.asked)
        with warnings.catch_warnings():
            warnings.simplefilter("always")  # as for users; the command prints them
            done = dialeval("run", study, "-o", tmp_path / "out")
        assert done.code == 0, done.err
        assert "half a character" in done.err
        assert len(bot.asked) - asked == 4


def test_a_system_of_ones_own_may_give_half_a_character(dialeval, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "own.py").write_text(
        "def bad(messages):\n"
        "    said = messages[-1]['content']\n"
        "    return '\\ud83d' if said == 'ask 1' else said\n\n"
        "def worse(messages):\n    raise ValueError('\\ud83d\\x00')\n"
    )
    study = write_study(tmp_path, "http://127.0.0.1:1/v1")
    content = json.loads(study.read_text())
    content["systems"] = [{"name": name, "kind": f"own.py:{name}"} for name in ("bad", "worse")]
    study.write_text(json.dumps(content))
    for _ in range(2):
        done = dialeval("run", study, "-o", tmp_path / "out")
        assert done.code == 1
        assert "Traceback" not in done.err
        found = json.loads((tmp_path / "out" / "summary.json").read_text())
        assert [result["own"]["n"] for result in found["results"] if result["system"] == "bad"] == [3]


def escaped(text: str, *, every: int = 1) -> str:
    return "".join(f"\\u{ord(c):04x}" if at % every == 0 else c for at, c in enumerate(text))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "slash": lambda key: key.replace("/", "\\/"),
    "unicode": escaped,
    "partly unicode": lambda key: escaped(key, every=3),
    "in quoted JSON": lambda key: escaped(escaped(key, every=2)).replace("\\", "\\\\"),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of the header": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a pair": lambda key: base64.b64encode(f"u:{key}:x".encode()).decode(),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
    "base64 in lines": lambda key: "\\n".join(
        re.findall(".{1,16}", base64.b64encode(f"Bearer {key}".encode()).decode())
    ),
    "URL": lambda key: quote(key, safe=""),
    "URL of every letter": lambda key: "".join(f"%{ord(c):02x}" for c in key),
    "partly URL": lambda key: "".join(f"%{ord(c):02X}" if at % 4 == 0 else c for at, c in enumerate(key)),
    "URL twice": lambda key: quote(quote(key, safe=""), safe=""),
    "HTML": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "hexadecimal": lambda key: key.encode().hex(),
    "over lines": lambda key: f"{key[:9]}\\n{key[9:]}",
}


def leaks(text: str) -> bool:
    """Whether the key, or the larger part of it, can be read from the text by anybody who decodes it."""
    plain = text
    for _ in range(5):
        plain = re.sub(r"\\+u00(..)", lambda found: chr(int(found[1], 16)), plain)
        plain = re.sub(r"%([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), plain)
        plain = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), plain)
    plain = re.sub(r"\\n|[\\\s]", "", plain)
    words = [plain, *re.findall(r"[A-Za-z0-9+/_-]{16,}", plain)]
    for word in words[1:]:
        for start in range(4):
            cut = word[start:].translate(str.maketrans("-_", "+/"))
            words.append(base64.b64decode(cut[: len(cut) // 4 * 4] + "").decode("latin-1"))
    return any(KEY[5:20] in word or KEY.encode().hex()[10:40] in word.lower() for word in words)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_no_spelling_of_the_key_is_stored_or_shown(tmp_path, monkeypatch, spelling, status):
    monkeypatch.setenv("DIALEVAL_TEST_KEY", KEY)
    told = SPELLINGS[spelling](KEY)
    assert leaks(told), "the test can see it"
    raw = '{"choices": [{"message": {"content": "You sent TOLD to me."}}]}'
    if status != 200:
        raw = '{"error": {"message": "You sent TOLD to me.", "code": "TOLD"}}'
    reply = Raw(raw.replace("TOLD", told).encode(), status=status)
    with bot_server(lambda asked: reply) as bot:
        system = OpenAI(
            "bot", bot.url, "m", api_key_env="DIALEVAL_TEST_KEY", cache=tmp_path, retries=0, backoff=0
        )
        if status == 200:
            ((response,),) = system.generate([(Turn("user", "Hi"),)])
            said = response.text
        else:
            with pytest.raises(RunFailed) as caught:
                system.generate([(Turn("user", "Hi"),)])
            said = str(caught.value)
    assert bot.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "[key hidden]" in said
    assert not leaks(said)
    for path, content in files_of(tmp_path):
        assert not leaks(content.decode("latin-1")), path


@pytest.mark.parametrize(
    "text",
    [
        "\\" * 2_000_000,
        "\\u" * 500_000,
        "%25" * 500_000,
        "&#" + "9" * 2_000_000,
        "&#" + "0" * 500_000,
        " " * 2_000_000,
    ],
    ids=["backslashes", "escapes", "percents", "digits", "zeros", "spaces"],
)
def test_looking_for_the_key_takes_little_time_whatever_the_answer_is(text):
    from dialeval.systems.openai.keys import Key

    began = time.process_time()
    assert Key(KEY).hide(text) == text
    assert KEY not in Key(KEY).hide(f"{text} {KEY}")
    assert time.process_time() - began < 20


def test_a_key_in_a_name_of_the_answer_is_hidden_too(monkeypatch):
    from dialeval.systems.openai.keys import Key

    told = Key(KEY).hide_in_all({KEY: [{"a": f"Bearer {KEY}"}, 3, None]})
    assert told == {"[key hidden]": [{"a": "Bearer [key hidden]"}, 3, None]}


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("3", 3.0),
        ("-5", None),
        ("nan", None),
        ("1e999", float("inf")),
        ("9" * 5000, float("inf")),
        ("soon", None),
        ("\u0664", 4.0),
        ("\xff\xfe", None),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Thu, 01 Jan 2026 00:00:00 +99999999", None),
        ("Thu, 32 Foo 2026", None),
        ("", None),
    ],
)
def test_odd_retry_after_is_a_time_or_nothing(asked, seconds):
    assert retry_after({"retry-after": asked, "date": "Thu, 01 Jan 2026 00:00:00 GMT"}) == seconds


@pytest.mark.parametrize("asked", ["-5", "NaN", "inf", "Fri, 31 Dec 99999 23:59:59 GMT", "\xe9\xe9"])
def test_odd_retry_after_ends_in_an_answer_or_an_error_of_ours(tmp_path, asked):
    busy = Reply(429, '{"error": {"message": "busy"}}', (("Retry-After", asked),))
    with bot_server(lambda asked: "fine") as bot, faulty_proxy(bot.url, busy) as proxy:
        system = OpenAI("bot", proxy.url, "m", cache=tmp_path, retries=1, backoff=0)
        if asked == "inf":
            with pytest.raises(RunFailed, match="HTTP 429, busy"):
                system.generate([(Turn("user", "Hi"),)])
        else:
            assert system.generate([(Turn("user", "Hi"),)])[0][0].text == "fine"


@pytest.mark.parametrize(
    "content",
    [DEEP, b"<" * 2**20, b"\xff" * 1000, body("x")[:40], b'{"error": {"message": "half \\ud83d, \\u0000"}}'],
    ids=["deep", "tags", "bytes", "half", "surrogate"],
)
@pytest.mark.parametrize("status", [400, 500])
def test_odd_bodies_of_errors_are_quoted_as_text(tmp_path, status, content):
    with bot_server(lambda asked: Raw(content, status=status)) as bot:
        system = OpenAI("bot", bot.url, "m", cache=tmp_path, retries=0)
        began = time.monotonic()
        with pytest.raises(RunFailed, match=f"HTTP {status}") as caught:
            system.generate([(Turn("user", "Hi"),)])
        assert time.monotonic() - began < 20
    str(caught.value).encode()
    assert len(str(caught.value)) < 800


def test_a_server_may_count_tokens_as_it_likes(tmp_path):
    def odd(asked: str) -> dict:
        return {**completion("fine"), "usage": {"prompt_tokens": -5, "completion_tokens": True}}

    bot: BotServer
    with bot_server(odd) as bot:
        ((response,),) = OpenAI("bot", bot.url, "m", cache=tmp_path).generate([(Turn("user", "Hi"),)])
    assert response.usage is not None
    assert (response.usage.prompt_tokens, response.usage.completion_tokens) == (None, None)
