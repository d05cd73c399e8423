"""Plays rows of a package with the host script of a NeMo Platform job, in a network namespace with loopback only.

    unshare -rnm --pid --fork --kill-child --mount-proc python play_package.py < REQUEST > RESULTS

The request is a JSON object:

    package     folder of the environment, which is mounted read-only
    python      a Python with nemo-gym, which the image has
    runtime     a folder with the package sandboxed_gym
    work        an empty folder
    offline     whether the job has no internet, which it tells formats with wheels
    find_links  a folder with the wheels of an index, for native-v1
    servers     programs that the package needs, each as its command line, its folder and its port
    moves       what the model does, by the last message of the user: [{"call", "arguments"} or {"say"}]
    rows        the rows to play

The results are a list of {"row", "result"}, or {"error"}. Logs go to standard error.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

READY_S = 600
PORT = 9080  # of the host script; the namespace has no other server
MODEL_PORT = 9081
RAY_PORT = 9082


def main() -> None:
    request = json.load(sys.stdin)
    work = Path(request["work"])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    package = work / "environment"
    package.mkdir()
    subprocess.run(["mount", "--bind", request["package"], str(package)], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(package)], check=True)
    start_model(request["moves"])
    for command, cwd, port in request["servers"]:
        subprocess.Popen(command, cwd=cwd, stdout=sys.stderr, stdin=subprocess.PIPE)
        wait_for_port(port)
    ray = start_ray(request["python"], work)
    host = start_host(request, package, work, ray)
    json.dump(play(request["rows"], host), sys.stdout)


class Model(BaseHTTPRequestHandler):
    """vLLM's chat completions, as far as NeMo Gym's vllm_model asks for them."""

    moves: ClassVar[dict[str, list[dict[str, Any]]]] = {}
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
        self.answer({"tokens": [1, 2, 3], "count": 3} if self.path.endswith("/tokenize") else self.complete(body))

    def do_GET(self) -> None:
        self.answer({"object": "list", "data": [{"id": "policy", "object": "model", "max_model_len": 32768}]})

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = body["messages"]
        prompt = [text_of(message) for message in messages if message["role"] == "user"][-1]
        answers = sum(message["role"] == "tool" for message in messages)
        moves = self.moves.get(prompt, [])
        move = moves[answers] if answers < len(moves) else {"say": "Done."}
        message: dict[str, Any] = {"role": "assistant", "content": move.get("say")}
        if "call" in move:
            function = {"name": move["call"], "arguments": json.dumps(move["arguments"])}
            message["tool_calls"] = [{"id": f"call_{answers}", "type": "function", "function": function}]
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if "call" in move else "stop",
            "logprobs": {"content": [{"token": "token_id:7", "logprob": -0.1, "bytes": [], "top_logprobs": []}]},
            "token_ids": [7],
        }
        usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
        return {
            "id": f"chat-{time.monotonic_ns()}",
            "object": "chat.completion",
            "created": 0,
            "model": "policy",
            "choices": [choice],
            "usage": usage,
            "prompt_token_ids": [1, 2, 3],
        }

    def answer(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        return


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def start_model(moves: dict[str, list[dict[str, Any]]]) -> None:
    Model.moves = moves
    server = ThreadingHTTPServer(("127.0.0.1", MODEL_PORT), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    sys.exit(f"nothing listens on port {port}")


def start_ray(python: str, work: Path) -> str:
    """Start a Ray without dashboard. Gym would start one with it, whose ports can clash."""
    command = [str(Path(python).with_name("ray")), "start", "--head", f"--port={RAY_PORT}", "--include-dashboard=false"]
    ports = ["--node-manager-port=9083", "--object-manager-port=9084", "--dashboard-agent-listen-port=9085"]
    ports += ["--dashboard-agent-grpc-port=9086", "--runtime-env-agent-port=9087", "--metrics-export-port=9088"]
    flags = ["--disable-usage-stats", "--node-ip-address=127.0.0.1", "--num-cpus=8"]
    env = os.environ | {"RAY_AUTH_MODE": "disabled"}
    for attempt in range(5):  # a raylet that takes more than 30 s to start, on a busy machine, is given up
        done = subprocess.run([*command, *ports, *flags, f"--temp-dir={work}/ray{attempt}"], stdout=sys.stderr, env=env)
        if done.returncode == 0:
            break
        subprocess.run([command[0], "stop", "--force"], stdout=sys.stderr, env=env)
    else:
        sys.exit("Ray does not start")
    return f"127.0.0.1:{RAY_PORT}"


def start_host(request: dict[str, Any], package: Path, work: Path, ray: str) -> str:
    """Start the host script as a job does, and wait until its servers are ready. Returns its URL."""
    manifest = json.loads(
        subprocess.run(
            [request["python"], "-c", READ_MANIFEST, str(package / "nemo-environment.yaml")],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    config = {
        "config_paths": [str(package / path) for path in manifest["config_paths"]],
        "policy_base_url": f"http://127.0.0.1:{MODEL_PORT}/v1",
        "policy_api_key": "key",
        "policy_model_name": "policy",
        "ray_head_node_address": ray,
        "uv_cache_dir": str(work / "uv-cache"),
        "port_range_low": 9200,
        "port_range_high": 9999,
    }
    site = work / "site"
    site.mkdir()
    (site / "sandboxed_gym").symlink_to(Path(request["runtime"]) / "sandboxed_gym")
    env = os.environ | {
        "NHX_GYM_GLOBAL_CONFIG": json.dumps(config),
        "NHX_ENVIRONMENT_PATH": str(package),
        "NHX_ENVIRONMENT_PACKAGE_REQUIRED": "1",
        "NHX_WORK_PATH": str(work / "job"),
        "NHX_RUNTIME_HTTP_PORT": str(PORT),
        "NEMO_GYM_VENV_DIR": str(work / "venvs"),
        "PYTHONPATH": str(site),
        "RAY_AUTH_MODE": "disabled",
        "XDG_STATE_HOME": str(work / "state"),
        "PATH": f"{Path(request['python']).parent}:{os.environ['PATH']}",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_CACHE_DIR": str(work / "uv-cache"),
        "UV_LINK_MODE": "hardlink",
        "SANDBOXED_GYM_SRC_DIR": str(copy_gym(request["python"], work)),
    }
    if request["offline"]:
        env["NHX_ENVIRONMENT_OFFLINE"] = "1"
    if request["find_links"] is not None:  # the index of native-v1, which the namespace does not reach
        env |= {"UV_FIND_LINKS": request["find_links"], "UV_NO_INDEX": "1", "UV_OFFLINE": "1"}
    (work / "job").mkdir()
    script = Path(request["runtime"]) / "sandboxed_gym/runtime/gym_host_runtime.py"
    host = subprocess.Popen([request["python"], str(script)], cwd=work, env=env, stdout=sys.stderr)
    url = f"http://127.0.0.1:{PORT}"
    started = time.monotonic()
    while time.monotonic() - started < READY_S:
        if host.poll() is not None:
            sys.exit(f"the host ended with {host.returncode}")
        status, body = get(f"{url}/health")
        if status == 200:
            print(f"ready after {time.monotonic() - started:.0f} s", file=sys.stderr)
            return url
        if body.get("status") == "failed" or "error" in body:
            sys.exit(f"the host failed: {json.dumps(body)}")
        time.sleep(1)
    sys.exit("the host was not ready in time")


IMAGE_SERVERS = [
    "responses_api_agents/simple_agent",
    "responses_api_agents/verifiers_agent",
    "responses_api_models/vllm_model",
    "environment_servers/legacy_agent",
]


GYM = r"""
import importlib.metadata, json, pathlib, re, nemo_gym
dist = importlib.metadata.distribution("nemo-gym")
extra = re.compile(r"; extra == .dev.$")
needs = dist.requires or []
print(json.dumps({
    "site": str(pathlib.Path(nemo_gym.__file__).parent.parent),
    "version": dist.version,
    "dependencies": [line for line in needs if "extra ==" not in line],
    "dev": [extra.sub("", line) for line in needs if extra.search(line)],
}))
"""


def copy_gym(python: str, work: Path) -> Path:
    """Build a checkout of NeMo Gym from its wheel, as the image has it: installs write into the folders of servers."""
    gym = json.loads(subprocess.run([python, "-c", GYM], check=True, capture_output=True, text=True).stdout)
    root, site = work / "gym-src", Path(gym["site"])
    for folder in ["nemo_gym", *IMAGE_SERVERS]:
        shutil.copytree(site / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    # JSON lists and strings are TOML, too.
    (root / "pyproject.toml").write_text(
        "[project]\n"
        'name = "nemo-gym"\n'
        f"version = {json.dumps(gym['version'])}\n"
        f"dependencies = {json.dumps(gym['dependencies'])}\n"
        f"optional-dependencies.dev = {json.dumps(gym['dev'])}\n"
        "[build-system]\n"
        'requires = ["setuptools>=61"]\n'
        'build-backend = "setuptools.build_meta"\n'
        "[tool.setuptools]\n"
        'packages = ["nemo_gym"]\n'
    )
    # The wheel's names a git repository and another index; the image's names a version.
    requirements = root / "responses_api_agents/verifiers_agent/requirements.txt"
    requirements.write_text("-e nemo-gym[dev] @ ../../\nverifiers==0.3.1\n")
    return root


READ_MANIFEST = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"


def get(url: str) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except OSError:
        return 0, {}


def play(rows: list[dict[str, Any]], host: str) -> Any:
    examples = [{**row, "_ng_task_index": index, "_sg_example_id": index} for index, row in enumerate(rows)]
    body = json.dumps({"examples": examples}).encode()
    post = urllib.request.Request(f"{host}/rollouts/run", body, {"Content-Type": "application/json"})
    started = time.monotonic()
    with urllib.request.urlopen(post, timeout=1800) as response:
        answer = json.load(response)
    print(f"played {len(rows)} rows in {time.monotonic() - started:.1f} s", file=sys.stderr)
    if "error" in answer:
        return answer
    return [{"row": result.get("_sg_example_id"), "result": result} for result in answer["results"]]


if __name__ == "__main__":
    main()
