"""The call sequence of KernelGYM's client (drkernel's reward client), as it documents itself: what it posts, what it takes as submitted, how it polls,
which fields it reads. Only its pauses are shorter.
"""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import threading
import uuid
from typing import Any
from urllib.parse import urlsplit

TERMINAL_FAILURES = ("failed", "timeout", "cancelled")
PAUSE_S = 0.02  # Between polls, and the unit of its back-off.
_counter = itertools.count()


class RewardClient:
    """One per trainer; its methods are called by many threads at once."""

    def __init__(self, server_url: str, attempts: int = 3):
        parts = urlsplit(server_url)
        self._host, self._port, self._prefix = parts.hostname or "", parts.port or 80, parts.path.rstrip("/")
        self._attempts = attempts
        self._pause = threading.Event()  # Never set: a pause that needs no clock of the test.
        self.posts = 0

    def healthy(self) -> bool:
        status, body = self._ask("GET", "/health")
        return status == 200 and body["status"] == "healthy"

    def reward(self, reference_code: str, kernel_code: str, entry_point: str = "Model", **options: Any) -> dict[str, Any]:
        """The result of one kernel, merged as the trainer sees it."""
        if f"class {entry_point}" not in reference_code or f"class {entry_point}New" not in kernel_code:
            return {"status": "failed", "error_message": "preflight"}
        task_id = options.pop("task_id", f"parallel_task_{next(_counter):06d}_{uuid.uuid4().hex[:8]}")
        body = {
            "task_id": task_id,
            "reference_code": reference_code,
            "kernel_code": kernel_code,
            "backend": "triton",
            "num_correct_trials": 5,
            "num_perf_trials": 100,
            "timeout": 600,
            "priority": "normal",
            "entry_point": entry_point,
            "is_valid": False,
            "verbose_errors": True,
            "enable_profiling": True,
            "detect_decoy_kernel": True,
            "reference_backend": None,
            **options,
        }
        failure = self._submit(body)
        return failure if failure is not None else self._poll(task_id)

    def _submit(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """None once the server has answered 200, or after the last 429 or 503; else what the trainer gets."""
        for attempt in range(self._attempts):
            self.posts += 1
            try:
                status, _ = self._ask("POST", "/evaluate", body)
            except (OSError, http.client.HTTPException):
                if attempt == self._attempts - 1:
                    return {"status": "failed", "error_message": "connection"}
                self._pause.wait(PAUSE_S * 2**attempt)
                continue
            if status == 200:  # Exactly 200: any other 2xx would make it post for ever.
                return None
            assert not 200 < status < 300
            if status not in (429, 503):
                return {"status": "failed", "error_message": f"HTTP {status}"}
            self._pause.wait(PAUSE_S * (2 if status == 429 else 5) ** attempt)
        return None

    def _poll(self, task_id: str, most: int = 3000) -> dict[str, Any]:
        for _ in range(most):
            try:
                status, body = self._ask("GET", f"/status/{task_id}")
            except (OSError, http.client.HTTPException):
                status, body = 0, {}
            if status == 200 and body["status"] == "completed":
                status, result = self._ask("GET", f"/results/{task_id}")
                if status != 200:
                    return {"status": "completed", "error_message": f"Failed to fetch results: HTTP {status}"}
                return {**result, "status": "completed"}
            if status == 200 and body["status"] in TERMINAL_FAILURES:
                return {"status": body["status"], "error_message": body.get("error_message") or f"Task {body['status']}"}
            self._pause.wait(PAUSE_S)
        return {"status": "timeout"}

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=120)
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, self._prefix + path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
            try:
                return response.status, json.loads(text)
            except json.JSONDecodeError:
                return response.status, None
        except socket.timeout as error:
            raise OSError("timed out") from error
        finally:
            connection.close()


def coverage(result: dict[str, Any]) -> tuple[float, float] | None:
    """Shares by count and by time as the client computes them, or None where it would find nothing."""
    metadata = result.get("metadata") or {}
    names = ("num_custom_kernels", "num_total_kernels", "custom_kernel_cuda_time_in_profiling_us", "total_kernel_run_time_in_profiling_us")
    custom, total, custom_us, total_us = (metadata.get(name, result.get(name)) for name in names)
    if not all(isinstance(value, (int, float)) for value in (custom, total, custom_us, total_us)):
        return None
    return custom / total if total else 0.0, custom_us / total_us if total_us else 0.0
