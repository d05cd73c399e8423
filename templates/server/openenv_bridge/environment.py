"""The environment of one episode, on the OpenEnv server: reset, steps and score.

This module knows no episode states, sessions or Gym routes. Every failure of the environment is raised as a Failure.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from openenv_bridge import messages, tool_calls
from openenv_bridge.client import OpenEnvClient
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.mask import (
    EpisodeFailed,
    Failure,
    PeerDropped,
    ProviderUnavailable,
    TransportTimeout,
    WrongTask,
    is_environment_lost,
)
from openenv_bridge.rewards import Scoring, Verdict
from openenv_bridge.row import Task
from openenv_bridge.websocket import Connection


class Environment(ABC):
    """``on_failure`` is called if the connection fails between two requests."""

    def __init__(self, task: Task, client: OpenEnvClient, config: OpenEnvConfig) -> None:
        self.done = False
        self.on_failure: Callable[[Failure], None] = lambda failure: None
        self._task, self._client, self._config = task, client, config
        self._row_names = {own: name for name, own in config.tool_names.items()}
        self._scoring = Scoring(config.reward, config.reward_rule)
        self._connection: Connection | None = None

    async def reset(self) -> messages.StepResult:
        """Open a session and start the episode."""
        try:
            self._connection, result = await self._client.open_session(
                self._task, lambda failure: self.on_failure(failure)
            )
        except messages.ErrorFrame as e:
            raise ProviderUnavailable(f"the reset failed: {tool_calls.error_frame_text(e)}") from None
        self._check_reset(result)
        if difference := self._task.difference(result.metadata.get("task")):
            raise WrongTask(f"the server plays {difference}: its tasks differ from those the rows were generated from")
        return result

    @abstractmethod
    async def call(self, tool: str, arguments: bytes) -> str:
        """Call a tool and return the text that the model reads. ``arguments`` is any JSON."""

    @abstractmethod
    async def finish(self, reply: str) -> None:
        """End the episode with the model's last reply, if the environment has a way to do that."""

    @abstractmethod
    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        """Raises WrongTools if the environment's tools differ from those of the row."""

    @property
    def difference(self) -> str | None:
        """How the server's environment differs from that of the rows, if it did at startup."""
        return self._client.check.difference

    def verdict(self) -> Verdict:
        """Return the score. Raises Unscored."""
        return self._scoring.verdict()

    def close(self) -> asyncio.Task[None] | None:
        """End the session. Returns a task that waits for the server to close it, if there is anything to wait for."""
        return self._connection.close() if self._connection is not None else None

    async def _step(self, frame: bytes, tool: str, limit: float | None = None) -> messages.StepResult:
        result = await self._request(frame, tool, limit or self._config.tool_timeout)
        if result.failure is not None and result.done:
            raise EpisodeFailed(f"the episode ended with an error: {result.failure}")
        if is_environment_lost(error := result.observation.get("error")):
            raise PeerDropped(f"the environment behind {tool} is gone: {tool_calls.error_text(error)}")
        self._scoring.add(result)
        self.done = result.done
        return result

    async def _request(self, frame: bytes, tool: str, limit: float) -> messages.StepResult:
        assert self._connection is not None
        try:
            async with asyncio.timeout(limit):
                return await self._connection.request(frame)
        except TimeoutError:
            raise TransportTimeout(f"{tool} did not answer within {limit:g} s and may still be running") from None

    def _check_reset(self, result: messages.StepResult) -> None:
        """Raise ProviderUnavailable if the reset did not start an episode, which has several forms."""
        error = result.observation.get("error") if self._task.reset is not None else None
        if result.failure is not None:
            raise ProviderUnavailable(f"the reset failed: {result.failure}")
        if error:
            raise ProviderUnavailable(f"the reset failed: {tool_calls.error_text(error)}")
        if result.done:
            raise ProviderUnavailable("the reset failed: it ended the episode")
        try:
            self._scoring.add(result, reset=True)
        except EpisodeFailed as e:
            raise ProviderUnavailable(f"the reset failed: {e}") from None
