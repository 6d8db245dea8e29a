"""What a client does, without doing it: generators that yield a `Call` or a `Pause` and are sent the `Reply`, so that the synchronous and the
asynchronous client are the same but for how they wait.

A driver that cannot reach the server throws `Unreachable` into the generator, which decides whether to try again.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from kgym.client.errors import Refused, TooLate, Unreachable
from kgym.client.evaluation import AnySubmission, Evaluation, Workflow

T = TypeVar("T")
BATCH = 500  # Submissions a request; the server takes a thousand.
BATCH_BYTES = 16 << 20  # Or as many as fit in here.
LONG_POLL_S = 50.0  # Shorter than what proxies between us and the server cut off.


@dataclass(frozen=True)
class Call:
    """One HTTP request. wait_s: how long the server may take beyond what any answer takes."""

    method: str
    path: str
    body: bytes | None = None
    wait_s: float = 0.0


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]  # Names in lower case.
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Unreachable(f"the answer is not JSON: HTTP {self.status}, {self.body[:80]!r}") from error


Step = Call | Pause
Flow = Generator[Step, Any, T]


@dataclass
class Retry:
    """How often, and how long to pause: doubled from `first_s` up to `most_s`, by chance a little less, so that many clients do not come back at once.
    Where the server says when to come back (Retry-After), then.

    attempts: for what cannot be reached. full_s: how long to go on where the server is full."""

    attempts: int = 8
    first_s: float = 0.1
    most_s: float = 10.0
    full_s: float = 3600.0
    chance: random.Random = field(default_factory=random.Random, repr=False)

    def pause(self, attempt: int) -> float:
        return min(self.most_s, self.first_s * 2.0**attempt) * self.chance.uniform(0.5, 1.0)


def _retry_after(reply: Reply, otherwise: float) -> float:
    try:
        return max(0.0, float(reply.headers["retry-after"]))
    except (KeyError, ValueError):
        return otherwise


def request(call: Call, retry: Retry) -> Flow[Reply]:
    """A reply below 400. Tries again what cannot be reached, what is not there yet (502, 503, 504) and what comes too often (429)."""
    lost, waited = 0, 0.0
    while True:
        try:
            reply: Reply = yield call
        except Unreachable:
            lost += 1
            if lost >= retry.attempts:
                raise
            yield Pause(retry.pause(lost - 1))
            continue
        if reply.status < 400:
            return reply
        if reply.status not in (429, 502, 503, 504) or waited >= retry.full_s:
            raise Refused(reply.status, _problem(reply))
        pause = _retry_after(reply, retry.pause(lost))
        waited += max(pause, retry.first_s)
        yield Pause(pause)


def _problem(reply: Reply) -> dict[str, Any]:
    try:
        problem = json.loads(reply.body)
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": f"HTTP {reply.status}"}


def with_id(submission: AnySubmission) -> AnySubmission:
    """Its id from the first try on: what makes trying again safe."""
    if submission.get("id"):
        return submission
    copy = submission.copy()
    copy["id"] = uuid.uuid4().hex
    return copy


def path_of(id: str, **query: Any) -> str:
    text = urlencode({name: value for name, value in query.items() if value is not None})
    return f"/v1/evaluations/{quote(id, safe='')}" + (f"?{text}" if text else "")


def submit(submission: AnySubmission, retry: Retry) -> Flow[Evaluation]:
    body = json.dumps(with_id(submission)).encode()
    reply = yield from request(Call("POST", "/v1/evaluations", body), retry)
    return Evaluation.of(reply.json())


def get(id: str, retry: Retry) -> Flow[Evaluation]:
    reply = yield from request(Call("GET", path_of(id)), retry)
    return Evaluation.of(reply.json())


def cancel(id: str, retry: Retry) -> Flow[Evaluation]:
    reply = yield from request(Call("DELETE", path_of(id)), retry)
    return Evaluation.of(reply.json())


def wait(id: str, seconds: float | None, retry: Retry) -> Flow[Evaluation]:
    """The evaluation once it has ended. `seconds` counts what the server was asked to wait."""
    left = seconds
    while True:
        poll = LONG_POLL_S if left is None else min(LONG_POLL_S, left)
        reply = yield from request(Call("GET", path_of(id, wait=poll), wait_s=poll), retry)
        evaluation = Evaluation.of(reply.json())
        if evaluation.ended:
            return evaluation
        if left is not None:
            left -= poll
            if left <= 0:
                raise TooLate(id, seconds or 0.0)


def page(retry: Retry, **query: Any) -> Flow[tuple[list[Evaluation], str | None]]:
    text = urlencode({name: value for name, value in query.items() if value is not None})
    reply = yield from request(Call("GET", "/v1/evaluations" + (f"?{text}" if text else "")), retry)
    answer = reply.json()
    return [Evaluation.of(line) for line in answer["evaluations"]], answer["next"]


def batches(submissions: Iterable[AnySubmission]) -> Generator[list[AnySubmission], None, None]:
    """In order, as many at once as one request should carry. Every submission gets its id here."""
    batch: list[AnySubmission] = []
    size = 0
    for submission in map(with_id, submissions):
        length = len(json.dumps(submission))
        if batch and (len(batch) >= BATCH or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(submission)
        size += length
    if batch:
        yield batch


def submit_batch(batch: Sequence[AnySubmission], retry: Retry) -> Flow[list[Evaluation]]:
    """One for each, in order; state "refused" for one that the server did not take. What finds the queue full is offered again until there is room."""
    known: dict[str, Evaluation] = {}
    left = list(batch)
    waited = 0.0
    for attempt in range(1 << 30):
        body = json.dumps({"evaluations": left}).encode()
        reply = yield from request(Call("POST", "/v1/evaluations:batch", body), retry)
        full = []
        for submission, item in zip(left, reply.json()["evaluations"], strict=True):
            if item["status"] in ("accepted", "known"):
                known[submission["id"]] = Evaluation(id=submission["id"], state=item["state"], raw=item)
            elif item["status"] == "full" and waited < retry.full_s:
                full.append(submission)
            else:
                known[submission["id"]] = Evaluation.refused(submission["id"], item["error"])
        if not full:
            break
        left = full
        pause = retry.pause(attempt)
        waited += pause
        yield Pause(pause)
    return [known[submission["id"]] for submission in batch]


def workflows(retry: Retry) -> Flow[list[Workflow]]:
    reply = yield from request(Call("GET", "/v1/workflows"), retry)
    return [Workflow.of(one) for one in reply.json()["workflows"]]


def step_file(id: str, step: str, name: str, retry: Retry) -> Flow[bytes]:
    path = f"{path_of(id)}/steps/{quote(step, safe='')}/files/{quote(name, safe='')}"
    reply = yield from request(Call("GET", path), retry)
    return reply.body


def health(retry: Retry) -> Flow[dict[str, Any]]:
    reply = yield from request(Call("GET", "/health"), retry)
    return dict(reply.json())
