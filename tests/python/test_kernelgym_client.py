"""KernelGYM's client against `kgym serve`: its call sequence, and every endpoint of its API."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cli import PROBLEM, RELU, TORCH_RELU, WRONG_RELU, needs_binary
from kernelgym_client import RewardClient
from serve_process import ServeProcess, serving

pytestmark = needs_binary

REFERENCE = "class Model:\n    pass\n"
KERNEL = "class ModelNew:\n    pass\n"
RESPONSE_KEYS = [
    "task_id", "status", "compiled", "correctness", "decoy_kernel", "reference_runtime", "kernel_runtime", "speedup", "metadata", "error_message",
    "error_code", "submitted_at", "completed_at", "processing_time",
]  # fmt: skip


def body(task_id: str, **fields: Any) -> dict[str, Any]:
    return {"task_id": task_id, "reference_code": REFERENCE, "kernel_code": KERNEL, **fields}


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """Eight lanes that judge nothing."""
    with serving(tmp_path_factory.mktemp("fake"), "--no-auth", "--fake-lanes", "8", "--fake-hold", "10ms") as server:
        yield server


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[ServeProcess]:
    """One lane whose evaluations do not end while a test looks."""
    with serving(tmp_path, "--no-auth", "--fake-lanes", "1", "--fake-hold", "1h", "--drain", "0s") as server:
        yield server


@pytest.mark.parametrize("prefix", ["", "/kernelgym"])
def test_sixty_four_kernels_at_once(fake: ServeProcess, prefix: str) -> None:
    client = RewardClient(fake.url + prefix)
    assert client.healthy()
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda _: client.reward(REFERENCE, KERNEL), range(128)))
    assert client.posts == 128  # One each: nothing was turned away.
    assert len({result["task_id"] for result in results}) == 128
    for result in results:
        assert result["status"] == "completed"
        assert result["compiled"] is True and result["correctness"] is True and result["decoy_kernel"] is False
        assert isinstance(result["speedup"], float)


def test_a_repeated_post_is_the_same_evaluation(fake: ServeProcess) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: fake.ask("POST", "/evaluate", body("again")).json(), range(8)))
    assert all(answer == answers[0] for answer in answers)
    other = fake.ask("POST", "/evaluate", body("again", kernel_code=KERNEL + "# changed"))
    assert other.status == 200 and other.json() == answers[0]  # What was first under an id is what it stays.


def test_force_refresh_runs_again(fake: ServeProcess) -> None:
    first = fake.ask("POST", "/evaluate", body("refreshed")).json()
    second = fake.ask("POST", "/evaluate", body("refreshed", force_refresh=True)).json()
    assert second["task_id"] == "refreshed" and second["submitted_at"] > first["submitted_at"]
    assert fake.ask("GET", "/results/refreshed").json() == second
    assert fake.ask("POST", "/evaluate", body("refreshed")).json() == second


def test_answers_have_every_field(fake: ServeProcess) -> None:
    answer = fake.ask("POST", "/evaluate", body("fields"))
    assert answer.status == 200 and list(answer.json()) == RESPONSE_KEYS
    assert fake.ask("GET", "/results/fields").json() == answer.json()
    status = fake.ask("GET", "/status/fields").json()
    assert {"task_id", "status", "progress", "estimated_completion", "queue_position", "assigned_device"} <= set(status)
    for sub in ("fields_kernel", "fields_ref"):
        assert fake.ask("GET", f"/status/{sub}").json()["status"] == "completed"


@pytest.mark.parametrize(
    "fields, named",
    [({"task_id": ""}, "task_id"), ({"kernel_code": "x"}, "kernel_code"), ({"timeout": 5}, "timeout"), ({"num_perf_trials": 1001}, "num_perf_trials"),
     ({"backend": "tilelang"}, "backend"), ({"priority": "now"}, "priority"), ({"is_valid": None}, "is_valid"), ({"reference_code": None}, "reference_code")],
)  # fmt: skip
def test_validation_is_400_in_its_form(fake: ServeProcess, fields: dict[str, Any], named: str) -> None:
    answer = fake.ask("POST", "/evaluate", body("wrong", **{k: v for k, v in fields.items() if k != "task_id"}) | fields)
    assert answer.status == 400
    assert answer.headers["x-error-code"] == "VALIDATION_ERROR"
    error = answer.json()
    assert list(error) == ["error", "message", "error_code", "task_id", "timestamp"]
    assert error["error"] == "RequestValidationError" and error["error_code"] == "VALIDATION_ERROR" and named in error["message"]


def test_numbers_are_read_leniently(fake: ServeProcess) -> None:
    answer = fake.ask("POST", "/evaluate", body("lenient", timeout="300", num_correct_trials=3.0, is_valid="false", unknown_field=[1]))
    assert answer.status == 200 and answer.json()["metadata"]["num_correct_trials"] == 3


def test_bodies_that_are_no_json(fake: ServeProcess) -> None:
    for data in (b"{", b"[]", b"", b'"text"', b"\xff"):
        assert fake.ask("POST", "/evaluate", data).status == 400


def test_missing_classes_are_a_failed_evaluation(fake: ServeProcess) -> None:
    answer = fake.ask("POST", "/evaluate", body("classes", entry_point="Net"))
    assert answer.status == 200
    result = answer.json()
    assert result["status"] == "failed" and result["error_code"] == "VALIDATION_ERROR"
    assert result["error_message"] == "Reference code validation failed: Code must contain a 'Net' class"
    assert result["reference_runtime"] == result["kernel_runtime"] == -1.0


def test_unknown_ids_and_workflows(fake: ServeProcess) -> None:
    for path in ("/status/nobody", "/results/nobody", "/workflow/results/nobody"):
        answer = fake.ask("GET", path)
        assert answer.status == 404 and answer.json() == {"detail": "Task nobody not found"}
    answer = fake.ask("DELETE", "/tasks/nobody")
    assert answer.status == 404 and answer.json() == {"detail": "Task nobody not found or cannot be cancelled"}
    assert fake.ask("POST", "/evaluate", body("flow", workflow="other")).status == 400


def test_batches_run_whole(fake: ServeProcess) -> None:
    tasks = [body(f"batch-{i}") for i in range(100)]
    tasks[3]["entry_point"] = "Absent"
    answer = fake.ask("POST", "/evaluate/batch", {"batch_id": "b1", "tasks": tasks})
    assert answer.status == 200
    batch = answer.json()
    assert (batch["batch_id"], batch["batch_status"], batch["completed_at"]) == ("b1", "completed", None)
    assert (batch["total_tasks"], batch["completed_tasks"], batch["failed_tasks"]) == (100, 99, 1)
    assert [result["task_id"] for result in batch["results"]] == [task["task_id"] for task in tasks]
    assert fake.ask("POST", "/evaluate/batch", {"batch_id": "b2", "tasks": []}).status == 400
    assert fake.ask("POST", "/evaluate/batch", {"batch_id": "b2", "tasks": tasks + tasks[:1]}).status == 400


def test_workflows(fake: ServeProcess) -> None:
    answer = fake.ask("POST", "/workflow/submit", {"payload": body("flow-1", timeout=9000)})
    assert answer.status == 200
    flow = answer.json()
    assert list(flow) == ["task_id", "status", "result", "error_message", "error_code", "submitted_at", "completed_at"]
    assert flow["result"]["compiled"] is True and "status" not in flow["result"]
    assert fake.ask("GET", "/workflow/results/flow-1").json() == flow
    assert fake.ask("POST", "/workflow/submit", {"payload": {}}).json() == {"detail": "task_id is required"}
    missing = fake.ask("POST", "/workflow/submit", {"task_id": "flow-2", "payload": {"kernel_code": KERNEL}})
    assert missing.status == 500 and "reference_code" in missing.json()["detail"]
    cases = [{"inputs": [1.0], "outputs": 2.0}]
    simple = fake.ask("POST", "/workflow/submit", {"workflow": "kernel_simple", "task_id": "flow-3", "payload": {"kernel_code": KERNEL, "cases": cases}})
    assert simple.json()["status"] == "completed" and simple.json()["result"]["metadata"]["cases_source"] == "inline"
    without = fake.ask("POST", "/workflow/submit", {"workflow": "kernel_simple", "task_id": "flow-4", "payload": {"kernel_code": KERNEL}})
    assert without.json()["error_message"] == "No cases or inputs provided"


def test_validate_runs_nothing(fake: ServeProcess) -> None:
    answer = fake.ask("POST", "/debug/validate", body("dry", entry_point="Net")).json()
    assert answer["valid"] is False and answer["reference"]["valid"] is False and answer["kernel"]["entry_point"] == "NetNew"
    assert fake.ask("POST", "/debug/validate", body("dry")).json()["valid"] is True
    assert fake.ask("GET", "/status/dry").status == 404


def test_what_its_operators_look_at(fake: ServeProcess) -> None:
    root = fake.ask("GET", "/kernelgym/").json()
    assert list(root) == ["name", "version", "description", "timestamp"] and root["name"] == "KernelGym"
    health = fake.ask("GET", "/kernelgym/health").json()
    assert list(health) == ["status", "timestamp", "gpu_status", "queue_status", "memory_usage", "active_tasks", "total_processed", "uptime"]
    metrics = fake.ask("GET", "/kernelgym/metrics").json()
    assert list(metrics) == ["timestamp", "performance_metrics", "resource_metrics", "queue_metrics", "error_metrics"]
    assert fake.ask("GET", "/health").json()["status"] == "healthy"
    assert list(fake.ask("GET", "/queue/status").json()) == ["pending", "pending_by_prefix", "worker_queues"]
    workers = fake.ask("GET", "/workers/status").json()
    assert list(workers["local_fake:0"]) == ["device", "status", "last_heartbeat", "node_id", "hostname"]
    assert fake.ask("GET", "/monitoring/problematic-codes?min_errors=7").json()["min_errors_threshold"] == 7
    assert fake.ask("GET", "/monitoring/retry-queue").json()["retry_queue_size"] == 0
    assert fake.ask("GET", "/monitoring/worker-health").json()["workers"]["local_fake:0"]["cuda_error_shutdown"] is False
    assert fake.ask("POST", "/monitoring/clear-error-history/abc").json()["status"] == "success"


def test_workers_register_by_query(fake: ServeProcess) -> None:
    assert fake.ask("POST", "/worker/register?worker_id=w1&device=cuda:7&node_id=n1").json() == {
        "success": True, "message": "Worker w1 registered", "node_id": "n1"}  # fmt: skip
    assert fake.ask("POST", "/worker/heartbeat?worker_id=w1").json()["success"] is True
    assert fake.ask("POST", "/worker/heartbeat?worker_id=w2").status == 409
    assert fake.ask("POST", "/worker/heartbeat?worker_id=w2&device=cuda:7&node_id=n1").status == 409
    assert fake.ask("POST", "/worker/evict_from_lb?worker_id=w1").json()["success"] is True
    assert fake.ask("GET", "/workers/status").json()["w1"]["status"] == "offline"
    assert fake.ask("POST", "/worker/unregister?worker_id=w1").json()["success"] is True
    assert fake.ask("POST", "/worker/unregister?worker_id=").json()["success"] is True  # There, though empty.
    assert fake.ask("POST", "/worker/unregister").status == 400
    assert "w1" not in fake.ask("GET", "/workers/status").json()
    assert fake.ask("POST", "/worker/register?device=cuda:7").status == 400
    node = fake.ask("POST", "/node/allocate?hostname=host1").json()
    assert node == fake.ask("POST", "/node/allocate?hostname=host1").json()
    assert fake.ask("POST", f"/node/allocate?hostname=host2&node_name={node['node_id']}").status == 409


def test_cancel_ends_what_runs_and_frees_the_lane(slow: ServeProcess) -> None:
    with ThreadPoolExecutor(1) as pool:
        blocked = pool.submit(slow.ask, "POST", "/evaluate", body("long"))
        seen = RewardClient(slow.url)
        while seen._ask("GET", "/status/long")[1].get("status") != "processing":
            assert not blocked.done()
        assert slow.ask("GET", "/results/long").status == 404
        answer = slow.ask("DELETE", "/tasks/long")
        assert answer.status == 200 and answer.json() == {"message": "Task long cancelled successfully"}
        result = blocked.result(60).json()
    assert result["status"] == "failed" and result["error_message"] == "Task cancelled"
    status = slow.ask("GET", "/status/long").json()
    assert status["status"] == "failed" and status["error_message"] == "Task cancelled"
    assert slow.ask("DELETE", "/tasks/long").status == 404
    assert slow.ask("GET", "/results/long").json()["status"] == "failed"


def test_a_crashed_server_keeps_what_it_took(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-auth", "--fake-lanes", "1", "--fake-hold", "300ms") as server:
        client = RewardClient(server.url, attempts=12)
        crashed = threading.Event()
        with ThreadPoolExecutor(8) as pool:
            results = [pool.submit(client.reward, REFERENCE, KERNEL, task_id=f"kept-{i}") for i in range(8)]
            while server.ask("GET", "/queue/status").json()["pending"] < 4:
                assert not crashed.is_set()
            server.kill()
            crashed.set()
            server.start()
            ended = [result.result(120) for result in results]
        assert [result["status"] for result in ended] == ["completed"] * 8
        assert [result["task_id"] for result in ended] == [f"kept-{i}" for i in range(8)]


def test_tokens_do_not_see_each_other(tmp_path: Path) -> None:
    names = ("one", "two")
    tokens = [{"name": name, "token": f"token-of-{name}-0123456789", "scopes": ["submit", "read"]} for name in names]
    (tmp_path / "tokens.json").write_text(json.dumps(tokens))
    with serving(tmp_path, "--tokens", str(tmp_path / "tokens.json"), "--fake-lanes", "1", "--fake-hold", "1ms") as server:
        assert server.ask("POST", "/evaluate", body("mine")).status == 401
        server.token = tokens[0]["token"]
        first = server.ask("POST", "/evaluate", body("mine"))
        assert first.status == 200
        server.token = tokens[1]["token"]
        assert server.ask("GET", "/results/mine").status == 404
        assert server.ask("DELETE", "/tasks/mine").status == 404
        for fields in ({}, {"force_refresh": True}):
            assert server.ask("POST", "/evaluate", body("mine", **fields)).status == 409
        assert server.ask("POST", "/evaluate", body("mine~1")).status == 200
        server.token = tokens[0]["token"]
        assert server.ask("GET", "/results/mine").json() == first.json()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """The judge of this machine's CPU lane."""
    with serving(tmp_path_factory.mktemp("real"), "--no-auth") as server:
        yield server


