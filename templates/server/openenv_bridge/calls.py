"""A call that Gym's client posts again runs once.

Gym's HTTP client has no time limit and posts a request whose connection broke once more, for ever. Its server side
cancels the handler of a client that is gone. So a call runs in a task of its own, which goes on, and its answer is kept
for the next post.

An answer may also be lost on its way, which nobody here can see. For that, the session's cookie counts the answers:
Gym's agents hand on the cookie of the last answer that they had. Posts of one call have the same count; a new call
has another count, because its client has had another answer since. So a call is told by its count, its tool and its
arguments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

KEPT = 64  # answers of one session: those of calls that were made at once

Key = tuple[int | None, str, bytes]


@dataclass(slots=True)
class _Call:
    task: asyncio.Task[str]
    answered: bool = False  # at least one client was there for the answer


class Calls:
    """The calls of one session that are under way, or that may be posted again."""

    def __init__(self) -> None:
        self.answers = 0  # of different calls
        self._kept: dict[Key, _Call] = {}

    async def once(self, tool: str, body: bytes, had: int | None, run: Callable[[], Coroutine[Any, Any, str]]) -> str:
        """The answer of ``run()``, or of the same call if that was posted before.

        ``had`` is how many answers the client had when it made the call. None: the client doesn't say. Then a repeat is
        known only while its call is under way, or as long as nobody has had the answer.

        Two equal calls of a session at one time are taken for one that was posted twice. (A client whose connection
        broke without a sign looks as if it were there. simple_agent makes its calls one after the other.)
        """
        key = (had, tool, body)
        call = self._kept.get(key)
        if call is None:
            self._forget(had)
            call = self._kept[key] = _Call(asyncio.create_task(run()))
        text = await asyncio.shield(call.task)
        if not call.answered:
            call.answered = True
            self.answers += 1
        if had is None and self._kept.get(key) is call:
            del self._kept[key]
        return text

    def _forget(self, had: int | None) -> None:
        """Drop what a new call shows to be over: its client has had the answers that came before ``had``."""
        for key, call in list(self._kept.items()):
            over = key[0] is None or (call.answered and key[0] != had) or len(self._kept) >= KEPT
            if over and call.task.done():
                del self._kept[key]
