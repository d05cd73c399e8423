"""The one action of an environment without tools, as the tool ``step`` of the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openenv_bridge import text, wire
from openenv_bridge.observation_text import bounded, observation_text
from openenv_bridge.play import FRAME_LIMIT, Play

STEP = "step"
NOTHING = "There is nothing to see."


class NoActionError(Exception):
    """What the model gave is no action."""


class ActionPlay(Play):
    """Each call of ``step`` is an action; what the model reads of it is the observation."""

    async def call(self, tool: str, arguments: bytes) -> str:
        if self._config.tool_names.get(tool, tool) != STEP:
            return f"There is no tool {tool!r}; there is {self._row_names.get(STEP, STEP)!r}."
        try:
            frame = wire.step(action(arguments, self._config.fixed_fields))
        except NoActionError:
            return "The arguments must be a JSON object, with the fields of an action."
        if len(frame) > FRAME_LIMIT:
            return f"The action is too large: {len(frame)} bytes, where an environment takes {FRAME_LIMIT}."
        try:
            answer = await self._step(frame, tool)
        except wire.ErrorFrame as e:
            return bounded(text.of_frame(e))
        shown = observation_text(answer.exact())
        if answer.done:
            return f"{shown}\n{text.ENDED}" if shown else text.ENDED
        return shown or NOTHING

    async def finish(self, reply: str) -> None:
        """There is no end that could be asked for: the episode is scored as it is."""

    async def _list_tools(self) -> None:
        """There are none."""


def action(arguments: bytes, fixed: Mapping[str, Any]) -> bytes:
    """The action as JSON: what the model gave, and the fields that it is not asked for.

    Raises NoActionError where ``arguments`` is no JSON object.
    """
    try:
        fields = wire.loads(arguments)
    except ValueError as e:
        raise NoActionError from e
    if not isinstance(fields, dict):
        raise NoActionError
    if not fixed and "metadata" not in fields:
        return arguments  # byte for byte: no number is spelt anew
    exact = json.loads(arguments)
    exact.pop("metadata", None)
    return json.dumps({**exact, **fixed}).encode()
