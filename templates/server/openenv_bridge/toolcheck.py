"""Whether a turn's tools are what the row shows to the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def mismatch(turn: Iterable[Any], row: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> str | None:
    """The first way in which the model couldn't use a tool of ``turn`` as ``row`` shows it, or None.

    ``turn`` is the server's list (``input_schema``), ``row`` is Gym's (``parameters``), and ``names`` maps the server's
    names to the row's. Tools that only the row has are fine: it has those of all its turns.
    """
    shown = {tool.get("name"): tool.get("parameters") for tool in row}
    for tool in turn:
        if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
            return "the server lists a tool that has no name"
        name = names.get(tool["name"], tool["name"])
        if name not in shown:
            return f"the server offers the tool {name!r}, which the row lacks"
        if _plain(tool.get("input_schema")) != _plain(shown[name]):
            return f"the tool {name!r} has other parameters on the server than in the row"
    return None


def _plain(schema: Any) -> dict[str, Any]:
    """``schema`` with the ways to say "an object of anything" made one: null, {} and no or empty properties."""
    plain: dict[str, Any] = {"type": "object", **(schema if isinstance(schema, Mapping) else {})}
    if not plain.get("properties"):
        plain.pop("properties", None)
    return plain
