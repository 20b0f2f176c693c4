"""The web app of one study: ``create_app`` and nothing global."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from dialeval.annotation.desk import Desk
from dialeval.annotation.project import Project
from dialeval.annotation.store.store import Store
from dialeval.annotation.web.entries import entry_routes
from dialeval.annotation.web.guards import MOST_BYTES, Guard, policy
from dialeval.annotation.web.owner import owner_routes
from dialeval.annotation.web.raters import rater_routes
from dialeval.annotation.web.rendering import MEDIA, asset
from dialeval.annotation.web.sessions import Denied, Refusal, Sessions
from dialeval.annotation.web.shown import RefusedPage
from dialeval.annotation.web.site import Site
from dialeval.core import Generator
from dialeval.errors import first_line

_LOG = logging.getLogger("dialeval.annotation")
_CODES: Mapping[int, Refusal] = {404: "not_found", 405: "not_found", 413: "too_large", 429: "rate"}


def create_app(
    project: Project,
    store: Store,
    *,
    partners: Mapping[str, Generator] | None = None,
    prefix: str = "",
    open: bool = False,
    join_code: str = "",
    most_bytes: int = MOST_BYTES,
    address: str = "",
    hosts: Collection[str] = (),
) -> FastAPI:
    """The app of a study and its store.

    ``partners`` are the systems that raters talk with, by name; ``prefix`` goes before every address, and requests are
    served with and without it, as reverse proxies differ. ``address`` is how raters reach it if not directly; requests
    for names other than its own, ``hosts`` and localhost are refused.
    """
    settings = project.settings
    framed = bool(settings.frame_ancestors)
    sessions = Sessions(project.secret, store, prefix, framed, address.startswith("https:"))
    desk = Desk(project, store, partners)
    site = Site(project, store, desk, sessions, prefix, open, join_code, address=address)
    names = [*hosts, urlsplit(address).hostname or "localhost"]

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        store.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    for before in dict.fromkeys(("", prefix)):
        for router in (rater_routes(site), entry_routes(site), owner_routes(site)):
            app.include_router(router, prefix=before)
        app.add_api_route(f"{before}/static/{{name}}", _static, methods=["GET"])
        app.add_api_route(f"{before}/healthz", _health, methods=["GET"])
    _handle_errors(app, site)
    platform = settings.crowd.platform if settings.crowd else None
    csp = policy(settings.frame_ancestors, forms_to_mturk=platform == "mturk")
    app.add_middleware(Guard, policy=csp, frames=framed, most_bytes=most_bytes, hosts=names)
    return app


async def _static(name: str) -> Response:
    if name not in MEDIA:
        raise Denied(404, "not_found")
    file = asset(name)
    return Response(
        file.content, media_type=file.media, headers={"cache-control": "public, max-age=31536000, immutable"}
    )


async def _health() -> Response:
    return JSONResponse({"ok": True})


def _handle_errors(app: FastAPI, site: Site) -> None:
    def refused(request: Request, status: int, code: Refusal) -> Response:
        if "/api/" in request.url.path or request.url.path.endswith("/owner/data"):
            return JSONResponse({"code": code}, status)
        return site.html(request, "refused.html", RefusedPage(status, code), status)

    @app.exception_handler(Denied)
    async def denied(request: Request, error: Denied) -> Response:
        return refused(request, error.status, error.code)

    @app.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        return refused(request, error.status_code, _CODES.get(error.status_code, "bad_request"))

    @app.exception_handler(ClientDisconnect)
    async def left(request: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=400)  # which nobody reads

    @app.exception_handler(OperationalError)
    async def stuck(request: Request, error: OperationalError) -> Response:
        # A full disk, or a database that is away: no fault of the program's, so the place in it says nothing.
        _LOG.error("the store failed: %s", first_line(error.orig or error))
        return refused(request, 503, "server")

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        # The route's name, not the address: that of a link holds its token.
        route = request.scope.get("route")
        _LOG.error("%s %s failed", request.method, getattr(route, "path", "?"), exc_info=error)
        return refused(request, 500, "server")
