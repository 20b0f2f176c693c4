"""Routes of the owner: the live page, invitations, dropping raters, adjudication and exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response

from dialeval.annotation.assignment import fraction
from dialeval.annotation.invitations import invite
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import BadAnswer
from dialeval.annotation.quality import Watch
from dialeval.annotation.results import Dispute, counted, disputes, judgements_of
from dialeval.annotation.store.plan import Rater, storable
from dialeval.annotation.web.sessions import Denied
from dialeval.annotation.web.shown import AdjudicatePage, DisputedItem, PageAsk
from dialeval.annotation.web.site import Site
from dialeval.annotation.web.submissions import Submission, posted_form
from dialeval.data import write
from dialeval.files.documents import as_json

Changing = Callable[[Rater], object]

MOST_DISPUTED = 200
"""Number of disputed items that the page lists."""


def owner_routes(site: Site) -> APIRouter:
    """The routes that only the owner's session opens."""
    router = APIRouter(prefix="/owner")
    owner = _Owner(site)
    router.add_api_route("", owner.page, methods=["GET"])
    router.add_api_route("/data", owner.data, methods=["GET"])
    router.add_api_route("/export", owner.export, methods=["GET"])
    router.add_api_route("/adjudicate", owner.queue, methods=["GET"])
    router.add_api_route("/adjudicate", owner.decide, methods=["POST"])
    for verb in ("invite", "revoke", "drop", "restore", "reopen"):
        router.add_api_route(f"/{verb}", getattr(owner, verb), methods=["POST"])
    return router


class _Owner:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._watch = Watch(site.project, site.store)

    async def page(self, request: Request) -> Response:
        self._site.sessions.check_owner(request)
        view = await run_in_threadpool(self._watch.view)
        return self._site.html(request, "owner.html", view, owner=True)

    async def data(self, request: Request) -> Response:
        self._site.sessions.check_owner(request)
        return JSONResponse(as_json(await run_in_threadpool(self._watch.view)))

    async def invite(self, request: Request) -> Response:
        form = await self._form(request)
        name = str(form.get("rater") or "").strip()
        if not name or len(name) > 40 or not name.isprintable():
            raise Denied(400, "bad_request")
        link = await run_in_threadpool(invite, self._site.project, self._site.store, name)
        address = f"{str(request.base_url).rstrip('/')}{self._site.prefix}/r/{link.token}"
        view = await run_in_threadpool(lambda: self._watch.view(fresh=True))
        return self._site.html(request, "owner.html", replace(view, invited=address), owner=True)

    async def revoke(self, request: Request) -> Response:
        return await self._changed(request, self._site.store.revoke)

    async def drop(self, request: Request) -> Response:
        return await self._changed(request, lambda rater: self._site.store.drop(rater, dropped=True))

    async def restore(self, request: Request) -> Response:
        return await self._changed(request, lambda rater: self._site.store.drop(rater, dropped=False))

    async def reopen(self, request: Request) -> Response:
        return await self._changed(request, lambda rater: self._site.store.reopen(rater))

    async def export(self, request: Request) -> Response:
        self._site.sessions.check_owner(request)
        ending = "csv" if request.query_params.get("format") == "csv" else "jsonl"
        content = await run_in_threadpool(self._judgements, ending)
        headers = {"content-disposition": f'attachment; filename="judgements.{ending}"'}
        kind = "text/csv" if ending == "csv" else "application/jsonl"
        return Response(content, media_type=kind, headers=headers)

    def _judgements(self, ending: str) -> bytes:
        """Export, as ``dialeval annotate export`` would write it to a file of that ending."""
        store, project = self._site.store, self._site.project
        kept = counted(project, store.latest_answers(), store.raters())
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"judgements.{ending}"
            write(path, judgements_of(project, kept))
            return path.read_bytes()

    async def queue(self, request: Request) -> Response:
        self._site.sessions.check_owner(request)
        wanted = (request.query_params.get("item"), request.query_params.get("criterion"))
        shown = await run_in_threadpool(self._queue, wanted)
        return self._site.html(request, "adjudicate.html", shown, owner=True)

    def _queue(self, wanted: tuple[str | None, str | None]) -> AdjudicatePage:
        store, project = self._site.store, self._site.project
        found = disputes(project, counted(project, store.latest_answers(), store.raters()))
        decided = store.decisions()
        listed = [self._disputed(dispute, decided) for dispute in found]
        listed.sort(key=lambda dispute: dispute.decided is not None)
        chosen = [one for one in listed if (one.item.id, one.criterion) == wanted] or [
            one for one in listed if one.decided is None
        ]
        opened = chosen[0] if chosen else None
        asked = None
        if opened is not None:
            ask = project.asks[opened.criterion]
            asked = PageAsk(ask, KINDS[ask.kind].fields(ask, opened.item), answer=opened.decided)
        return AdjudicatePage(tuple(listed[:MOST_DISPUTED]), opened, asked)

    def _disputed(
        self, dispute: Dispute, decided: Mapping[tuple[str, str], tuple[dict[str, object], str]]
    ) -> DisputedItem:
        answer, reason = decided.get((dispute.item, dispute.criterion), (None, ""))
        # Hidden names: the order of the answers says nothing of who gave them.
        shuffled = sorted(dispute.answers, key=lambda given: fraction("dispute", dispute.item, given))
        item = self._site.project.items[dispute.item]
        return DisputedItem(item, dispute.criterion, dispute.agreement, shuffled, answer, reason)

    async def decide(self, request: Request) -> Response:
        self._site.sessions.check_owner(request)
        form = await request.form(max_files=0, max_fields=5000)
        self._site.sessions.check_csrf(request, str(form.get("csrf") or ""), owner=True)
        posted = await posted_form(request)
        fault = await run_in_threadpool(
            self._decide,
            posted,
            str(form.get("criterion") or ""),
            storable(str(form.get("reason") or "")[:2000]),
        )
        if fault is not None:
            return self._site.html(request, "adjudicate.html", fault, 422, owner=True)
        return RedirectResponse(f"{self._site.prefix}/owner/adjudicate", 303)

    def _decide(self, posted: Submission, criterion: str, reason: str) -> AdjudicatePage | None:
        project = self._site.project
        if posted.item not in project.items or criterion not in project.asks:
            raise Denied(404, "not_found")
        ask, fields = project.asks[criterion], posted.answers.get(criterion, {})
        try:
            answer = KINDS[ask.kind].check(ask, project.items[posted.item], fields)
        except BadAnswer as error:
            page = self._queue((posted.item, criterion))
            asked = page.asked
            if asked is None:
                raise Denied(404, "not_found") from None
            return replace(
                page, asked=replace(asked, fault=error.fault, fault_field=error.field, posted=fields)
            )
        self._site.store.decide(posted.item, criterion, answer, reason)
        return None

    async def _form(self, request: Request) -> Mapping[str, object]:
        self._site.sessions.check_owner(request)
        form = await request.form(max_files=0, max_fields=20)
        self._site.sessions.check_csrf(request, str(form.get("csrf") or ""), owner=True)
        return form

    async def _changed(self, request: Request, change: Changing) -> Response:
        form = await self._form(request)
        rater = await run_in_threadpool(self._site.store.rater_named, str(form.get("rater") or ""))
        if rater is None:
            raise Denied(404, "not_found")
        await run_in_threadpool(change, rater)
        await run_in_threadpool(lambda: self._watch.view(fresh=True))
        return RedirectResponse(f"{self._site.prefix}/owner", 303)
