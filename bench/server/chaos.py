"""Injects random faults into a share of the messages on the sockets of ``faulty_server.py``.

Requests and responses are equally likely to be affected, from the reset on. Of five affected messages, on average

    one is dropped      it never arrives
    two are late        they arrive ``late_s`` later
    two are failing     an EXECUTION_ERROR frame replaces them: a request is not run, a response is not delivered

GET /control/chaos lists the affected tasks. All other tasks must get their exact reward.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

FAULT_KINDS = ("dropped", "late", "late", "failing", "failing")
ERROR = json.dumps({"type": "error", "data": {"code": "EXECUTION_ERROR", "message": "random fault"}})


class Settings(BaseModel):
    """The body of POST /control/chaos, which also resets all counts."""

    model_config = ConfigDict(extra="forbid")

    rate: float = 0.0
    late_s: float = 5.0
    seed: int = 0


class Chaos:
    """Selects the affected messages. The selection depends on ``seed`` and on the order of the messages."""

    def __init__(self) -> None:
        self.begin(Settings())

    def begin(self, settings: Settings) -> None:
        self.settings = settings
        self._random = random.Random(settings.seed)
        self.messages = 0
        self.affected: Counter[str] = Counter()  # messages, by kind and fault
        self.sessions: Counter[str] = Counter()  # "split index" -> affected sessions of the task

    def inject(self, session: SessionChaos, message: str) -> str | None:
        """Select the fault of a message; None if the message is not affected."""
        if not self.settings.rate:
            return None
        self.messages += 1
        if self._random.random() >= self.settings.rate:
            return None
        fault = self._random.choice(FAULT_KINDS)
        self.affected[f"{message} {fault}"] += 1
        if not session.affected:
            session.affected = True
            self.sessions[session.task] += 1
        return fault

    def summary(self) -> dict[str, Any]:
        affected, sessions = dict(sorted(self.affected.items())), dict(self.sessions)
        return {**self.settings.model_dump(), "messages": self.messages, "affected": affected, "sessions": sessions}


CHAOS = Chaos()


class SessionChaos:
    """State of one socket."""

    def __init__(self) -> None:
        self.task = ""
        self.affected = False
        self._pending = ""

    def request(self, frame: dict[str, Any]) -> str | None:
        """Return the fault of the request in ``frame``, if any. A close is never affected."""
        data = frame.get("data") or {}
        if frame.get("type") == "reset":
            self.task, self._pending = f"{data.get('split')} {data.get('index')}", "reset"
        elif frame.get("type") == "step":
            self._pending = data.get("tool_name") or data.get("type")
        else:
            return None
        return CHAOS.inject(self, f"{self._pending} request")

    def response(self) -> str | None:
        """Return the fault of the response to the last request, if any. An unsolicited frame is never affected."""
        pending, self._pending = self._pending, ""
        return CHAOS.inject(self, f"{pending} response") if pending else None


def chaos_router() -> APIRouter:
    """GET and POST /control/chaos."""
    router = APIRouter()

    @router.get("/control/chaos")
    def read() -> dict[str, Any]:
        return CHAOS.summary()

    @router.post("/control/chaos")
    def write(settings: Settings) -> dict[str, Any]:
        CHAOS.begin(settings)
        return CHAOS.summary()

    return router
