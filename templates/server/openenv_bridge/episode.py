"""One episode, as a state machine.

    state    from                 when
    SEEDING  -                    the row was seeded; the episode waits for a free session, then for the reset
    PLAYING  SEEDING              the reset plays the row's task, with the row's tools
    ENDED    SEEDING, PLAYING     the environment is done, or /verify ended the episode, and there is a score
    MASKED   SEEDING, PLAYING     the environment failed, timed out or differs from the row, or the session was idle
             ENDED                /verify was the first to show the row's tools, and they differ from the server's;
                                  or the server sent an extra response, so that any may belong to another request
    CLOSED   any                  Gym closed the session

ENDED and MASKED have a verdict, which is final. Outside of SEEDING and PLAYING the OpenEnv session is over, and a tool
call is answered with a note. Operations run one at a time, in order of arrival: the seed, then calls, then /verify. The
idle timeout, a close and a shutdown do not wait. They close the connection, which ends the running operation too.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any

from openenv_bridge import tasks
from openenv_bridge.environment import Environment
from openenv_bridge.idempotency import IdempotentCalls
from openenv_bridge.mask import (
    Cancelled,
    EpisodeFailed,
    Failure,
    ProviderUnavailable,
    WrongTools,
    one_line,
)
from openenv_bridge.rewards import Verdict
from openenv_bridge.row import Task
from openenv_bridge.tool_calls import EPISODE_ENDED

logger = logging.getLogger(__name__)


class State(StrEnum):
    SEEDING = "seeding"
    PLAYING = "playing"
    ENDED = "ended"
    MASKED = "masked"
    CLOSED = "closed"


TRANSITIONS: dict[State, frozenset[State]] = {
    State.SEEDING: frozenset({State.PLAYING, State.ENDED, State.MASKED, State.CLOSED}),
    State.PLAYING: frozenset({State.ENDED, State.MASKED, State.CLOSED}),
    State.ENDED: frozenset({State.MASKED, State.CLOSED}),
    State.MASKED: frozenset({State.CLOSED}),
    State.CLOSED: frozenset(),
}
OPEN = frozenset({State.SEEDING, State.PLAYING})
SETTLE_S = 1.0  # how long /verify waits for the server to close the session, to detect an extra response


class Episode:
    """Starts the reset at once. ``environment`` is the episode's environment on the OpenEnv server."""

    def __init__(self, task: Task, environment: Environment) -> None:
        self.task = task
        self.state = State.SEEDING
        self.verdict: Verdict | None = None
        self.pending = 0  # operations that run or wait
        self.last_response = time.monotonic()
        self._environment = environment
        self._environment.on_failure = self._on_failure
        self._closing: asyncio.Task[None] | None = None  # ends when the server has closed the session
        self._calls = IdempotentCalls()
        self._lock = asyncio.Lock()
        self._finishing: asyncio.Task[None] | None = None
        self._seeding = asyncio.create_task(self._run_in_order(self._seed))

    @property
    def responses(self) -> int:
        """How many calls were answered."""
        return self._calls.responses

    async def call(self, tool: str, arguments: bytes, *, once: bool, seen: int | None = None) -> str:
        """Call a tool and return the text that the model reads. Never raises for the environment or the model.

        ``once`` is for a client that repeats broken requests, and ``seen`` for one that counts responses: see
        idempotency.py.
        """

        async def run() -> str:
            texts: list[str] = []
            await self._run_in_order(lambda: self._call(tool, arguments, texts))
            return texts[0] if texts else ended_note(self.verdict)

        if once:
            return await self._calls.run(tool, arguments, seen, run)
        return await asyncio.shield(tasks.start(run()))

    async def finish(self, reply: str, row_tools: list[dict[str, Any]] | None) -> Verdict:
        """End the episode and return the verdict. A repeated call returns the same verdict."""
        if self._finishing is None:
            self._finishing = tasks.start(self._run_in_order(lambda: self._finish(reply, row_tools)))
        await asyncio.shield(self._finishing)
        assert self.verdict is not None
        return self.verdict

    def mask(self, failure: Failure, *, states: frozenset[State] = OPEN) -> None:
        """End the episode without a score, if it is in one of ``states``. The first reason stays."""
        if self.state in states:
            mask = failure.mask(self._environment.difference)
            self._transition(State.MASKED, Verdict(mask=mask))
            logger.warning("rollout masked (%s) at %s: %s", mask.kind, one_line(str(self.task)), mask.reason)

    def close(self) -> None:
        """End the episode, because Gym has closed the session."""
        if self.state is not State.CLOSED:
            cancelled = Verdict(mask=Cancelled("the session was closed before it was verified").mask())
            self._transition(State.CLOSED, self.verdict or cancelled)

    async def _seed(self) -> None:
        await self._environment.reset()
        self._after_response()

    async def _call(self, tool: str, arguments: bytes, texts: list[str]) -> None:
        if self.state is State.PLAYING:
            texts.append(await self._environment.call(tool, arguments))
            self._after_response()

    async def _finish(self, reply: str, row_tools: list[dict[str, Any]] | None) -> None:
        if self.task.tools is None and row_tools is not None:
            try:
                self._environment.check_tools(row_tools)
            except WrongTools as failure:
                self.mask(failure, states=OPEN | {State.ENDED})
        if self.state is State.PLAYING:
            await self._environment.finish(reply)
            self._transition(State.ENDED, self._environment.verdict())
        if self.state is State.ENDED and self._closing is not None:
            await asyncio.wait([self._closing], timeout=SETTLE_S)

    def _on_failure(self, failure: Failure) -> None:
        """The connection failed between two requests, or after the last one. A verdict that was returned is final."""
        if self._finishing is None or not self._finishing.done():
            self.mask(failure, states=OPEN | {State.ENDED})

    def _after_response(self) -> None:
        """Continue, or score the episode if the environment is done."""
        if self.state in OPEN:
            if self._environment.done:
                self._transition(State.ENDED, self._environment.verdict())
            else:
                self._transition(State.PLAYING)

    def _transition(self, state: State, verdict: Verdict | None = None) -> None:
        if state is self.state or self.state is State.CLOSED:
            return
        assert state in TRANSITIONS[self.state], f"no transition from {self.state} to {state}"
        previous, self.state = self.state, state
        self.verdict = verdict or self.verdict
        if state not in OPEN and previous in OPEN:
            if previous is State.SEEDING and asyncio.current_task() is not self._seeding:
                self._seeding.cancel()
            self._closing = self._environment.close()

    async def _run_in_order(self, operation: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run ``operation`` after all earlier ones.

        Any exception masks the episode. No content of a server's response or a row may answer a request with HTTP 500
        and leave the episode open.
        """
        self.pending += 1
        try:
            async with self._lock:
                await operation()
        except Failure as failure:
            self.mask(failure)
        except asyncio.CancelledError:
            self.mask(Cancelled("the server's event loop stopped during the episode"))
            raise
        except Exception as e:
            logger.debug("an episode failed with an exception", exc_info=True)
            unexpected = f"{type(e).__name__}: {e}"
            if self.state is State.SEEDING:
                self.mask(ProviderUnavailable(f"the reset failed: {unexpected}"))
            else:
                self.mask(EpisodeFailed(f"a response of the server cannot be used: {unexpected}"))
        finally:
            self.pending -= 1
            self.last_response = time.monotonic()


def ended_note(verdict: Verdict | None) -> str:
    """Return what a model reads if it calls a tool after the end."""
    return (
        f"{EPISODE_ENDED} The environment failed: {verdict.mask.reason}" if verdict and verdict.mask else EPISODE_ENDED
    )
