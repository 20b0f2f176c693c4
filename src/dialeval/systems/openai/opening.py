"""From a system's settings to an open session with its server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from dialeval.engine.cache import Cache
from dialeval.resources.finding import kept_folder
from dialeval.systems.openai.budget import Meter
from dialeval.systems.openai.keys import read_key
from dialeval.systems.openai.sending import Connection, open_sender
from dialeval.systems.openai.session import Session

if TYPE_CHECKING:
    from dialeval.systems.openai.system import OpenAI


@asynccontextmanager
async def open_session(system: OpenAI) -> AsyncIterator[Session]:
    """A session with the system's server, as long as the block lasts; the key is read now."""
    connection = Connection(
        base_url=system.address,
        api_key_env=system.api_key_env,
        concurrency=system.concurrency,
        retries=system.retries,
        timeout=system.timeout,
        backoff=system.backoff,
    )
    async with open_sender(connection, read_key(system.api_key_env), meter(system)) as sender:
        yield Session(sender, Cache(system.cache or kept_folder("openai")))


@lru_cache(maxsize=64)
def meter(system: OpenAI) -> Meter:
    """What this process has spent on the system, over all its batches."""
    return Meter(system.name, system.budget)
