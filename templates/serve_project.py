"""Serves an OpenEnv project's app on loopback, for the process that started this one in the project's folder.

    python serve_project.py [--token-on-stdin] [--port N] MODULE:ATTRIBUTE

The `main` of an OpenEnv project usually listens on port 8000 of all interfaces, whatever its arguments are. This
program writes {"url": …, "name": …} to standard output when it is ready, with the MODULE:ATTRIBUTE that was imported,
and ends as loopback.py describes. With --token-on-stdin, the first line of standard input is a token, which each
request must have in the header X-Gymgen-Token.

The app is imported from the project's folder, as `uvicorn server.app:app` would do. Some projects import their own
modules as parts of the package that they would be installed as. If pyproject.toml maps this package to the folder, the
folder is used as the package, without building or installing it.
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

sys.path[0] = str(Path(__file__).resolve().parent / "server" / "bundle_child")
from loopback import (  # noqa: E402  # pyright: ignore[reportMissingImports]
    TOKEN_FLAG,
    end_with_parent,
    send,
    serve,
    token_from_stdin,
)

sys.path[0] = os.getcwd()


class ProjectPackage:
    """A finder for one package that is not installed: the current folder."""

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
    """Return the package that pyproject.toml maps to the project's folder, as `openenv init` writes it."""
    try:
        folders = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-dir"]
        return next((name for name, folder in folders.items() if name and Path(folder) == Path()), None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def load(app: str) -> Any:
    module, _, attribute = app.partition(":")
    return functools.reduce(getattr, attribute.split("."), importlib.import_module(module))


def find(app: str) -> tuple[str, Any]:
    """Import the app. Returns the name that could be imported, and the app."""
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
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: 0, any free port)")
    parser.add_argument(TOKEN_FLAG, action="store_true", help="read the token that each request must have")
    args = parser.parse_args()
    token = token_from_stdin() if args.token_on_stdin else None
    end_with_parent()
    send(progress=f"importing {args.app}")
    sys.argv[1:] = []  # modules of the app may parse them
    name, found = find(args.app)
    serve(found, args.port, token=token, name=name)


if __name__ == "__main__":
    main()
