"""What can go wrong for a client."""

from __future__ import annotations

from typing import Any


class ClientError(Exception):
    """Any of the below."""


class Unreachable(ClientError):
    """The server could not be reached, however often it was tried; or it did not speak HTTP."""


class TooLate(ClientError):
    """It has not ended in the time that the caller gave it. It goes on; `id` is how to ask again."""

    def __init__(self, id: str, seconds: float):
        super().__init__(f"evaluation {id} has not ended within {seconds:g} s; it goes on, and wait({id!r}) asks again")
        self.id = id


class Refused(ClientError):
    """The server said no. `status` is HTTP's, `type` the kind ("not-found"), `problem` the whole RFC 9457 document."""

    def __init__(self, status: int, problem: dict[str, Any]):
        self.status = status
        self.problem = problem
        self.type = str(problem.get("type", "")).rpartition(":")[2]
        detail = problem.get("detail") or problem.get("title") or f"HTTP {status}"
        next_step = problem.get("next_step")
        super().__init__(f"{detail}; {next_step}" if next_step else str(detail))
