"""The resources server: NeMo Gym's routes, each a few lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from nemo_gym.base_resources_server import (
    BaseSeedSessionResponse,
    ResourcesCloseSessionRequest,
    ResourcesCloseSessionResponse,
    ResourcesSeedSessionRequest,
    ResourcesSeedSessionResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import PrivateAttr, ValidationError
from starlette.middleware.sessions import SessionMiddleware

from openenv_bridge import lifecycle, wire
from openenv_bridge.action import ActionPlay
from openenv_bridge.arguments import problem
from openenv_bridge.bundle import Bundle
from openenv_bridge.config import ConfigError, OpenEnvConfig
from openenv_bridge.episode import Episode, note
from openenv_bridge.openenv import OpenEnvServer
from openenv_bridge.play import Play
from openenv_bridge.sessions import Refused, Sessions
from openenv_bridge.task import BadRow, Task, tools_of
from openenv_bridge.text import not_an_image
from openenv_bridge.toolsets import Toolsets
from openenv_bridge.verify import echo, last_reply, request_of

if TYPE_CHECKING:
    from nemo_gym.mcp_auto_exposure import MCPTool

FOLDER = Path(__file__).resolve().parent.parent  # app.py's
ANSWERS_KEY = "answers"  # in the cookie: how many answers its holder has had
NO_EPISODE = "There is no episode in this session."


class OpenEnvResourcesServer(SimpleResourcesServer):
    """Plays the tasks of the OpenEnv server at ``config.url``, or of ``config.bundle``, which it serves itself."""

    ray_enabled = False
    config: OpenEnvConfig  # pyright: ignore[reportIncompatibleVariableOverride]

    _bundle: Bundle | None = PrivateAttr(default=None)
    _openenv: OpenEnvServer = PrivateAttr()
    _sessions: Sessions = PrivateAttr()
    _toolsets: Toolsets | None = PrivateAttr(default=None)

    @classmethod
    def run_webserver(cls) -> FastAPI | None:
        """Serve. What is wrong with the config is said in a line each, without a traceback."""
        try:
            return super().run_webserver()
        except ValidationError as e:
            problems = [
                ": ".join([*map(str, error["loc"]), error["msg"].removeprefix("Value error, ")]) for error in e.errors()
            ]
            raise SystemExit("\n  ".join(["the resources server's config can't be used:", *problems])) from None
        except ConfigError as e:
            raise SystemExit(f"the resources server's config can't be used: {e}") from None

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._bundle = Bundle(self.config) if self.config.bundle is not None else None
        self._openenv = OpenEnvServer(self.config, os.environ, self._bundle)
        self._sessions = Sessions(self._start, self.config.idle_timeout)
        if self.config.expose_tools_over_mcp:
            self._toolsets = Toolsets(FOLDER / "toolsets.json")

    def _start(self, task: Task) -> Episode:
        play = ActionPlay if self.config.interface == "action" else Play
        return Episode(task, play(task, self._openenv, self.config))

    def setup_webserver(self) -> FastAPI:
        app = super().setup_webserver()
        # After Gym's own routes, which win. A model can name any tool: the environment itself answers for those it
        # hasn't got.
        app.post("/{tool_name:path}", response_class=PlainTextResponse)(self.call_tool)
        on_start = self._bundle.start if self._bundle else None
        lifecycle.install(app, on_start=on_start, on_signal=self._end_all, on_stop=self._stop)
        return app

    def setup_session_middleware(self, app: FastAPI) -> None:
        """Gym's, less a layer: ``_session_id`` does in the routes what its second middleware does around all of them,
        which costs a tenth of an episode's CPU time."""
        if not getattr(app.state, "nemo_gym_session_middleware_installed", False):
            app.state.nemo_gym_session_middleware_installed = True
            key = self.get_session_middleware_key()
            app.add_middleware(SessionMiddleware, secret_key=key, session_cookie=key)

    def _end_all(self) -> None:
        self._sessions.shut_down()
        if self._bundle is not None:
            self._bundle.stop()

    async def _stop(self) -> None:
        self._end_all()
        await self._openenv.close()
        if self._bundle is not None:
            await self._bundle.closed()

    async def seed_session(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, request: Request
    ) -> ResourcesSeedSessionResponse | BaseSeedSessionResponse:
        """Start the row's episode. Answers at once: the reset goes on while the model writes its first reply."""
        body, current = _json_object(await request.body()), request.session.get(SESSION_ID_KEY)
        try:
            if "resources_session_id" not in body:
                self._sessions.seed(_session_id(request), Task.of(body))
                request.session[ANSWERS_KEY] = 0
                return BaseSeedSessionResponse()
            seed = ResourcesSeedSessionRequest.model_validate(body)
            session_id, owner = seed.resources_session_id, seed.episode_id.capture_key
            self._sessions.seed(session_id, Task.of(seed.task_data), owner, current=current)
        except (BadRow, ValidationError, RecursionError) as e:
            raise HTTPException(422, wire.utf8(f"This starts no episode: {e}")) from e
        except Refused as e:
            raise HTTPException(409, f"This starts no episode: {e}.") from e
        request.session.update({SESSION_ID_KEY: session_id, ANSWERS_KEY: 0})
        return ResourcesSeedSessionResponse(resources_session_id=session_id)

    async def call_tool(self, tool_name: str, request: Request) -> Response:
        """Call a tool of the episode. Whatever came of it is text that the model reads, with status 200."""
        session_id, arguments = _session_id(request), await request.body() or b"null"
        episode = self._sessions.playing(session_id)
        if episode is None:
            verdict = self._sessions.finished(session_id)
            return _text(note(verdict) if verdict else NO_EPISODE)
        if wrong := problem(arguments):
            return _text(wrong)
        had = request.session.get(ANSWERS_KEY)
        text = await episode.call(tool_name, arguments, once=not _is_direct(request), had=had)
        request.session[ANSWERS_KEY] = episode.answers
        return _text(not_an_image(text))

    async def verify(self, request: Request) -> Response:  # pyright: ignore[reportIncompatibleMethodOverride]
        """End the episode and give its reward. Status 200 for all that the environment did."""
        raw = await request.body()
        body = request_of(raw)
        try:
            task = Task.of(body or {})
        except (BadRow, RecursionError):
            return _text("This verifies nothing: it has no task, no response or no responses_create_params.", 422)
        assert body is not None
        verdict = await self._sessions.verify(_session_id(request), task, last_reply(body), tools_of(body))
        return Response(echo(body, verdict.fields(), raw), media_type="application/json")

    async def close_resources_session(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, request: Request
    ) -> ResourcesCloseSessionResponse:
        """End a typed session for good, however often, known or not."""
        try:
            body = ResourcesCloseSessionRequest.model_validate(_json_object(await request.body()))
        except ValidationError as e:
            raise HTTPException(422, f"This closes no session: {e}") from e
        self._sessions.close(body.resources_session_id)
        return ResourcesCloseSessionResponse(resources_session_id=body.resources_session_id)

    def mcp_tools(self, harvested: list[MCPTool], catchall: Any | None) -> list[MCPTool] | None:
        if self._toolsets is None or catchall is None:
            return harvested
        return [
            catchall.tool(tool["name"], tool["parameters"], tool.get("description")) for tool in self._toolsets.tools()
        ]

    def mcp_allowed_tools_for_session(self, seed_body: dict[str, Any]) -> list[str] | None:
        return self._toolsets.names_for(seed_body) if self._toolsets else None


def _session_id(request: Request) -> str:
    """The session's id, a new one where there is none. Setting it sends the cookie again with every answer, which
    clients count on that keep the last answer's cookies only."""
    session_id = request.session[SESSION_ID_KEY] = request.session.get(SESSION_ID_KEY) or str(uuid4())
    return session_id


def _json_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = wire.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(text: str, status: int = 200) -> Response:
    return Response(text.encode("utf-8", "replace"), status, media_type="text/plain; charset=utf-8")


def _is_direct(request: Request) -> bool:
    """Whether Gym's MCP endpoint made the request up: no client of that posts again, and calls may be parallel."""
    return (request.scope.get("server") or ("",))[0] == "internal-mcp-direct"
