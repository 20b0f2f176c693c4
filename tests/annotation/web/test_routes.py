"""The rating server over real HTTP: what raters get, and what is refused."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, OpenerDirector, Request, build_opener

import pytest

from dialeval.annotation.invitations import invite, owner_path
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.simulation import Client
from support.rating_studies import made_project, served


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None


class Browser:
    """Cookies and requests as a browser sends them, without script."""

    def __init__(self, address: str, *, follow: bool = True) -> None:
        self.address = address
        handlers = [HTTPCookieProcessor()] if follow else [HTTPCookieProcessor(), _Stay()]
        self._opener: OpenerDirector = build_opener(*handlers)

    def get(self, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
        return self._open(Request(self.address + path, headers=headers))

    def post(self, path: str, fields: dict[str, object], **headers: str) -> tuple[int, str, dict[str, str]]:
        return self._open(Request(self.address + path, urlencode(fields, doseq=True).encode(), headers))

    def _open(self, request: Request) -> tuple[int, str, dict[str, str]]:
        try:
            response = self._opener.open(request, timeout=60)
        except HTTPError as error:
            response = error
        with response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return response.status, response.read().decode(), headers


def _entered(project, store, address: str, name: str = "ann") -> Client:
    client = Client(address, invite(project, store, name).path)
    client.enter()
    return client


def test_a_rater_answers_revises_and_is_told_of_a_newer_revision(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        client = _entered(project, store, address)
        page = client.task().content
        item = page["item"]["id"]
        refused = client.answer(item, 0, {"overall": {"value": "9"}})
        assert refused.status == 422
        assert refused.content["faults"] == [
            {"criterion": "overall", "field": "value", "fault": "not_an_option"}
        ]
        assert client.answer(item, 0, {"overall": {"value": 4}}, 3.0).content["saved"] == 1
        assert client.answer(item, 0, {"overall": {"value": 4}}).content["saved"] == 1
        stale = client.answer(item, 0, {"overall": {"value": 2}})
        assert (stale.status, stale.content["revision"]) == (409, 1)
        assert stale.content["answers"] == {"overall": {"value": 4}}
        assert client.answer(item, 1, {"overall": {"value": 2}}).content["saved"] == 2
        assert client.task().content["item"]["id"] != item
        assert client.answer("no-such-item", 0, {"overall": {"value": 2}}).status == 410
        client.close()


def test_pages_and_json_name_no_system_and_no_source(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        browser = Browser(address)
        status, page, _ = browser.get(invite(project, store, "ann").path)
        raw = json.dumps(browser.get("/api/task")[1])
    assert status == 200
    for text in (page, raw):
        assert "-bot" not in text
        assert "dialogue-" not in text


def test_every_page_of_a_rater_and_of_the_owner_opens(tmp_path: Path) -> None:
    asks = [asked("likert", "overall"), asked("comment", "comment")]
    project = made_project(tmp_path / "study", asks=asks, items=1, systems=("alpha-bot",), overlap=2)
    with served(project, open=True) as (address, store):
        for name, value in (("ann", 1), ("bob", 5)):
            client = _entered(project, store, address, name)
            item = client.task().content["item"]["id"]
            assert client.answer(item, 0, {"overall": {"value": value}, "comment": {}}).status == 200
            client.close()
        rater, owner = Browser(address), Browser(address)
        rater.get(invite(project, store, "ann").path)
        for path in ("/done", "/history", "/instructions", f"/task?item={item}", "/join", "/?lang=ja"):
            assert rater.get(path)[0] == 200, path
        assert owner.get(owner_path(project))[0] == 200
        for path in ("/owner", "/owner/data", "/owner/adjudicate", "/owner/export"):
            assert owner.get(path)[0] == 200, path
        lines = owner.get("/owner/export?format=jsonl")[1].splitlines()
        table = owner.get("/owner/export?format=csv")[1].splitlines()
        assert (len(lines), len(table)) == (2, 3)
        assert table[0].startswith("item,system,rater,criterion,value")
        view = json.loads(owner.get("/owner/data")[1])
        assert (view["done"], view["wanted"], view["disputed"]) == (2, 2, 1)
        assert rater.get("/no/such/page")[0] == 404


def test_an_html_form_works_without_script(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        browser = Browser(address, follow=False)
        assert browser.get(invite(project, store, "ann").path)[0] == 303
        task = json.loads(browser.get("/api/task")[1])
        item, csrf = task["item"]["id"], task["csrf"]
        fields = {"item": item, "revision": 0, "seconds": 2, "csrf": csrf}
        assert browser.post("/task", fields)[0] == 422
        status, _, headers = browser.post("/task", {**fields, "overall.value": 3})
        assert (status, headers["location"]) == (303, "/task?saved=1")
        assert browser.post("/task", {**fields, "overall.value": 5})[0] == 409
        assert store.latest_answers()[0].answers == {"overall": {"value": 3.0}}
        other = json.loads(browser.get("/api/task")[1])["item"]["id"]
        assert browser.post("/skip", {"item": other, "csrf": csrf})[0] == 303
        assert json.loads(browser.get("/api/task")[1])["item"]["id"] not in (item, other)


def test_a_form_of_another_site_is_refused(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        browser = Browser(address, follow=False)
        browser.get(invite(project, store, "ann").path)
        task = json.loads(browser.get("/api/task")[1])
        fields = {"item": task["item"]["id"], "revision": 0, "overall.value": 3}
        assert browser.post("/task", fields)[0] == 403
        assert browser.post("/task", {**fields, "csrf": "guess"})[0] == 403
        crossing = {**fields, "csrf": task["csrf"]}
        assert browser.post("/task", crossing, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert browser.post("/owner/drop", {"rater": "ann", "csrf": task["csrf"]})[0] == 403
        assert store.latest_answers() == []


def test_links_are_random_hashed_and_revocable(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        invitation = invite(project, store, "ann")
        browser = Browser(address, follow=False)
        assert browser.get(invitation.path)[0] == 303
        assert invitation.token.encode() not in Path(project.store).read_bytes()
        store.revoke(store.rater_named("ann"))
        assert browser.get("/task")[0] == 403
        assert Browser(address, follow=False).get(invitation.path)[0] == 403
        again = invite(project, store, "ann")
        assert again.token != invitation.token
        assert Browser(address, follow=False).get(again.path)[0] == 303
        assert browser.get("/task")[0] == 403
        assert Browser(address).get("/task")[0] == 403
        assert Browser(address).get("/owner")[0] == 403
        assert Browser(address).get("/o/guess")[0] == 403


def test_every_response_has_a_strict_policy_and_cookies_are_shut(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, store):
        browser = Browser(address, follow=False)
        cookie = browser.get(invite(project, store, "ann").path)[2]["set-cookie"].lower()
        answers = [browser.get(path)[2] for path in ("/task", "/static/app.js", "/nothing", "/api/task")]
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    for headers in answers:
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
    assert answers[0]["cache-control"] == "no-store"


def test_a_study_in_a_frame_allows_that_site_alone(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", frame_ancestors=("https://*.mturk.com",))
    with served(project) as (address, store):
        _, _, headers = Browser(address, follow=False).get(invite(project, store, "ann").path)
    assert "frame-ancestors https://*.mturk.com" in headers["content-security-policy"]
    assert "x-frame-options" not in headers
    assert "samesite=none" in headers["set-cookie"].lower()
    assert "secure" in headers["set-cookie"].lower()


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused_and_its_sender_told_so(tmp_path: Path, chunked: bool) -> None:
    import http.client

    def parts() -> Iterator[bytes]:  # the server has seen more than it takes before the last is sent
        for _ in range(4):
            yield b"x" * 5_000
            time.sleep(0.2)

    project = made_project(tmp_path / "study")
    with served(project, most_bytes=10_000) as (address, _):
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
        with closing(connection):
            body = parts() if chunked else b"x" * 20_000
            connection.request(
                "POST", "/api/answers", body, {"content-type": "application/json"}, encode_chunked=chunked
            )
            assert connection.getresponse().status == 413


def test_open_registration_is_off_by_default_and_limited_when_on(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, _):
        assert Browser(address).get("/join")[0] == 404
        assert Browser(address).post("/join", {"name": "eve"})[0] == 404
    with served(project, open=True, join_code="tulip") as (address, store):
        assert Browser(address).post("/join", {"name": "eve"})[0] == 404
        codes = [
            Browser(address, follow=False).post("/join?code=tulip", {"name": f"guest {n}"})[0]
            for n in range(14)
        ]
        assert codes[:10] == [303] * 10
        assert 429 in codes[10:]
        assert store.count_raters("open") < 14


def test_guesses_of_links_are_limited(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project) as (address, _):
        codes = [Browser(address).get(f"/r/guess{number}")[0] for number in range(13)]
    assert codes[:10] == [403] * 10
    assert codes[-1] == 429


def test_a_prefix_goes_before_every_address(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study")
    with served(project, prefix="/ratings") as (address, store):
        browser = Browser(address, follow=False)
        status, _, headers = browser.get("/ratings" + invite(project, store, "ann").path)
        assert (status, headers["location"]) == (303, "/ratings/task")
        assert "path=/ratings/" in headers["set-cookie"].lower()
        status, page, _ = browser.get("/ratings/task")
        assert status == 200
        assert 'src="/static' not in page
        assert "/ratings/static/app.js" in page


def test_hostile_dialogues_are_shown_as_text(tmp_path: Path) -> None:
    from dialeval.annotation.blind_items import blind
    from dialeval.data.types import Example, Response, Turn

    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202etxt.exe" + "a" * 1_000_000
    examples = [Example("d", "bot", (Turn("user", hostile),), Response("</textarea><svg onload=alert(3)>"))]
    project = made_project(tmp_path / "study", blinded=blind(examples, "response"), overlap=1)
    with served(project) as (address, store):
        status, page, _ = Browser(address).get(invite(project, store, "ann").path)
    assert status == 200
    for tag in ("<script>alert", "<img src=x", "<svg onload"):
        assert tag not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\u202e" not in page


def test_workers_of_prolific_come_in_by_the_studys_link_and_leave_with_its_codes(tmp_path: Path) -> None:
    from dialeval.annotation.invitations import crowd_path
    from dialeval.annotation.project import Crowd

    crowd = Crowd("prolific", "DONE1", "OUT2", "FAIL3")
    project = made_project(tmp_path / "study", items=1, systems=("a",), overlap=1, raters=(), crowd=crowd)
    path = crowd_path(project)
    assert path is not None
    link = path.partition("?")[0] + "?PROLIFIC_PID=abc123&STUDY_ID=s&SESSION_ID=t"
    with served(project) as (address, store):
        assert Browser(address).get("/prolific/guess?PROLIFIC_PID=abc123")[0] == 404
        client = Client(address, link)
        client.enter()
        item = client.task().content["item"]["id"]
        client.answer(item, 0, {"overall": {"value": 3}})
        client.close()
        browser = Browser(address)
        status, page, _ = browser.get(link)
        assert status == 200
        assert "DONE1" in page
        assert "https://app.prolific.com/submissions/complete?cc=DONE1" in page
        assert store.raters()[0].outside == {"PROLIFIC_PID": "abc123", "STUDY_ID": "s", "SESSION_ID": "t"}


def test_mturk_previews_and_submits_to_its_own_site_alone(tmp_path: Path) -> None:
    from dialeval.annotation.invitations import crowd_path
    from dialeval.annotation.project import Crowd

    project = made_project(
        tmp_path / "study",
        items=1,
        systems=("a",),
        overlap=1,
        raters=(),
        crowd=Crowd("mturk"),
        frame_ancestors=("https://*.mturk.com",),
    )
    path = crowd_path(project)
    with served(project) as (address, store):
        status, _, _ = Browser(address).get(f"{path}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h")
        assert (status, store.raters()) == (200, [])
        worker = "&hitId=h&workerId=W1&assignmentId=A1"
        assert Browser(address).get(f"{path}?turkSubmitTo=https://evil.example{worker}")[0] == 400
        client = Client(address, f"{path}?turkSubmitTo=https://www.mturk.com{worker}")
        client.enter()
        task = client.task().content
        client.answer(task["item"]["id"], 0, {"overall": {"value": 3}})
        client.close()
        rater = store.raters()[0]
        from dialeval.annotation.desk import Desk
        from dialeval.annotation.web.sessions import Sessions
        from dialeval.annotation.web.site import Site

        site = Site(project, store, Desk(project, store), Sessions(project.secret, store))
        done = site.done_page(rater, "nothing_left")
    assert done.submit == (
        "https://www.mturk.com/mturk/externalSubmit",
        {"assignmentId": "A1", "answered": "1"},
    )


def test_the_least_reading_time_holds(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", least_seconds=30.0)
    with served(project) as (address, store):
        client = _entered(project, store, address)
        item = client.task().content["item"]["id"]
        reply = client.answer(item, 0, {"overall": {"value": 3}}, 99.0)
        client.close()
    assert reply.status == 422
    assert reply.content["faults"][0]["fault"] == "too_soon"


def test_the_owner_drops_restores_reopens_and_decides(tmp_path: Path) -> None:
    project = made_project(tmp_path / "study", items=2, systems=("alpha-bot",), overlap=2)
    with served(project) as (address, store):
        for name, value in (("ann", 1), ("bob", 5)):
            client = _entered(project, store, address, name)
            while not (page := client.task().content)["done"]:
                client.answer(page["item"]["id"], 0, {"overall": {"value": value}})
            client.close()
        owner = Browser(address, follow=False)
        owner.get(owner_path(project))
        from dialeval.annotation.invitations import csrf_token

        cookie = next(
            cookie for handler in owner._opener.handlers for cookie in getattr(handler, "cookiejar", ())
        )
        csrf = csrf_token(project.secret, cookie.value)

        def view() -> dict:
            return json.loads(owner.get("/owner/data")[1])

        ann = next(rater for rater in view()["raters"] if rater["rater"] == "ann")
        assert ann["without"][0][2] is None
        assert owner.post("/owner/drop", {"rater": "ann", "csrf": csrf})[0] == 303
        assert view()["criteria"][0]["ratings"] == 2
        assert owner.post("/owner/restore", {"rater": "ann", "csrf": csrf})[0] == 303
        assert view()["criteria"][0]["ratings"] == 4
        item = next(iter(project.items))
        decision = {"item": item, "criterion": "overall", "reason": "clear", "overall.value": 3, "csrf": csrf}
        assert owner.post("/owner/adjudicate", {**decision, "overall.value": 8})[0] == 422
        assert owner.post("/owner/adjudicate", decision)[0] == 303
        assert store.decisions() == {(item, "overall"): ({"value": 3.0}, "clear")}
        assert owner.post("/owner/reopen", {"rater": "ann", "csrf": csrf})[0] == 303
        assert (store.counts()["done"], store.counts()["wanted"]) == (2, 4)
        status, page, _ = owner.post("/owner/invite", {"rater": "dora", "csrf": csrf})
        assert status == 200
        assert invite(project, store, "dora").path in page
