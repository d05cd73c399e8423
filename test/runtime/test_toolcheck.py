"""Are a turn's tools those that the row shows?"""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.toolcheck import mismatch

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 9223372036854775807}}, "required": ["n"]}


def turn(*tools: tuple[str, Any]) -> list[Any]:
    return [{"name": name, "description": "", "input_schema": schema} for name, schema in tools]


def shown(*tools: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "function", "name": name, "parameters": schema, "strict": False} for name, schema in tools]


def test_the_same_tools_are_fine_in_any_order() -> None:
    assert mismatch(turn(("a", SCHEMA), ("b", {})), shown(("b", {}), ("a", SCHEMA)), {}) is None


def test_a_row_may_have_more_tools_than_the_turn() -> None:
    assert mismatch(turn(("a", SCHEMA)), shown(("a", SCHEMA), ("later", {})), {}) is None


def test_a_tool_that_the_row_lacks_is_named() -> None:
    assert mismatch(turn(("a", SCHEMA), ("b", {})), shown(("a", SCHEMA)), {}) == (
        "the server offers the tool 'b', which the row lacks"
    )


def test_other_parameters_are_named() -> None:
    other = {**SCHEMA, "required": []}
    assert "'a' has other parameters" in (mismatch(turn(("a", SCHEMA)), shown(("a", other)), {}) or "")


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}}, {"properties": None}])
def test_no_parameters_can_be_said_in_several_ways(schema: Any) -> None:
    assert mismatch(turn(("a", schema)), shown(("a", {"type": "object", "properties": {}})), {}) is None


def test_renamed_tools_are_compared_by_the_rows_name() -> None:
    assert mismatch(turn(("a.b", SCHEMA)), shown(("a_b", SCHEMA)), {"a.b": "a_b"}) is None
    assert mismatch(turn(("a.b", SCHEMA)), shown(("a.b", SCHEMA)), {"a.b": "a_b"}) is not None


def test_a_tool_without_a_name_is_no_tool() -> None:
    assert mismatch([{"description": "?"}], [], {}) == "the server lists a tool that has no name"
