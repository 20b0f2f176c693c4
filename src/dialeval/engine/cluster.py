"""Executor on a Ray cluster, embedded or by address (docs/scale.md).

What is computed is kept by the process that started the run, batch by batch, as with any executor: a worker, a node or
this process may be killed, and the next attempt or the next run computes only what was not kept.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast

from dialeval.engine.cluster_settings import (
    ATTEMPTS,
    EMBEDDED,
    Needs,
    no_room,
    prepare_environment,
    reach,
    room_for,
)
from dialeval.engine.cluster_worker import Outcome, Worker, import_ray, perform
from dialeval.errors import RunFailed, described, first_line
from dialeval.files.custom_code import MODULES

B = TypeVar("B")
R = TypeVar("R")

PATIENCE: Final = 120.0
"""Seconds to wait for a node where the last one that could hold a model has died."""


class RayCluster:
    """Runs batches on a cluster, or on one that is embedded in this process for ``address="local"``.

    Tasks that hold a model (that say ``resources``) run in a pool of actors, each of which loads it once; all others as
    plain tasks. Ray is started with the first batch, and what was started ends with the ``with`` block.
    """

    def __init__(
        self, address: str = EMBEDDED, *, jobs: int | None = None, needs: Needs | None = None
    ) -> None:
        self.address, self.jobs, self.needs = address, jobs, needs or Needs()
        self._ray: Any = None
        self._started = False
        self._slots = 0
        self._task: object = None
        self._parcel: tuple[str, list[Any]] = ("", [])
        self._pending: dict[Any, _Sent] = {}
        self._actors: list[_Actor] = []
        # Ray's threads take the lock of the counts only, and never wait for one that is held during a call to Ray.
        self._sending, self._counting = threading.Lock(), threading.Lock()
        self._retries: ThreadPoolExecutor | None = None
        self._watching: threading.Thread | None = None
        """Sees to it that every actor finds a node; None while all have one."""
        self._ended = threading.Event()

    @property
    def width(self) -> int:
        """Two for each worker that the cluster has room for; one until it is asked for the first time."""
        return max(1, 2 * self._slots)

    def submit(self, task: Callable[[Sequence[B]], R], content: Sequence[B], /) -> Future[R]:
        """The task's result on this content, from somewhere in the cluster."""
        self._connect()
        if not _same(task, self._task):
            # Held inside a list, the task is fetched by a worker that does not have it yet, and not with every batch.
            self._parcel = uuid.uuid4().hex, [self._ray.put(_packed(self._ray, task))]
            self._task = task
        future: Future[R] = Future()
        # Actors hold their share of the cluster, so that plain tasks beside them might wait for ever.
        pooled = holds_model(task) or bool(self._actors)
        self._send(_Sent(future, (*self._parcel, os.getcwd(), content), pooled))
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        ray, self._ray, self._task = self._ray, None, None
        if ray is None:
            return
        with self._sending:
            # A copy, in one step: Ray's threads take what is settled out of it without this lock.
            pending = list(self._pending.items())
            actors, refs = self._actors, [ref for ref, sent in pending if not sent.pooled]
            self._actors, self._pending = [], {}
            watching, self._watching = self._watching, None
            self._ended.set()
        if watching is not None:  # a call to Ray after its end would end this process
            watching.join()
        if self._retries is not None:
            self._retries.shutdown(wait=False, cancel_futures=True)
        for actor in actors:
            ray.kill(actor.handle)
        for ref in refs:
            ray.cancel(ref, force=True)
        self._parcel, self._slots = ("", []), 0
        if self._started:
            ray.shutdown()

    def _connect(self) -> None:
        if self._ray is not None:
            return
        loaded = sys.modules.get("ray")
        self._started = loaded is None or not loaded.is_initialized()
        if self._started:  # before the import, which reads some of them
            prepare_environment(self.address, os.environ)
        ray = import_ray()
        if self._started:
            _start(ray, self.address, self.jobs)
        self._ended.clear()
        self._ray, needs = ray, self.needs
        self._retries = ThreadPoolExecutor(1)
        self._remote = ray.remote(num_cpus=needs.cpus, max_retries=ATTEMPTS - 1)(perform)
        self._worker = ray.remote(num_cpus=needs.cpus, num_gpus=needs.gpus)(Worker)
        self._slots = self._room()
        if not self._slots:
            raise self._no_room()

    def _room(self) -> int:
        """Number of workers that the cluster has room for now."""
        return room_for(self.needs, self._ray.nodes())

    def _no_room(self) -> RunFailed:
        return RunFailed(no_room(self.needs, self.address, self._ray.cluster_resources()))

    def _send(self, sent: _Sent) -> None:
        with self._sending:
            if self._ended.is_set():  # nobody waits for it any more
                return
            sent.actor = self._actor() if sent.pooled else None
            remote = sent.actor.handle.perform if sent.actor else self._remote
            ref = remote.remote(*sent.call)
            self._pending[ref] = sent
        ref.future().add_done_callback(partial(self._settle, ref, sent))

    def _actor(self) -> _Actor:
        """The actor with the least to do; a new one while the cluster has room and all are busy."""
        free = min(self._actors, key=lambda actor: actor.under_way, default=None)
        if free is None or (free.under_way and len(self._actors) < self._slots):
            handle = self._worker.remote()
            free = _Actor(handle, handle.ready.remote())
            self._actors.append(free)
            if self._watching is None:
                self._watching = threading.Thread(target=self._watch, args=(self._ray,), daemon=True)
                self._watching.start()
        with self._counting:
            free.under_way += 1
        return free

    def _watch(self, ray: Any) -> None:
        """Kill actors that no node can hold any more, as one died before they began; their batches go to others."""
        while waiting := self._not_begun(ray):
            with suppress(Exception):  # of Ray
                excess = len(self._actors) - room_for(self.needs, ray.nodes())
                for actor in waiting[: max(0, excess)]:
                    ray.kill(actor.handle)
            if self._ended.wait(1):
                return

    def _not_begun(self, ray: Any) -> list[_Actor]:
        """The actors that wait for a node; without any, nobody watches any more."""
        with self._sending:
            for actor in self._actors:
                actor.begun = actor.begun or bool(ray.wait([actor.beginning], timeout=0)[0])
            waiting = [actor for actor in self._actors if not actor.begun]
            self._watching = self._watching if waiting else None
        return waiting

    def _settle(self, ref: Any, sent: _Sent, answer: Future[Outcome]) -> None:
        """Hand a batch's outcome to the one who waits for it, or try again; called by one of Ray's threads."""
        if self._pending.pop(ref, None) is None:  # everything has ended
            return
        if sent.actor is not None:
            with self._counting:
                sent.actor.under_way -= 1
        error = answer.exception()
        if error is not None and sent.pooled and sent.attempts < ATTEMPTS and self._retries is not None:
            # In another thread: this one must not wait for the cluster.
            self._retries.submit(self._again, sent)
        elif sent.future.set_running_or_notify_cancel():
            _hand_over(sent.future, answer)

    def _again(self, sent: _Sent) -> None:
        """Send a batch whose actor died to another one, once there is room."""
        with self._sending:
            self._actors = [actor for actor in self._actors if actor is not sent.actor]
        try:
            deadline = time.monotonic() + PATIENCE
            while not (room := self._room()) and time.monotonic() < deadline:
                time.sleep(1)
            if not room:
                raise self._no_room()
            self._slots, sent.attempts = room, sent.attempts + 1
            if not sent.future.cancelled():
                self._send(sent)
        except Exception as error:  # of Ray, which may be shut down by now
            if sent.future.set_running_or_notify_cancel():
                sent.future.set_exception(BrokenExecutor(described(error)))


