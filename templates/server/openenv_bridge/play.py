"""An episode's conversation with the OpenEnv server: reset, tool calls, turns, and the end.

Nothing here knows states, sessions or Gym's routes. Whatever the environment does wrong is raised as a Failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from openenv_bridge import text, toolcheck, wire
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.connection import Connection
from openenv_bridge.mask import (
    Dropped,
    EpisodeFailed,
    Late,
    Unavailable,
    WrongTask,
    WrongTools,
)
from openenv_bridge.openenv import OpenEnvServer
from openenv_bridge.outage import is_outage
from openenv_bridge.rewards import Scoring, Verdict
from openenv_bridge.task import Task

END_TURN = "end_turn"
MOST_TURNS = 1000  # that /verify ends before it gives an environment up which is never done
FRAME_LIMIT = 16 * 1024 * 1024  # bytes: a server drops the session over a larger one


class Play:
    def __init__(self, task: Task, server: OpenEnvServer, config: OpenEnvConfig) -> None:
        self.done = False
        self._task, self._server, self._config = task, server, config
        self._row_names = {own: name for name, own in config.tool_names.items()}
        self._scoring = Scoring(config.reward, config.reward_rule)
        self._connection: Connection | None = None
        self._system_prompt: str | None = None
        self._turns: list[list[Any]] = []  # the tools of each turn so far, as far as the server lists them

    async def open(self) -> None:
        """Reset to the task, and open its first turn."""
        try:
            self._connection, answer = await self._server.start(self._task)
        except wire.ErrorFrame as e:
            raise Unavailable(f"the reset failed: {text.of_frame(e)}") from None
        if answer.failure is not None:
            raise Unavailable(f"the reset failed: {answer.failure}")
        if self._task.reset is not None:
            _check_begun(answer)
        if difference := self._task.difference(answer.metadata.get("task")):
            raise WrongTask(f"the server plays {difference}: its tasks are not those that the rows were written of")
        self._scoring.see(answer, reset=True)
        self.done = answer.done
        self._open_turn(answer.metadata)
        if not self.done:
            await self._list_tools()

    async def call(self, tool: str, arguments: bytes) -> str:
        """What the model reads of its call. ``arguments`` is JSON of any kind."""
        own_name = self._config.tool_names.get(tool, tool)
        frame = wire.call_tool(own_name, arguments)
        if len(frame) > FRAME_LIMIT:
            return f"The arguments are too large: {len(frame)} bytes, where an environment takes {FRAME_LIMIT}."
        ends_turn = own_name == END_TURN
        try:
            answer = await self._step(frame, tool, self._config.reset_timeout if ends_turn else None)
        except wire.ErrorFrame as e:
            return text.of_frame(e)
        result = answer.observation.get("result")
        if answer.done or not ends_turn or not isinstance(result, Mapping) or "prompt" not in result:
            return text.of_answer(answer)
        said = text.next_turn(result, self._system_prompt)
        self._open_turn(result)
        await self._list_tools()
        return said

    async def finish(self, reply: str) -> None:
        """End the first open turn with ``reply``, and all later ones with nothing, until the episode is done.

        An environment without end_turn has no such thing as an end that can be asked for: it stays as it is.
        """
        for _ in range(MOST_TURNS):
            if self.done or not self._has_end_turn():
                return
            frame = wire.call_tool(END_TURN, b'{"response":%b}' % wire.string(reply))
            try:
                answer = await self._step(frame, END_TURN, self._config.reset_timeout)
            except wire.ErrorFrame as e:
                raise EpisodeFailed(f"the episode couldn't be ended: {text.of_frame(e)}") from None
            if not self.done and answer.observation.get("error") is not None:
                raise EpisodeFailed(f"the episode couldn't be ended: {text.of_answer(answer)}")
            reply = ""
        raise EpisodeFailed(f"the episode isn't done after {MOST_TURNS} turns")

    def verdict(self) -> Verdict:
        """Raises Unscored."""
        return self._scoring.verdict()

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        """Raises WrongTools where a turn so far had a tool that the row lacks or shows with other parameters."""
        for turn in self._turns:
            if found := toolcheck.mismatch(turn, row_tools, self._row_names):
                raise WrongTools(f"{found}: the rows were written of another version of the server")

    def leave(self) -> None:
        """Give the session back."""
        if self._connection is not None:
            self._connection.leave()

    async def _step(self, frame: bytes, tool: str, limit: float | None = None) -> wire.Answer:
        answer = await self._ask(frame, tool, limit or self._config.tool_timeout)
        if answer.failure is not None:
            raise EpisodeFailed(f"the episode ended with an error: {answer.failure}")
        if is_outage(error := answer.observation.get("error")):
            raise Dropped(f"the environment behind {tool} is gone: {text.of_error(error)}")
        self._see(answer)
        return answer

    async def _ask(self, frame: bytes, tool: str, limit: float) -> wire.Answer:
        assert self._connection is not None
        try:
            async with asyncio.timeout(limit):
                return await self._connection.ask(frame)
        except TimeoutError:
            raise Late(f"{tool} didn't answer within {limit:g} s, and may still be at it") from None

    def _see(self, answer: wire.Answer) -> None:
        self._scoring.see(answer)
        self.done = answer.done

    def _open_turn(self, prompts: Mapping[str, Any]) -> None:
        system_prompt = prompts.get("system_prompt")
        if isinstance(system_prompt, str):
            self._system_prompt = system_prompt

    async def _list_tools(self) -> None:
        try:
            answer = await self._ask(wire.LIST_TOOLS, "list_tools", self._config.tool_timeout)
        except wire.ErrorFrame:
            return  # not every environment lists its tools; then there is nothing to compare
        if answer.failure is not None:
            raise EpisodeFailed(f"the episode ended with an error: {answer.failure}")
        tools = answer.observation.get("tools")
        if isinstance(tools, list):
            self._turns.append(tools)
            if self._task.tools is not None:
                self.check_tools(self._task.tools)

    def _has_end_turn(self) -> bool:
        names = {tool.get("name") for turn in self._turns[-1:] for tool in turn if isinstance(tool, dict)}
        if not self._turns and self._task.tools:
            names = {self._config.tool_names.get(tool["name"], tool["name"]) for tool in self._task.tools}
        return END_TURN in names


def _check_begun(answer: wire.Answer) -> None:
    """Raises Unavailable where the reset of an environment without tasks began no episode, which it says in a way of
    its own."""
    if error := answer.observation.get("error"):
        raise Unavailable(f"the reset failed: {text.of_error(error)}")
    if answer.done:
        raise Unavailable("the reset failed: the episode was over with it")
