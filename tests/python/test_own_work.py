"""Where outputs come from: honest shapes of own work, and each way of not doing any. One extension is built for all."""
from __future__ import annotations

import ctypes
import sys
import threading
from pathlib import Path

import numpy
import pytest
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgym_runner import backends, own_work  # noqa: E402
from kgym_runner.backends.calls import Calls  # noqa: E402
from kgym_runner.backends.cpp import Loader  # noqa: E402

SOURCE = r"""
#include <thread>
static void twice(const float* a, float* o, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) o[i] = 2 * a[i];
}
extern "C" void twice_c(const float* a, float* o, int64_t n) { twice(a, o, n); }
at::Tensor twice_new(at::Tensor x) { auto o = torch::empty_like(x); twice(x.data_ptr<float>(), o.data_ptr<float>(), x.numel()); return o; }
void twice_into(at::Tensor x, at::Tensor o) { twice(x.data_ptr<float>(), o.data_ptr<float>(), x.numel()); }
void twice_in_place(at::Tensor& x) { twice(x.data_ptr<float>(), x.data_ptr<float>(), x.numel()); }
void copy_into(at::Tensor x, at::Tensor o) { std::memcpy(o.data_ptr(), x.data_ptr(), x.nbytes()); }
at::Tensor parallel(at::Tensor x) {
  auto o = at::empty(x.sizes(), x.options());
  const float* a = x.data_ptr<float>(); float* b = o.data_ptr<float>();
  at::parallel_for(0, x.numel(), 16, [&](int64_t s, int64_t e) { for (int64_t i = s; i < e; ++i) b[i] = a[i] * a[i]; });
  return o;
}
at::Tensor library(at::Tensor a, at::Tensor b) { return at::mm(a, b); }
at::Tensor library_thread(at::Tensor a, at::Tensor b) { at::Tensor c; std::thread t([&] { c = at::mm(a, b); }); t.join(); return c; }
at::Tensor scaled(at::Tensor a) { return at::mul(a, 2.0); }
at::Tensor raises(at::Tensor) { TORCH_CHECK(false, "this kernel never works"); }
TORCH_LIBRARY(own_ops, m) { m.def("twice", &twice_new); m.def("mm", &library); }
"""
NAMES = ["twice_new", "twice_into", "twice_in_place", "copy_into", "parallel", "library", "library_thread", "scaled", "raises"]


class Own:
    """The extension, and how a test observes a call."""

    def __init__(self, folder: Path):
        self.before = own_work.baseline()
        self.context = backends.Context("run", str(folder), jobs=2)
        loader = Loader(self.context)
        self.ext = loader.load_inline("own_work_ext", SOURCE, functions=NAMES, extra_cflags=["-O1", "-fopenmp"], extra_ldflags=["-lgomp"])
        self.c = ctypes.CDLL(self.context.built[0].path)

    def facts(self, forward, *inputs):
        return own_work.observe(forward, list(inputs), self.context.calls, self.before)[1]


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Own:
    return Own(tmp_path_factory.mktemp("own"))


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(32, 32)


def kinds(facts) -> list[str]:
    return [output.kind for output in facts.outputs]


def into(own: Own, buffer_of):
    def forward(x):
        out = buffer_of(x)
        own.ext.twice_into(x, out)
        return out
    return forward


