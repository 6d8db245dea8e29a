"""The client of a kgym server: `Client` and `AsyncClient`, typed, on the standard library alone.

    from kgym.client import Client

    with Client("http://127.0.0.1:8700", token="...") as client:
        done = client.evaluate("level1/relu", source, backend="triton")
        print(done.outcome, done.speedup)
        for done in client.evaluate_many([{"problem": "level1/relu", "source": s, "backend": "triton"} for s in sources], progress=True):
            ...
        print(client.run_workflow("nbody", {"submission": source, "seed": 7}).output)

Everything may be tried again and is: a submission carries its id from the first try on, so that the server runs it once. What the server says no to is
a `Refused`, with its sentence; what cannot be reached is an `Unreachable` once the retries are used up.
"""

from kgym.client.asynchronous import AsyncClient
from kgym.client.bucket import TokenBucket
from kgym.client.errors import ClientError, Refused, TooLate, Unreachable
from kgym.client.evaluation import Evaluation, Submission, Workflow, WorkflowSubmission
from kgym.client.flow import Retry
from kgym.client.synchronous import Client

__all__ = [
    "AsyncClient",
    "Client",
    "ClientError",
    "Evaluation",
    "Refused",
    "Retry",
    "Submission",
    "TokenBucket",
    "TooLate",
    "Unreachable",
    "Workflow",
    "WorkflowSubmission",
]
