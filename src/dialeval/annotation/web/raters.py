"""Routes of raters: the item to rate, its answer, skipping, talking, and looking back."""

from __future__ import annotations

from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response

from dialeval.annotation.desk import Faulty, StillTalking, Task
from dialeval.annotation.store.plan import Ended, Gone, Rater, Stale, TooSoon
from dialeval.annotation.web.sessions import Denied
from dialeval.annotation.web.shown import InstructionsPage
from dialeval.annotation.web.site import Site
from dialeval.annotation.web.submissions import Submission, posted_form, posted_json
from dialeval.data.types import Turn
from dialeval.errors import DialevalError
from dialeval.files.documents import as_json


def rater_routes(site: Site) -> APIRouter:
    """The routes under which raters work."""
    router = APIRouter()
    pages, machine = _Pages(site), _Machine(site)
    router.add_api_route("/", pages.home, methods=["GET"])
    router.add_api_route("/task", pages.task, methods=["GET"])
    router.add_api_route("/task", pages.answer, methods=["POST"])
    router.add_api_route("/skip", pages.skip, methods=["POST"])
    router.add_api_route("/chat", pages.chat, methods=["POST"])
    router.add_api_route("/history", pages.history, methods=["GET"])
    router.add_api_route("/instructions", pages.instructions, methods=["GET"])
    router.add_api_route("/done", pages.done, methods=["GET"])
    router.add_api_route("/api/task", machine.task, methods=["GET"])
    router.add_api_route("/api/answers", machine.answer, methods=["POST"])
    router.add_api_route("/api/skip", machine.skip, methods=["POST"])
    router.add_api_route("/api/chat", machine.chat, methods=["POST"])
    return router


def _wanted(site: Site, rater: Rater, item: str | None) -> Task | Ended | None:
    """The item asked for, or the one at hand; None if the item asked for is not the rater's."""
    if item:
        again = site.desk.again(rater, item) if item in site.project.items else None
        if again is not None:
            return again
        held = site.desk.next(rater)
        return held if isinstance(held, Task) and held.item.id == item else None
    return site.desk.next(rater)


