"""Startup errors and shutdown. Gym kills a server one second after its SIGINT; bench/server/stopping.py measures it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI

from faulty_env import SWITCHBOARD
from faulty_tasks import FAULT_NAMES
from gymclient import SCHEDULE, Episode, GymClient
from openenv_bridge import lifespan
from openenv_bridge.endpoint import ConfigError
from run_all import free_port
from serving import Served, row, wait_until

ROOT = Path(__file__).resolve().parents[2]
APP = "from openenv_bridge import OpenEnvResourcesServer as Server\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_all_sockets_are_closed_and_calls_are_answered_before_the_server_ends(
    faulty: Served, tmp_path: Path, number: int
) -> None:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "openenv_bridge").symlink_to(ROOT / "templates/server/openenv_bridge")
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, str(ROOT / "bench/server/serve_subject.py"), "--app", str(tmp_path / "app.py")]
    command += ["--config", json.dumps({"url": faulty.url}), "--port", str(port)]
    with log.open("w") as out:
        running = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        url = f"http://127.0.0.1:{port}"
        await asyncio.to_thread(wait_until, lambda: _answers(url), 300)
        async with GymClient(url) as client:
            episodes = [Episode(client, row("train", n)) for n in range(20)]
            hung = Episode(client, row("faults", FAULT_NAMES.index("tool_hangs")))
            await asyncio.gather(*(e.seed() for e in [*episodes, hung]))
            await asyncio.gather(*(e.tool("submit_schedule", {"schedule": SCHEDULE}) for e in episodes))
            call = asyncio.create_task(hung.tool("submit_schedule", {"schedule": SCHEDULE}))
            await asyncio.to_thread(wait_until, lambda: SWITCHBOARD.sockets == 21)
            running.send_signal(number)
            assert "the resources server was stopped" in (await call).text
            await asyncio.to_thread(running.wait, 60)
            await asyncio.to_thread(wait_until, lambda: SWITCHBOARD.sockets == 0)
    finally:
        running.kill()
        running.wait()
    logged = log.read_text()
    assert logged.count("rollout masked (shutdown)") == 21
    assert "Traceback" not in logged


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url + "/livez", timeout=1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize(("error", "stack"), [(ConfigError, False), (TypeError, True)])
def test_a_server_that_cannot_start_reports_the_reason_and_ends(
    capfd: pytest.CaptureFixture[str], error: type[Exception], stack: bool
) -> None:
    async def fail() -> None:
        raise error("no such bundle")

    app = FastAPI()
    lifespan.install(app, on_startup=fail, on_signal=lambda: None, on_shutdown=fail)
    with pytest.raises(SystemExit):
        uvicorn.run(app, port=0)
    output = capfd.readouterr().err
    assert "no such bundle" in output
    assert ("Traceback" in output) is stack
