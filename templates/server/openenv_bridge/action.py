"""The one action of an environment without tools, as the tool ``step`` of the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from openenv_bridge import text, wire
from openenv_bridge.arguments import too_large
from openenv_bridge.connection import off_loop
from openenv_bridge.observation_text import bounded, observation_text
from openenv_bridge.play import Play

STEP = "step"
NOTHING = "There is nothing to see."


class NoActionError(Exception):
    """What the model wrote is not an action."""


class ActionPlay(Play):
    """Each call of ``step`` is an action; what the model reads of it is the observation."""

    async def call(self, tool: str, arguments: bytes) -> str:
        if self._config.tool_names.get(tool, tool) != STEP:
            return f"There is no tool {tool!r}; there is {self._row_names.get(STEP, STEP)!r}."
        try:
            frame = wire.step(action(arguments, self._config.fixed_fields))
        except NoActionError:
            return "The arguments must be a JSON object, with the fields of an action."
        if len(frame) > wire.FRAME_LIMIT:
            return too_large("action is", len(frame))
        try:
            answer = await self._step(frame, tool)
        except wire.ErrorFrame as e:
            return bounded(text.of_frame(e))
        seen = await off_loop(len(answer.frame), lambda: observation_text(answer.exact()))
        said = text.with_failure(seen, answer)
        if answer.done:
            return f"{said}\n{text.ENDED}" if said else text.ENDED
        return said or NOTHING

    async def finish(self, reply: str) -> None:
        """There is no end that could be asked for: the episode is scored as it is."""

    async def _list_tools(self) -> None:
        """There are none."""


def action(arguments: bytes, fixed: Mapping[str, Any]) -> bytes:
    """The action as JSON: what the model wrote, and the fields that it is not asked for.

    Raises NoActionError if ``arguments`` is not a JSON object.
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
