"""Compares the tools of a turn with those of the row."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge import tool_schemas
from openenv_bridge.tool_schemas import tool_mismatch

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "maximum": 9223372036854775807}},
    "required": ["n"],
}


def turn(*tools: tuple[str, Any]) -> list[Any]:
    return [{"name": name, "description": "", "input_schema": schema} for name, schema in tools]


def shown(*tools: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "function", "name": name, "parameters": schema, "strict": False} for name, schema in tools]


def test_the_order_of_tools_does_not_matter() -> None:
    assert tool_mismatch(turn(("a", SCHEMA), ("b", {})), shown(("b", {}), ("a", SCHEMA)), {}) is None


def test_a_row_can_have_more_tools_than_the_turn() -> None:
    assert tool_mismatch(turn(("a", SCHEMA)), shown(("a", SCHEMA), ("later", {})), {}) is None


def test_a_tool_that_the_row_lacks_is_reported() -> None:
    assert tool_mismatch(turn(("a", SCHEMA), ("b", {})), shown(("a", SCHEMA)), {}) == (
        "the server offers the tool 'b', which the row lacks"
    )


def test_other_parameters_are_reported() -> None:
    other = {**SCHEMA, "required": []}
    assert "'a' has other parameters" in (tool_mismatch(turn(("a", SCHEMA)), shown(("a", other)), {}) or "")


@pytest.mark.parametrize("schema", [None, {}, {"type": "object"}, {"properties": {}}, {"properties": None}])
def test_no_parameters_can_be_written_in_several_ways(schema: Any) -> None:
    assert tool_mismatch(turn(("a", schema)), shown(("a", {"type": "object", "properties": {}})), {}) is None


def test_renamed_tools_are_compared_by_the_rows_name() -> None:
    assert tool_mismatch(turn(("a.b", SCHEMA)), shown(("a_b", SCHEMA)), {"a.b": "a_b"}) is None
    assert tool_mismatch(turn(("a.b", SCHEMA)), shown(("a.b", SCHEMA)), {"a.b": "a_b"}) is not None


def test_a_tool_without_a_name_is_reported() -> None:
    assert tool_mismatch([{"description": "?"}], [], {}) == "the server lists a tool that has no name"


NESTED: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string", "enum": ["p", "q"]}, "default": {"type": "integer", "minimum": 1}},
    "anyOf": [{"required": ["a"]}, {"required": ["default"]}],
}


@pytest.mark.parametrize(
    ("own", "row"),
    [
        (SCHEMA, {**SCHEMA, "properties": {**SCHEMA["properties"], "response": None}}),
        (SCHEMA, {**SCHEMA, "$defs": None, "description": None}),
        ({}, {"type": None, "properties": None, "required": None, "$defs": None}),
        ({"type": "object", "properties": {}}, {"type": "object", "properties": {"a": None, "b": None}}),
        ({"properties": {"a": {}}}, {"properties": {"a": {"type": None, "default": None, "const": None}}}),
        (NESTED, {**NESTED, "anyOf": [{"required": ["a"], "not": None}, {"required": ["default"], "not": None}]}),
        (
            NESTED,
            {
                **NESTED,
                "properties": {
                    "a": {"type": "string", "enum": ["p", "q"], "minimum": None},
                    "default": {"type": "integer", "enum": None, "minimum": 1},
                },
            },
        ),
        ({"maximum": 5}, {"maximum": 5.0}),
    ],
)
def test_nulls_that_a_loader_added_are_ignored(own: Any, row: Any) -> None:
    assert tool_mismatch(turn(("a", own)), shown(("a", row)), {}) is None


@pytest.mark.parametrize(
    ("own", "row"),
    [
        ({"properties": {"a": {"enum": ["p"]}}}, {"properties": {"a": {"enum": ["p", None]}}}),
        ({"properties": {"a": {"default": {"b": 1}}}}, {"properties": {"a": {"default": {"b": 1, "c": None}}}}),
        ({"properties": {"a": {"const": {}}}}, {"properties": {"a": {"const": {"c": None}}}}),
        ({"properties": {"a": {"default": None}}}, {"properties": {"a": {}}}),
        (SCHEMA, {**SCHEMA, "required": None}),
        (SCHEMA, {**SCHEMA, "properties": {**SCHEMA["properties"], "response": {}}}),
        ({"anyOf": [{}]}, {"anyOf": [{}, None]}),
        (NESTED, {**NESTED, "properties": {**NESTED["properties"], "default": {"type": "integer", "minimum": None}}}),
    ],
)
def test_other_differences_are_reported(own: Any, row: Any) -> None:
    assert tool_mismatch(turn(("a", own)), shown(("a", row)), {}) is not None


def test_ignored_nulls_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    tool_schemas._log_added_nulls.cache_clear()
    for _ in range(3):
        assert tool_mismatch(turn(("a", SCHEMA)), shown(("a", {**SCHEMA, "title": None})), {}) is None
    (logged,) = [record.getMessage() for record in caplog.records]
    assert "keys with null" in logged