def evaluate(server: ServeProcess, task_id: str, kernel: str, **fields: Any) -> dict[str, Any]:
    answer = server.ask("POST", "/evaluate", {"task_id": task_id, "reference_code": PROBLEM, "kernel_code": kernel, "backend": "cpp", **fields})
    assert answer.status == 200, answer.body
    return dict(answer.json())


def test_a_real_kernel(real: ServeProcess) -> None:
    result = evaluate(real, "real-ok", RELU)
    assert result["status"] == "completed", result
    assert result["compiled"] is True and result["correctness"] is True and result["decoy_kernel"] is False
    assert result["reference_runtime"] > 0 and result["kernel_runtime"] > 0 and result["speedup"] > 0
    assert result["metadata"]["correctness_trials"].startswith("(")
    assert result["metadata"]["runtime_stats"]["num_trials"] > 0
    assert RewardClient(real.url).reward(PROBLEM, RELU, task_id="real-ok") == result  # The client finds what was posted before.


def test_a_wrong_kernel(real: ServeProcess) -> None:
    result = evaluate(real, "real-wrong", WRONG_RELU)
    assert (result["status"], result["compiled"], result["correctness"]) == ("completed", True, False)
    assert result["error_code"] == "CORRECTNESS_ERROR" and result["speedup"] == 0.0
    assert result["metadata"]["correctness_issue"] == "Output mismatch"


