"""A tool's error that says that the environment is gone, and the many that don't."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.outage import is_outage

GONE = [
    {"error_type": "transport_error", "message": "All connection attempts failed"},
    {"error_type": "execution_error", "message": "error: ConnectError: All connection attempts failed"},
    {"error_type": "execution_error", "message": "error: ReadError: "},
    {"error_type": "execution_error", "message": "error: RemoteProtocolError: Server disconnected"},
]
THERE = [
    None,
    "error: ReadError: ",
    {},
    {"error_type": "execution_error", "message": None},
    {"error_type": "timeout", "message": "the tool took too long"},
    {"error_type": "tool_not_found", "message": "no tool 'x'"},
    {"error_type": "execution_error", "message": "Error executing tool fetch: ConnectError: no route"},
    {"error_type": "execution_error", "message": "error: ToolSessionError: tools/call failed: bad arguments"},
    {"error_type": "execution_error", "message": "error: ConnectError: refused\nexit code 1"},
    {"error_type": "execution_error", "message": "error: ReadErrors: many"},
]


@pytest.mark.parametrize("error", GONE)
def test_gone(error: Any) -> None:
    assert is_outage(error)


@pytest.mark.parametrize("error", THERE)
def test_not_gone(error: Any) -> None:
    assert not is_outage(error)
