"""An environment without tools. It has one action, which the rows show as the tool ``step``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openenv_bridge import messages, tasks, tool_calls
from openenv_bridge.environment import Environment
from openenv_bridge.json_codec import loads
from openenv_bridge.observation_text import observation_text, truncate

STEP = "step"
NO_OBSERVATION = "The observation is empty."


class InvalidAction(Exception):
    """The model's arguments are not a JSON object."""


class ActionEnvironment(Environment):
    """Each call of ``step`` is an action, and the model reads the observation."""

    async def call(self, tool: str, arguments: bytes) -> str:
        if self._config.tool_names.get(tool, tool) != STEP:
            return f"There is no tool {tool!r}. The only tool is {self._row_names.get(STEP, STEP)!r}."
        try:
            frame = messages.step(build_action(arguments, self._config.fixed_fields))
        except InvalidAction:
            return "The arguments must be a JSON object with the fields of an action."
        if len(frame) > messages.MAX_REQUEST:
            return tool_calls.too_large("action is", len(frame))
        try:
            result = await self._step(frame, tool)
        except messages.ErrorFrame as e:
            return truncate(tool_calls.error_frame_text(e))
        observed = await tasks.offload(len(result.frame), lambda: observation_text(result.exact_observation()))
        text = tool_calls.with_failure(observed, result)
        if result.done:
            return f"{text}\n{tool_calls.EPISODE_ENDED}" if text else tool_calls.EPISODE_ENDED
        return text or NO_OBSERVATION

    async def finish(self, reply: str) -> None:
        """Do nothing: no request ends an episode early. Its rewards so far are the score."""

    def check_tools(self, row_tools: list[dict[str, Any]]) -> None:
        """Do nothing: there are no tools to compare."""


def build_action(arguments: bytes, fixed_fields: Mapping[str, Any]) -> bytes:
    """Return the action as JSON: the model's arguments with ``fixed_fields`` added.

    Raises InvalidAction if ``arguments`` is not a JSON object.
    """
    try:
        fields = loads(arguments)
    except ValueError as e:
        raise InvalidAction from e
    if not isinstance(fields, dict):
        raise InvalidAction
    if not fixed_fields and "metadata" not in fields:
        return arguments  # byte for byte, so that no number changes
    exact = json.loads(arguments)
    exact.pop("metadata", None)
    return json.dumps({**exact, **fixed_fields}).encode()
