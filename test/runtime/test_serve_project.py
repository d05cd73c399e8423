"""Serves the apps of OpenEnv projects with several layouts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "templates/serve_project.py"
PACKAGE = '[tool.setuptools.package-dir]\n"demo_env.server" = "server"\n"demo_env" = "."\n'
APP = "async def app(scope, receive, send): ...\n"
RELATIVE_IMPORT = "from ..models import NAME\n"
ABSOLUTE_IMPORT = "from demo_env.models import NAME\n"
EITHER_IMPORT = "try:\n    from ..models import NAME\nexcept ImportError:\n    from models import NAME\n"
FROM_A_MISSING_MODULE = "from ..nowhere import NAME\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder of another name"
    (folder / "server").mkdir(parents=True)
    for module in ("__init__", "server/__init__"):
        (folder / f"{module}.py").touch()
    (folder / "models.py").write_text("NAME = __name__\n")
    return folder


def serve(project: Path, app: str = "server.app:app") -> tuple[str | None, str]:
    """Return the name of the app that was served, or None, and standard error."""
    command = [sys.executable, str(PROGRAM), app]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        messages = (json.loads(line) for line in process.stdout)
        served = next((message["name"] for message in messages if "url" in message), None)
        return served, process.communicate()[1]


@pytest.mark.parametrize(
    ("imports", "pyproject", "served"),
    [
        ("", "", "server.app:app"),
        (EITHER_IMPORT, PACKAGE, "server.app:app"),
        (ABSOLUTE_IMPORT, PACKAGE, "server.app:app"),
        (RELATIVE_IMPORT, PACKAGE, "demo_env.server.app:app"),
    ],
)
def test_the_app_is_found(project: Path, imports: str, pyproject: str, served: str) -> None:
    (project / "server/app.py").write_text(imports + APP)
    (project / "pyproject.toml").write_text(pyproject)
    assert serve(project)[0] == served


def test_an_app_can_be_named_with_its_package(project: Path) -> None:
    (project / "server/app.py").write_text(RELATIVE_IMPORT + APP)
    (project / "pyproject.toml").write_text(PACKAGE)
    assert serve(project, "demo_env.server.app:app")[0] == "demo_env.server.app:app"


def test_a_folder_without_init_file_is_a_package_too(project: Path) -> None:
    (project / "__init__.py").unlink()
    (project / "server/app.py").write_text(RELATIVE_IMPORT + APP)
    (project / "pyproject.toml").write_text(PACKAGE)
    assert serve(project)[0] == "demo_env.server.app:app"


@pytest.mark.parametrize(
    ("imports", "pyproject", "error"),
    [
        (RELATIVE_IMPORT, "", "beyond top-level package"),
        (RELATIVE_IMPORT, "not TOML", "beyond top-level package"),
        (RELATIVE_IMPORT, "[tool.setuptools]\npackage-dir = 3\n", "beyond top-level package"),
        (ABSOLUTE_IMPORT, "", "No module named 'demo_env'"),
        (FROM_A_MISSING_MODULE, PACKAGE, "No module named 'demo_env.nowhere'"),
        ("import nowhere\n", PACKAGE, "No module named 'nowhere'"),
    ],
)
def test_a_failed_import_is_reported_in_pythons_words(project: Path, imports: str, pyproject: str, error: str) -> None:
    (project / "server/app.py").write_text(imports + APP)
    (project / "pyproject.toml").write_text(pyproject)
    served, log = serve(project)
    assert served is None
    assert error in log.strip().splitlines()[-1]


WAITS = """
import atexit, pathlib, threading
threading.Thread(target=threading.Event().wait).start()
atexit.register(pathlib.Path("ended").touch)
atexit.register(print, "last output")
"""


def test_the_program_ends_with_its_standard_input_and_does_not_wait_for_threads(project: Path) -> None:
    (project / "server/app.py").write_text(WAITS + APP)
    command = [sys.executable, str(PROGRAM), "server.app:app"]
    pipe = subprocess.PIPE
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(command, cwd=project, env=buffered, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert any("url" in json.loads(line) for line in process.stdout)
        output, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert (project / "ended").exists()
    assert output == "last output\n"
