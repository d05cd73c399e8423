"""Why a rollout has no score. A masked rollout has reward 0 and is left out of training and of metrics.

The kinds are those of ``nemo_gym.failure_kinds`` where one fits, else ``openenv:<kind>``, the form that Gym keeps for
an environment's own. A ``Failure`` is raised by whatever found out; the episode turns it into a ``Mask``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

REASON_LIMIT = 2000  # characters: a reason may quote the server, and is kept with the rollout


@dataclass(frozen=True, slots=True)
class Mask:
    kind: str
    reason: str


class Failure(Exception):
    """The environment, not the model, failed the episode."""

    kind: ClassVar[str]

    def mask(self) -> Mask:
        return Mask(self.kind, one_line(str(self)))


class Unreachable(Failure):
    kind = "transport_unreachable"


class Dropped(Failure):
    kind = "transport_peer_drop"


class Late(Failure):
    kind = "transport_timeout"


class Unavailable(Failure):
    """The server can't start the episode: it has no free session, or the reset failed."""

    kind = "provider_unavailable"


class EpisodeFailed(Failure):
    """The episode ended with an error of the environment's own."""

    kind = "openenv:episode_failed"


class WrongTask(Failure):
    kind = "openenv:wrong_task"


class WrongTools(Failure):
    kind = "openenv:wrong_tools"


class Unscored(Failure):
    kind = "openenv:unscored"


class Lost(Failure):
    kind = "session_lost"


class Expired(Failure):
    kind = "session_expired"


class Cancelled(Failure):
    kind = "cancelled"


class ShutDown(Failure):
    kind = "shutdown"


def one_line(text: str) -> str:
    """``text`` fit for a log line: no line breaks or control characters, nothing that isn't UTF-8, bounded."""
    words = " ".join(text[: 4 * REASON_LIMIT].split())
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)
    return shown if len(shown) <= REASON_LIMIT else shown[: REASON_LIMIT - 1] + "…"
