"""Serves an OpenEnv project's app on loopback, for the process that started this one in the project's folder.

    python serve_project.py MODULE:ATTRIBUTE

An OpenEnv project's own `main` mostly listens on all interfaces at port 8000, whatever its arguments say. Says
{"url": …} when it answers, and ends as loopback.py says.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent / "server" / "openenv_bridge")
from loopback import end_with_parent, say, serve  # noqa: E402  # pyright: ignore[reportMissingImports]

sys.path[0] = os.getcwd()


def main(app: str) -> None:
    end_with_parent()
    say(progress=f"importing {app}")
    module, _, attribute = app.partition(":")
    serve(functools.reduce(getattr, attribute.split("."), importlib.import_module(module)))


if __name__ == "__main__":
    main(sys.argv[1])
