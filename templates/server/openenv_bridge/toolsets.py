"""``toolsets.json``, which lies beside app.py: the tools that gymgen found, for servers that show them over MCP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from openenv_bridge.config import ConfigError
from openenv_bridge.task import BadRow, Task, tools_of


class Toolsets:
    def __init__(self, path: Path) -> None:
        """Raises ConfigError where the file can't be read."""
        try:
            self._toolsets: list[dict[str, Any]] = orjson.loads(path.read_bytes())["toolsets"]
            self._names = [[tool["name"] for tool in toolset["tools"]] for toolset in self._toolsets]
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise ConfigError(f"expose_tools_over_mcp needs {path}, which can't be read: {e!r}") from e

    def tools(self) -> list[dict[str, Any]]:
        """Every tool once. MCP shows one schema for a name: where toolsets differ in it, any object is taken."""
        tools: dict[str, dict[str, Any]] = {}
        for toolset in self._toolsets:
            for tool in toolset["tools"]:
                first = tools.setdefault(tool["name"], tool)
                if first["parameters"] != tool["parameters"]:
                    tools[tool["name"]] = first | {"parameters": {"type": "object", "additionalProperties": True}}
        return list(tools.values())

    def names_for(self, row: Mapping[str, Any]) -> list[str] | None:
        """The names of the tools that ``row`` shows; where it doesn't say, of its toolset's; None for all."""
        shown = tools_of(row)
        if shown is not None:
            return [tool["name"] for tool in shown]
        try:
            task = Task.of(row)
        except BadRow:
            return None
        for toolset, names in zip(self._toolsets, self._names, strict=True):
            for known in toolset.get("tasks", []):
                if task.reset is None and (known.get("split"), known.get("index")) == (task.split, task.index):
                    return names
        return self._names[0] if len(self._names) == 1 else None
