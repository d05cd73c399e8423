"""Episodes by session id: from the seed, through verify or the idle limit, to what is remembered of them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from openenv_bridge.episode import Episode
from openenv_bridge.mask import Expired, Lost, ShutDown, WrongTask, one_line
from openenv_bridge.rewards import Verdict
from openenv_bridge.task import Task

logger = logging.getLogger(__name__)

REMEMBERED = 10_000  # finished sessions: /verify may be asked again, and a closed session mustn't be seeded again
LOOKS = 20  # times within an idle limit that idle sessions are looked for


class Refused(Exception):
    """The session can't be seeded with this."""


@dataclass(slots=True)
class Session:
    """``owner`` is the Gym episode of a typed session. A plain session may play one task after another."""

    owner: str | None = None
    episode: Episode | None = None
    verdicts: list[tuple[bytes | None, Verdict]] = field(default_factory=list)  # by Task.digest; None: no task is known
    verified: bool = False  # /verify has told the last verdict
    closed: bool = False

    def verdict(self, task: Task | None) -> Verdict | None:
        """The verdict on ``task``, or on the last one (None)."""
        wanted = task.digest() if task is not None else None
        return next(
            (said for played, said in reversed(self.verdicts) if None in (wanted, played) or played == wanted), None
        )


class Sessions:
    """``start`` begins a task's episode. ``idle_timeout`` is in seconds."""

    def __init__(self, start: Callable[[Task], Episode], idle_timeout: float) -> None:
        self._start = start
        self._idle_timeout = idle_timeout
        self._live: dict[str, Session] = {}
        self._finished: OrderedDict[str, Session] = OrderedDict()
        self._reaper: asyncio.Task[None] | None = None
        self._stopping = False

    def seed(self, session_id: str, task: Task, owner: str | None = None, *, current: str | None = None) -> None:
        """Start the task's episode, or find it started. ``owner`` is the Gym episode of a typed session, ``current``
        the session that the client has so far.

        A model can post a seed too, by calling a tool of that name, and the agent would go on with the session that it
        names. So a client keeps its session; a session keeps its task until /verify has told the verdict, and a verdict
        for good.

        Raises Refused if the session plays something else, or is closed.
        """
        found = self._find(session_id)
        if current is not None and current != session_id and self._find(current) is not None:
            raise Refused("this client has another session")
        if found is not None and self._is_seeded(found, task, owner):
            return
        if self._stopping:
            raise Refused("this server is stopping")
        session = self._finished.pop(session_id, None) or Session(owner)
        session.episode, session.verified = self._start(task), False
        self._live[session_id] = session
        if self._reaper is None or self._reaper.done():
            self._reaper = asyncio.create_task(self._reap())

    def playing(self, session_id: str) -> Episode | None:
        session = self._live.get(session_id)
        return session.episode if session else None

    def finished(self, session_id: str) -> Verdict | None:
        session = self._finished.get(session_id)
        return session.verdict(None) if session else None

    async def verify(self, session_id: str, task: Task, reply: str, row_tools: list[dict[str, Any]] | None) -> Verdict:
        """The verdict on ``task``: ends its episode, or repeats what was said of it."""
        session = self._find(session_id)
        if session is None:
            return self._lost(session_id)
        episode = session.episode
        if episode is not None and episode.task.plays_as(task):
            verdict = await episode.finish(reply, row_tools)
            self._retire(session_id, session, episode)
        else:
            verdict = session.verdict(task) or _another_task(task)
        session.verified = session.episode is None
        return verdict

    def close(self, session_id: str) -> None:
        """End the session for good, known or not: a seed that comes after it is refused."""
        session = self._find(session_id)
        if session is None:
            session = Session(verdicts=[(None, Verdict(mask=_NEVER))])
        if session.episode is not None:
            session.episode.close()
            self._retire(session_id, session, session.episode)
        session.closed = True
        self._remember(session_id, session)

    def shut_down(self) -> None:
        """End all episodes, and start no more."""
        self._stopping = True
        for session in self._live.values():
            if session.episode is not None:
                session.episode.mask(ShutDown("the resources server was stopped"))

    def _find(self, session_id: str) -> Session | None:
        return self._live.get(session_id) or self._finished.get(session_id)

    def _is_seeded(self, session: Session, task: Task, owner: str | None) -> bool:
        """Whether a seed was posted before. Raises Refused if the session can't be seeded with it."""
        if session.closed:
            raise Refused("this session is closed")
        if session.owner != owner:
            raise Refused("this session is another episode's")
        if session.episode is not None:
            if session.episode.task.same_as(task):
                return True
            raise Refused("this session plays another episode")
        if owner is not None or task.digest() in (played for played, _ in session.verdicts):
            return True
        if not session.verified:
            raise Refused("this session has a verdict, which /verify hasn't told yet")
        return False

    def _retire(self, session_id: str, session: Session, episode: Episode) -> None:
        """The episode has its verdict: remember that, and nothing else of it."""
        if session.episode is not episode:
            return  # another /verify of the same rollout was here
        assert episode.verdict is not None
        session.episode = None
        session.verdicts.append((episode.task.digest(), episode.verdict))
        self._live.pop(session_id, None)
        self._remember(session_id, session)

    def _lost(self, session_id: str) -> Verdict:
        """The verdict on a session that nobody here knows."""
        failure = Lost("this server knows no such session: it was never seeded here, or the server restarted since")
        verdict = Verdict(mask=failure.mask())
        logger.warning("rollout masked (%s): %s", failure.kind, failure)
        self._remember(session_id, Session(verdicts=[(None, verdict)], verified=True))
        return verdict

    def _remember(self, session_id: str, session: Session) -> None:
        self._finished[session_id] = session
        self._finished.move_to_end(session_id)
        while len(self._finished) > REMEMBERED:
            self._finished.popitem(last=False)

    async def _reap(self) -> None:
        """End what nobody has asked for since its last answer: Gym never verifies a rollout whose run failed."""
        while True:
            await asyncio.sleep(self._idle_timeout / LOOKS)
            long_ago = time.monotonic() - self._idle_timeout
            for session_id, session in list(self._live.items()):
                episode = session.episode
                if episode is not None and not episode.busy and episode.last_answer < long_ago:
                    if episode.verdict is None:
                        episode.mask(Expired(f"the session had no request for {self._idle_timeout:g} s"))
                    self._retire(session_id, session, episode)


def _another_task(task: Task) -> Verdict:
    failure = WrongTask(f"the session has never played {task}, which /verify is asked for")
    logger.warning("rollout masked (%s) at %s: %s", failure.kind, one_line(str(task)), one_line(str(failure)))
    return Verdict(mask=failure.mask())


_NEVER = Lost("the session was closed before it was seeded").mask()
