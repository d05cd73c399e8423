"""An episode's conversation with the OpenEnv server: reset, tool calls, turns, and the end.

Nothing here knows states, sessions or Gym's routes. Whatever the environment does wrong is raised as a Failure.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from openenv_bridge import text, toolcheck, wire
from openenv_bridge.arguments import too_large
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.connection import Connection, off_loop
from openenv_bridge.mask import (
    Dropped,
    EpisodeFailed,
    Failure,
    Late,
    Unavailable,
    WrongTask,
    WrongTools,
)
from openenv_bridge.openenv import OpenEnvServer
from openenv_bridge.outage import is_outage
from openenv_bridge.rewards import Scoring, Verdict
from openenv_bridge.task import Task

logger = logging.getLogger(__name__)

END_TURN = "end_turn"
MOST_TURNS = 1000  # upper bound on turns, so that an environment that never finishes cannot block /verify


class Play:
    """``on_failure`` is called if the server breaks the conversation between two requests."""

    def __init__(self, task: Task, server: OpenEnvServer, config: OpenEnvConfig) -> None:
        self.done = False
        self.on_failure: Callable[[Failure], None] = lambda failure: None
        self._task, self._server, self._config = task, server, config
        self._row_names = {own: name for name, own in config.tool_names.items()}
        self._scoring = Scoring(config.reward, config.reward_rule)
        self._connection: Connection | None = None
        self._system_prompt: str | None = None
        self._turns: list[list[Any]] = []  # the tools of each turn so far, as far as the server lists them

    async def open(self) -> None:
        """Reset to the task, and open its first turn."""
        try:
            self._connection, answer = await self._server.start(self._task, lambda failure: self.on_failure(failure))
        except wire.ErrorFrame as e:
            raise Unavailable(f"the reset failed: {text.of_frame(e)}") from None
        self._check_begun(answer)
        if difference := self._task.difference(answer.metadata.get("task")):
            raise WrongTask(f"the server plays {difference}: its tasks are not those that the rows were written of")
        self._open_turn(answer.metadata)
        await self._list_tools()

    async def call(self, tool: str, arguments: bytes) -> str:
        """What the model reads of its call. ``arguments`` is JSON of any kind."""
        own_name = self._config.tool_names.get(tool, tool)
        frame = wire.call_tool(own_name, arguments)
        if len(frame) > wire.FRAME_LIMIT:
            return too_large("arguments are", len(frame))
        ends_turn = own_name == END_TURN
        try:
            answer = await self._call_tool(own_name, frame, self._config.reset_timeout if ends_turn else None)
        except wire.ErrorFrame as e:
            return text.of_frame(e)
        result = answer.observation.get("result")
        if answer.done or not ends_turn or not isinstance(result, Mapping) or "prompt" not in result:
            return text.with_failure(await off_loop(len(answer.frame), text.of_answer, answer), answer)
        said = text.next_turn(result, self._system_prompt)
        self._open_turn(result)
        await self._list_tools()
        return said

    async def finish(self, reply: str) -> None:
        """End the first open turn with ``reply``, and all later ones with nothing, until the episode is done. All of
        them have ``reset_timeout`` together.

        An environment without end_turn has no such thing as an end that can be asked for: it stays as it is.
        """
        limit = self._config.reset_timeout
        try:
            async with asyncio.timeout(limit):
                await self._end_turns(reply)
        except TimeoutError:
            raise Late(f"the episode couldn't be ended within {limit:g} s, and may still go on") from None

    def verdict(self) -> Verdict:
        """Raises Unscored."""
        return self._scoring.verdict()

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        """Raises WrongTools if a turn so far had a tool that the row lacks or shows with other parameters."""
        for turn in self._turns:
            if found := toolcheck.mismatch(turn, row_tools, self._row_names):
                raise WrongTools(f"{found}: the rows were written of another version of the server")

    def leave(self) -> asyncio.Task[None] | None:
        """Give the session back. Returns what ends when the server has closed it, if it can be waited for."""
        return self._connection.leave() if self._connection is not None else None

    def _check_begun(self, answer: wire.Answer) -> None:
        """Raises Unavailable if the reset began no episode, which an environment says in one of several ways."""
        error = answer.observation.get("error") if self._task.reset is not None else None
        if answer.failure is not None:
            raise Unavailable(f"the reset failed: {answer.failure}")
        if error:
            raise Unavailable(f"the reset failed: {text.of_error(error)}")
        if answer.done:
            raise Unavailable("the reset failed: the episode was over with it")
        try:
            self._scoring.see(answer, reset=True)
        except EpisodeFailed as e:
            raise Unavailable(f"the reset failed: {e}") from None

    async def _end_turns(self, reply: str) -> None:
        for _ in range(MOST_TURNS):
            if self.done or not self._has_end_turn():
                return
            try:
                answer = await self._call_tool(END_TURN, end_turn(reply), self._config.reset_timeout)
            except wire.ErrorFrame as e:
                raise EpisodeFailed(f"the episode couldn't be ended: {text.of_frame(e)}") from None
            if not self.done and (answer.failure or answer.observation.get("error") is not None):
                why = text.with_failure(text.of_answer(answer), answer)
                raise EpisodeFailed(f"the episode couldn't be ended: {why}")
            reply = ""
        raise EpisodeFailed(f"the episode isn't done after {MOST_TURNS} turns")

    async def _call_tool(self, own_name: str, frame: bytes, limit: float | None = None) -> wire.Answer:
        answer = await self._step(frame, own_name, limit)
        answered = answer.observation.get("tool_name")
        if isinstance(answered, str) and answered and wire.utf8(answered) != wire.utf8(own_name):
            raise EpisodeFailed(f"the server answered the call of {own_name!r} as one of {answered!r}")
        return answer

    async def _step(self, frame: bytes, tool: str, limit: float | None = None) -> wire.Answer:
        answer = await self._ask(frame, tool, limit or self._config.tool_timeout)
        if answer.failure is not None and answer.done:
            raise EpisodeFailed(f"the episode ended with an error: {answer.failure}")
        if is_outage(error := answer.observation.get("error")):
            raise Dropped(f"the environment behind {tool} is gone: {text.of_error(error)}")
        self._scoring.see(answer)
        self.done = answer.done
        return answer

    async def _ask(self, frame: bytes, tool: str, limit: float) -> wire.Answer:
        assert self._connection is not None
        try:
            async with asyncio.timeout(limit):
                return await self._connection.ask(frame)
        except TimeoutError:
            raise Late(f"{tool} didn't answer within {limit:g} s, and may still be at it") from None

    def _open_turn(self, prompts: Mapping[str, Any]) -> None:
        system_prompt = prompts.get("system_prompt")
        if isinstance(system_prompt, str):
            self._system_prompt = system_prompt

    async def _list_tools(self) -> None:
        try:
            answer = await self._ask(wire.LIST_TOOLS, "list_tools", self._config.tool_timeout)
        except wire.ErrorFrame:
            return  # not every environment lists its tools; then there is nothing to compare
        if answer.failure is not None and answer.done:
            raise EpisodeFailed(f"the episode ended with an error: {answer.failure}")
        if answer.done or answer.observation.get("tool_name"):
            raise EpisodeFailed("the server answered list_tools with the answer to something else")
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


def end_turn(reply: str) -> bytes:
    """The request that ends a turn with ``reply``, which is cut if an OpenEnv server wouldn't take all of it: how much
    a model writes must not end its episode."""
    frame = wire.call_tool(END_TURN, b'{"response":%b}' % wire.string(reply))
    if len(frame) > wire.FRAME_LIMIT:
        whole, room = len(frame), wire.FRAME_LIMIT - 1024
        while len(frame) > room:
            reply = reply[: len(reply) * room // len(frame) - 1]
            frame = wire.call_tool(END_TURN, b'{"response":%b}' % wire.string(reply))
        logger.warning(
            "a reply that ends a turn was cut to %d characters: %d bytes, but an environment takes %d",
            len(reply),
            whole,
            wire.FRAME_LIMIT,
        )
    return frame
