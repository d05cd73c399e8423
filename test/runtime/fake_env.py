"""A scripted OpenEnv server, for frames that the real package never sends.

Its environment has the tools ``act`` and ``end_turn``. ``script(request, session)`` returns the response to a request:
a frame, a list of frames, False for none, or None for the usual response.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import WSMsgType, web

Script = Callable[[dict[str, Any], "Session"], Any]


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": name, "input_schema": {"type": "object", "properties": properties}}


TOOLS = [tool("act", a={"type": "integer"}), tool("end_turn", response={"type": "string"})]


def observation(shown: Any, **rest: Any) -> str:
    data = {"observation": shown, "reward": None, "done": False, **rest}
    return json.dumps({"type": "observation", "data": data})


def error(code: str, message: str = "it broke", **rest: Any) -> str:
    return json.dumps({"type": "error", "data": {"message": message, "code": code, **rest}})


def name_of(request: dict[str, Any]) -> str:
    """Return the name of a request: reset, list_tools, the name of a tool, step, or close."""
    data = request.get("data") or {}
    return data.get("tool_name") or data.get("type") or request["type"]


class Session:
    """The server's state of one WebSocket."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport | None) -> None:
        self.socket, self.transport = socket, transport
        self.index = 0
        self.calls = 0


class Fake:
    def __init__(self, script: Script | None = None, *, tools: list[Any] | None = None, max_sessions: int = 64) -> None:
        self.script = script
        self.tools = TOOLS if tools is None else tools
        self.max_sessions = max_sessions
        self.on_open: Callable[[web.WebSocketResponse], Awaitable[None]] | None = None
        self.refuse: Callable[[], web.Response | None] = lambda: None
        self.asked: list[str] = []  # paths of pages
        self.pages: dict[str, Any] = {}  # JSON by path; anything else is 404
        self.handshakes = self.open = 0
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    async def start(self, port: int = 0) -> Fake:
        app = web.Application()
        app.router.add_get("/ws", self._serve)
        app.router.add_get("/{page}", self._page)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port, reuse_address=True).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    def count(self, name: str) -> int:
        return sum(name_of(request) == name for request in self.requests)

    async def _page(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        page = self.pages.get(request.path)
        return web.json_response(page) if page is not None else web.Response(status=404)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.handshakes += 1
        if (refused := self.refuse()) is not None:
            return refused
        socket = web.WebSocketResponse(max_msg_size=16 * 2**20)
        await socket.prepare(request)
        if self.open >= self.max_sessions:
            await socket.send_str(error("CAPACITY_REACHED", "full", max_sessions=self.max_sessions))
            await socket.close()
            return socket
        self.open += 1
        try:
            if self.on_open is not None:
                await self.on_open(socket)
            await self._play(socket, request.transport)
        except ConnectionError:
            pass  # the client is gone
        finally:
            self.open -= 1
        return socket

    async def _play(self, socket: web.WebSocketResponse, transport: asyncio.Transport | None) -> None:
        session = Session(socket, transport)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                return
            request = json.loads(message.data)
            self.requests.append(request)
            if request["type"] == "close":
                await socket.close()
                return
            response = self.script(request, session) if self.script else None
            response = await response if isinstance(response, Awaitable) else response
            if response is None:
                response = self.usual(request, session)
            for frame in response if isinstance(response, list) else [response]:
                if frame is not False:
                    await socket.send_str(frame)

    def usual(self, request: dict[str, Any], session: Session) -> str:
        name = name_of(request)
        if name == "reset":
            session.index = request["data"].get("index", 0)
            task = {"id": f"t-{session.index}", "split": request["data"].get("split"), "index": session.index}
            return observation({}, metadata={"prompt": "p", "task": task})
        if name == "list_tools":
            return observation({"tools": self.tools})
        if name == "end_turn":
            return observation({"tool_name": name}, done=True, reward=session.calls / 8)
        session.calls += 1
        if request["data"].get("type") != "call_tool":
            return observation({"seen": session.calls}, reward=session.calls / 8)
        return observation({"tool_name": name, "result": f"ok {session.calls}", "error": None})


def row(index: int = 0, tools: list[Any] | None = None, **changes: Any) -> dict[str, Any]:
    shown = [
        {"type": "function", "name": t["name"], "description": "", "parameters": t["input_schema"], "strict": False}
        for t in (TOOLS if tools is None else tools)
    ]
    return {
        "responses_create_params": {"input": [{"role": "user", "content": f"Task {index}."}], "tools": shown},
        "agent_ref": {"type": "responses_api_agents", "name": "fake_simple_agent"},
        "split": "train",
        "index": index,
        "task_id": f"t-{index}",
        **changes,
    }


def action_row(**changes: Any) -> dict[str, Any]:
    return row(tools=[tool("step")], reset={"seed": 1}, **changes)
