"""Limits on the work, time and memory that a server or a model can cause."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import struct
from typing import Any

import pytest

from fake_env import action_row, name_of, observation, row
from openenv_bridge import messages, tasks, tool_environment
from openenv_bridge.json_codec import MAX_VALUES
from openenv_bridge.observation_text import observation_text
from openenv_bridge.tool_calls import MAX_DEPTH, argument_error
from serving import wait_until


class Counting(list[Any]):
    """An array that counts how often it is iterated."""

    iterations = 0

    def __iter__(self) -> Any:
        Counting.iterations += 1
        return super().__iter__()


@pytest.mark.parametrize("deep", [5, 15, 30])
def test_the_shape_of_an_array_is_found_in_linear_time(deep: int) -> None:
    array: Any = Counting(range(1001))
    for _ in range(deep):
        array = Counting([array])
    Counting.iterations = 0
    assert observation_text({"x": array}) == f'{{"x":"[{"1x" * deep}1001 numbers, not shown]"}}'
    assert Counting.iterations <= 4 * (deep + 1)


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        ([[0] * 600, [0] * 600], "2x600"),
        ([[0] * 600, [0] * 601], "1201"),
        ([[0] * 600, 0, [0] * 600], "1201"),
        ([[[0] * 3] * 200, [[0] * 3] * 200], "2x200x3"),
        ([[0] * 1100, []], "1100"),
    ],
)
def test_an_irregular_array_is_shown_as_a_count(array: Any, shown: str) -> None:
    assert observation_text({"x": array}) == f'{{"x":"[{shown} numbers, not shown]"}}'


async def test_a_large_observation_is_processed_in_a_thread(
    fakes: Any, play: Any, verdict: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[Any] = []
    run = asyncio.to_thread

    async def recorded(work: Any, *args: Any) -> Any:
        threads.append(work)
        return await run(work, *args)

    monkeypatch.setattr(tasks.asyncio, "to_thread", recorded)
    large = observation({"board": "ab " * tasks.LARGE}, reward=1)
    fake = await fakes(lambda request, _: large if name_of(request) == "step" else None)
    episode = await play(fake, action_row(), interface="action", reward_rule="sum")
    assert "characters left out" in (await episode.tool("step", {})).text
    assert len(threads) == 2  # parsing and converting to text
    assert (await verdict(episode))["reward"] == 1


async def test_a_response_with_too_many_values_masks(fakes: Any, play: Any, verdict: Any) -> None:
    many = observation({"tool_name": "act", "result": 7}).replace("7", f"[{','.join(['[]'] * MAX_VALUES)}]")
    episode = await play(await fakes(lambda request, _: many if name_of(request) == "act" else None))
    assert "more than 1000000 JSON values" in (await episode.tool("act", {})).text
    assert (await verdict(episode))["mask_sample"]


async def test_all_turns_of_a_verify_share_one_deadline(fakes: Any, play: Any, verdict: Any) -> None:
    async def next_turn(request: Any, _: Any) -> Any:
        if name_of(request) != "end_turn":
            return None
        await asyncio.sleep(0.05)
        return observation({"tool_name": "end_turn", "result": {"prompt": "again"}, "error": None})

    fake = await fakes(lambda request, session: next_turn(request, session) if name_of(request) == "end_turn" else None)
    found = await verdict(await play(fake, reset_timeout=0.6))
    assert found["failure_kind"] == "transport_timeout"
    assert fake.count("end_turn") <= 0.6 / 0.05 + 1


async def test_the_socket_of_a_peer_that_stops_reading_is_aborted(bridges: Any, clients: Any, play: Any) -> None:
    """Otherwise the socket and its unsent data stay for as long as the peer does."""
    peer = Frozen()
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0, limit=4096)
    port = server.sockets[0].getsockname()[1]
    peer.url = f"http://127.0.0.1:{port}"
    episodes = [await play(peer, tool_timeout=1, reset_timeout=60) for _ in range(4)]
    await asyncio.to_thread(wait_until, lambda: len(peer.peers) == 4)
    for answer in await asyncio.gather(*(e.tool("act", {"a": "x" * 14_000_000}) for e in episodes)):
        assert "did not answer within 1 s" in answer.text
    await asyncio.to_thread(wait_until, lambda: not client_sockets(port))
    server.close()


def client_sockets(port: int) -> int:
    import psutil

    connections = psutil.Process(os.getpid()).net_connections("tcp")
    return sum(1 for c in connections if c.raddr and c.raddr.port == port)


class Frozen:
    """Answers a reset and a list of tools, and then stops reading."""

    url = ""

    def __init__(self) -> None:
        self.peers: list[Any] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        lines = dict(line.split(b": ", 1) for line in request.split(b"\r\n") if b": " in line)
        key = next(value for name, value in lines.items() if name.lower() == b"sec-websocket-key")
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
        writer.write(b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        tools = [{"name": tool["name"], "input_schema": tool["parameters"]} for tool in ROW_TOOLS]
        for shown in ({}, {"tools": tools}):
            await reader.read(65536)
            frame = observation(shown).encode()
            writer.write(bytes([0x81, 126]) + struct.pack("!H", len(frame)) + frame)
        await writer.drain()
        self.peers.append(writer)
        transport: Any = writer.transport
        transport.pause_reading()
        await asyncio.sleep(60)


ROW_TOOLS = row()["responses_create_params"]["tools"]


async def test_a_reply_that_is_too_long_is_truncated_and_scored(
    fakes: Any, play: Any, verdict: Any, caplog: pytest.LogCaptureFixture
) -> None:
    fake = await fakes()
    episode = await play(fake, reset_timeout=60)
    body = {**episode.row, "response": {"output": [message("é\n" * 9_000_000)]}}
    answer = await episode.client.post("/verify", json.dumps(body, ensure_ascii=False).encode(), episode.cookies)
    assert answer.json()["mask_sample"] is False
    (reply,) = [r["data"]["arguments"]["response"] for r in fake.requests if name_of(r) == "end_turn"]
    assert len(reply) > 4_000_000
    assert any("was truncated to" in record.getMessage() for record in caplog.records)


def message(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


@pytest.mark.parametrize("reply", ["\x01" * 3_000_000 + "a" * 14_000_000, "🥛" * 5_000_000, "\ud83d" * 17_000_000])
def test_a_reply_is_truncated_to_the_limit(reply: str) -> None:
    frame = tool_environment.end_turn(reply)
    assert 0.9 * messages.MAX_REQUEST < len(frame) <= messages.MAX_REQUEST
    json.loads(frame)


def test_a_reply_within_the_limit_is_sent_unchanged() -> None:
    assert json.loads(tool_environment.end_turn("a\ud83d"))["data"]["arguments"] == {"response": "a?"}


ARGUMENTS = {
    "not JSON": b"{",
    "an integer with 5,000 digits": b'{"a":%b}' % (b"7" * 5000),
    "many levels": b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    "very many levels": b"[" * 5000 + b"]" * 5000,
    "too many bytes": b'"' + b"x" * messages.MAX_REQUEST + b'"',
    "too many values": b"[" + b",".join([b"[]"] * MAX_VALUES) + b"]",
    "not UTF-8": b'"\xff"',
    "a lone surrogate": b'{"a":"\\ud83d"}',
    "a number": b"7",
    "NaN": b'{"a":NaN}',
}


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", '"\\ud83d"', '{"\\ude00":1}'])
def test_values_that_a_server_cannot_write_are_not_sent(value: str) -> None:
    assert "not valid JSON" in (argument_error(f'{{"a":{value}}}'.encode()) or "")


@pytest.mark.parametrize("value", ["1e308", '"\\ud83d\\ude00"', '"NaN"', "123456789012345678901234567890"])
def test_values_that_a_server_can_write_are_sent(value: str) -> None:
    assert argument_error(f'{{"a":{value}}}'.encode()) is None


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize("name", ["act", "nothing/like%20it"])
async def test_arguments_of_a_model_never_mask(
    fakes: Any, play: Any, verdict: Any, arguments: bytes, name: str
) -> None:
    episode = await play(await fakes())
    answer = await episode.client.post(f"/{name}", arguments, episode.cookies)
    assert answer.status == 200
    assert (await verdict(episode))["mask_sample"] is False
