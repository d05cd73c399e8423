"""Runs one command and prints its time and memory as JSON: python measure.py COMMAND [ARG ...]

The command's output goes to stderr. The figures come from the operating system and exclude the command's children.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main(command: list[str]) -> int:
    began = time.monotonic()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
    _, status, used = os.wait4(pid, 0)
    seconds = time.monotonic() - began
    unit = 1 if sys.platform == "darwin" else 1024
    code = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    print(json.dumps({"code": code, "seconds": seconds, "cpu": cpu, "bytes": used.ru_maxrss * unit}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
