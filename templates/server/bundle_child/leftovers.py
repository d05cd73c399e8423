"""Kills the processes that a dead child leaves behind, such as its sandboxes.

They may be in process groups and sessions of their own. On Linux, every process of a child inherits two marks: an
environment variable, and a resource limit, which also survives a cleared environment.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import signal
import sys
from pathlib import Path

VARIABLE = "GYMGEN_BUNDLE_SERVER"
MARKS = (2**62, 2**63)  # the range of marks; as a limit, more microseconds of real-time scheduling than a process takes
ROUNDS = 5  # a process may start another one while it is being killed


def new_mark() -> int:
    """Return a random mark. It identifies one child and is not a secret."""
    first, end = MARKS
    return first + secrets.randbelow(end - first)


def mark_process(pid: int, mark: int) -> None:
    """Mark a process, and so every process that it will start, with the limit RLIMIT_RTTIME (setrlimit(2))."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):  # not supported or too low; then only VARIABLE marks it
            _, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (mark, hard))


def kill(group: int, mark: int) -> None:
    """Kill a process group and, on Linux, all processes with ``mark``."""
    for _ in range(ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        if sum(_kill_if_marked(pid, mark) for pid in _processes()) == 0:
            return


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()] if sys.platform == "linux" else []


def _kill_if_marked(pid: int, mark: int) -> bool:
    """Kill the process through a pidfd, because its number may be reused at any time."""
    try:
        process = os.pidfd_open(pid)
        try:
            if not _is_marked(pid, mark):
                return False
            signal.pidfd_send_signal(process, signal.SIGKILL)
            return True
        finally:
            os.close(process)
    except (OSError, AttributeError):  # ended, owned by another user, or a system without pidfds
        return False


def _is_marked(pid: int, mark: int) -> bool:
    if f"{VARIABLE}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
        return True
    return resource.prlimit(pid, resource.RLIMIT_RTTIME)[0] == mark
