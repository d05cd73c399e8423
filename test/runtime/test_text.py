"""What the model reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from openenv_bridge import text, wire

TEXT = {"type": "text", "text": "one"}
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


def answer(done: bool = False, **observation: Any) -> wire.Answer:
    frame = {"type": "observation", "data": {"observation": observation, "reward": None, "done": done}}
    return wire.parse(json.dumps(frame).encode())


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
def test_a_result_is_read_as_the_environment_gave_it(result: Any, read: str) -> None:
    assert text.of_answer(answer(result=result, error=None, tool_name="t")) == read


@pytest.mark.parametrize(
    ("error", "read"),
    [
        ({"error_type": "execution_error", "message": "the market is closed"}, "the market is closed"),
        ({"error_type": "timeout", "message": ""}, "timeout"),
        ("just words", "just words"),
        ({"code": 7}, '{"code":7}'),
    ],
)
def test_an_error_is_read_as_the_environment_words_it(error: Any, read: str) -> None:
    assert text.of_answer(answer(result=None, error=error)) == read


def test_an_observation_without_result_is_read_as_json_without_its_metadata() -> None:
    assert text.of_answer(answer(board=[0, 1], metadata={"answer": "secret"})) == '{"board":[0,1]}'


def test_an_end_without_a_result_is_said() -> None:
    assert text.of_answer(answer(done=True, result=None, error=None)) == "The episode has ended."


def test_an_error_frame_is_read_with_the_places_of_its_problems() -> None:
    problem = {"loc": ["arguments"], "msg": "Input should be a valid dictionary", "input": None}
    read = text.of_frame(wire.ErrorFrame("Invalid message", [problem, "?"]))
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
def test_a_turn_opens_with_its_prompt_and_a_new_system_prompt(before: Any, system_prompt: Any, read: str) -> None:
    assert text.next_turn({"prompt": "Go on.", "system_prompt": system_prompt}, before) == read


def test_lone_surrogates_are_read_without_failing() -> None:
    read = text.of_answer(answer(result={"content": [{"type": "text", "text": "bad \ud83d end"}]}))
    assert wire.utf8(read) == "bad ? end"
    assert wire.utf8(text.of_answer(answer(result={"x": "\ud83d"}))) == '{"x":"?"}'


@pytest.mark.parametrize(
    "source", ["data:image/png;base64,x", "http://h/a.png", "https://h/a.png", "file:///etc/passwd"]
)
def test_a_text_that_a_trainer_would_open_as_an_image_begins_with_a_line_break(source: str) -> None:
    assert text.not_an_image(source) == f"\n{source}"


@pytest.mark.parametrize("said", ["", "see http://h", "\nhttp://h", "data:text/plain,x", "files"])
def test_any_other_text_is_left_as_it_is(said: str) -> None:
    assert text.not_an_image(said) == said


def test_an_error_that_did_not_end_the_episode_is_read_below_the_answer() -> None:
    failed: dict[str, Any] = {"metadata": {"status": "error", "error": "it broke"}}
    assert text.with_failure("", answer(**failed)) == "it broke"
    assert text.with_failure("seen", answer(**failed)) == "seen\nit broke"
    assert text.with_failure("it broke here", answer(**failed)) == "it broke here"
    assert text.with_failure("seen", answer(done=True, **failed)) == "seen"
    assert text.with_failure("seen", answer()) == "seen"
