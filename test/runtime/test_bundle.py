"""The bundle's server as a child process: refused, ready, dead and back, and gone with its parent."""

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

from openenv_bridge import bundle as bundle_module
from openenv_bridge.bundle import Bundle, located
from openenv_bridge.config import ConfigError, OpenEnvConfig

# Says what serve_bundle.py says, and its process id in place of a port. A "sandbox" is a process that outlives it: in a
# session of its own, with its pipes and a process that it started in turn. "cleared" has it start with no environment.
PROGRAM = """
import json, os, pathlib, subprocess, sys
def say(**message): print(json.dumps(message), flush=True)
token = sys.stdin.readline()
say(progress="importing"); print("noise"); say(warning="left out: one")
if pathlib.Path("refuse").exists(): say(refused="no task can be served"); sys.exit(3)
if pathlib.Path("crash").exists(): sys.exit(9)
if pathlib.Path("token").exists(): pathlib.Path("token").write_text(token)
if pathlib.Path("long").exists(): print("x" * 10**6, flush=True)
if pathlib.Path("sandbox").exists():
    nested = ["sh", "-c", "sleep 600 & echo $$ $! >> sandbox; wait"]
    env = {"PATH": os.environ["PATH"]} if pathlib.Path("cleared").exists() else None
    sandbox = subprocess.Popen(nested, env=env, start_new_session=True, close_fds=False)
    while str(sandbox.pid) not in pathlib.Path("sandbox").read_text().split(): pass
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
        assert url.endswith("?--token-on-stdin --reward=score --sandbox=docker --max-concurrent-envs=3")
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
        second = await asyncio.wait_for(asking, 60)
        assert second != first
        assert await bundle.url() == second
    assert not is_there(pid_of(second))


LOOPS: list[Callable[[Coroutine[None, None, None]], None]] = [asyncio.run, uvloop.run]


@pytest.mark.skipif(sys.platform != "linux", reason="processes in groups of their own are found in /proc")
@pytest.mark.parametrize("run", LOOPS)
@pytest.mark.parametrize("found_by", ["environment", "limit"])
def test_one_that_is_killed_is_served_again_at_once_and_its_sandboxes_are_ended(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    found_by: str,
    run: Callable[[Coroutine[None, None, None]], None],
) -> None:
    if found_by == "environment":

        def unsupported(*_: object) -> None:
            raise OSError

        monkeypatch.setattr(bundle_module.resource, "prlimit", unsupported)
    else:
        (folder / "cleared").touch()

    async def play() -> None:
        (folder / "sandbox").touch()
        async with serving(folder) as bundle:
            first = await bundle.url()
            orphans = [int(pid) for pid in (folder / "sandbox").read_text().split()]
            assert all(is_there(pid) for pid in orphans)
            (folder / "sandbox").unlink()
            os.kill(pid_of(first), signal.SIGKILL)
            async with asyncio.timeout(5):
                while await bundle.url() == first:
                    await asyncio.sleep(0.02)
            await until_gone(*orphans)
            assert is_there(pid_of(await bundle.url()))

    run(play())


@pytest.mark.parametrize("run", LOOPS)
def test_one_that_is_killed_is_served_again_if_its_sandboxes_can_not_be_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[[Coroutine[None, None, None]], None]
) -> None:
    monkeypatch.setattr(bundle_module, "_processes", list)

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


@pytest.mark.skipif(sys.platform != "linux", reason="processes in groups of their own are found in /proc")
async def test_processes_of_another_server_are_left_alone(folder: Path) -> None:
    (folder / "sandbox").touch()
    async with serving(folder) as one, serving(folder) as other:
        sandboxes = [int(pid) for pid in (folder / "sandbox").read_text().split()]
        assert len(sandboxes) == 4
        first = await one.url()
        (folder / "sandbox").unlink()
        os.kill(pid_of(first), signal.SIGKILL)
        await until_gone(*sandboxes[:2])
        assert all(is_there(pid) for pid in (*sandboxes[2:], pid_of(await other.url())))
    await until_gone(*sandboxes)


async def test_each_run_has_a_token_of_its_own(folder: Path) -> None:
    tokens = set()
    for _ in range(2):
        (folder / "token").touch()
        async with serving(folder) as bundle:
            url = await bundle.url()
            token = (folder / "token").read_text().strip()
            assert bundle.headers == {"X-Gymgen-Token": token}
            assert token not in environment_of(pid_of(url))
            assert token not in url  # which has the arguments
            tokens.add(token)
    assert all(len(token) == 64 for token in tokens)
    assert len(tokens) == 2


def environment_of(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode() if sys.platform == "linux" else ""


async def test_output_that_is_not_its_own_does_no_harm(folder: Path) -> None:
    (folder / "long").touch()
    async with serving(folder) as bundle:
        assert is_there(pid_of(await bundle.url()))


async def until_gone(*pids: int) -> None:
    async with asyncio.timeout(60):
        while any(is_there(pid) and not is_defunct(pid) for pid in pids):
            await asyncio.sleep(0.02)


def is_defunct(pid: int) -> bool:
    """Whether it has ended, and whoever adopted it has not noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return sys.platform == "linux"


async def test_one_that_can_not_be_started_for_a_while_is_served_again(folder: Path) -> None:
    away = folder.with_name("away")
    async with serving(folder) as bundle:
        first = await bundle.url()
        os.rename(folder, away)
        os.kill(pid_of(first), signal.SIGKILL)
        await until_restarting(bundle, first)
        os.rename(away, folder)
        assert is_there(pid_of(await asyncio.wait_for(bundle.url(), 60)))


async def until_restarting(bundle: Bundle, url: str) -> None:
    async with asyncio.timeout(60):
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
    async with asyncio.timeout(60):
        while is_there(child):
            await asyncio.sleep(0.02)


def test_where_the_config_names_it() -> None:
    configs = Path(bundle_module.__file__).resolve().parent.parent / "configs"
    assert located("../../../bundles/x") == str((configs / "../../../bundles/x").resolve())
    assert located("/srv/x") == "/srv/x"
    assert located("hello") == "hello"
    assert located("~/x") == os.path.expanduser("~/x")
