"""Serves an OpenEnv project's app on loopback, for the process that started this one in the project's folder.

    python serve_project.py [--token-on-stdin] [--port N] MODULE:ATTRIBUTE

An OpenEnv project's own `main` mostly listens on all interfaces at port 8000, whatever its arguments say. Says
{"url": …, "name": …} when it answers, with MODULE:ATTRIBUTE as it could be imported, and ends as loopback.py says.
With --token-on-stdin, the first line of standard input is a token that each request must send as X-Gymgen-Token.

The app is found from the project's folder, as `uvicorn server.app:app` finds it there. Some projects import parts of
themselves as parts of the package that they would be installed as: pyproject.toml says that it is the folder itself,
and so it is, without being built or installed.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import os
import sys
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent / "server" / "openenv_bridge")
from loopback import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    TOKEN_FLAG,
    end_with_parent,
    say,
    serve,
    token_from_stdin,
)

sys.path[0] = os.getcwd()


class ProjectPackage:
    """A finder of one package, which is not installed: the current folder."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        folder = os.getcwd()
        if Path("__init__.py").exists():
            return importlib.util.spec_from_file_location(
                name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
            )
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec


def package_name() -> str | None:
    """What setuptools is told to call the project's folder, as `openenv init` has it."""
    try:
        folders = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
        return next((name for name, folder in folders.items() if name and Path(folder) == Path()), None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def load(app: str) -> Any:
    module, _, attribute = app.partition(":")
    return functools.reduce(getattr, attribute.split("."), importlib.import_module(module))


def find(app: str) -> tuple[str, Any]:
    """The app, and the name by which it could be imported."""
    package = package_name()
    if package is None:
        return app, load(app)
    sys.meta_path.append(ProjectPackage(package))
    try:
        return app, load(app)
    except ImportError as error:
        if "beyond top-level package" not in str(error) or app.startswith(f"{package}."):
            raise
    app = f"{package}.{app}"
    return app, load(app)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serves an OpenEnv project's app on loopback.")
    parser.add_argument("app", metavar="MODULE:ATTRIBUTE")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument(TOKEN_FLAG, action="store_true", help="read the token that requests must send")
    args = parser.parse_args()
    token = token_from_stdin() if args.token_on_stdin else None
    end_with_parent()
    say(progress=f"importing {args.app}")
    sys.argv[1:] = []  # the app's modules may read them as theirs
    name, found = find(args.app)
    serve(found, args.port, token=token, name=name)


if __name__ == "__main__":
    main()
