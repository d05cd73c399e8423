"""The bundle's server as a child process: refused, ready, dead and back, and gone with its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvloop

from openenv_bridge import bundle as bundle_module
from openenv_bridge.bundle import Bundle, located
from openenv_bridge.config import ConfigError, OpenEnvConfig

# Says what serve_bundle.py says, and its process id in place of a port.
PROGRAM = """
import json, os, pathlib, sys
def say(**message): print(json.dumps(message), flush=True)
say(progress="importing"); print("noise"); say(warning="left out: one")
if pathlib.Path("refuse").exists(): say(refused="no task can be served"); sys.exit(3)
if pathlib.Path("crash").exists(): sys.exit(9)
say(url=f"http://127.0.0.1/{os.getpid()}?{' '.join(sys.argv[2:])}", framework="1")
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr(bundle_module, "PROGRAM", program)
    monkeypatch.setattr(bundle_module, "PAUSES_S", (0.05, 0.1))
    (tmp_path / "bundle").mkdir()
    return tmp_path / "bundle"


def config(folder: Path, **settings: object) -> OpenEnvConfig:
    base = {"name": "x", "host": "127.0.0.1", "port": 1, "entrypoint": "app.py", "domain": "agent"}
    return OpenEnvConfig.model_validate({**base, "bundle": str(folder), **settings})


@asynccontextmanager
async def serving(folder: Path, **settings: object) -> AsyncIterator[Bundle]:
    bundle = Bundle(config(folder, **settings))
    await bundle.start()
    try:
        yield bundle
    finally:
        await bundle.closed()


@pytest.mark.parametrize("prefix", [None, "/tmp/bytecode"])
def test_it_is_served_on_the_event_loop_of_gyms_servers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, prefix: str | None
) -> None:
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    if prefix is not None:
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", prefix)

    async def play() -> str:
        async with serving(folder) as bundle:
            return await bundle.url()

    assert uvloop.run(play()).startswith("http://127.0.0.1/")


def pid_of(url: str) -> int:
    return int(url.split("/")[-1].split("?")[0])


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_is_served_as_the_config_says(folder: Path) -> None:
    async with serving(folder, reward="score", sandbox="docker", max_concurrent_envs=3) as bundle:
        url = await bundle.url()
        assert url.endswith("?--reward=score --sandbox=docker --max-concurrent-envs=3")
        assert is_there(pid_of(url))
    assert not is_there(pid_of(url))


@pytest.mark.parametrize(("trouble", "told"), [("refuse", "no task can be served"), ("crash", "ended with code 9")])
async def test_one_that_can_not_be_served_keeps_the_server_from_starting(folder: Path, trouble: str, told: str) -> None:
    (folder / trouble).touch()
    with pytest.raises(ConfigError, match=told):
        await Bundle(config(folder)).start()


async def test_one_that_dies_is_served_again_and_who_asks_meanwhile_waits(folder: Path) -> None:
    async with serving(folder) as bundle:
        first = await bundle.url()
        (folder / "crash").touch()
        os.kill(pid_of(first), signal.SIGKILL)
        await until_restarting(bundle, first)
        asking = asyncio.create_task(bundle.url())
        await asyncio.sleep(0.3)
        assert not asking.done()
        (folder / "crash").unlink()
        second = await asyncio.wait_for(asking, 10)
        assert second != first
        assert await bundle.url() == second
    assert not is_there(pid_of(second))


async def until_restarting(bundle: Bundle, url: str) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                assert await asyncio.wait_for(bundle.url(), 0.02) == url
                await asyncio.sleep(0.02)
            except TimeoutError:
                return


async def test_it_ends_with_a_parent_that_is_killed(folder: Path) -> None:
    script = f"""
import asyncio, pathlib
from openenv_bridge import bundle
bundle.PROGRAM = pathlib.Path({str(bundle_module.PROGRAM)!r})
from openenv_bridge.config import OpenEnvConfig
async def main():
    served = bundle.Bundle(OpenEnvConfig.model_validate({config(folder).model_dump(mode="json")!r}))
    await served.start()
    print(await served.url(), flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)},
    )
    assert parent.stdout is not None
    child = pid_of((await asyncio.wait_for(parent.stdout.readline(), 60)).decode().strip())
    assert is_there(child)
    parent.kill()
    await parent.wait()
    async with asyncio.timeout(10):
        while is_there(child):
            await asyncio.sleep(0.02)


def test_where_the_config_names_it() -> None:
    configs = Path(bundle_module.__file__).resolve().parent.parent / "configs"
    assert located("../../../bundles/x") == str((configs / "../../../bundles/x").resolve())
    assert located("/srv/x") == "/srv/x"
    assert located("hello") == "hello"
    assert located("~/x") == os.path.expanduser("~/x")
