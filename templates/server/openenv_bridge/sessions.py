"""Episodes by session id: from the seed, through verify or the idle limit, to what is remembered of them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from openenv_bridge.episode import Episode
from openenv_bridge.mask import Expired, Lost, ShutDown
from openenv_bridge.rewards import Verdict
from openenv_bridge.task import Task

logger = logging.getLogger(__name__)

REMEMBERED = 10_000  # finished sessions: /verify may be asked again, and a closed session mustn't be seeded again
LOOKS = 20  # times within an idle limit that idle sessions are looked for


class Refused(Exception):
    """The session can't be seeded with this."""


@dataclass(slots=True)
class Finished:
    verdict: Verdict
    owner: str | None = None
    closed: bool = False


class Sessions:
    """``start`` begins a task's episode. ``idle_timeout`` is in seconds."""

    def __init__(self, start: Callable[[Task], Episode], idle_timeout: float) -> None:
        self._start = start
        self._idle_timeout = idle_timeout
        self._live: dict[str, Episode] = {}
        self._owners: dict[str, str] = {}  # of typed sessions: Gym's episode
        self._finished: OrderedDict[str, Finished] = OrderedDict()
        self._reaper: asyncio.Task[None] | None = None
        self._stopping = False

    def seed(self, session_id: str, task: Task, owner: str | None = None) -> None:
        """Start the task's episode, or find it started. ``owner`` is the Gym episode of a typed session.

        Raises Refused where the session plays something else, or is closed.
        """
        live, finished = self._live.get(session_id), self._finished.get(session_id)
        if finished is not None and finished.closed:
            raise Refused("this session is closed")
        if live is not None and (not live.task.same_as(task) or self._owners.get(session_id) != owner):
            raise Refused("this session plays another episode")
        if finished is not None and owner is not None and finished.owner != owner:
            raise Refused("this session was another episode's")
        if live is not None or (finished is not None and owner is not None):
            return  # a seed that was posted again
        if self._stopping:
            raise Refused("this server is stopping")
        self._finished.pop(session_id, None)
        self._live[session_id] = self._start(task)
        if owner is not None:
            self._owners[session_id] = owner
        if self._reaper is None or self._reaper.done():
            self._reaper = asyncio.create_task(self._reap())

    def playing(self, session_id: str) -> Episode | None:
        return self._live.get(session_id)

    def finished(self, session_id: str) -> Verdict | None:
        found = self._finished.get(session_id)
        return found.verdict if found else None

    def retire(self, session_id: str, episode: Episode) -> None:
        """The episode has its verdict: remember that, and nothing else of it."""
        if self._live.get(session_id) is not episode:
            return  # another /verify of the same rollout was here
        del self._live[session_id]
        assert episode.verdict is not None
        self._remember(session_id, Finished(episode.verdict, self._owners.pop(session_id, None)))

    def lost(self, session_id: str) -> Verdict:
        """The verdict on a session that nobody here knows."""
        failure = Lost("this server knows no such session: it was never seeded here, or the server restarted since")
        verdict = Verdict(mask=failure.mask())
        logger.warning("rollout masked (%s): %s", failure.kind, failure)
        self._remember(session_id, Finished(verdict))
        return verdict

    def close(self, session_id: str) -> None:
        """End the session for good, known or not: a seed that comes after it is refused."""
        episode = self._live.get(session_id)
        if episode is not None:
            episode.close()
            self.retire(session_id, episode)
        found = self._finished.get(session_id)
        self._remember(session_id, Finished(found.verdict if found else Verdict(mask=_NEVER), None, closed=True))

    def shut_down(self) -> None:
        """End all episodes, and start no more."""
        self._stopping = True
        for episode in self._live.values():
            episode.mask(ShutDown("the resources server was stopped"))

    def _remember(self, session_id: str, finished: Finished) -> None:
        self._finished[session_id] = finished
        self._finished.move_to_end(session_id)
        while len(self._finished) > REMEMBERED:
            self._finished.popitem(last=False)

    async def _reap(self) -> None:
        """End what nobody has asked for since its last answer: Gym never verifies a rollout whose run failed."""
        while True:
            await asyncio.sleep(self._idle_timeout / LOOKS)
            long_ago = time.monotonic() - self._idle_timeout
            for session_id, episode in list(self._live.items()):
                if not episode.busy and episode.last_answer < long_ago:
                    if episode.verdict is None:
                        episode.mask(Expired(f"the session had no request for {self._idle_timeout:g} s"))
                    self.retire(session_id, episode)


_NEVER = Lost("the session was closed before it was seeded").mask()
