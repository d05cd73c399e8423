"""Plays many rollouts on few sessions under random faults, and checks that none is lost or wrongly scored.

    python load.py --base-url http://127.0.0.1:8200 --control-url http://127.0.0.1:8100 --rows rows/train.jsonl

Passes if:

- every rollout is answered;
- every unaffected rollout has its task's exact reward;
- every affected rollout has that reward, or is masked with a kind;
- no session stays open;
- the resources server's memory at the end is within --growth of its memory after the first tenth of the rollouts.

Otherwise, the exit status is 1.

Set ``tool_timeout`` below --late-s, so that a late response times out, and ``reset_timeout`` above the longest queue.
A dropped reset holds its session for ``reset_timeout``, too. For the defaults, use 5 and 120 s.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import time
from collections import Counter
from pathlib import Path
from typing import Any

from faulty_tasks import expected_reward
from gymclient import SCHEDULE, Control, Episode, GymClient, Usage, read_rows, table, write_json

ARGUMENTS = {"schedule": SCHEDULE}
TRIES = 5  # calls per rollout: a model repeats a failed call


class Load:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.usage = Usage(args.pid)
        self.outcomes: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()  # "split index" -> masked rollouts of the task
        self.problems: list[str] = []
        self.rss_mib: list[tuple[int, float]] = [(0, self.usage.rss_mib())]
        self.done = 0

    async def play(self, client: GymClient, row: dict[str, Any]) -> None:
        episode, task = Episode(client, row), f"{row['split']} {row['index']}"
        answers = [await episode.seed()]
        for _ in range(TRIES):
            answers.append(await episode.tool("submit_schedule", ARGUMENTS))
            if answers[-1].text != "random fault":
                break
        answers.append(await episode.verify())
        lost = next((answer for answer in answers if not answer.ok), None)
        if lost is not None:
            self.outcomes["lost"] += 1
            self.problems.append(f"{task}: {lost.status or lost.error} {lost.text[:200]}")
            return
        self.judge(task, answers[-1].json(), expected_reward(row, ARGUMENTS))

    def judge(self, task: str, verdict: dict[str, Any], expected: float) -> None:
        if verdict["mask_sample"]:
            self.masked[task] += 1
            self.outcomes[f"masked {verdict['failure_kind']}"] += 1
            if verdict["reward"] != 0 or not verdict["failure_kind"] or not verdict["failure_reason"]:
                self.problems.append(f"{task}: masked with {verdict['reward']}, {verdict['failure_kind']}")
        else:
            self.outcomes["scored"] += 1
            if verdict["reward"] != expected:
                self.problems.append(f"{task}: reward {verdict['reward']}, not {expected}")

    async def run(self) -> dict[str, Any]:
        args, rows = self.args, read_rows(self.args.rows)
        control, chaos = Control(args.control_url), Control(args.control_url, "/control/chaos")
        await control.set(capacity=args.capacity)
        await chaos.set(rate=args.rate, late_s=args.late_s, seed=args.seed)
        queue = iter(list(itertools.islice(itertools.cycle(rows), args.episodes)))
        started = time.monotonic()

        async def worker(client: GymClient) -> None:
            for row in queue:
                await self.play(client, row)
                self.done += 1
                if self.done % (args.episodes // 10) == 0:
                    self.rss_mib.append((self.done, round(self.usage.rss_mib(), 1)))
                    print(f"{self.done} rollouts, {time.monotonic() - started:.0f} s", flush=True)

        async with GymClient(args.base_url, cap_s=args.cap_s) as client:
            await asyncio.gather(*(worker(client) for _ in range(args.concurrency)))
        seconds = time.monotonic() - started
        injected = await chaos.read()
        await chaos.set(rate=0.0)
        left = await control.settle(0, 0, 15.0)
        self.check(injected["sessions"], left)
        return {
            "rollouts": args.episodes,
            "at_once": args.concurrency,
            "sessions": args.capacity,
            "seconds": round(seconds, 1),
            "messages": injected["messages"],
            "affected": injected["affected"],
            "outcomes": dict(sorted(self.outcomes.items())),
            "left": {"envs": left["envs"], "sockets": left["sockets"]},
            "rss_mib": self.rss_mib,
            "problems": self.problems,
        }

    def check(self, affected: dict[str, int], left: dict[str, Any]) -> None:
        if sum(self.outcomes.values()) != self.args.episodes:
            self.problems.append(f"{sum(self.outcomes.values())} rollouts were answered")
        for task, count in self.masked.items():
            if count > affected.get(task, 0):
                self.problems.append(f"{task}: masked {count} times, but affected {affected.get(task, 0)} times")
        if left["envs"] or left["sockets"]:
            self.problems.append(f"left open: {left['envs']} environments, {left['sockets']} sockets")
        early, late = self.rss_mib[1][1], self.rss_mib[-1][1]
        if late > early * (1 + self.args.growth):
            self.problems.append(f"memory grew from {early:g} to {late:g} MiB")


def report(result: dict[str, Any]) -> str:
    rows = [
        ["rollouts", f"{result['rollouts']}, {result['at_once']} at once on {result['sessions']} sessions"],
        ["time", f"{result['seconds']} s"],
        ["affected messages", f"{sum(result['affected'].values())} of {result['messages']}"],
        *([name, count] for name, count in result["outcomes"].items()),
        ["sessions left", result["left"]["sockets"]],
        ["memory, MiB", ", ".join(f"{rss:g} after {done}" for done, rss in result["rss_mib"])],
        ["verdict", f"{len(result['problems'])} problems" if result["problems"] else "pass"],
    ]
    return table(["load", ""], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True, help="URL of the resources server")
    parser.add_argument("--control-url", required=True, help="URL of faulty_server.py")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--pid", type=int, help="pid of the resources server, for its memory")
    parser.add_argument("--episodes", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=256)
    parser.add_argument("--capacity", type=int, default=32, help="maximum number of sessions of the OpenEnv server")
    parser.add_argument("--rate", type=float, default=0.05, help="share of the messages that are affected")
    parser.add_argument("--late-s", type=float, default=10.0, help="delay of a late message, in seconds")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--growth", type=float, default=0.2, help="allowed growth of memory, as a share")
    parser.add_argument("--cap-s", type=float, default=300.0, help="the client's time limit for one call, in seconds")
    parser.add_argument("--out", type=Path, help="write the result to this JSON file")
    args = parser.parse_args()
    result = asyncio.run(Load(args).run())
    write_json(args.out, result)
    print("\n" + report(result))
    print("\n".join(result["problems"][:20]))
    raise SystemExit(bool(result["problems"]))


if __name__ == "__main__":
    main()
