"""Faults at random: of the messages on the sockets of ``faulty_server.py``, a share is dropped, late or failing.

Requests and answers are affected alike, from the reset on. Of five affected messages, on average

    one is dropped      it never arrives
    two are late        they arrive ``late_s`` later
    two are failing     an EXECUTION_ERROR frame comes in their place: a request isn't run, an answer isn't shown

GET /control/chaos lists the affected tasks, so that all others can be held to their exact reward.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

STRIKES = ("dropped", "late", "late", "failing", "failing")
ERROR = json.dumps({"type": "error", "data": {"code": "EXECUTION_ERROR", "message": "struck at random"}})


class Settings(BaseModel):
    """The body of POST /control/chaos: starts to count anew."""

    model_config = ConfigDict(extra="forbid")

    rate: float = 0.0
    late_s: float = 5.0
    seed: int = 0


class Chaos:
    """Whom it strikes depends on ``seed`` and on the order in which messages come."""

    def __init__(self) -> None:
        self.begin(Settings())

    def begin(self, settings: Settings) -> None:
        self.settings = settings
        self._luck = random.Random(settings.seed)
        self.messages = 0
        self.struck: Counter[str] = Counter()  # by what was struck, and how
        self.sessions: Counter[str] = Counter()  # "split index" -> its sessions that were struck

    def strike(self, session: SessionChaos, what: str) -> str | None:
        if not self.settings.rate:
            return None
        self.messages += 1
        if self._luck.random() >= self.settings.rate:
            return None
        how = self._luck.choice(STRIKES)
        self.struck[f"{what} {how}"] += 1
        if not session.struck:
            session.struck = True
            self.sessions[session.task] += 1
        return how

    def summary(self) -> dict[str, Any]:
        struck, sessions = dict(sorted(self.struck.items())), dict(self.sessions)
        return {**self.settings.model_dump(), "messages": self.messages, "struck": struck, "sessions": sessions}


CHAOS = Chaos()


class SessionChaos:
    """What one socket needs to remember."""

    def __init__(self) -> None:
        self.task = ""
        self.struck = False
        self._asked = ""

    def request(self, frame: dict[str, Any]) -> str | None:
        """How the request in ``frame`` is struck, if it is. A close never is."""
        data = frame.get("data") or {}
        if frame.get("type") == "reset":
            self.task, self._asked = f"{data.get('split')} {data.get('index')}", "reset"
        elif frame.get("type") == "step":
            self._asked = data.get("tool_name") or data.get("type")
        else:
            return None
        return CHAOS.strike(self, f"{self._asked} request")

    def answer(self) -> str | None:
        """The same of its answer. A frame that nobody asked for is left alone."""
        asked, self._asked = self._asked, ""
        return CHAOS.strike(self, f"{asked} answer") if asked else None


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