class _Pages:
    """HTML; every form works without script."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def home(self, request: Request) -> Response:
        return self._to("/task")

    async def task(self, request: Request) -> Response:
        return await run_in_threadpool(self._task, request)

    def _task(self, request: Request) -> Response:
        rater = self._site.sessions.rater(request)
        task = _wanted(self._site, rater, request.query_params.get("item"))
        if task is None:
            return self._to("/task")
        if isinstance(task, Ended):
            return self._to("/done")
        shown = self._site.task_page(rater, task, saved="saved" in request.query_params)
        return self._site.html(request, "task.html", shown)

    async def answer(self, request: Request) -> Response:
        posted = await posted_form(request)
        return await run_in_threadpool(self._answer, request, posted)

    def _answer(self, request: Request, posted: Submission) -> Response:
        rater = self._rater(request, posted)
        try:
            self._site.desk.answer(rater, posted.item, posted.revision, posted.answers, posted.seconds)
        except Gone:
            task = self._site.desk.next(rater)
            if isinstance(task, Ended):
                return self._to("/done")
            shown = self._site.task_page(rater, task, gone=True)
            return self._site.html(request, "task.html", shown, 410)
        except (Faulty, TooSoon, Stale) as error:
            return self._refused(request, rater, posted, error)
        return self._to("/task?saved=1")

    def _refused(
        self, request: Request, rater: Rater, posted: Submission, error: Faulty | TooSoon | Stale
    ) -> Response:
        task = _wanted(self._site, rater, posted.item)
        if not isinstance(task, Task):
            return self._to("/task")
        if isinstance(error, Stale):
            shown = self._site.task_page(rater, task, conflict=True)
            return self._site.html(request, "task.html", shown, 409)
        faulty = error if isinstance(error, Faulty) else _too_soon(self._site)
        shown = self._site.task_page(rater, task, posted=posted.answers, faulty=faulty)
        return self._site.html(request, "task.html", shown, 422)

    async def skip(self, request: Request) -> Response:
        posted = await posted_form(request)
        rater = await run_in_threadpool(self._rater, request, posted)
        await run_in_threadpool(self._site.store.skip, rater.id, posted.item)
        return self._to("/task")

    async def chat(self, request: Request) -> Response:
        posted = await posted_form(request)
        rater = await run_in_threadpool(self._rater, request, posted)
        try:
            await _talk(self._site, rater, posted)
        except StillTalking:
            raise Denied(429, "rate") from None
        except DialevalError:
            raise Denied(503, "server") from None
        return self._to("/task")

    async def history(self, request: Request) -> Response:
        rater = await run_in_threadpool(self._site.sessions.rater, request)
        shown = await run_in_threadpool(self._site.history_page, rater)
        return self._site.html(request, "history.html", shown)

    async def instructions(self, request: Request) -> Response:
        await run_in_threadpool(self._site.sessions.rater, request)
        settings = self._site.project.settings
        shown = InstructionsPage(settings.instructions, settings.asks)
        return self._site.html(request, "instructions.html", shown)

    async def done(self, request: Request) -> Response:
        return await run_in_threadpool(self._done, request)

    def _done(self, request: Request) -> Response:
        rater = self._site.sessions.rater(request)
        task = self._site.desk.next(rater)
        if not isinstance(task, Ended):
            return self._to("/task")
        return self._site.html(request, "done.html", self._site.done_page(rater, task.ending))

    def _rater(self, request: Request, posted: Submission) -> Rater:
        rater = self._site.sessions.rater(request)
        self._site.sessions.check_csrf(request, posted.csrf)
        return rater

    def _to(self, path: str) -> RedirectResponse:
        return RedirectResponse(self._site.prefix + path, 303)


class _Machine:
    """JSON, for the pages' script and for simulated raters."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def task(self, request: Request) -> Response:
        return await run_in_threadpool(self._task, request)

    def _task(self, request: Request) -> Response:
        rater = self._site.sessions.rater(request)
        task = _wanted(self._site, rater, request.query_params.get("item"))
        csrf = self._site.sessions.csrf(request)
        if task is None:
            return JSONResponse({"code": "gone"}, 410)
        if isinstance(task, Ended):
            return JSONResponse({"done": True, "ending": task.ending, "csrf": csrf})
        shown = as_json(self._site.task_page(rater, task))
        return JSONResponse({"done": False, "csrf": csrf, **shown})

    async def answer(self, request: Request) -> Response:
        posted = await posted_json(request)
        return await run_in_threadpool(self._answer, request, posted)

    def _answer(self, request: Request, posted: Submission) -> Response:
        rater = self._site.sessions.rater(request)
        self._site.sessions.check_csrf(request, posted.csrf)
        try:
            saved = self._site.desk.answer(
                rater, posted.item, posted.revision, posted.answers, posted.seconds
            )
        except Gone:
            return JSONResponse({"code": "gone"}, 410)
        except Stale as error:
            latest = error.latest
            known = (
                {"revision": latest.revision, "answers": latest.answers}
                if latest
                else {"revision": 0, "answers": {}}
            )
            return JSONResponse({"code": "stale", **known}, 409)
        except (Faulty, TooSoon) as error:
            faulty = error if isinstance(error, Faulty) else _too_soon(self._site)
            faults: list[dict[str, Any]] = [
                {"criterion": criterion, "field": field, "fault": fault}
                for criterion, (field, fault) in faulty.faults.items()
            ]
            return JSONResponse({"code": "refused", "faults": faults}, 422)
        return JSONResponse({"saved": saved, "next": f"{self._site.prefix}/task"})

    async def skip(self, request: Request) -> Response:
        posted = await posted_json(request)
        return await run_in_threadpool(self._skip, request, posted)

    def _skip(self, request: Request, posted: Submission) -> Response:
        rater = self._site.sessions.rater(request)
        self._site.sessions.check_csrf(request, posted.csrf)
        return JSONResponse({"skipped": self._site.store.skip(rater.id, posted.item)})

    async def chat(self, request: Request) -> Response:
        posted = await posted_json(request)
        rater = await run_in_threadpool(self._site.sessions.rater, request)
        self._site.sessions.check_csrf(request, posted.csrf)
        chat = self._site.project.settings.chat
        try:
            talk = await _talk(self._site, rater, posted)
        except StillTalking:
            return JSONResponse({"code": "still_talking"}, 429)
        except DialevalError:
            return JSONResponse({"code": "no_reply"}, 503)
        said = sum(turn.speaker == "user" for turn in talk)
        asked = chat.turns if chat else 0
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in talk]
        finished = len(talk) >= 2 * asked
        return JSONResponse({"turns": turns, "said": said, "asked": asked, "finished": finished})


async def _talk(site: Site, rater: Rater, posted: Submission) -> tuple[Turn, ...]:
    """Talk with the item's system in a thread of that system alone; pages of others do not wait for it.

    Raises StillTalking where the rater waits for a reply already, so that nobody can fill the queue.
    """
    source = site.project.sources.get(posted.item)
    with site.desk.talking(rater):
        one = site.turns.setdefault(source.system if source else "", CapacityLimiter(1))
        return await to_thread.run_sync(site.desk.talk, rater, posted.item, posted.text, limiter=one)


def _too_soon(site: Site) -> Faulty:
    return Faulty({criterion: ("value", "too_soon") for criterion in site.project.asks})
