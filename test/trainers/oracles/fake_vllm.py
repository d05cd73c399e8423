"""A model server with no model: OpenAI chat completions as vLLM serves them, with token ids, for tests on a CPU.

    python fake_vllm.py PORT POLICY.json [--max-model-len N] [--break-prefix] [--log FILE]

Serves /v1/models, /v1/chat/completions (with `logprobs.content[].token = "token_id:N"`), /tokenize and /openapi.json, which is
what NeMo Gym's `vllm_model` asks of vLLM. A token is a byte of the rendered conversation, so the prompt of a turn begins with the
prompt and the generation of the turn before: the contiguous prefix that NeMo RL asserts. `--break-prefix` changes one token of every
second prompt, to prove that the assertion is seen. A prompt of more than N tokens answers 400 as vLLM does.

POLICY.json is a list of scripts; which one a rollout plays is decided by a hash of its messages before the first reply, and where a
list has more than one, by a counter too, so that rollouts of one row differ. A script is a list of steps, one a model call:
{"call": [[tool, arguments], …]} or {"say": text}. A step past the end says "done".
"""

import argparse
import hashlib
import itertools
import json
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

p = argparse.ArgumentParser()
p.add_argument("port", type=int)
p.add_argument("policy")
p.add_argument("--max-model-len", type=int, default=65536)
p.add_argument("--break-prefix", action="store_true")
p.add_argument("--log")
args = p.parse_args()
scripts = json.load(open(args.policy))
counter = itertools.count()
log = open(args.log, "a", buffering=1) if args.log else None
END = "<|im_end|>\n"


def text_of(content):
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part.get("text", "") for part in content)


def reply_text(message):
    calls = [
        "<tool_call>" + json.dumps([c["function"]["name"], c["function"]["arguments"]]) + "</tool_call>"
        for c in message.get("tool_calls") or []
    ]
    return text_of(message.get("content")) + "".join(calls) + END


def render(body, generation=True):
    parts = ["<|tools|>" + json.dumps(body.get("tools") or [], sort_keys=True) + "\n"]
    for m in body.get("messages", []):
        if m["role"] == "assistant":
            parts.append("<|assistant|>" + reply_text(m))
        else:
            parts.append(f"<|{m['role']}|>" + text_of(m.get("content")) + END)
    if generation:
        parts.append("<|assistant|>")
    return list("".join(parts).encode())


def script_of(messages):
    opening = list(itertools.takewhile(lambda m: m["role"] != "assistant", messages))
    digest = int(hashlib.sha256(json.dumps(opening, sort_keys=True).encode()).hexdigest(), 16)
    seed = next((c.get("id", "") for m in messages if m["role"] == "assistant" for c in m.get("tool_calls") or []), "")
    if seed.startswith("call_"):  # later turns of a rollout go on with the script that its first call was made by
        return scripts[int(seed.split("_")[1])], int(seed.split("_")[1])
    index = (digest + next(counter)) % len(scripts)
    return scripts[index], index


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def out(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path.endswith("/models"):
            return self.out(
                {"object": "list", "data": [{"id": "fake", "object": "model", "max_model_len": args.max_model_len}]}
            )
        if self.path.endswith("/openapi.json"):
            return self.out({"paths": {"/v1/load_lora_adapter": {}}})
        return self.out({})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        messages = body.get("messages", [])
        prompt = render(body)
        turn = sum(m["role"] == "assistant" for m in messages)
        if args.break_prefix and turn % 2 == 1:
            prompt[5] = 300
        if self.path.endswith("/tokenize"):
            return self.out({"tokens": prompt, "count": len(prompt), "max_model_len": args.max_model_len})
        if not self.path.endswith("/chat/completions"):
            return self.out({})
        if log:
            log.write(
                json.dumps(
                    {
                        k: body.get(k)
                        for k in (
                            "temperature",
                            "top_p",
                            "max_tokens",
                            "max_completion_tokens",
                            "logprobs",
                            "top_logprobs",
                            "return_tokens_as_token_ids",
                            "chat_template_kwargs",
                            "model",
                        )
                    }
                    | {
                        "roles": [m["role"] for m in messages],
                        "tools": [t["function"]["name"] for t in body.get("tools") or []],
                    }
                )
                + "\n"
            )
        if len(prompt) > args.max_model_len:
            return self.out(
                {
                    "object": "error",
                    "type": "BadRequestError",
                    "code": 400,
                    "message": f"This model's maximum context length is {args.max_model_len} tokens. However, you requested {len(prompt)} tokens "
                    "in the messages, Please reduce the length of the messages.",
                },
                400,
            )
        script, index = script_of(messages)
        step = script[turn] if turn < len(script) else {"say": "done"}
        if "call" in step:
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": f"call_{index}_{uuid.uuid4().hex[:8]}",
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps(arguments)},
                    }
                    for name, arguments in step["call"]
                ],
            }
            finish = "tool_calls"
        else:
            message, finish = {"role": "assistant", "content": step["say"]}, "stop"
        generated = list(reply_text(message).encode())
        content = None
        if body.get("logprobs"):
            content = {
                "content": [
                    {"token": f"token_id:{t}", "logprob": -0.5, "bytes": None, "top_logprobs": []} for t in generated
                ]
            }
        self.out(
            {
                "id": "chatcmpl-" + uuid.uuid4().hex,
                "object": "chat.completion",
                "created": 1,
                "model": body.get("model"),
                "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": content}],
                "usage": {
                    "prompt_tokens": len(prompt),
                    "completion_tokens": len(generated),
                    "total_tokens": len(prompt) + len(generated),
                },
            }
        )


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True


print(json.dumps({"url": f"http://127.0.0.1:{args.port}/v1"}), flush=True)
Server(("127.0.0.1", args.port), Handler).serve_forever()
