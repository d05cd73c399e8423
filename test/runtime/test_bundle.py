"""The bundle's server as a child process: startup, refusal, restart, and the end with its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvloop

from bundle_child import bundle as bundle_module
from bundle_child import leftovers
from bundle_child.bundle import Bundle, resolve
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.endpoint import ConfigError

# Writes the same messages as serve_bundle.py, with its process id in place of a port. Files in the folder select what
# it does. A "sandbox" is a process that outlives it: in its own session, with its pipes, and with a child of its own.
# With "cleared", the sandbox starts without the environment variables.
PROGRAM = """
import json, os, pathlib, subprocess, sys
def send(**message): print(json.dumps(message), flush=True)
token = sys.stdin.readline()
send(progress="importing"); print("noise"); send(warning="left out: one")
if pathlib.Path("refuse").exists(): send(refused="no task can be served"); sys.exit(3)
if pathlib.Path("crash").exists(): sys.exit(9)
if pathlib.Path("token").exists(): pathlib.Path("token").write_text(token)
if pathlib.Path("long").exists(): print("x" * 10**6, flush=True)
if pathlib.Path("sandbox").exists():
    nested = ["sh", "-c", "sleep 600 & echo $$ $! >> sandbox; wait"]
    env = {"PATH": os.environ["PATH"]} if pathlib.Path("cleared").exists() else None
    sandbox = subprocess.Popen(nested, env=env, start_new_session=True, close_fds=False)
    while str(sandbox.pid) not in pathlib.Path("sandbox").read_text().split(): pass
send(url=f"http://127.0.0.1/{os.getpid()}?{' '.join(sys.argv[2:])}", framework="1")
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr(bundle_module, "PROGRAM", program)
    monkeypatch.setattr(bundle_module, "RESTART_PAUSES_S", (0.05, 0.1))
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
        await bundle.wait_closed()


@pytest.mark.parametrize("prefix", [None, "/tmp/bytecode"])
def test_a_bundle_is_served_on_uvloop(folder: Path, monkeypatch: pytest.MonkeyPatch, prefix: str | None) -> None:
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    if prefix is not None:
        monkeypatch.setenv("PYTHONPYCACHEPREFIX", prefix)

    async def play() -> str:
        async with serving(folder) as bundle:
            return await bundle.url()

    assert uvloop.run(play()).startswith("http://127.0.0.1/")


def pid_of(url: str) -> int:
    return int(url.split("/")[-1].split("?")[0])


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_bundle_is_served_with_the_options_of_the_config(folder: Path) -> None:
    async with serving(folder, reward="score", sandbox="docker", max_concurrent_envs=3) as bundle:
        url = await bundle.url()
        assert url.endswith("?--token-on-stdin --reward=score --sandbox=docker --max-concurrent-envs=3")
        assert is_running(pid_of(url))
    assert not is_running(pid_of(url))


@pytest.mark.parametrize(("problem", "message"), [("refuse", "no task can be served"), ("crash", "ended with code 9")])
async def test_a_bundle_that_cannot_be_served_stops_the_startup(folder: Path, problem: str, message: str) -> None:
    (folder / problem).touch()
    with pytest.raises(ConfigError, match=message):
        await Bundle(config(folder)).start()


async def test_a_dead_child_is_restarted_and_requests_wait(folder: Path) -> None:
    async with serving(folder) as bundle:
        first = await bundle.url()
        (folder / "crash").touch()
        os.kill(pid_of(first), signal.SIGKILL)
        await until_restarting(bundle, first)
        request = asyncio.create_task(bundle.url())
        await asyncio.sleep(0.3)
        assert not request.done()
        (folder / "crash").unlink()
        second = await asyncio.wait_for(request, 60)
        assert second != first
        assert await bundle.url() == second
    assert not is_running(pid_of(second))


LOOPS: list[Callable[[Coroutine[None, None, None]], None]] = [asyncio.run, uvloop.run]


@pytest.mark.skipif(sys.platform != "linux", reason="other process groups are found through /proc")
@pytest.mark.parametrize("run", LOOPS)
@pytest.mark.parametrize("found_by", ["environment", "limit"])
def test_a_killed_child_is_restarted_and_its_sandboxes_are_killed(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    found_by: str,
    run: Callable[[Coroutine[None, None, None]], None],
) -> None:
    if found_by == "environment":

        def unsupported(*_: object) -> None:
            raise OSError

        monkeypatch.setattr(leftovers.resource, "prlimit", unsupported)
    else:
        (folder / "cleared").touch()

    async def play() -> None:
        (folder / "sandbox").touch()
        async with serving(folder) as bundle:
            first = await bundle.url()
            orphans = [int(pid) for pid in (folder / "sandbox").read_text().split()]
            assert all(is_running(pid) for pid in orphans)
            (folder / "sandbox").unlink()
            os.kill(pid_of(first), signal.SIGKILL)
            async with asyncio.timeout(5):
                while await bundle.url() == first:
                    await asyncio.sleep(0.02)
            await until_gone(*orphans)
            assert is_running(pid_of(await bundle.url()))

    run(play())


