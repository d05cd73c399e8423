"""The resources server: NeMo Gym's HTTP routes."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.routing import APIRoute
from nemo_gym.base_resources_server import (
    BaseSeedSessionResponse,
    ResourcesCloseSessionRequest,
    ResourcesCloseSessionResponse,
    ResourcesSeedSessionRequest,
    ResourcesSeedSessionResponse,
    SimpleResourcesServer,
)
from nemo_gym.config_types import AggregateMetrics, AggregateMetricsRequest
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import PrivateAttr, ValidationError
from starlette.middleware.sessions import SessionMiddleware

from openenv_bridge import lifespan
from openenv_bridge.action_environment import ActionEnvironment
from openenv_bridge.client import OpenEnvClient
from openenv_bridge.config import OpenEnvConfig
from openenv_bridge.connector import BundleServer
from openenv_bridge.endpoint import ConfigError
from openenv_bridge.episode import Episode, ended_note
from openenv_bridge.json_codec import loads, replace_surrogates
from openenv_bridge.mcp_tools import MCPTools
from openenv_bridge.row import InvalidRow, Task, row_tools
from openenv_bridge.sessions import SessionConflict, Sessions
from openenv_bridge.tool_calls import argument_error, escape_image_source
from openenv_bridge.tool_environment import ToolEnvironment
from openenv_bridge.verify_body import last_reply, parse_verify_request, verify_response

if TYPE_CHECKING:
    from nemo_gym.mcp_auto_exposure import MCPTool

FOLDER = Path(__file__).resolve().parent.parent  # the folder of app.py
RESPONSES_KEY = "answers"  # in the cookie: how many responses its holder has received
NO_EPISODE = "There is no episode in this session."


class ToolRoute(APIRoute):
    """Calls the endpoint without FastAPI's handling of parameters, which takes a twentieth of an episode's CPU time."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            return await self.endpoint(request.path_params["tool_name"], request)

        return handle


