"""Sessions by id: seeding, verification, the idle timeout, and the verdicts of finished sessions."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from openenv_bridge.episode import Episode
from openenv_bridge.mask import (
    SessionExpired,
    SessionLost,
    ShutDown,
    WrongTask,
    one_line,
)
from openenv_bridge.rewards import Verdict
from openenv_bridge.row import Task

logger = logging.getLogger(__name__)

MAX_FINISHED = 10_000  # finished sessions to remember: /verify may be repeated, and a closed session stays closed
CHECKS_PER_TIMEOUT = 20  # how often idle sessions are looked for within one idle timeout
CLOSED_BEFORE_SEED = SessionLost("the session was closed before it was seeded").mask()


class SessionConflict(Exception):
    """The session cannot be seeded with this task."""


@dataclass(slots=True)
class Session:
    """``owner`` is the Gym episode of a typed session. A session without an owner may play one task after another.

    ``verdicts`` has the digest of each finished task, or None if the task is unknown.
    """

    owner: str | None = None
    episode: Episode | None = None
    verdicts: list[tuple[bytes | None, Verdict]] = field(default_factory=list)
    verified: bool = False  # /verify has returned the last verdict
    closed: bool = False

    def verdict(self, task: Task | None) -> Verdict | None:
        """Return the verdict on ``task``, or the last one if ``task`` is None."""
        wanted = task.digest() if task is not None else None
        return next(
            (verdict for played, verdict in reversed(self.verdicts) if None in (wanted, played) or played == wanted),
            None,
        )


class Sessions:
    """``start`` starts the episode of a task. ``idle_timeout`` is in seconds."""

    def __init__(self, start: Callable[[Task], Episode], idle_timeout: float) -> None:
        self._start = start
        self._idle_timeout = idle_timeout
        self._live: dict[str, Session] = {}
        self._finished: OrderedDict[str, Session] = OrderedDict()
        self._reaper: asyncio.Task[None] | None = None
        self._stopping = False

    def seed(self, session_id: str, task: Task, owner: str | None = None, *, current: str | None = None) -> None:
        """Start the task's episode, unless a repeated request has started it before.

        ``owner`` is the Gym episode of a typed session, and ``current`` is the session that the client has now.

        A model can post a seed too, by calling a tool of that name, and its agent would continue with the session that
        the seed names. So a client keeps its session, a session keeps its task until /verify has returned the verdict,
        and a verdict is final.

        Raises SessionConflict if the session is closed or plays another task.
        """
        session = self._find(session_id)
        if current is not None and current != session_id and self._find(current) is not None:
            raise SessionConflict("this client has another session")
        if session is not None and self._is_repeated_seed(session, task, owner):
            return
        if self._stopping:
            raise SessionConflict("this server is stopping")
        session = self._finished.pop(session_id, None) or Session(owner)
        session.episode, session.verified = self._start(task), False
        self._live[session_id] = session
        if self._reaper is None or self._reaper.done():
            self._reaper = asyncio.create_task(self._reap())

    def live_episode(self, session_id: str) -> Episode | None:
        session = self._live.get(session_id)
        return session.episode if session else None

    def last_verdict(self, session_id: str) -> Verdict | None:
        """Return the last verdict of a finished session."""
        session = self._finished.get(session_id)
        return session.verdict(None) if session else None

    async def verify(self, session_id: str, task: Task, reply: str, row_tools: list[dict[str, Any]] | None) -> Verdict:
        """End the episode of ``task`` and return its verdict, or repeat an earlier one."""
        session = self._find(session_id)
        if session is None:
            return self._lost(session_id)
        episode = session.episode
        if episode is not None and episode.task.has_same_reset(task):
            verdict = await episode.finish(reply, row_tools)
            self._retire(session_id, session, episode)
        else:
            verdict = session.verdict(task) or _never_played(task)
        session.verified = session.episode is None
        return verdict

    def close(self, session_id: str) -> None:
        """End the session for good, whether it is known or not. A later seed is refused."""
        session = self._find(session_id)
        if session is None:
            session = Session(verdicts=[(None, Verdict(mask=CLOSED_BEFORE_SEED))])
        if session.episode is not None:
            session.episode.close()
            self._retire(session_id, session, session.episode)
        session.closed = True
        self._remember(session_id, session)

    def shut_down(self) -> None:
        """End all episodes, and refuse new ones."""
        self._stopping = True
        for session in self._live.values():
            if session.episode is not None:
                session.episode.mask(ShutDown("the resources server was stopped"))

    def _find(self, session_id: str) -> Session | None:
        return self._live.get(session_id) or self._finished.get(session_id)

    def _is_repeated_seed(self, session: Session, task: Task, owner: str | None) -> bool:
        """Whether this seed was posted before. Raises SessionConflict if the session cannot be seeded with it."""
        if session.closed:
            raise SessionConflict("this session is closed")
        if session.owner != owner:
            raise SessionConflict("this session belongs to another episode")
        if session.episode is not None:
            if session.episode.task.is_same_task(task):
                return True
            raise SessionConflict("this session plays another task")
        if owner is not None or task.digest() in (played for played, _ in session.verdicts):
            return True
        if not session.verified:
            raise SessionConflict("this session has a verdict that /verify has not returned yet")
        return False

    def _retire(self, session_id: str, session: Session, episode: Episode) -> None:
        """Forget a finished episode except for its verdict."""
        if session.episode is not episode:
            return  # a parallel /verify of the same rollout has done it
        assert episode.verdict is not None
        session.episode = None
        session.verdicts.append((episode.task.digest(), episode.verdict))
        self._live.pop(session_id, None)
        self._remember(session_id, session)

    def _lost(self, session_id: str) -> Verdict:
        """Return the verdict on an unknown session."""
        failure = SessionLost("unknown session: it was never seeded on this server, or the server has restarted")
        verdict = Verdict(mask=failure.mask())
        logger.warning("rollout masked (%s): %s", failure.kind, failure)
        self._remember(session_id, Session(verdicts=[(None, verdict)], verified=True))
        return verdict

    def _remember(self, session_id: str, session: Session) -> None:
        self._finished[session_id] = session
        self._finished.move_to_end(session_id)
        while len(self._finished) > MAX_FINISHED:
            self._finished.popitem(last=False)

    async def _reap(self) -> None:
        """End idle sessions: Gym never verifies a rollout whose run failed."""
        while True:
            await asyncio.sleep(self._idle_timeout / CHECKS_PER_TIMEOUT)
            oldest = time.monotonic() - self._idle_timeout
            for session_id, session in list(self._live.items()):
                episode = session.episode
                if episode is not None and not episode.pending and episode.last_response < oldest:
                    if episode.verdict is None:
                        reason = f"the session received no request for {self._idle_timeout:g} s"
                        episode.mask(SessionExpired(reason))
                    self._retire(session_id, session, episode)


def _never_played(task: Task) -> Verdict:
    failure = WrongTask(f"/verify names the task {task}, which this session has not played")
    logger.warning("rollout masked (%s) at %s: %s", failure.kind, one_line(str(task)), one_line(str(failure)))
    return Verdict(mask=failure.mask())
