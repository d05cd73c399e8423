"""Waiting for a free session of the server, in order.

A server says how many sessions it has only when they are all taken, and other clients may hold some of them. So the
limit is learned: a refusal says that there is room for as many as are open now and no more. A session that ends lets
the longest waiting one in; and now and then one is let in beyond the limit, to find out what others have freed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import math

logger = logging.getLogger(__name__)

PROBE_S = (0.1, 2.0)  # the first and the longest pause between two tries beyond the limit


class Lease:
    """The right to one session: given back once."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._held = True

    def release(self) -> None:
        """The session has ended, on the server too."""
        if self._held:
            self._held = False
            self._slots._ended()

    def refused(self, max_sessions: int | None) -> None:
        """The server had no session. (It closes the socket too, so that the lease may be back already.)"""
        held, self._held = self._held, False
        self._slots._refused(max_sessions, held)


class Slots:
    """Counts the sessions that are open, and queues those that wait. ``server`` names it in the warning."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._open = 0
        self._limit = math.inf
        self._tickets = itertools.count()
        self._waiting: list[tuple[int, asyncio.Future[Lease]]] = []
        self._prober: asyncio.Task[None] | None = None
        self._warned = False

    def ticket(self) -> int:
        """A place in the queue, which stays the same however often its holder is refused."""
        return next(self._tickets)

    async def acquire(self, ticket: int) -> Lease:
        if self._open < self._limit and not self._waiting:
            self._open += 1
            return Lease(self)
        place = (ticket, asyncio.get_running_loop().create_future())
        heapq.heappush(self._waiting, place)
        self._grant()
        if self._prober is None or self._prober.done():
            self._prober = asyncio.create_task(self._probe())
        try:
            return await place[1]
        except asyncio.CancelledError:
            if place in self._waiting:
                self._waiting.remove(place)
                heapq.heapify(self._waiting)
            elif not place[1].cancelled():  # let in, and cancelled before it knew
                place[1].result().release()
            raise

    def _ended(self) -> None:
        self._open -= 1
        self._grant()

    def _refused(self, max_sessions: int | None, held: bool) -> None:
        self._open -= held
        self._limit = min(self._limit, self._open)
        if not self._warned:
            self._warned = True
            logger.warning(
                "the OpenEnv server at %s is full: all of its %s sessions are taken, so rollouts wait their turn. "
                "Let it serve more at once (max_concurrent_envs), or let Gym run fewer.",
                self._server,
                "?" if max_sessions is None else max_sessions,
            )

    def _grant(self) -> None:
        while self._waiting and self._open < self._limit:
            self._let_in()
        if self._open < self._limit:
            self._limit = math.inf  # nobody waits: whoever comes next may find out anew

    def _let_in(self) -> None:
        _, place = heapq.heappop(self._waiting)
        if not place.done():
            self._open += 1
            place.set_result(Lease(self))

    async def _probe(self) -> None:
        pause, longest = PROBE_S
        while self._waiting:
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
            if self._waiting and self._open >= self._limit:
                self._let_in()
                self._limit = self._open
