"""The client for coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from kgym.client import flow
from kgym.client.address import ANSWER_S, Address
from kgym.client.bucket import TokenBucket
from kgym.client.connection import Connection
from kgym.client.errors import Unreachable
from kgym.client.evaluation import AnySubmission, Evaluation, OwnProblem, Submission, Workflow, WorkflowSubmission
from kgym.client.flow import Call, Flow, Pause, Reply, Retry
from kgym.client.progress import Progress

if TYPE_CHECKING:
    from typing import Unpack  # From 3.11 on.

    from kgym.client.options import Options, WorkflowOptions

T = TypeVar("T")


class AsyncClient:
    """`Client` for coroutines of one event loop: the same methods, awaited. `connections`: requests at once; the others wait."""

    def __init__(
        self, url: str | None = None, token: str | None = None, retry: Retry | None = None, bucket: TokenBucket | None = None, connections: int = 256
    ):
        self._address = Address.of(url, token)
        self._retry = retry or Retry()
        self._bucket = bucket
        self._room = asyncio.Semaphore(connections)
        self._idle: list[Connection] = []

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    async def submit(self, problem: str | OwnProblem, source: str, backend: str, **options: Unpack[Options]) -> Evaluation:
        """Submits one. It is durable on return: whatever happens to the server, it will be judged."""
        submission: Submission = {"problem": problem, "source": source, "backend": backend, **options}
        await self._pay(1)
        return await self._drive(flow.submit(submission, self._retry))

    async def wait(self, id: str, seconds: float | None = None) -> Evaluation:
        """The evaluation once it has ended; TooLate where it has not within `seconds`."""
        return await self._drive(flow.wait(id, seconds, self._retry))

    async def evaluate(self, problem: str | OwnProblem, source: str, backend: str, **options: Unpack[Options]) -> Evaluation:
        """submit() and wait()."""
        submitted = await self.submit(problem, source, backend, **options)
        return submitted if submitted.ended else await self.wait(submitted.id)

    async def submit_workflow(self, workflow: str, input: dict[str, Any], **options: Unpack[WorkflowOptions]) -> Evaluation:
        """Submits one run of a workflow, which is awaited, cancelled and listed as an evaluation is."""
        submission: WorkflowSubmission = {"workflow": workflow, "input": input, **options}
        await self._pay(1)
        return await self._drive(flow.submit(submission, self._retry))

    async def run_workflow(self, workflow: str, input: dict[str, Any], **options: Unpack[WorkflowOptions]) -> Evaluation:
        """submit_workflow() and wait(): `output` of what it returns are the workflow's fields, `report` is all of it."""
        submitted = await self.submit_workflow(workflow, input, **options)
        return submitted if submitted.ended else await self.wait(submitted.id)

    async def submit_many(self, submissions: Iterable[AnySubmission]) -> list[Evaluation]:
        """In order, in few requests. State "refused" for one that the server did not take."""
        taken: list[Evaluation] = []
        for batch in flow.batches(submissions):
            await self._pay(len(batch))
            taken += await self._drive(flow.submit_batch(batch, self._retry))
        return taken

    async def evaluate_many(self, submissions: Iterable[AnySubmission], progress: bool | None = False) -> list[Evaluation]:
        """Submits all and waits for all; in the order of `submissions`. progress: a bar on standard error; None: where that is a terminal."""
        taken = await self.submit_many(submissions)
        with Progress(len(taken), shown=progress) as bar:
            tasks = [asyncio.ensure_future(self._ended(one, bar)) for one in taken]
            try:
                return list(await asyncio.gather(*tasks))
            except BaseException:
                for task in tasks:
                    task.cancel()
                raise

    async def get(self, id: str) -> Evaluation:
        return await self._drive(flow.get(id, self._retry))

    async def cancel(self, id: str) -> Evaluation:
        """Stops it; one that has ended stays as it is, and is returned as such."""
        return await self._drive(flow.cancel(id, self._retry))

    async def evaluations(self, state: str | None = None, run: str | None = None) -> AsyncIterator[Evaluation]:
        """The newest first, page by page as they are asked for; without verdicts."""
        cursor: str | None = None
        while True:
            evaluations, cursor = await self._drive(flow.page(self._retry, state=state, run=run, cursor=cursor))
            for evaluation in evaluations:
                yield evaluation
            if cursor is None:
                return

    async def workflows(self) -> list[Workflow]:
        """What run_workflow() may name."""
        return await self._drive(flow.workflows(self._retry))

    async def step_file(self, id: str, step: str, name: str) -> bytes:
        """A file that a step of a workflow left: of the report's `artefacts`. A run keeps 4 MiB of them."""
        return await self._drive(flow.step_file(id, step, name, self._retry))

    async def health(self) -> dict[str, Any]:
        return await self._drive(flow.health(self._retry))

    async def _ended(self, one: Evaluation, bar: Progress) -> Evaluation:
        if one.state != "refused":  # What has ended already comes without its verdict.
            one = await self.wait(one.id)
        bar.ended(one)
        return one

    async def _pay(self, tokens: int) -> None:
        if self._bucket is not None:
            await self._bucket.take_async(tokens)

    async def _drive(self, steps: Flow[T]) -> T:
        """Does what the flow asks for, until it returns."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    async with self._room:
                        reply = await self._call(step)
                except Unreachable as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            value: T = end.value
            return value

    async def _call(self, call: Call) -> Reply:
        while True:
            fresh = not self._idle
            try:
                return await asyncio.wait_for(self._exchange(call), call.wait_s + ANSWER_S)
            except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                if fresh or isinstance(error, asyncio.TimeoutError):
                    raise Unreachable(f"{self._address.name}: {error or type(error).__name__}") from error
                # The server had closed a connection that was kept open.

    async def _exchange(self, call: Call) -> Reply:
        connection = self._idle.pop() if self._idle else await Connection.open(self._address)
        try:
            return await connection.exchange(call)
        finally:
            if connection.reusable:
                self._idle.append(connection)
            else:
                connection.close()
