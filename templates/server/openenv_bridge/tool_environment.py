"""An environment with tools: tool calls, turns, and the end of the episode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from openenv_bridge import messages, tasks, tool_calls
from openenv_bridge.client import OpenEnvClient
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.environment import Environment
from openenv_bridge.json_codec import dump_string, replace_surrogates
from openenv_bridge.mask import EpisodeFailed, TransportTimeout, WrongTools
from openenv_bridge.row import Task
from openenv_bridge.tool_schemas import tool_mismatch

logger = logging.getLogger(__name__)

END_TURN = "end_turn"
MAX_TURNS = 1000  # upper bound on turns, so that an environment that never finishes cannot block /verify


class ToolEnvironment(Environment):
    """Calls the environment's own tools. The tool ``end_turn``, if there is one, ends a turn or the episode."""

    def __init__(self, task: Task, client: OpenEnvClient, config: OpenEnvConfig) -> None:
        super().__init__(task, client, config)
        self._system_prompt: str | None = None
        self._turns: list[list[Any]] = []  # the tools of each turn so far, if the server lists them

    async def reset(self) -> messages.StepResult:
        result = await super().reset()
        await self._start_turn(result.metadata)
        return result

    async def call(self, tool: str, arguments: bytes) -> str:
        own_name = self._config.tool_names.get(tool, tool)
        frame = messages.call_tool(own_name, arguments)
        if len(frame) > messages.MAX_REQUEST:
            return tool_calls.too_large("arguments are", len(frame))
        ends_turn = own_name == END_TURN
        try:
            result = await self._call_tool(own_name, frame, self._config.reset_timeout if ends_turn else None)
        except messages.ErrorFrame as e:
            return tool_calls.error_frame_text(e)
        content = result.observation.get("result")
        if result.done or not ends_turn or not isinstance(content, Mapping) or "prompt" not in content:
            text = await tasks.offload(len(result.frame), tool_calls.result_text, result)
            return tool_calls.with_failure(text, result)
        text = tool_calls.turn_text(content, self._system_prompt)
        await self._start_turn(content)
        return text

    async def finish(self, reply: str) -> None:
        """End the first open turn with ``reply`` and all later ones with an empty reply, until the episode is done.

        All turns together must end within ``reset_timeout``. Without the tool ``end_turn``, nothing is done.
        """
        limit = self._config.reset_timeout
        try:
            async with asyncio.timeout(limit):
                await self._end_turns(reply)
        except TimeoutError:
            raise TransportTimeout(
                f"the episode could not be ended within {limit:g} s and may still be running"
            ) from None

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        for turn in self._turns:
            if mismatch := tool_mismatch(turn, row_tools, self._row_names):
                raise WrongTools(f"{mismatch}: the rows were generated from another version of the server")

    async def _end_turns(self, reply: str) -> None:
        for _ in range(MAX_TURNS):
            if self.done or not self._has_end_turn():
                return
            try:
                result = await self._call_tool(END_TURN, end_turn(reply), self._config.reset_timeout)
            except messages.ErrorFrame as e:
                raise EpisodeFailed(f"the episode could not be ended: {tool_calls.error_frame_text(e)}") from None
            if not self.done and (result.failure or result.observation.get("error") is not None):
                reason = tool_calls.with_failure(tool_calls.result_text(result), result)
                raise EpisodeFailed(f"the episode could not be ended: {reason}")
            reply = ""
        raise EpisodeFailed(f"the episode is not done after {MAX_TURNS} turns")

    async def _call_tool(self, own_name: str, frame: bytes, limit: float | None = None) -> messages.StepResult:
        result = await self._step(frame, own_name, limit)
        answered = result.observation.get("tool_name")
        if isinstance(answered, str) and answered and replace_surrogates(answered) != replace_surrogates(own_name):
            raise EpisodeFailed(f"the server's response to a call of {own_name!r} is for a call of {answered!r}")
        return result

    async def _start_turn(self, prompts: Mapping[str, Any]) -> None:
        system_prompt = prompts.get("system_prompt")
        if isinstance(system_prompt, str):
            self._system_prompt = system_prompt
        await self._list_tools()

    async def _list_tools(self) -> None:
        try:
            result = await self._request(messages.LIST_TOOLS, "list_tools", self._config.tool_timeout)
        except messages.ErrorFrame:
            return  # not every environment lists its tools; then there is nothing to compare
        if result.failure is not None and result.done:
            raise EpisodeFailed(f"the episode ended with an error: {result.failure}")
        if result.done or result.observation.get("tool_name"):
            raise EpisodeFailed("the server's response to list_tools is for another request")
        tools = result.observation.get("tools")
        if isinstance(tools, list):
            self._turns.append(tools)
            if self._task.tools is not None:
                self.check_tools(self._task.tools)

    def _has_end_turn(self) -> bool:
        names = {tool.get("name") for turn in self._turns[-1:] for tool in turn if isinstance(tool, dict)}
        if not self._turns and self._task.tools:
            names = {self._config.tool_names.get(tool["name"], tool["name"]) for tool in self._task.tools}
        return END_TURN in names


def end_turn(reply: str) -> bytes:
    """Build the request that ends a turn with ``reply``.

    A reply that is too long for an OpenEnv server is truncated, so that the length of a reply cannot end the episode.
    """
    frame = messages.call_tool(END_TURN, b'{"response":%b}' % dump_string(reply))
    if len(frame) > messages.MAX_REQUEST:
        size, limit = len(frame), messages.MAX_REQUEST - 1024
        while len(frame) > limit:
            reply = reply[: len(reply) * limit // len(frame) - 1]
            frame = messages.call_tool(END_TURN, b'{"response":%b}' % dump_string(reply))
        logger.warning(
            "a reply of %d bytes was truncated to %d characters: an OpenEnv server accepts up to %d bytes",
            size,
            len(reply),
            messages.MAX_REQUEST,
        )
    return frame