def test_a_kernel_that_does_not_compile(real: ServeProcess) -> None:
    result = evaluate(real, "real-broken", RELU.replace("y[i] =", "y[i] +-* ="))
    assert (result["status"], result["compiled"], result["correctness"]) == ("failed", False, False)
    assert result["error_code"] == "COMPILATION_ERROR"
    # The client looks for the message in the status, and there alone.
    seen = RewardClient(real.url).reward(PROBLEM, RELU, task_id="real-broken")
    assert seen["status"] == "failed" and "error" in seen["error_message"]


def test_a_decoy(real: ServeProcess) -> None:
    result = evaluate(real, "real-decoy", TORCH_RELU)
    assert (result["status"], result["decoy_kernel"], result["speedup"]) == ("completed", True, 0.0)
    allowed = evaluate(real, "real-allowed", TORCH_RELU, run_triton_detection=False)
    assert allowed["decoy_kernel"] is False and allowed["speedup"] > 0


CASES = """
import torch

def get_cases():
    x = torch.arange(-512.0, 512.0)
    return [{"name": "ramp", "inputs": [x], "outputs": x.clamp(min=0)}, {"name": "ones", "inputs": [torch.ones(1024)], "outputs": torch.ones(1024)}]
"""


def simple(server: ServeProcess, task_id: str, kernel: str, **fields: Any) -> dict[str, Any]:
    payload = {"kernel_code": kernel, "backend": "cpp", **fields}
    answer = server.ask("POST", "/workflow/submit", {"workflow": "kernel_simple", "task_id": task_id, "payload": payload})
    assert answer.status == 200, answer.body
    flow = dict(answer.json())
    return {**flow["result"], "status": flow["status"]}


def test_kernel_simple_with_cases(real: ServeProcess) -> None:
    right = simple(real, "simple-right", RELU, cases_code=CASES)
    assert (right["status"], right["compiled"], right["correctness"]) == ("completed", True, True), right
    assert right["kernel_runtime"] > 0 and right["reference_runtime"] is None and right["decoy_kernel"] is False
    assert right["metadata"]["cases_source"] == "cases_code"
    wrong = simple(real, "simple-wrong", WRONG_RELU, cases_code=CASES)
    assert (wrong["status"], wrong["correctness"]) == ("completed", False)


def test_kernel_simple_with_inline_cases(real: ServeProcess) -> None:
    cases = [{"inputs": [[-1.0, 2.0, 3.0, -4.0]], "outputs": [0.0, 2.0, 3.0, 0.0]}]
    assert simple(real, "inline-right", RELU, cases=cases)["correctness"] is True
    cases[0]["outputs"] = [1.0, 2.0, 3.0, 0.0]
    assert simple(real, "inline-wrong", RELU, cases=cases)["correctness"] is False
