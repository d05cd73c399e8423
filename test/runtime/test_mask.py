"""Errors of a tool that report a lost environment, and errors for the model to read."""

from __future__ import annotations

from typing import Any

import pytest

from openenv_bridge.mask import is_environment_lost

LOST = [
    {"error_type": "transport_error", "message": "All connection attempts failed"},
    {"error_type": "execution_error", "message": "error: ConnectError: All connection attempts failed"},
    {"error_type": "execution_error", "message": "error: ReadError: "},
    {"error_type": "execution_error", "message": "error: RemoteProtocolError: Server disconnected"},
]
READABLE = [
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


@pytest.mark.parametrize("error", LOST)
def test_a_lost_environment_is_detected(error: Any) -> None:
    assert is_environment_lost(error)


@pytest.mark.parametrize("error", READABLE)
def test_other_errors_are_for_the_model(error: Any) -> None:
    assert not is_environment_lost(error)
