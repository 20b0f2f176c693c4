"""Raters, workers and other sites that try what they should not, against the rating server over real HTTP."""

from __future__ import annotations

import http.client
import json
import sqlite3
import stat
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from dialeval.annotation.blind_items import blind_prompts
from dialeval.annotation.invitations import crowd_path, invite
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.project import ChatSettings, Crowd
from dialeval.annotation.quality import owner_view
from dialeval.annotation.simulation import Client
from dialeval.annotation.store.plan import Claim
from dialeval.annotation.web.server import Binding, in_background
from dialeval.data.types import Judgement, Prompt, Response, Turn
from dialeval.engine.cache import Cache
from support.rating_studies import made_project, made_store, served


def _entered(project, store, address: str, name: str = "ann") -> Client:
    client = Client(address, invite(project, store, name).path)
    client.enter()
    return client


def _ask(address: str, verb: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        given["content-type"] = "application/x-www-form-urlencoded"
    connection.request(verb, path, body, given)
    response = connection.getresponse()
    read = response.read().decode()
    connection.close()
    return response.status, read


class _Slow(BaseHTTPRequestHandler):
    """A system that takes its time."""

    def do_GET(self) -> None:
        time.sleep(4)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Well.")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Remote:
    """Asks the slow system over HTTP."""

    name = "slow"

    def __init__(self, port: int) -> None:
        self._port = port

    def generate(self, contexts, *, n, seed):
        with urlopen(f"http://127.0.0.1:{self._port}/", timeout=60) as reply:
            return [[Response(reply.read().decode())] for _ in contexts]


def test_a_rater_who_talks_forty_five_times_at_once_blocks_nobody(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    prompts = [Prompt(f"p{n}", (Turn("user", "Hello"),)) for n in range(4)]
    project = made_project(
        tmp_path / "study",
        blinded=blind_prompts(prompts, ["slow"]),
        asks=[asked("dialogue", "overall")],
        chat=ChatSettings(3, {"slow": "slow"}),
        raters=("ann", "bob"),
    )
    statuses: list[int] = []
    with served(project, partners={"slow": _Remote(server.server_port)}) as (address, store):
        ann, bob = _entered(project, store, address), _entered(project, store, address, "bob")
        item = ann.task().content["item"]["id"]

        def say() -> None:
            one = Client(address, "")
            one._cookie, one.csrf = ann._cookie, ann.csrf
            statuses.append(one.say(item, "Hi!").status)
            one.close()

        threads = [threading.Thread(target=say) for _ in range(45)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        began = time.monotonic()
        assert bob.task().status == 200
        waited = time.monotonic() - began
        for thread in threads:
            thread.join()
        rater = store.rater_named("ann")
        assert rater is not None
        talk = store.talk(rater, item)
        ann.close()
        bob.close()
    server.shutdown()
    server.server_close()
    assert waited < 3, "bob's page waited for ann's system"
    assert statuses.count(200) >= 1
    assert statuses.count(200) + statuses.count(429) == 45
    assert statuses.count(429) >= 40
    assert [turn.speaker for turn in talk] == ["user", "assistant"] * statuses.count(200)


def test_join_codes_cannot_be_guessed_without_limit(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project, open=True, join_code="tulip") as (address, _):
        codes = [_ask(address, "GET", f"/join?code=guess{number}")[0] for number in range(14)]
        assert codes[:10] == [404] * 10
        assert codes[10:] == [429] * 4
        assert _ask(address, "GET", "/join?code=tulip")[0] == 429, (
            "the right code would show among the wrong ones"
        )


@pytest.mark.parametrize(("proxy", "last"), [(None, 429), ("127.0.0.1", 403)])
def test_who_a_request_comes_from_is_told_by_a_named_proxy_alone(
    tmp_path: Path, proxy: str | None, last: int
) -> None:
    from dialeval.annotation.web.app import create_app

    project = made_project(tmp_path / "study")
    with in_background(create_app(project, made_store(project)), Binding(proxy=proxy)) as address:
        codes = [_ask(address, "GET", f"/r/guess{n}", X_Forwarded_For=f"192.0.2.{n}")[0] for n in range(12)]
    assert codes[-1] == last


def test_a_worker_cannot_come_in_under_the_name_of_another(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", raters=(), crowd=Crowd("prolific", "A", "B", "C"))
    path = str(crowd_path(project)).partition("?")[0] + "?STUDY_ID=s&PROLIFIC_PID=victim&SESSION_ID="
    with served(project) as (address, store):
        victim = Client(address, path + "secret1")
        victim.enter()
        assert _ask(address, "GET", path + "guess")[0] == 403
        assert _ask(address, "GET", path)[0] == 400
        again = Client(address, path + "secret1")
        again.enter()
        # A new visit in the browser of the first one is theirs, too.
        assert _ask(address, "GET", path + "secret2", cookie=victim._cookie)[0] == 303
        assert store.raters()[0].outside["SESSION_ID"] == "secret2"
        victim.close()
        again.close()


def test_attention_checks_are_not_given_away_by_history_progress_or_revision(tmp_path: Path) -> None:
    gold = [Judgement(f"dialogue-{n}", "alpha-bot", "expert", "overall", 4.0) for n in range(3)]
    project = made_project(
        tmp_path / "study",
        items=8,
        systems=("alpha-bot",),
        gold=gold,
        overlap=1,
        raters=("ann",),
        check_rate=0.4,
    )
    with served(project) as (address, store):
        client = _entered(project, store, address)
        met, done = [], []
        while not (page := client.task().content)["done"]:
            met.append(page["item"]["id"])
            done.append(page["progress"]["done"])
            assert page["progress"]["total"] >= len(met)
            client.answer(met[-1], 0, {"overall": {"value": 1}}, 5.0)
        checks = [item for item in met if project.sources[item].role == "check"]
        assert checks
        assert done == list(range(len(met))), "progress stood still at a check"
        history = _ask(address, "GET", "/history", cookie=client._cookie)[1]
        assert all(f"item={item}" in history for item in met)
        assert _ask(address, "GET", f"/task?item={checks[0]}", cookie=client._cookie)[0] == 200
        # Who corrects it did not read it before.
        assert client.answer(checks[0], 1, {"overall": {"value": 4}}).status == 200
        (view,) = owner_view(project, store).raters
        assert (view.checks_passed, view.checks_seen) == (0, len(checks))
        client.close()


def test_half_an_emoji_and_nul_are_stored_as_unknown_characters(
    tmp_path: Path, store_url: str | None
) -> None:
    project = made_project(tmp_path / "study", asks=[asked("likert", "overall"), asked("comment", "comment")])
    with served(project, store_url) as (address, store):
        client = _entered(project, store, address)
        item = client.task().content["item"]["id"]
        answers = {"overall": {"value": 3}, "comment": {"text": "nice \ud83d and \x00"}}
        assert client.answer(item, 0, answers).status == 200
        assert store.latest_answers()[0].answers["comment"] == {"text": "nice \ufffd and \ufffd"}
        client.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_nobody_joins_by_a_form_of_another_port_or_site(tmp_path: Path, headers: dict[str, str]) -> None:
    project = made_project(tmp_path / "study")
    with served(project, open=True) as (address, store):
        assert _ask(address, "POST", "/join", "name=eve", **headers)[0] == 403
        assert _ask(address, "POST", "/join", "name=ann", Origin=address)[0] == 303
        assert [rater.name for rater in store.raters()] == ["ann"]


def test_requests_for_another_name_are_refused(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project, address="https://lab.example/rate") as (address, _):
        status, body = _ask(address, "GET", "/healthz", Host="evil.example")
        assert (status, json.loads(body)) == (421, {"code": "host"})
        for host in ("localhost:1", "127.0.0.1", "[::1]:80", "192.0.2.1:8000", "LAB.example"):
            assert _ask(address, "GET", "/healthz", Host=host)[0] == 200, host


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_answers_key_and_caches_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    store = made_store(project)
    rater = store.add_rater("ann").id
    assert isinstance(store.claim(rater), Claim)
    for name in ("answers.sqlite", "answers.sqlite-wal", "key.jsonl", "secret"):
        assert _mode(project.folder / name) == 0o600, name
    store.close()
    Cache(tmp_path / "a" / "cache").put("key", "digest", b"said")
    assert _mode(tmp_path / "a" / "cache") == 0o700


def test_a_file_that_is_no_database_is_named_without_a_traceback(dialeval, tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    (project.folder / "answers.sqlite").write_bytes(b"not a database, but long enough to be read as one" * 50)
    ended = dialeval("annotate", "serve", project.folder, "--port", 0)
    assert ended.code == 1
    assert "answers.sqlite" in ended.err
    assert "file is not a database" in ended.err


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON raters BEGIN UPDATE raters SET name = 'x'; END",
        "ALTER TABLE raters RENAME TO others; CREATE VIEW raters AS SELECT * FROM others",
        "DROP TRIGGER answers_no_update; CREATE TRIGGER answers_no_update AFTER INSERT ON answers "
        "BEGIN DELETE FROM places; END",
        "ALTER TABLE raters RENAME TO others; CREATE VIEW raters AS WITH RECURSIVE c(x) AS "
        "(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT others.* FROM others, c",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "UPDATE raters SET name = x'00ff'",
        "UPDATE raters SET outside = '[[[['",
        "UPDATE raters SET outside = '[1]'",
        "UPDATE raters SET seen = 'soon'",
        "UPDATE facts SET value = 'x'",
        "UPDATE facts SET value = '9999999999999999999999'",
        "DELETE FROM facts",
    ],
)
def test_a_store_that_holds_more_than_a_study_writes_is_refused(
    dialeval, tmp_path: Path, change: str
) -> None:
    project = made_project(tmp_path / "study")
    store = made_store(project)
    store.add_rater("ann")
    store.close()
    with closing(sqlite3.connect(project.folder / "answers.sqlite")) as connection:
        connection.executescript(change)
        connection.commit()
    for command in (("export", project.folder, "-o", "out.jsonl"), ("serve", project.folder, "--port", 0)):
        ended = dialeval("annotate", *command)
        assert ended.code == 1, ended
        assert "Traceback" not in ended.err
        assert "answers.sqlite: found" in " ".join(ended.err.split())


def test_a_store_that_cannot_grow_is_named_without_a_traceback(dialeval, tmp_path: Path, monkeypatch) -> None:
    """As on a full disk: SQLite may use no page more than it has."""
    from dialeval.annotation.store import database

    project = made_project(tmp_path / "study")
    made_store(project).close()
    with closing(sqlite3.connect(project.folder / "answers.sqlite")) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    set_up = database._set_up

    def full(connection, record) -> None:
        set_up(connection, record)
        connection.execute(f"PRAGMA max_page_count={pages}")

    monkeypatch.setattr(database, "_set_up", full)
    many = made_project(tmp_path / "many", items=4, raters=[f"rater-{n}-{'x' * 30}" for n in range(300)])
    (many.folder / "answers.sqlite").write_bytes((project.folder / "answers.sqlite").read_bytes())
    for name in ("items.jsonl", "key.jsonl"):
        (many.folder / name).write_bytes((project.folder / name).read_bytes())
    ended = dialeval("annotate", "serve", many.folder, "--port", 0)
    assert ended.code == 1
    assert "database or disk is full" in ended.err
    assert "Traceback" not in ended.err


def test_a_disk_that_fills_refuses_answers_and_loses_none_that_was_acknowledged(
    tmp_path: Path, monkeypatch, caplog
) -> None:
    from dialeval.annotation.store import database

    project = made_project(
        tmp_path / "study", items=40, asks=[asked("comment", "comment")], raters=("ann", "bob")
    )
    set_up = database._set_up

    def small(connection, record) -> None:
        set_up(connection, record)
        connection.execute("PRAGMA max_page_count=80")

    monkeypatch.setattr(database, "_set_up", small)
    acknowledged, status = [], 200
    with served(project) as (address, store):
        client = _entered(project, store, address)
        while status == 200:
            page = client.task()
            status = page.status
            if status == 200:
                item = page.content["item"]["id"]
                status = client.answer(item, 0, {"comment": {"text": "x" * 4000}}).status
            if status == 200:
                acknowledged.append(item)
        assert status == 503
        assert acknowledged
        assert {given.item for given in store.latest_answers()} == set(acknowledged)
        client.close()
    assert "database or disk is full" in caplog.text
    assert "Traceback" not in caplog.text