HONEST = {
    "new tensor": lambda own: own.ext.twice_new,
    "empty": lambda own: into(own, torch.empty_like),
    "zeros": lambda own: into(own, torch.zeros_like),
    "clone": lambda own: into(own, lambda x: x.clone()),
    "slice of a larger buffer": lambda own: into(own, lambda x: torch.empty(64, 32)[16:48]),
    "in place on a framework's tensor": lambda own: lambda x: [y := x + 1, own.ext.twice_in_place(y)][0],
    "operators before and after": lambda own: lambda x: (own.ext.twice_new(x.t().contiguous()) + 1).view(-1).to(torch.float64),
    "parallel_for": lambda own: own.ext.parallel,
    "custom operator": lambda own: torch.ops.own_ops.twice,
    "ctypes": lambda own: lambda x: [o := torch.empty_like(x), own.c.twice_c(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(o.data_ptr()), ctypes.c_int64(x.numel()))][0],
    "numpy": lambda own: lambda x: torch.from_numpy(x.numpy() * 2),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_own(own, x, name):
    facts = own.facts(HONEST[name](own), x)
    assert kinds(facts) == ["own"], facts


def test_honest_zeros_into_zeros(own):
    facts = own.facts(into(own, torch.zeros_like), torch.zeros(8, 8))
    assert kinds(facts) == ["own"]


def test_a_reused_output_buffer(own, x):
    cache = torch.empty_like(x)

    def forward(x):
        own.ext.twice_into(x, cache)
        return cache
    forward(x)
    assert kinds(own.facts(forward, torch.randn(32, 32))) == ["own"]
    assert kinds(own.facts(forward, x)) == ["own"]


@pytest.mark.parametrize("guard", [torch.no_grad, torch.inference_mode])
def test_guards_hide_nothing(own, x, guard):
    with guard():
        facts = own.facts(lambda x: F.linear(x, x), x)
        assert kinds(facts) == ["framework"] and facts.operators == {"aten::mm": 1} and facts.unseen == {}
        assert kinds(own.facts(own.ext.twice_new, x)) == ["own"]


def test_reference_call_has_the_references_operators(own, x):
    model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU())
    facts = own.facts(model, x)
    assert kinds(facts) == ["framework"] and not facts.launches
    assert facts.operators == own_work.reference_ops(model, [x]) == {"aten::addmm": 1, "aten::relu": 1}


def test_decoy_never_called(own, x):
    facts = own.facts(torch.relu, x)
    assert facts.kernels["own_work_ext.twice_new"] == "extension" and not facts.launches and kinds(facts) == ["framework"]


def test_decoy_result_unused(own, x):
    def forward(x):
        own.ext.twice_new(x)
        return torch.mm(x, x)
    facts = own.facts(forward, x)
    assert facts.launches == {"own_work_ext.twice_new": 1} and kinds(facts) == ["framework"] and facts.operators == {"aten::mm": 1}


def test_decoy_that_copies_the_frameworks_answer(own, x):
    def forward(x):
        out = torch.empty_like(x)
        own.ext.copy_into(torch.mm(x, x), out)
        return out
    output = own.facts(forward, x).outputs[0]
    assert output.kind == "framework" and output.equals == "framework" and output.direct


def test_decoy_that_adds_nothing(own, x):
    facts = own.facts(lambda x: torch.mm(x, x) + 0 * own.ext.twice_new(x), x)
    assert kinds(facts) == ["framework"]


def test_library_call_inside_own_code(own, x):
    facts = own.facts(own.ext.library, x, x)
    assert kinds(facts) == ["framework"] and facts.inside == {"aten::mm": 1} and not facts.operators
    assert own.facts(own.ext.scaled, x).inside == {"aten::mul": 1}
    facts = own.facts(torch.ops.own_ops.mm, x, x)
    assert kinds(facts) == ["framework"] and facts.inside == {"aten::mm": 1} and facts.launches == {"own_ops::mm": 1}


def test_operators_in_other_threads_and_behind_guards(own, x):
    facts = own.facts(own.ext.library_thread, x, x)
    assert facts.unseen == {"aten::mm": 1} and kinds(facts) == ["unseen"]

    def python_thread(x):
        found = []
        thread = threading.Thread(target=lambda: found.append(torch.mm(x, x)))
        thread.start()
        thread.join()
        return found[0]
    assert own.facts(python_thread, x).unseen == {"aten::mm": 1}

    def behind(x):
        with torch._C._DisableTorchDispatch():
            return F.linear(x, x)
    assert own.facts(behind, x).unseen == {"aten::mm": 1}


