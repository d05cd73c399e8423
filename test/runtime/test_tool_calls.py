"""The text that the model reads of a tool call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from openenv_bridge import messages, tool_calls
from openenv_bridge.json_codec import replace_surrogates

TEXT = {"type": "text", "text": "one"}
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


def result_of(done: bool = False, **observation: Any) -> messages.StepResult:
    frame = {"type": "observation", "data": {"observation": observation, "reward": None, "done": done}}
    return messages.parse(json.dumps(frame).encode())


@pytest.mark.parametrize(
    ("result", "read"),
    [
        ({"content": [TEXT], "data": "one", "is_error": False}, "one"),
        ({"content": [TEXT, {"type": "text", "text": "été 🌱"}]}, "one\nété 🌱"),
        ({"content": [TEXT, IMAGE]}, "one\n[image (image/png), not shown]"),
        ({"content": [{"type": "audio", "data": "=", "mimeType": "audio/wav"}]}, "[audio (audio/wav), not shown]"),
        ({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}]}, "inside"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "a:b", "blob": "="}}]},
            "[resource a:b (binary), not shown]",
        ),
        ({"content": [], "data": ""}, ""),
        ({"content": [], "structured_content": {"n": 1}, "data": ""}, '{"n":1}'),
        ({"content": [], "data": [1, 2]}, "[1,2]"),
        ("plain", "plain"),
        ({"price": 1.0, "ok": True}, '{"price":1.0,"ok":true}'),
        ([1, "é"], '[1,"é"]'),
        (0, "0"),
        (False, "false"),
        ({"n": 18446744073709551617}, '{"n":18446744073709551617}'),
    ],
)
def test_a_result_is_converted_to_text(result: Any, read: str) -> None:
    assert tool_calls.result_text(result_of(result=result, error=None, tool_name="t")) == read


@pytest.mark.parametrize(
    ("error", "read"),
    [
        ({"error_type": "execution_error", "message": "the market is closed"}, "the market is closed"),
        ({"error_type": "timeout", "message": ""}, "timeout"),
        ("just words", "just words"),
        ({"code": 7}, '{"code":7}'),
    ],
)
def test_an_error_is_in_the_environments_words(error: Any, read: str) -> None:
    assert tool_calls.result_text(result_of(result=None, error=error)) == read


def test_an_observation_without_result_is_json_without_its_metadata() -> None:
    assert tool_calls.result_text(result_of(board=[0, 1], metadata={"answer": "secret"})) == '{"board":[0,1]}'


def test_an_end_without_a_result_is_reported() -> None:
    assert tool_calls.result_text(result_of(done=True, result=None, error=None)) == "The episode has ended."


def test_an_error_frame_has_the_locations_of_its_problems() -> None:
    problem = {"loc": ["arguments"], "msg": "Input should be a valid dictionary", "input": None}
    read = tool_calls.error_frame_text(messages.ErrorFrame("Invalid message", [problem, "?"]))
    assert read == "Invalid message\narguments: Input should be a valid dictionary"


@pytest.mark.parametrize(
    ("before", "system_prompt", "read"),
    [
        ("Be brief.", "Be brief.", "Go on."),
        ("Be brief.", None, "Go on."),
        (None, None, "Go on."),
        ("Be polite.", "Be terse.", "Be terse.\n\nGo on."),
        (None, "Be terse.", "Be terse.\n\nGo on."),
    ],
)
def test_a_turn_starts_with_its_prompt_and_a_new_system_prompt(before: Any, system_prompt: Any, read: str) -> None:
    assert tool_calls.turn_text({"prompt": "Go on.", "system_prompt": system_prompt}, before) == read


def test_lone_surrogates_are_accepted() -> None:
    read = tool_calls.result_text(result_of(result={"content": [{"type": "text", "text": "bad \ud83d end"}]}))
    assert replace_surrogates(read) == "bad ? end"
    assert replace_surrogates(tool_calls.result_text(result_of(result={"x": "\ud83d"}))) == '{"x":"?"}'


@pytest.mark.parametrize(
    "source", ["data:image/png;base64,x", "http://h/a.png", "https://h/a.png", "file:///etc/passwd"]
)
def test_a_text_that_a_trainer_would_open_as_an_image_is_escaped(source: str) -> None:
    assert tool_calls.escape_image_source(source) == f"\n{source}"


@pytest.mark.parametrize("text", ["", "see http://h", "\nhttp://h", "data:text/plain,x", "files"])
def test_any_other_text_is_unchanged(text: str) -> None:
    assert tool_calls.escape_image_source(text) == text


def test_an_error_that_did_not_end_the_episode_is_appended() -> None:
    failed: dict[str, Any] = {"metadata": {"status": "error", "error": "it broke"}}
    assert tool_calls.with_failure("", result_of(**failed)) == "it broke"
    assert tool_calls.with_failure("seen", result_of(**failed)) == "seen\nit broke"
    assert tool_calls.with_failure("it broke here", result_of(**failed)) == "it broke here"
    assert tool_calls.with_failure("seen", result_of(done=True, **failed)) == "seen"
    assert tool_calls.with_failure("seen", result_of()) == "seen"