@pytest.mark.parametrize("run", LOOPS)
def test_a_killed_child_is_restarted_if_its_sandboxes_cannot_be_killed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[[Coroutine[None, None, None]], None]
) -> None:
    monkeypatch.setattr(leftovers, "_processes", list)

    async def play() -> None:
        (folder / "sandbox").touch()
        async with serving(folder) as bundle:
            first = await bundle.url()
            orphans = [int(pid) for pid in (folder / "sandbox").read_text().split()]
            (folder / "sandbox").unlink()
            os.kill(pid_of(first), signal.SIGKILL)
            async with asyncio.timeout(5):
                while await bundle.url() == first:
                    await asyncio.sleep(0.02)
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)

    run(play())


@pytest.mark.skipif(sys.platform != "linux", reason="other process groups are found through /proc")
async def test_processes_of_another_server_are_not_killed(folder: Path) -> None:
    (folder / "sandbox").touch()
    async with serving(folder) as one, serving(folder) as other:
        sandboxes = [int(pid) for pid in (folder / "sandbox").read_text().split()]
        assert len(sandboxes) == 4
        first = await one.url()
        (folder / "sandbox").unlink()
        os.kill(pid_of(first), signal.SIGKILL)
        await until_gone(*sandboxes[:2])
        assert all(is_running(pid) for pid in (*sandboxes[2:], pid_of(await other.url())))
    await until_gone(*sandboxes)


async def test_each_run_has_its_own_token(folder: Path) -> None:
    tokens = set()
    for _ in range(2):
        (folder / "token").touch()
        async with serving(folder) as bundle:
            url = await bundle.url()
            token = (folder / "token").read_text().strip()
            assert bundle.headers == {"X-Gymgen-Token": token}
            assert token not in environment_of(pid_of(url))
            assert token not in url  # the test program puts its arguments into the URL
            tokens.add(token)
    assert all(len(token) == 64 for token in tokens)
    assert len(tokens) == 2


def environment_of(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode() if sys.platform == "linux" else ""


async def test_foreign_output_is_ignored(folder: Path) -> None:
    (folder / "long").touch()
    async with serving(folder) as bundle:
        assert is_running(pid_of(await bundle.url()))


async def until_gone(*pids: int) -> None:
    async with asyncio.timeout(60):
        while any(is_running(pid) and not is_defunct(pid) for pid in pids):
            await asyncio.sleep(0.02)


def is_defunct(pid: int) -> bool:
    """Whether the process has ended but was not waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return sys.platform == "linux"


async def test_a_child_that_cannot_be_started_is_retried(folder: Path) -> None:
    away = folder.with_name("away")
    async with serving(folder) as bundle:
        first = await bundle.url()
        os.rename(folder, away)
        os.kill(pid_of(first), signal.SIGKILL)
        await until_restarting(bundle, first)
        os.rename(away, folder)
        assert is_running(pid_of(await asyncio.wait_for(bundle.url(), 60)))


async def until_restarting(bundle: Bundle, url: str) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                assert await asyncio.wait_for(bundle.url(), 0.02) == url
                await asyncio.sleep(0.02)
            except TimeoutError:
                return


async def test_the_child_ends_with_a_killed_parent(folder: Path) -> None:
    script = f"""
import asyncio, pathlib
from bundle_child import bundle
bundle.PROGRAM = pathlib.Path({str(bundle_module.PROGRAM)!r})
from openenv_bridge.config import OpenEnvConfig
async def main():
    server = bundle.Bundle(OpenEnvConfig.model_validate({config(folder).model_dump(mode="json")!r}))
    await server.start()
    print(await server.url(), flush=True)
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
    assert is_running(child)
    parent.kill()
    await parent.wait()
    await until_gone(child)


def test_paths_in_the_config_are_resolved() -> None:
    configs = Path(bundle_module.__file__).resolve().parent.parent / "configs"
    assert resolve("../../../bundles/x") == str((configs / "../../../bundles/x").resolve())
    assert resolve("/srv/x") == "/srv/x"
    assert resolve("hello") == "hello"
    assert resolve("~/x") == os.path.expanduser("~/x")