@dataclass(slots=True)
class _Actor:
    handle: Any
    beginning: Any
    """Settled once a node has begun it."""
    begun: bool = False
    under_way: int = 0


@dataclass(slots=True)
class _Sent:
    """A batch under way."""

    future: Future[Any]
    call: tuple[Any, ...]
    pooled: bool
    """Whether it goes to an actor; Ray tries plain tasks again by itself."""
    actor: _Actor | None = None
    attempts: int = 1


def _hand_over(future: Future[Any], answer: Future[Outcome]) -> None:
    error = answer.exception()
    if error is not None:  # of Ray: the worker or its node died too often
        future.set_exception(BrokenExecutor(f"{type(error).__name__}: {error}"))
    elif answer.result().error is not None:
        future.set_exception(answer.result().error)
    else:
        future.set_result(answer.result().result)


def _packed(ray: Any, task: object) -> bytes:
    """The task as workers get it, with what it uses of users' files."""
    for name, module in list(sys.modules.items()):
        if name.startswith(MODULES):
            ray.cloudpickle.register_pickle_by_value(module)
    try:
        return cast(bytes, ray.cloudpickle.dumps(task))
    except Exception as error:
        raise RunFailed(
            f"This work cannot be sent to a cluster ({first_line(error)}). Leave --engine out."
        ) from error


def _same(task: object, other: object) -> bool:
    """Whether two tasks are one object, or the same method of one object."""
    owner, method = getattr(task, "__self__", task), getattr(task, "__func__", None)
    return owner is getattr(other, "__self__", other) and method is getattr(other, "__func__", None)


def holds_model(task: object) -> bool:
    """Whether the task, or what it is a method of, says that it uses weights, vectors or tables."""
    return bool(getattr(getattr(task, "__self__", task), "resources", None))


def _start(ray: Any, address: str, jobs: int | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error", "namespace": "dialeval"}
    if address == EMBEDDED:
        options |= {"num_cpus": jobs, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        reach(address)
        ray.init(address=address, **options)
    except Exception as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else described(error)
        raise RunFailed(
            f"No Ray cluster at {address!r} ({why.splitlines()[0]}). Start one with 'ray start --head', give its "
            "--address, or leave that out for one that is embedded."
        ) from error
