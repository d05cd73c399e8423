"""Checks once, when this server starts, whether the OpenEnv server answers and serves the environment of the rows."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from openenv_bridge.mask import TransportUnreachable

logger = logging.getLogger(__name__)

_CLASS_NAME = re.compile(r"[A-Z]\w*Env(?:ironment)?")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class EnvironmentCheck:
    """``expected`` is the name of the environment. ``get`` returns the JSON at a path of the server, or None.

    Another name does not mask a rollout: a copy of the environment may have another name. It is logged once, and
    added to the reason of each masked rollout.
    """

    def __init__(self, server: str, expected: str | None, get: Callable[[str], Awaitable[Any]]) -> None:
        self.difference: str | None = None
        self._server, self._expected, self._get = server, expected, get

    async def run(self) -> None:
        """Log one warning if the server does not answer, or serves an environment of another name."""
        try:
            name = await self._name()
        except TransportUnreachable as failure:
            logger.warning("%s; rollouts are masked until it answers", failure)
            return
        if name is not None and self._expected is not None and name != self._expected:
            self.difference = f"at startup, {self._server} served {name!r} instead of {self._expected!r}"
            logger.warning("%s: start the right server, or correct url in the config", self.difference)

    async def _name(self) -> str | None:
        """Return the name as gymgen reads it: from the Task API, or else from the metadata."""
        names = await self._get("/list_environments")
        if isinstance(names, list) and names and isinstance(names[0], str):
            return names[0]
        metadata = await self._get("/metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if not isinstance(name, str) or not name:
            return None
        # OpenEnv's default name is the class of the environment: MazeEnvironment becomes Maze-Environment.
        return _WORD_START.sub("-", name) if _CLASS_NAME.fullmatch(name) else name
