"""Apps of OpenEnv projects, which are laid out in several ways: each is served as its image serves it."""

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
WITHIN_ITS_PACKAGE = "from ..models import NAME\n"
BY_ITS_NAME = "from demo_env.models import NAME\n"
EITHER_WAY = "try:\n    from ..models import NAME\nexcept ImportError:\n    from models import NAME\n"
OF_A_MODULE_THAT_IS_NOT_THERE = "from ..nowhere import NAME\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder of another name"
    (folder / "server").mkdir(parents=True)
    for module in ("__init__", "server/__init__"):
        (folder / f"{module}.py").touch()
    (folder / "models.py").write_text("NAME = __name__\n")
    return folder


def serve(project: Path, app: str = "server.app:app") -> tuple[str | None, str]:
    """Which app was served, or None; and what was told on standard error."""
    command = [sys.executable, str(PROGRAM), app]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        said = (json.loads(line) for line in process.stdout)
        served = next((message["name"] for message in said if "url" in message), None)
        return served, process.communicate()[1]


@pytest.mark.parametrize(
    ("imports", "pyproject", "served"),
    [
        ("", "", "server.app:app"),
        (EITHER_WAY, PACKAGE, "server.app:app"),
        (BY_ITS_NAME, PACKAGE, "server.app:app"),
        (WITHIN_ITS_PACKAGE, PACKAGE, "demo_env.server.app:app"),
    ],
)
def test_the_app_is_found(project: Path, imports: str, pyproject: str, served: str) -> None:
    (project / "server/app.py").write_text(imports + APP)
    (project / "pyproject.toml").write_text(pyproject)
    assert serve(project)[0] == served


def test_an_app_may_be_named_with_its_package(project: Path) -> None:
    (project / "server/app.py").write_text(WITHIN_ITS_PACKAGE + APP)
    (project / "pyproject.toml").write_text(PACKAGE)
    assert serve(project, "demo_env.server.app:app")[0] == "demo_env.server.app:app"


def test_a_folder_without_init_is_a_package_too(project: Path) -> None:
    (project / "__init__.py").unlink()
    (project / "server/app.py").write_text(WITHIN_ITS_PACKAGE + APP)
    (project / "pyproject.toml").write_text(PACKAGE)
    assert serve(project)[0] == "demo_env.server.app:app"


@pytest.mark.parametrize(
    ("imports", "pyproject", "told"),
    [
        (WITHIN_ITS_PACKAGE, "", "beyond top-level package"),
        (WITHIN_ITS_PACKAGE, "not TOML", "beyond top-level package"),
        (WITHIN_ITS_PACKAGE, "[tool.setuptools]\npackage-dir = 3\n", "beyond top-level package"),
        (BY_ITS_NAME, "", "No module named 'demo_env'"),
        (OF_A_MODULE_THAT_IS_NOT_THERE, PACKAGE, "No module named 'demo_env.nowhere'"),
        ("import nowhere\n", PACKAGE, "No module named 'nowhere'"),
    ],
)
def test_an_import_that_fails_is_told_as_python_words_it(
    project: Path, imports: str, pyproject: str, told: str
) -> None:
    (project / "server/app.py").write_text(imports + APP)
    (project / "pyproject.toml").write_text(pyproject)
    served, log = serve(project)
    assert served is None
    assert told in log.strip().splitlines()[-1]


WAITS = """
import atexit, pathlib, threading
threading.Thread(target=threading.Event().wait).start()
atexit.register(pathlib.Path("ended").touch)
atexit.register(print, "all is said")
"""


def test_it_ends_with_its_standard_input_and_waits_for_no_thread(project: Path) -> None:
    (project / "server/app.py").write_text(WAITS + APP)
    command = [sys.executable, str(PROGRAM), "server.app:app"]
    pipe = subprocess.PIPE
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(command, cwd=project, env=buffered, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert any("url" in json.loads(line) for line in process.stdout)
        said, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert (project / "ended").exists()
    assert said == "all is said\n"
