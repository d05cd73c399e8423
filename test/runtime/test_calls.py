"""A call that was posted twice runs once, where that can be told."""

from __future__ import annotations

import asyncio

import pytest

from openenv_bridge.calls import KEPT, Calls


class Counted:
    """A call that goes on until it is told to end, and counts how often it ran."""

    def __init__(self) -> None:
        self.runs = 0
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.runs += 1
        run = self.runs
        await self.may_end.wait()
        return f"answer {run}"


async def post(
    calls: Calls, run: Counted, tool: str = "t", body: bytes = b"{}", had: int | None = None
) -> asyncio.Task[str]:
    task = asyncio.create_task(calls.once(tool, body, had, run))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def drop(task: asyncio.Task[str]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_call_goes_on_without_its_client_and_its_repeat_gets_the_answer() -> None:
    calls, run = Calls(), Counted()
    await drop(await post(calls, run))
    again = await post(calls, run)
    run.may_end.set()
    assert await again == "answer 1"
    assert run.runs == 1


async def test_an_answer_that_nobody_had_is_kept_for_the_repeat() -> None:
    calls, run = Calls(), Counted()
    await drop(await post(calls, run))
    run.may_end.set()
    await asyncio.sleep(0.01)
    assert await (await post(calls, run)) == "answer 1"


async def test_a_repeat_that_is_dropped_too_leaves_the_answer_for_the_next() -> None:
    calls, run = Calls(), Counted()
    for _ in range(3):
        await drop(await post(calls, run))
    run.may_end.set()
    assert await (await post(calls, run)) == "answer 1"


async def test_the_same_call_while_the_first_is_under_way_joins_it() -> None:
    calls, run = Calls(), Counted()
    both = [await post(calls, run), await post(calls, run)]
    run.may_end.set()
    assert await asyncio.gather(*both) == ["answer 1", "answer 1"]


async def test_the_same_call_after_an_answer_is_a_new_one() -> None:
    calls, run = Calls(), Counted()
    run.may_end.set()
    assert [await (await post(calls, run)), await (await post(calls, run))] == ["answer 1", "answer 2"]


@pytest.mark.parametrize(("tool", "body"), [("u", b"{}"), ("t", b"[]")])
async def test_another_call_shows_that_the_client_has_moved_on(tool: str, body: bytes) -> None:
    calls, run = Calls(), Counted()
    await drop(await post(calls, run))
    run.may_end.set()
    await asyncio.sleep(0.01)
    assert await (await post(calls, run, tool, body)) == "answer 2"
    assert await (await post(calls, run)) == "answer 3"


async def answered(count: int) -> tuple[Calls, Counted]:
    """A client that had so many answers."""
    calls, run = Calls(), Counted()
    run.may_end.set()
    for n in range(count):
        await (await post(calls, run, had=n))
    assert (calls.answers, run.runs) == (count, count)
    return calls, run


@pytest.mark.parametrize("count", [1, 2, 5])
async def test_a_call_without_the_last_answer_gets_that_answer(count: int) -> None:
    calls, run = await answered(count)
    assert await (await post(calls, run, had=count - 1)) == f"answer {count}"
    assert calls.answers == count
    assert await (await post(calls, run, had=count)) == f"answer {count + 1}"


async def test_an_answer_that_is_lost_again_and_again_comes_again_and_again() -> None:
    calls, run = await answered(2)
    assert [await (await post(calls, run, had=1)) for _ in range(3)] == ["answer 2"] * 3


async def test_the_first_call_of_a_session_runs_once_however_often_its_answer_is_lost() -> None:
    calls, run = await answered(1)
    assert [await (await post(calls, run, had=0)) for _ in range(4)] == ["answer 1"] * 4
    assert calls.answers == 1


async def test_calls_at_once_run_once_each_however_often_they_are_posted() -> None:
    calls, run = Calls(), Counted()
    run.may_end.set()
    bodies = [b"1", b"2", b"3"]
    first = [await (await post(calls, run, body=body, had=0)) for body in bodies]
    assert first == [await (await post(calls, run, body=body, had=0)) for body in bodies]
    assert run.runs == 3


async def test_a_call_made_anew_after_calls_at_once_runs_whichever_answer_its_client_had() -> None:
    calls, run = Calls(), Counted()
    both = [await post(calls, run, body=body, had=0) for body in (b"1", b"2")]
    run.may_end.set()
    assert sorted(await asyncio.gather(*both)) == ["answer 1", "answer 2"]
    again = [await (await post(calls, run, body=b"2", had=1)) for _ in range(3)]
    assert again == ["answer 3"] * 3


async def test_a_call_under_way_is_joined_after_its_client_has_gone_on() -> None:
    calls, run = Calls(), Counted()
    await drop(await post(calls, run, had=0))
    other = await post(calls, run, "u", had=1)
    again = await post(calls, run, had=0)
    run.may_end.set()
    assert await asyncio.gather(other, again) == ["answer 2", "answer 1"]


async def test_what_is_kept_is_bounded() -> None:
    calls, run = Calls(), Counted()
    run.may_end.set()
    for n in range(500):
        await (await post(calls, run, body=b"%d" % n, had=0))
    assert len(calls._kept) <= KEPT


@pytest.mark.parametrize(("tool", "had"), [("u", 1), ("t", 0), ("t", None), ("t", 7)])
async def test_another_call_or_an_older_cookie_is_no_repeat(tool: str, had: int | None) -> None:
    calls, run = await answered(2)
    assert await (await post(calls, run, tool, had=had)) == "answer 3"