def test_fallback_after_a_kernel_that_raises(own, x):
    def forward(x):
        try:
            return own.ext.raises(x)
        except RuntimeError:
            return torch.relu(x)
    facts = own.facts(forward, x)
    assert kinds(facts) == ["framework"] and "never works" in facts.raised["own_work_ext.raises"]


def test_input_constant_held_and_unwritten(own, x):
    weight = torch.randn(8)
    facts = own.facts(lambda x: (x, x.clone(), torch.zeros(3), weight, torch.empty(5), torch.tensor(2.0) + 1, x * torch.tensor([2.0]) + 1), x)
    assert kinds(facts) == ["input", "input", "constant", "held", "unwritten", "constant", "framework"]


def test_what_forward_raises_passes_and_leaves_nothing_behind(own, x):
    with pytest.raises(ZeroDivisionError):
        own.facts(lambda x: 1 // 0, x)
    assert own.context.calls.observer is None and kinds(own.facts(torch.relu, x)) == ["framework"]


def test_foreign_code_and_json(own, x):
    facts = own.facts(own.ext.twice_new, x)
    assert any(path.endswith(".so") for path in facts.foreign)
    assert facts.json()["outputs"][0]["kind"] == "own" and facts.own_ns > 0


def test_integers_bools_and_empty(own, x):
    facts = own.facts(lambda x: (x > 0, x.argmax(), torch.empty(0), x.to(torch.complex64)), x)
    assert kinds(facts)[:2] == ["framework", "framework"]


def test_a_number_that_python_carried(own, x):
    assert kinds(own.facts(lambda x: torch.tensor(x.sum().item()), x)) == ["framework"]
    assert kinds(own.facts(lambda x: torch.tensor(own.ext.twice_new(x)[0, 0].item()), x)) == ["own"]


def test_inputs_that_share_an_arena(own):
    arena = torch.zeros(4096)
    a, b = arena[64:64 + 256].view(16, 16), arena[1024:1280].view(16, 16)
    a.normal_(), b.normal_()
    before = a.clone()

    def forward(a, b):
        own.ext.twice_in_place(a)
        return torch.mm(b, b)
    assert kinds(own.facts(forward, a, b)) == ["framework"] and torch.equal(a, before * 2)
    assert kinds(own.facts(lambda a, b: a, a, b)) == ["input"]


def test_what_is_written_beside_interpreted_kernels_is_not_theirs(x):
    calls = Calls()
    double = calls.wrap("double", lambda a, o: numpy.multiply(a.numpy(), 2, out=o.numpy()), "triton")

    def kind(forward):
        return own_work.observe(forward, [x], calls)[1].outputs[0].kind

    def beside(a):
        y = torch.empty_like(a)
        numpy.multiply(a.numpy(), 2, out=y.numpy())
        double(a, torch.empty_like(a))
        return y

    def cleared(a):
        y = torch.empty_like(a)
        y.numpy()[:] = 0
        double(a, y)
        return y

    def handed_over(a):
        y, z = torch.empty_like(a), torch.empty_like(a)
        numpy.multiply(a.numpy(), 2, out=z.numpy())
        calls.observed("copy", lambda b, o: numpy.copyto(o.numpy(), b.numpy()), (z, y), {})
        return y

    def into(a):
        y = torch.empty_like(a)
        double(a, y)
        return y
    assert (kind(into), kind(cleared), kind(beside), kind(handed_over)) == ("own", "own", "python", "framework")
    calls.defined("native", "extension")  # Which may be called where nobody sees it.
    assert kind(beside) == "own"


def test_numpy_is_not_a_kernel(own):
    facts = own_work.observe(lambda x: torch.from_numpy(numpy.sqrt(x.numpy())), [torch.rand(8)])[1]
    assert not facts.kernels and kinds(facts) == ["own"]