class OpenEnvResourcesServer(SimpleResourcesServer):
    """Plays the tasks of the OpenEnv server at ``config.url``, or of the bundle at ``config.bundle``.

    ``app.py`` sets ``bundle_class`` if the config has a bundle.
    """

    ray_enabled = False
    bundle_class: ClassVar[type[BundleServer] | None] = None
    config: OpenEnvConfig  # pyright: ignore[reportIncompatibleVariableOverride]

    _bundle: BundleServer | None = PrivateAttr(default=None)
    _client: OpenEnvClient = PrivateAttr()
    _sessions: Sessions = PrivateAttr()
    _mcp_tools: MCPTools | None = PrivateAttr(default=None)

    @classmethod
    def run_webserver(cls) -> FastAPI | None:
        """Serve. Problems of the config are reported on one line each, without a traceback."""
        try:
            return super().run_webserver()
        except ValidationError as e:
            problems = [
                ": ".join([*map(str, error["loc"]), error["msg"].removeprefix("Value error, ")]) for error in e.errors()
            ]
            raise SystemExit("\n  ".join(["invalid config of the resources server:", *problems])) from None
        except ConfigError as e:
            raise SystemExit(f"invalid config of the resources server: {e}") from None

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        if self.config.bundle is not None:
            if self.bundle_class is None:
                raise ConfigError(
                    "bundle needs the folder bundle_child/, which this server lacks: run gymgen again with the bundle "
                    "as its source"
                )
            self._bundle = self.bundle_class(self.config)
        self._client = OpenEnvClient(self.config, os.environ, self._bundle)
        self._sessions = Sessions(self._start_episode, self.config.idle_timeout)
        if self.config.expose_tools_over_mcp:
            self._mcp_tools = MCPTools(FOLDER / "toolsets.json")

    def _start_episode(self, task: Task) -> Episode:
        environment_class = ActionEnvironment if self.config.interface == "action" else ToolEnvironment
        return Episode(task, environment_class(task, self._client, self.config))

    def setup_webserver(self) -> FastAPI:
        app = super().setup_webserver()
        # Gym's own routes come first and take precedence. A model can name any tool: the environment itself answers for
        # a tool that it does not have.
        app.router.add_api_route(
            "/{tool_name:path}",
            self.call_tool,
            methods=["POST"],
            response_class=PlainTextResponse,
            route_class_override=ToolRoute,
        )
        lifespan.install(
            app,
            on_startup=self._bundle.start if self._bundle else None,
            in_background=None if self._bundle else self._client.check.run,
            on_signal=self.stop,
            on_shutdown=self._shut_down,
        )
        return app

    def setup_session_middleware(self, app: FastAPI) -> None:
        """Install Gym's cookie middleware alone.

        Gym's own method adds a second middleware, which sets the session id of every request and takes a tenth of an
        episode's CPU time. ``_session_id`` does the same in the routes. Gym has no public name for the flag below.
        """
        if not getattr(app.state, "nemo_gym_session_middleware_installed", False):
            app.state.nemo_gym_session_middleware_installed = True
            key = self.get_session_middleware_key()
            app.add_middleware(SessionMiddleware, secret_key=key, session_cookie=key)

    def stop(self) -> None:
        """End all episodes and the bundle's server, without waiting."""
        self._sessions.shut_down()
        if self._bundle is not None:
            self._bundle.stop()

    async def _shut_down(self) -> None:
        self.stop()
        await self._client.close()
        if self._bundle is not None:
            await self._bundle.wait_closed()

    async def seed_session(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, request: Request
    ) -> ResourcesSeedSessionResponse | BaseSeedSessionResponse:
        """Start the row's episode. Answers at once: the reset runs while the model writes its first reply."""
        body, current = _json_object(await request.body()), request.session.get(SESSION_ID_KEY)
        try:
            if "resources_session_id" not in body:
                self._sessions.seed(_session_id(request), Task.from_row(body))
                request.session[RESPONSES_KEY] = 0
                return BaseSeedSessionResponse()
            seed = ResourcesSeedSessionRequest.model_validate(body)
            session_id, owner = seed.resources_session_id, seed.episode_id.capture_key
            self._sessions.seed(session_id, Task.from_row(seed.task_data), owner, current=current)
        except (InvalidRow, ValidationError, RecursionError) as e:
            raise HTTPException(422, replace_surrogates(f"No episode was started: {e}")) from e
        except SessionConflict as e:
            raise HTTPException(409, f"No episode was started: {e}.") from e
        request.session.update({SESSION_ID_KEY: session_id, RESPONSES_KEY: 0})
        return ResourcesSeedSessionResponse(resources_session_id=session_id)

    async def call_tool(self, tool_name: str, request: Request) -> Response:
        """Call a tool of the episode. The response is always text that the model reads, with status 200."""
        session_id, arguments = _session_id(request), await request.body() or b"null"
        episode = self._sessions.live_episode(session_id)
        if episode is None:
            verdict = self._sessions.last_verdict(session_id)
            return _text(ended_note(verdict) if verdict else NO_EPISODE)
        if error := argument_error(arguments):
            return _text(error)
        seen = request.session.get(RESPONSES_KEY)
        text = await episode.call(tool_name, arguments, once=not _is_mcp_request(request), seen=seen)
        request.session[RESPONSES_KEY] = episode.responses
        return _text(escape_image_source(text))

    async def verify(self, request: Request) -> Response:  # pyright: ignore[reportIncompatibleMethodOverride]
        """End the episode and return its reward, with status 200 whatever the environment did."""
        body = await request.body()
        verify_request = parse_verify_request(body)
        try:
            task = Task.from_row(verify_request or {})
        except (InvalidRow, RecursionError):
            return _text("Nothing was verified: the request has no task, response or responses_create_params.", 422)
        assert verify_request is not None
        reply, tools = last_reply(verify_request), row_tools(verify_request)
        verdict = await self._sessions.verify(_session_id(request), task, reply, tools)
        return Response(verify_response(verify_request, verdict.fields(), body), media_type="application/json")

    async def aggregate_metrics(self, body: AggregateMetricsRequest) -> AggregateMetrics:
        """Aggregate the rollouts without ``index``, which names a row's task. Gym takes any number for a metric."""
        for rollout in body.verify_responses:
            rollout.pop("index", None)
        return await super().aggregate_metrics(body)

    async def close_resources_session(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, request: Request
    ) -> ResourcesCloseSessionResponse:
        """End a typed session for good. May be repeated, and accepts unknown sessions."""
        try:
            body = ResourcesCloseSessionRequest.model_validate(_json_object(await request.body()))
        except ValidationError as e:
            raise HTTPException(422, f"No session was closed: {e}") from e
        self._sessions.close(body.resources_session_id)
        return ResourcesCloseSessionResponse(resources_session_id=body.resources_session_id)

    def mcp_tools(self, harvested: list[MCPTool], catchall: Any | None) -> list[MCPTool] | None:
        if self._mcp_tools is None or catchall is None:
            return harvested
        return [
            catchall.tool(tool["name"], tool["parameters"], tool.get("description"))
            for tool in self._mcp_tools.all_tools()
        ]

    def mcp_allowed_tools_for_session(self, seed_body: dict[str, Any]) -> list[str] | None:
        return self._mcp_tools.names_for_row(seed_body) if self._mcp_tools else None


def _session_id(request: Request) -> str:
    """Return the session's id, or set a new one.

    Setting the id sends the cookie with every response. Some clients keep the cookies of the last response only.
    """
    session_id = request.session[SESSION_ID_KEY] = request.session.get(SESSION_ID_KEY) or str(uuid4())
    return session_id


def _json_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(text: str, status: int = 200) -> Response:
    return Response(text.encode("utf-8", "replace"), status, media_type="text/plain; charset=utf-8")


def _is_mcp_request(request: Request) -> bool:
    """Whether Gym's MCP endpoint made the request. Its clients do not repeat requests, and may make parallel calls."""
    return (request.scope.get("server") or ("",))[0] == "internal-mcp-direct"
