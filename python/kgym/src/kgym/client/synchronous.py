"""The client for code that waits."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from kgym.client import flow
from kgym.client.address import ANSWER_S, Address
from kgym.client.bucket import TokenBucket
from kgym.client.errors import Unreachable
from kgym.client.evaluation import AnySubmission, Evaluation, OwnProblem, Submission, Workflow, WorkflowSubmission
from kgym.client.flow import Call, Flow, Pause, Reply, Retry
from kgym.client.progress import Progress

if TYPE_CHECKING:
    from typing import Unpack  # From 3.11 on.

    from kgym.client.options import Options, WorkflowOptions

T = TypeVar("T")
WAITERS = 32  # Long-polls at once while many are waited for; they end in about the order in which they were submitted.


class Client:
    """May be shared by threads; each has connections of its own, which are kept open. `bucket`: taken from before each submission."""

    def __init__(self, url: str | None = None, token: str | None = None, retry: Retry | None = None, bucket: TokenBucket | None = None):
        self._address = Address.of(url, token)
        self._retry = retry or Retry()
        self._bucket = bucket
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def submit(self, problem: str | OwnProblem, source: str, backend: str, **options: Unpack[Options]) -> Evaluation:
        """Submits one. It is durable on return: whatever happens to the server, it will be judged."""
        submission: Submission = {"problem": problem, "source": source, "backend": backend, **options}
        self._pay(1)
        return self._drive(flow.submit(submission, self._retry))

    def wait(self, id: str, seconds: float | None = None) -> Evaluation:
        """The evaluation once it has ended; TooLate where it has not within `seconds`."""
        return self._drive(flow.wait(id, seconds, self._retry))

    def evaluate(self, problem: str | OwnProblem, source: str, backend: str, **options: Unpack[Options]) -> Evaluation:
        """submit() and wait()."""
        submitted = self.submit(problem, source, backend, **options)
        return submitted if submitted.ended else self.wait(submitted.id)

    def submit_workflow(self, workflow: str, input: dict[str, Any], **options: Unpack[WorkflowOptions]) -> Evaluation:
        """Submits one run of a workflow, which is awaited, cancelled and listed as an evaluation is."""
        submission: WorkflowSubmission = {"workflow": workflow, "input": input, **options}
        self._pay(1)
        return self._drive(flow.submit(submission, self._retry))

    def run_workflow(self, workflow: str, input: dict[str, Any], **options: Unpack[WorkflowOptions]) -> Evaluation:
        """submit_workflow() and wait(): `output` of what it returns are the workflow's fields, `report` is all of it."""
        submitted = self.submit_workflow(workflow, input, **options)
        return submitted if submitted.ended else self.wait(submitted.id)

    def submit_many(self, submissions: Iterable[AnySubmission]) -> list[Evaluation]:
        """In order, in few requests. State "refused" for one that the server did not take."""
        taken: list[Evaluation] = []
        for batch in flow.batches(submissions):
            self._pay(len(batch))
            taken += self._drive(flow.submit_batch(batch, self._retry))
        return taken

    def evaluate_many(self, submissions: Iterable[AnySubmission], progress: bool | None = False) -> list[Evaluation]:
        """Submits all and waits for all; in the order of `submissions`. progress: a bar on standard error; None: where that is a terminal."""
        taken = self.submit_many(submissions)
        with Progress(len(taken), shown=progress) as bar, ThreadPoolExecutor(WAITERS) as pool:
            futures = [pool.submit(self._ended, one, bar) for one in taken]
            try:
                return [future.result() for future in futures]
            except BaseException:
                _cancel(futures)
                raise

    def get(self, id: str) -> Evaluation:
        return self._drive(flow.get(id, self._retry))

    def cancel(self, id: str) -> Evaluation:
        """Stops it; one that has ended stays as it is, and is returned as such."""
        return self._drive(flow.cancel(id, self._retry))

    def evaluations(self, state: str | None = None, run: str | None = None) -> Iterator[Evaluation]:
        """The newest first, page by page as they are asked for; without verdicts."""
        cursor: str | None = None
        while True:
            evaluations, cursor = self._drive(flow.page(self._retry, state=state, run=run, cursor=cursor))
            yield from evaluations
            if cursor is None:
                return

    def workflows(self) -> list[Workflow]:
        """What run_workflow() may name."""
        return self._drive(flow.workflows(self._retry))

    def step_file(self, id: str, step: str, name: str) -> bytes:
        """A file that a step of a workflow left: of the report's `artefacts`. A run keeps 4 MiB of them."""
        return self._drive(flow.step_file(id, step, name, self._retry))

    def health(self) -> dict[str, Any]:
        return self._drive(flow.health(self._retry))

    def _ended(self, one: Evaluation, bar: Progress) -> Evaluation:
        if one.state != "refused":  # What has ended already comes without its verdict.
            one = self.wait(one.id)
        with self._lock:
            bar.ended(one)
        return one

    def _pay(self, tokens: int) -> None:
        if self._bucket is not None:
            self._bucket.take(tokens)

    def _drive(self, steps: Flow[T]) -> T:
        """Does what the flow asks for, until it returns."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    reply = self._call(step)
                except Unreachable as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            value: T = end.value
            return value

    def _call(self, call: Call) -> Reply:
        timeout = call.wait_s + ANSWER_S
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        fresh = connection is None
        connection = connection or self._connect(timeout)
        try:
            return self._exchange(connection, call, timeout)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if fresh:
                raise Unreachable(f"{self._address.name}: {error or type(error).__name__}") from error
        return self._call(call)  # The server had closed a connection that was kept open.

    def _exchange(self, connection: http.client.HTTPConnection, call: Call, timeout: float) -> Reply:
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        headers = dict(self._address.headers)
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(call.method, self._address.prefix + call.path, call.body, headers)
        response = connection.getresponse()
        reply = Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return reply

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        address = self._address
        if address.tls is not None:
            return http.client.HTTPSConnection(address.host, address.port, timeout=timeout, context=address.tls)
        return http.client.HTTPConnection(address.host, address.port, timeout=timeout)


def _cancel(futures: list[Future[Evaluation]]) -> None:
    for future in futures:
        future.cancel()
