"""A call that is posted twice runs once, if the repetition can be recognized."""

from __future__ import annotations

import asyncio

import pytest

from openenv_bridge.idempotency import MAX_KEPT, IdempotentCalls


class Counted:
    """A call that runs until the test lets it finish, and counts its runs."""

    def __init__(self) -> None:
        self.runs = 0
        self.may_finish = asyncio.Event()

    async def __call__(self) -> str:
        self.runs += 1
        run = self.runs
        await self.may_finish.wait()
        return f"response {run}"


async def post(
    calls: IdempotentCalls, run: Counted, tool: str = "t", body: bytes = b"{}", seen: int | None = None
) -> asyncio.Task[str]:
    task = asyncio.create_task(calls.run(tool, body, seen, run))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return task


async def drop(task: asyncio.Task[str]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_call_continues_without_its_client_and_its_repeat_gets_the_response() -> None:
    calls, run = IdempotentCalls(), Counted()
    await drop(await post(calls, run))
    again = await post(calls, run)
    run.may_finish.set()
    assert await again == "response 1"
    assert run.runs == 1


async def test_an_undelivered_response_is_kept_for_the_repeat() -> None:
    calls, run = IdempotentCalls(), Counted()
    await drop(await post(calls, run))
    run.may_finish.set()
    await asyncio.sleep(0.01)
    assert await (await post(calls, run)) == "response 1"


async def test_a_dropped_repeat_leaves_the_response_for_the_next_repeat() -> None:
    calls, run = IdempotentCalls(), Counted()
    for _ in range(3):
        await drop(await post(calls, run))
    run.may_finish.set()
    assert await (await post(calls, run)) == "response 1"


async def test_an_equal_call_joins_a_running_one() -> None:
    calls, run = IdempotentCalls(), Counted()
    both = [await post(calls, run), await post(calls, run)]
    run.may_finish.set()
    assert await asyncio.gather(*both) == ["response 1", "response 1"]


async def test_an_equal_call_after_the_response_is_a_new_call() -> None:
    calls, run = IdempotentCalls(), Counted()
    run.may_finish.set()
    assert [await (await post(calls, run)), await (await post(calls, run))] == ["response 1", "response 2"]


@pytest.mark.parametrize(("tool", "body"), [("u", b"{}"), ("t", b"[]")])
async def test_another_call_discards_the_undelivered_response(tool: str, body: bytes) -> None:
    calls, run = IdempotentCalls(), Counted()
    await drop(await post(calls, run))
    run.may_finish.set()
    await asyncio.sleep(0.01)
    assert await (await post(calls, run, tool, body)) == "response 2"
    assert await (await post(calls, run)) == "response 3"


async def answered(count: int) -> tuple[IdempotentCalls, Counted]:
    """Calls of a client that has received ``count`` responses."""
    calls, run = IdempotentCalls(), Counted()
    run.may_finish.set()
    for n in range(count):
        await (await post(calls, run, seen=n))
    assert (calls.responses, run.runs) == (count, count)
    return calls, run


@pytest.mark.parametrize("count", [1, 2, 5])
async def test_a_repeat_of_the_last_call_gets_its_response(count: int) -> None:
    calls, run = await answered(count)
    assert await (await post(calls, run, seen=count - 1)) == f"response {count}"
    assert calls.responses == count
    assert await (await post(calls, run, seen=count)) == f"response {count + 1}"


async def test_a_response_can_be_lost_several_times() -> None:
    calls, run = await answered(2)
    assert [await (await post(calls, run, seen=1)) for _ in range(3)] == ["response 2"] * 3


async def test_the_first_call_of_a_session_runs_once_however_often_its_response_is_lost() -> None:
    calls, run = await answered(1)
    assert [await (await post(calls, run, seen=0)) for _ in range(4)] == ["response 1"] * 4
    assert calls.responses == 1


async def test_parallel_calls_run_once_each_however_often_they_are_posted() -> None:
    calls, run = IdempotentCalls(), Counted()
    run.may_finish.set()
    bodies = [b"1", b"2", b"3"]
    first = [await (await post(calls, run, body=body, seen=0)) for body in bodies]
    assert first == [await (await post(calls, run, body=body, seen=0)) for body in bodies]
    assert run.runs == 3


async def test_a_new_call_after_parallel_calls_runs_whichever_response_was_last() -> None:
    calls, run = IdempotentCalls(), Counted()
    both = [await post(calls, run, body=body, seen=0) for body in (b"1", b"2")]
    run.may_finish.set()
    assert sorted(await asyncio.gather(*both)) == ["response 1", "response 2"]
    again = [await (await post(calls, run, body=b"2", seen=1)) for _ in range(3)]
    assert again == ["response 3"] * 3


async def test_a_running_call_is_joined_after_its_client_has_made_another_call() -> None:
    calls, run = IdempotentCalls(), Counted()
    await drop(await post(calls, run, seen=0))
    other = await post(calls, run, "u", seen=1)
    again = await post(calls, run, seen=0)
    run.may_finish.set()
    assert await asyncio.gather(other, again) == ["response 2", "response 1"]


async def test_the_number_of_kept_responses_is_limited() -> None:
    calls, run = IdempotentCalls(), Counted()
    run.may_finish.set()
    for n in range(500):
        await (await post(calls, run, body=b"%d" % n, seen=0))
    assert len(calls._calls) <= MAX_KEPT


@pytest.mark.parametrize(("tool", "seen"), [("u", 1), ("t", 0), ("t", None), ("t", 7)])
async def test_another_tool_or_an_older_cookie_is_not_a_repeat(tool: str, seen: int | None) -> None:
    calls, run = await answered(2)
    assert await (await post(calls, run, tool, seen=seen)) == "response 3"
