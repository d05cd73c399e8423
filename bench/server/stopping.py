"""Measures how long a resources server takes to stop. NeMo Gym kills a server one second after its SIGINT.

    python stopping.py --base-url http://127.0.0.1:8200 --control-url http://127.0.0.1:8100 --rows eval.jsonl --pid N

Twenty sessions are open, one of them in a hung call. Exit status 1: a session stayed open, or closing all sessions took
more than half a second. The server has stopped afterwards.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time

import gymclient
from gymclient import Control, Episode, GymClient

LIMIT_S = 0.5


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    gymclient.add_client_arguments(parser)
    parser.add_argument("--control-url", required=True, help="URL of faulty_server.py")
    parser.add_argument("--pid", type=int, required=True, help="pid of the resources server")
    args = parser.parse_args()
    control, rows = Control(args.control_url), gymclient.read_rows(args.rows)[:20]
    async with GymClient(args.base_url) as client:
        await control.set(fault="tool_hangs")
        hung = Episode(client, rows[0])
        await hung.seed()
        call = asyncio.create_task(hung.tool(args.tool, args.arguments))
        await control.settle(1, 1, 5)
        await control.set(fault="none")
        episodes = [Episode(client, row) for row in rows[1:]]
        await asyncio.gather(*(episode.seed() for episode in episodes))
        await asyncio.gather(*(episode.tool(args.tool, args.arguments) for episode in episodes))
        started = time.perf_counter()
        os.kill(args.pid, signal.SIGINT)
        now = await control.settle(0, 0, 10)
        took = time.perf_counter() - started
        await call
    print(gymclient.table(["sessions", "left open", "s until closed"], [[len(rows), now["sockets"], f"{took:.2f}"]]))
    gymclient.write_json(args.out, {"left": now["sockets"], "seconds": took})
    return int(bool(now["sockets"]) or took > LIMIT_S)


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
