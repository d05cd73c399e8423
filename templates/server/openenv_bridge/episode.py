"""One episode, as a state machine.

    state    from                 when
    SEEDING  -                    a row was seeded: waiting for a free session, then for the reset
    PLAYING  SEEDING              the reset plays the row's task, with tools that the row shows
    ENDED    SEEDING, PLAYING     the environment said ``done``, or /verify ended what was open, and there is a score
    MASKED   SEEDING, PLAYING     the environment failed, was late or is another one; or nobody asked for too long
             ENDED                /verify was first to say which tools the model was shown, and they were others; or the
                                  server sent one answer too many, so that any of them may be another request's
    CLOSED   any                  Gym closed the session

A verdict comes with ENDED and MASKED, and stays. Outside of SEEDING and PLAYING the OpenEnv session is over, and a tool
call is answered with a note. Whatever asks takes its turn, in order of arrival: the seed, then calls, then /verify.
Only what ends an episode from outside (idle limit, close, shutdown) doesn't wait: it leaves the connection, and with
that the turn under way ends too.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any

from openenv_bridge.calls import Calls
from openenv_bridge.mask import (
    Cancelled,
    EpisodeFailed,
    Failure,
    Unavailable,
    WrongTools,
    one_line,
)
from openenv_bridge.play import Play
from openenv_bridge.rewards import Verdict
from openenv_bridge.task import Task
from openenv_bridge.text import ENDED

logger = logging.getLogger(__name__)


class State(StrEnum):
    SEEDING = "seeding"
    PLAYING = "playing"
    ENDED = "ended"
    MASKED = "masked"
    CLOSED = "closed"


NEXT: dict[State, frozenset[State]] = {
    State.SEEDING: frozenset({State.PLAYING, State.ENDED, State.MASKED, State.CLOSED}),
    State.PLAYING: frozenset({State.ENDED, State.MASKED, State.CLOSED}),
    State.ENDED: frozenset({State.MASKED, State.CLOSED}),
    State.MASKED: frozenset({State.CLOSED}),
    State.CLOSED: frozenset(),
}
OPEN = frozenset({State.SEEDING, State.PLAYING})
SETTLE_S = 1.0  # how long a verdict waits for the server to close the session: by then its surplus answers are here


class Episode:
    """Starts to seed at once. ``play`` is its conversation with the OpenEnv server."""

    def __init__(self, task: Task, play: Play) -> None:
        self.task = task
        self.state = State.SEEDING
        self.verdict: Verdict | None = None
        self.busy = 0  # turns under way or waiting
        self.last_answer = time.monotonic()
        self._play = play
        self._play.on_failure = self._break
        self._left: asyncio.Task[None] | None = None  # ends when the server has closed the session
        self._calls = Calls()
        self._lock = asyncio.Lock()
        self._finishing: asyncio.Task[None] | None = None
        self._seeding = asyncio.create_task(self._take_turn(self._seed))

    @property
    def answers(self) -> int:
        """How many calls were answered, for ``call``'s ``had``."""
        return self._calls.answers

    async def call(self, tool: str, arguments: bytes, *, once: bool, had: int | None = None) -> str:
        """What the model reads. Never raises for what the environment or the model did.

        ``once`` is for a client that posts a broken request again, ``had`` for one that counts: see calls.py.
        """

        async def run() -> str:
            said: list[str] = []
            await self._take_turn(lambda: self._call(tool, arguments, said))
            return said[0] if said else note(self.verdict)

        if once:
            return await self._calls.once(tool, arguments, had, run)
        return await asyncio.shield(asyncio.create_task(run()))

    async def finish(self, reply: str, row_tools: list[dict[str, Any]] | None) -> Verdict:
        """End what is open, and score. Asked again, it says the same again."""
        if self._finishing is None:
            self._finishing = asyncio.create_task(self._take_turn(lambda: self._finish(reply, row_tools)))
        await asyncio.shield(self._finishing)
        assert self.verdict is not None
        return self.verdict

    def mask(self, failure: Failure, *, states: frozenset[State] = OPEN) -> None:
        """End the episode without a score, if it is in one of ``states``. The first reason stays."""
        if self.state in states:
            mask = failure.mask()
            self._become(State.MASKED, Verdict(mask=mask))
            logger.warning("rollout masked (%s) at %s: %s", mask.kind, one_line(str(self.task)), mask.reason)

    def close(self) -> None:
        """Gym has no more use for the session."""
        if self.state is not State.CLOSED:
            cancelled = Verdict(mask=Cancelled("the session was closed before it was verified").mask())
            self._become(State.CLOSED, self.verdict or cancelled)

    async def _seed(self) -> None:
        await self._play.open()
        self._proceed()

    async def _call(self, tool: str, arguments: bytes, said: list[str]) -> None:
        if self.state is State.PLAYING:
            said.append(await self._play.call(tool, arguments))
            self._proceed()

    async def _finish(self, reply: str, row_tools: list[dict[str, Any]] | None) -> None:
        if self.task.tools is None and row_tools is not None:
            try:
                self._play.check_tools(row_tools)
            except WrongTools as failure:
                self.mask(failure, states=OPEN | {State.ENDED})
        if self.state is State.PLAYING:
            await self._play.finish(reply)
            self._become(State.ENDED, self._play.verdict())
        if self.state is State.ENDED and self._left is not None:
            await asyncio.wait([self._left], timeout=SETTLE_S)

    def _break(self, failure: Failure) -> None:
        """The server broke the conversation between two requests, or after the last one. A verdict that /verify has
        given stays."""
        if self._finishing is None or not self._finishing.done():
            self.mask(failure, states=OPEN | {State.ENDED})

    def _proceed(self) -> None:
        """After an answer: play on, or score what is done."""
        if self.state in OPEN:
            if self._play.done:
                self._become(State.ENDED, self._play.verdict())
            else:
                self._become(State.PLAYING)

    def _become(self, state: State, verdict: Verdict | None = None) -> None:
        if state is self.state or self.state is State.CLOSED:
            return
        assert state in NEXT[self.state], f"{self.state} can't become {state}"
        was, self.state = self.state, state
        self.verdict = verdict or self.verdict
        if state not in OPEN and was in OPEN:
            if was is State.SEEDING and asyncio.current_task() is not self._seeding:
                self._seeding.cancel()
            self._left = self._play.leave()

    async def _take_turn(self, move: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Make ``move`` when all that came before has been made. A Failure masks the episode, and so does any other
        exception: nothing that a server or a row holds may end a request with HTTP 500 and leave the episode as it is.
        """
        self.busy += 1
        try:
            async with self._lock:
                await move()
        except Failure as failure:
            self.mask(failure)
        except asyncio.CancelledError:
            self.mask(Cancelled("the server's event loop ended with the episode under way"))
            raise
        except Exception as e:
            logger.debug("an episode failed with an exception", exc_info=True)
            unexpected = f"{type(e).__name__}: {e}"
            if self.state is State.SEEDING:
                self.mask(Unavailable(f"the reset failed: {unexpected}"))
            else:
                self.mask(EpisodeFailed(f"an answer of the server can't be used: {unexpected}"))
        finally:
            self.busy -= 1
            self.last_answer = time.monotonic()


def note(verdict: Verdict | None) -> str:
    """What a model reads that goes on after the end."""
    return f"{ENDED} The environment failed: {verdict.mask.reason}" if verdict and verdict.mask else ENDED
