"""Measures a server that gymgen writes and both reference servers in one run, and writes one table of the results.

    python compare.py --gymgen 'node bin/gymgen.cjs' --out results/now        (npm run bench:server does this)

The servers take turns at the throughput steps, --repeat times, so that changes in the machine's load affect all of
them. The table has the medians. Exit status 1: the written server failed a step.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gymclient import table
from run_all import HERE, STEPS, Bench, free_port, process

WRITTEN = "written by gymgen"
LIMITS = {"tool_timeout": 10, "reset_timeout": 10, "idle_timeout": 30}  # seconds
GENERIC = {
    "env_class": "faulty_env.FaultyGrid",
    "action_class": "openenv.core.env_server.mcp_types.CallToolAction",
    "is_mcp": True,
    "reset_kwargs": {"split": "eval", "index": 0},
}


def write_server(gymgen: str, out: Path) -> Path:
    """Generate a server from faulty_server.py with gymgen, and return its folder."""
    root, port = out / "gym-root", free_port()
    url = f"http://127.0.0.1:{port}"
    shutil.rmtree(root, ignore_errors=True)
    with process("faulty_server.py", out / "servers.log", "--port", str(port), ready=f"{url}/control"):
        subprocess.run([*shlex.split(gymgen), url, root, "--quiet"], check=True)
    return next((root / "resources_servers").iterdir())


def benches(args: argparse.Namespace, written: Path) -> dict[str, Bench]:
    """Return the bench of each server, by its name in the table."""
    common = {"server_class": None, "rows": None, "in_process": False, "end_tool": None, "cap_s": args.cap_s}
    url = {"url": "OPENENV_URL"}
    subjects: dict[str, dict[str, Any]] = {
        WRITTEN: {"app": str(written / "app.py"), "rows": written / "data", "config": url | LIMITS, "folder": "gymgen"},
        "a naive bridge": {"app": str(HERE / "naive_bridge/app.py"), "config": url, "folder": "naive"},
        "NeMo Gym's adapter": {
            "app": "resources_servers.openenv.app",
            "config": GENERIC,
            "in_process": True,
            "end_tool": "end_turn",
            "folder": "generic",
        },
    }
    servers = {}
    for name, subject in subjects.items():
        out = args.out / subject.pop("folder")
        out.mkdir(parents=True, exist_ok=True)
        config = json.dumps(subject.pop("config"))
        settings = {**common, **subject, "config": config, "out": out, "episodes": args.episodes}
        servers[name] = Bench(argparse.Namespace(**settings))
    return servers


def run(args: argparse.Namespace) -> dict[str, Bench]:
    servers = benches(args, write_server(args.gymgen, args.out))
    for n in range(1, args.repeat + 1):
        for name, bench in servers.items():
            if "throughput" in args.steps:
                print(f"# {name}", flush=True)
                bench.throughput(n)
            if "plain" in args.steps and name == WRITTEN:
                bench.plain(n)
    for step in STEPS[2:]:
        for name, bench in servers.items():
            if step in args.steps and (step != "load" or name == WRITTEN):
                print(f"# {name}", flush=True)
                getattr(bench, step)()
    return servers


class Results:
    """Results of one server's steps, as table cells."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def rates(self, at: int) -> str:
        return self._median(at, lambda level: level["episodes_per_s"])

    def cpu(self, at: int) -> str:
        return self._median(at, lambda level: level["cpu_ms_per_episode"]["subject"])

    def p99(self, at: int) -> str:
        return self._median(at, lambda level: level["ms"]["tool"]["p99"])

    def blocking(self) -> str:
        found = self._json("blocking")
        return f"{found['quiet']['p99_ms']} → {found['during']['p99_ms']}" if found else "—"

    def idle(self) -> str:
        found = self._json("idle")
        return str(found[-1]["envs"]) if found else "—"

    def conformance(self) -> str:
        path = self._bench.out / "conformance.md"
        return path.read_text(encoding="utf-8").split()[0].lower() if path.exists() else "—"

    def faults(self) -> str:
        found = self._json("faults")
        return f"{sum(not fault['problems'] for fault in found)} of {len(found)}" if found else "—"

    def load(self) -> str:
        found = self._json("load")
        if not found:
            return "—"
        masked = sum(count for name, count in found["outcomes"].items() if name.startswith("masked"))
        verdict = f"{len(found['problems'])} problems" if found["problems"] else "pass"
        return f"{verdict}: {found['outcomes'].get('scored', 0)} scored, {masked} masked"

    def _median(self, at: int, value: Callable[[dict[str, Any]], float]) -> str:
        levels = [json.loads(path.read_text()) for path in sorted(self._bench.out.glob("throughput-*.json"))]
        values = [value(level) for run in levels for level in run if level["concurrency"] == at]
        return f"{statistics.median(values):g}" if values else "—"

    def _json(self, step: str) -> Any:
        path = self._bench.out / f"{step}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def report(servers: dict[str, Bench]) -> str:
    results = [Results(bench) for bench in servers.values()]
    rows: list[list[Any]] = []

    def line(title: str, cell: Callable[[Results], str]) -> None:
        rows.append([title, *(cell(result) for result in results)])

    for at in (1, 16, 64, 256):
        line(f"episodes per second, {at} at once", lambda result, at=at: result.rates(at))
    for at in (1, 256):
        line(f"CPU time per episode, {at} at once, ms", lambda result, at=at: result.cpu(at))
    line("p99 of a tool call, 64 at once, ms", lambda result: result.p99(64))
    line("p99 of the calls of 63 sessions, before → while one call takes 5 s, ms", Results.blocking)
    line("open sessions after 60 s, of 200 that were never verified", Results.idle)
    line("Gym's session contract", Results.conformance)
    line("faults with the expected result", Results.faults)
    line("5,000 rollouts with faults in 5 % of the messages", Results.load)
    return table(["", *servers], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gymgen", required=True, help="the command that writes a server")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--repeat", type=int, default=3, help="runs of the throughput steps")
    parser.add_argument("--episodes", type=int, default=2000, help="episodes per concurrency")
    parser.add_argument("--cap-s", type=float, default=30.0, help="time limit for a faulty call, in seconds")
    parser.add_argument("--steps", type=lambda s: s.split(","), default=STEPS, help=f"default: {','.join(STEPS)}")
    args = parser.parse_args()
    args.out = args.out.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    servers = run(args)
    found = report(servers)
    (args.out / "comparison.md").write_text(found + "\n", encoding="utf-8")
    print(f"\n{found}\n\nresults in {args.out}")
    failed = servers[WRITTEN].failed
    if failed:
        print(f"{WRITTEN}: failed {', '.join(failed)}")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
