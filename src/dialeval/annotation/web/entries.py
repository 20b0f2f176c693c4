"""Ways into a study: invitation links, the owner's link, open registration and crowd platforms."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from dialeval.annotation.invitations import entry_token, hashed, owner_token, same
from dialeval.annotation.pace import SIMULATED
from dialeval.annotation.store.plan import Origin, Rater
from dialeval.annotation.web.sessions import Denied
from dialeval.annotation.web.shown import JoinPage
from dialeval.annotation.web.site import Site

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""Assignment that MTurk gives while a worker only looks."""


def entry_routes(site: Site) -> APIRouter:
    """The routes by which people come in."""
    router = APIRouter()
    entries = _Entries(site)
    router.add_api_route("/r/{token}", entries.invited, methods=["GET"])
    router.add_api_route("/o/{token}", entries.owner, methods=["GET"])
    router.add_api_route("/join", entries.join_page, methods=["GET"])
    router.add_api_route("/join", entries.join, methods=["POST"])
    router.add_api_route("/prolific/{token}", entries.prolific, methods=["GET"])
    router.add_api_route("/mturk/{token}", entries.mturk, methods=["GET"])
    return router


class _Entries:
    def __init__(self, site: Site) -> None:
        self._site = site

    async def invited(self, request: Request, token: str) -> Response:
        rater = await run_in_threadpool(self._site.store.rater_with, hashed(token))
        if rater is None:
            self._limit(request)
            raise Denied(403, "bad_link")
        return self._enter(request, rater)

    async def owner(self, request: Request, token: str) -> Response:
        if not same(token, owner_token(self._site.project.secret)):
            self._limit(request)
            raise Denied(403, "bad_link")
        response = RedirectResponse(f"{self._site.prefix}/owner", 303)
        self._site.sessions.begin_owner(request, response)
        return response

    async def join_page(self, request: Request) -> Response:
        self._check_open(request)
        return self._join_html(request, JoinPage())

    async def join(self, request: Request) -> Response:
        self._check_open(request)
        self._limit(request)
        self._check_origin(request)
        form = await request.form(max_files=0, max_fields=10)
        name = str(form.get("name") or "").strip() or f"guest-{secrets.token_hex(4)}"
        fault = await run_in_threadpool(self._fault, name)
        if fault is not None:
            return self._join_html(request, fault, 422)
        rater = await run_in_threadpool(self._site.store.add_rater, name, origin="open")
        return self._enter(request, rater)

    def _join_html(self, request: Request, shown: JoinPage, status: int = 200) -> Response:
        response = self._site.html(request, "join.html", shown, status)
        # As in its template: without a referrer, browsers do not say either which page a form comes from.
        response.headers["referrer-policy"] = "same-origin"
        return response

    def _check_origin(self, request: Request) -> None:
        """Raise Denied if a form is of another site, or of another port of this machine."""
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        own = {request.headers.get("host", ""), urlsplit(self._site.address).netloc} - {""}
        # Browsers send the first on secure pages and on this machine alone, and the second always; programs neither.
        ours = site == "same-origin" if site is not None else origin is None or urlsplit(origin).netloc in own
        if not ours:
            raise Denied(403, "csrf")

    def _fault(self, name: str) -> JoinPage | None:
        # Simulated raters are not timed, so nobody else may be called so.
        if len(name) > 40 or not name.isprintable() or name.startswith(SIMULATED):
            return JoinPage("bad_name")
        if self._site.store.rater_named(name) is not None:
            return JoinPage("taken")
        if self._site.store.count_raters("open") >= self._site.most_joined:
            return JoinPage("too_many")
        return None

    async def prolific(self, request: Request, token: str) -> Response:
        self._check_entry(request, "prolific", token)
        names = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        outside = {name: request.query_params.get(name, "")[:100] for name in names}
        return await self._crowd(request, "prolific", outside["PROLIFIC_PID"], "SESSION_ID", outside)

    async def mturk(self, request: Request, token: str) -> Response:
        self._check_entry(request, "mturk", token)
        names = ("assignmentId", "hitId", "workerId", "turkSubmitTo")
        outside = {name: request.query_params.get(name, "")[:300] for name in names}
        if outside["assignmentId"] in ("", PREVIEW) or not outside["workerId"]:
            return await run_in_threadpool(self._preview, request)
        allowed = ("https://www.mturk.com", "https://workersandbox.mturk.com")
        if outside["turkSubmitTo"].rstrip("/") not in allowed:
            raise Denied(400, "bad_link")
        return await self._crowd(request, "mturk", outside["workerId"], "assignmentId", outside)

    def _preview(self, request: Request) -> Response:
        from dataclasses import replace

        from dialeval.annotation.desk import Task

        entry = self._site.store.plan.of_role("rating")[0]
        task = Task(self._site.project.items[entry.id], "rating", 0, None, (), 0.0)
        nobody = Rater(0, "", None, "mturk", {}, "invited", False, 1, 1, False, None, None, None)
        shown = replace(self._site.task_page(nobody, task), preview=True)
        return self._site.html(request, "task.html", shown)

    async def _crowd(
        self, request: Request, platform: Origin, worker: str, visit: str, outside: dict[str, str]
    ) -> Response:
        """Let a worker in; who comes back needs the same visit, whose number others do not know, or their session.

        Names of workers are no secret: with the study's link, anybody could take those of others.
        """
        if not worker or not worker.isalnum() or not outside[visit]:
            raise Denied(400, "bad_link")
        name = f"{platform}-{worker}"
        rater = await run_in_threadpool(
            lambda: self._site.store.add_rater(name, origin=platform, outside=outside)
        )
        if not same(str(rater.outside.get(visit, "")), outside[visit]):
            if not await run_in_threadpool(self._is_session_of, request, rater):
                self._limit(request)
                raise Denied(403, "bad_link")
            await run_in_threadpool(self._site.store.set_outside, rater, outside)
        return self._enter(request, rater)

    def _is_session_of(self, request: Request, rater: Rater) -> bool:
        try:
            return self._site.sessions.rater(request).id == rater.id
        except Denied:
            return False

    def _enter(self, request: Request, rater: Rater) -> Response:
        response = RedirectResponse(f"{self._site.prefix}/task", 303)
        self._site.sessions.begin(request, response, rater)
        return response

    def _check_open(self, request: Request) -> None:
        """Raise Denied if nobody may join, or not with this code; guesses are limited, also together."""
        if not self._site.open:
            raise Denied(404, "not_found")
        code, address = self._site.join_code, _address(request)
        limits = ((self._site.code_limit, address), (self._site.all_codes_limit, "all"))
        if not code:
            return
        if not all(limit.allows(key, count=False) for limit, key in limits):
            raise Denied(429, "rate")
        if not same(request.query_params.get("code", ""), code):
            for limit, key in limits:
                limit.allows(key)
            raise Denied(404, "not_found")

    def _check_entry(self, request: Request, platform: str, token: str) -> None:
        crowd = self._site.project.settings.crowd
        expected = entry_token(self._site.project.secret, platform)
        self._limit_crowd(request)
        if crowd is None or crowd.platform != platform or not same(token, expected):
            raise Denied(404, "not_found")

    def _limit_crowd(self, request: Request) -> None:
        if not self._site.crowd_limit.allows(_address(request)):
            raise Denied(429, "rate")

    def _limit(self, request: Request) -> None:
        if not self._site.join_limit.allows(_address(request)):
            raise Denied(429, "rate")


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
