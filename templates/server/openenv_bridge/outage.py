"""Whether a tool's error says that the environment behind the tool is gone, which no model can help.

OpenEnv has a type of error for that. AgentEnv's own proxy says it in words: an ``execution_error`` whose text begins
with the name of the httpx exception that the call to the environment's server raised (0.9.1364). A shell's output may
begin like that too, and then ends with its exit code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WORDED = re.compile(r"error: (Connect|Read|Write|Close|Network|RemoteProtocol|Proxy)(Error|Timeout): ")
_SHELL = re.compile(r"\nexit code -?\d+\Z")


def is_outage(error: Any) -> bool:
    """``error`` is an observation's."""
    if not isinstance(error, Mapping):
        return False
    if error.get("error_type") == "transport_error":
        return True
    message = error.get("message")
    return isinstance(message, str) and _WORDED.match(message) is not None and not _SHELL.search(message)
