"""Masks: the reasons why a rollout has no score.

A masked rollout has reward 0, and trainers and metrics leave it out. Code that detects a failure raises a ``Failure``,
and the episode turns it into a ``Mask``. The kinds are those of ``nemo_gym.failure_kinds``, if one of them fits. Other
kinds have the form ``openenv:<kind>``, which Gym reserves for an environment's own kinds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

MAX_REASON = 2000  # characters; a reason may quote the server and is stored with the rollout

# AgentEnv 0.9.1364 reports a lost environment as an ``execution_error`` whose message begins with the name of the httpx
# exception. The output of a shell command may begin the same way, but it ends with the exit code.
_HTTPX_ERROR = re.compile(r"error: (Connect|Read|Write|Close|Network|RemoteProtocol|Proxy)(Error|Timeout): ")
_SHELL_OUTPUT = re.compile(r"\nexit code -?\d+\Z")


@dataclass(frozen=True, slots=True)
class Mask:
    """``failure_kind`` and ``failure_reason`` of a rollout."""

    kind: str
    reason: str


class Failure(Exception):
    """The environment failed. A mistake of the model is never a Failure."""

    kind: ClassVar[str]

    def mask(self, note: str | None = None) -> Mask:
        """``note`` is appended to the reason."""
        return Mask(self.kind, one_line(f"{self} ({note})" if note else str(self)))


class TransportUnreachable(Failure):
    """The OpenEnv server does not accept the connection."""

    kind = "transport_unreachable"


class PeerDropped(Failure):
    """The server, or the environment behind a tool, went away during the episode."""

    kind = "transport_peer_drop"


class TransportTimeout(Failure):
    """A request exceeded its time limit. The server may still be processing it."""

    kind = "transport_timeout"


class ProviderUnavailable(Failure):
    """The server cannot start the episode: it has no free session, or the reset failed."""

    kind = "provider_unavailable"


class EpisodeFailed(Failure):
    """The environment ended the episode with an error, or sent a response that cannot be used."""

    kind = "openenv:episode_failed"


class WrongTask(Failure):
    """The server plays a task other than the one in the row."""

    kind = "openenv:wrong_task"


class WrongTools(Failure):
    """The server offers tools other than those in the row."""

    kind = "openenv:wrong_tools"


class Unscored(Failure):
    """The episode ended without a reward."""

    kind = "openenv:unscored"


class SessionLost(Failure):
    """This server does not know the session."""

    kind = "session_lost"


class SessionExpired(Failure):
    """The session received no request within ``idle_timeout``."""

    kind = "session_expired"


class Cancelled(Failure):
    """Gym closed the session before it was verified."""

    kind = "cancelled"


class ShutDown(Failure):
    """The resources server stopped during the episode."""

    kind = "shutdown"


def is_environment_lost(error: Any) -> bool:
    """Whether the ``error`` of an observation reports that the environment behind the tool is gone.

    No model can recover from this, so it masks the rollout. The model reads any other error of a tool.
    """
    if not isinstance(error, Mapping):
        return False
    if error.get("error_type") == "transport_error":
        return True
    message = error.get("message")
    return isinstance(message, str) and _HTTPX_ERROR.match(message) is not None and not _SHELL_OUTPUT.search(message)


def one_line(text: str) -> str:
    """Make ``text`` safe for one log line: no line breaks, control characters or lone surrogates, limited in length."""
    words = " ".join(text[: 4 * MAX_REASON].split())
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)
    return printable if len(printable) <= MAX_REASON else printable[: MAX_REASON - 1] + "…"
