"""The candidate host: loads one submission and answers calls on it. It holds no expected output, no seed of an input, no tolerance.

Operations (judge -> host; descriptors in brackets):
  attach    {length, memory_bytes?}                           [arena]   map the evaluation's arena; torch's allocator may take so much of a card
  load      {backend, entry, init, state, seed, stateful, pattern, artefacts} [source, artefact...]  import, construct, take over the weights
  call      {inputs, output: [off, end]}                                one call; outputs copied out as soon as it returns   -> {outputs}
  recopy    {output: [off, end]}                                        copy the last outputs out again                      -> {outputs}
  observe   {inputs, output}                                            one call with every framework operator observed      -> {outputs, own_work}
  settle    {}                                                          stop observing and perturbing, before timing         -> {notes, changed}
  batch     {calls: [{inputs, output}], delay_ns?, watch?}              timed calls; watch: say which operators ran in them, on a GPU which kernels  -> {outputs, calls_ns, emits_ns, ..., operators?, profile?}
  latency   {calls: [{inputs}]}                                         calls, each waited for                              -> {calls_ns}
  graph     {inputs, replays, delay_ns}                                 the call as a CUDA graph, replayed in rows           -> {calls_ns, ...} or {note}
  inspect   {}                                                          what was patched, what the backend noted, threads     -> {...}
Everything said here is only said: the judge decides by the bytes in the arena and its own clock.
"""
from __future__ import annotations

import importlib.util
import os
import sys
import time
from typing import Any, Callable

import torch

from . import device, graph_replay, integrity, own_work
from .backends import Context, backend as find_backend
from .profile import JUDGE, SUBMISSION
from .tree import Arena, Unsupported, encode, leaves, rebuild
from .unseen_operators import Trace
from .wire import Failure, clip, describe, foreign_trace

_HERE = os.path.dirname(os.path.abspath(__file__))
_HOME = "/tmp/submission"
_getprofile, _setprofile = sys.getprofile, sys.setprofile  # As they were before a submission could put others in their places.
_SPARE = 2 << 30  # Bytes that torch's allocator holds up to which, outside timed calls, what it does not use stays with it; the reference host may need the rest.
# How an exhausted memory is reported: by allocators, by CUDA, and by torch where it wants to say more and NVML is out of its reach.
_OUT_OF_MEMORY = ("not enough memory", "can't allocate memory", "bad_alloc", "CUDA_ERROR_OUT_OF_MEMORY", "CUDA error: out of memory", "[CUDA]: out of memory", "STATUS_ALLOC_FAILED", "nvmlInit_v2_() INTERNAL ASSERT")


def failure(kind: str, error: BaseException) -> Failure:
    """The verdict's word for an exception of the submission: memory first, then compilation, then where it happened."""
    text = describe(error)
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(word in text for word in _OUT_OF_MEMORY):
        kind = "oom"
    elif isinstance(error, SystemExit):
        kind = "crash"
    elif type(error).__name__ in ("CompileError", "CompilationError"):
        kind = "compile"
    return Failure(kind, text, foreign_trace(error, _HERE))


def unfit(error: BaseException) -> Failure:
    """The verdict's word for an output that could not be copied out."""
    if isinstance(error, Unsupported):
        return Failure("lazy" if error.lazy else "shape", str(error))
    if isinstance(error, OverflowError):
        return Failure("shape", "the output is too big: %s" % error)
    return failure("runtime", error)


class Candidate:
    def __init__(self, probe: Any):
        self.probe = probe
        self.before = integrity.snapshot()
        self.baseline = own_work.baseline()
        self.arena: Arena | None = None
        self.model: Any = None
        self.last: Any = None
        self.bait: Any = None
        self.context: Any = None
        self.stateful = False
        self.pattern = -1
        self.sizes: list[int] = []  # Of the last outputs, in bytes.

    def operations(self) -> dict[str, Any]:
        return {name.removeprefix("op_"): getattr(self, name) for name in dir(self) if name.startswith("op_")}

    def op_attach(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        self.arena = device.current().attach(fds[0], message["length"])
        device.current().limit(message.get("memory_bytes", 0))
        return {}

    def op_load(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        paths = _write_artefacts(message["artefacts"], fds[1:])
        self.context = Context(mode="run", private_dir=private_folder(), device=device.current().name, arch=device.current().arch, artefacts=paths)
        backend = find_backend(message["backend"])
        backend.install(self.context)
        self.pattern = message["pattern"]
        if self.pattern >= 0:
            self.probe.set_malloc_perturb(self.pattern)
        module = import_submission(fds[0], backend.translate)
        entry = getattr(module, message["entry"], None)
        if not callable(entry):
            raise Failure("format", "it does not define %s" % message["entry"])
        self._plant_bait(message["honeypot"])
        torch.manual_seed(message["seed"])
        try:
            self.model = entry(*rebuild(list(self.arena.read(message["init"])), lambda t: t.clone()))
            if not callable(self.model):
                raise TypeError("%s(...) is a %s, which cannot be called" % (message["entry"], type(self.model).__name__))
            if isinstance(self.model, torch.nn.Module):
                self.model = self.model.to(device.current().name)
            self.stateful, self.state = message["stateful"], message["state"]
            return {"state": self._take_state()}
        except BaseException as error:  # noqa: BLE001
            raise failure("load", error) from None

    def _plant_bait(self, tree: dict[str, Any]) -> None:
        """Something that looks like the answer, where a thief would look: an output equal to it was stolen."""
        self.bait = self.arena.read(tree)
        main = sys.modules["__main__"]
        main.expected = main.expected_output = main.ref_output = main.reference_output = self.bait

    def _take_state(self) -> str:
        """The reference's weights into the submission's module: by name where the shapes agree; what is left by order, if it agrees one by one.

        Says which it was: none (there are no weights), by-name, by-order (with names or without), by-name-in-part, seeded (nothing fits).
        """
        if not self.state or not isinstance(self.model, torch.nn.Module):
            return "none"
        theirs = {name: self.arena.read(tree) for name, tree in self.state}
        mine = {name: value for name, value in self.model.state_dict().items() if isinstance(value, torch.Tensor)}
        named = [(mine[n], theirs[n]) for n in mine if n in theirs and mine[n].shape == theirs[n].shape]
        left = [v for n, v in mine.items() if n not in theirs or v.shape != theirs[n].shape]
        offered = [v for n, v in theirs.items() if n not in mine or v.shape != mine[n].shape]
        ordered = list(zip(left, offered)) if [v.shape for v in left] == [v.shape for v in offered] else []
        with torch.no_grad():
            for own, given in [*named, *ordered]:
                own.copy_(given)
        if not left and not offered:
            return "by-name"
        return "by-order" if ordered else "by-name-in-part" if named else "seeded"

    def _emit(self, outputs: Any, area: list[int]) -> dict[str, Any]:
        """Copied at once, behind nothing but the current stream; then every stream is waited for."""
        try:
            tree = encode(outputs, self.arena.writer(*area), exact=True)
            device.current().synchronize()
            return tree
        except BaseException as error:  # noqa: BLE001
            raise unfit(error) from None

    def _call(self, inputs: list[Any]) -> Any:
        expected = reference_output = ref_output = self.bait  # noqa: F841
        try:
            if self.stateful:
                self._take_state()
            return self.model(*inputs)
        except BaseException as error:  # noqa: BLE001
            if type(error).__name__ == "InterpreterError" and "only 0-dimensional arrays" in describe(error):
                self.context.note("loop-bounds-in-interpreter")  # Triton 3.6 with numpy from 2.4 on: a bound known at run time only.
            raise failure("runtime", error) from None

    def op_call(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        inputs = self.arena.read({"t": "list", "v": message["inputs"]["v"]})
        self.last = None  # Large outputs are not to lie beside the next ones.
        if self.pattern >= 0:
            device.current().perturb(self.pattern, self.sizes or [message["output"][1] - message["output"][0]])
        self.last = self._call(inputs)
        reply = {"outputs": self._emit(self.last, message["output"])}
        self.sizes = [t.numel() * t.element_size() for t in leaves(self.last)]
        device.current().give_back(_SPARE)
        return reply

    def op_recopy(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        return {"outputs": self._emit(self.last, message["output"])}

    def op_observe(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        inputs = self.arena.read({"t": "list", "v": message["inputs"]["v"]})
        self.last = None
        self.last, facts = own_work.observe(lambda *values: self._call(list(values)), inputs, self.context.calls, self.baseline)
        device.current().give_back(_SPARE)
        facts_json = {**facts.json(), "compile_errors": [clip(e, 400) for e in self.context.compile_errors[:4]]}
        return {"outputs": self._emit(self.last, message["output"]), "own_work": facts_json}

    def op_settle(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        self.probe.set_malloc_perturb(0)
        self.context.calls.unwrap()
        self.last = None
        device.current().give_back(_SPARE)
        return {"notes": self.context.notes(), "changed": integrity.changed(self.before)}

    def op_batch(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        arena, areas = self.arena, [c["output"] for c in message["calls"]]
        calls = [tuple(arena.read({"t": "list", "v": c["inputs"]["v"]})) for c in message["calls"]]
        trees: list[Any] = [None] * len(calls)
        def emit(i: int, outputs: Any) -> None:
            hook = _getprofile()
            if hook is not None:  # A submission's own: what it costs in here would look like work outside the calls.
                _setprofile(None)
            trees[i] = encode(outputs, arena.writer(*areas[i]), exact=True)
            if hook is not None:
                _setprofile(hook)
        forward = (lambda *values: self._call(list(values))) if self.stateful else self.model
        def run(function: Any) -> dict[str, Any]:
            return device.current().run_batch(self.probe, function, calls, emit, message.get("delay_ns", 0))
        try:
            reply = self._watched(forward, run) if message.get("watch") else run(forward)
        except (Unsupported, OverflowError) as error:
            raise unfit(error) from None
        except Failure:
            raise
        except BaseException as error:  # noqa: BLE001
            raise failure("runtime", error) from None
        return {"outputs": trees, **reply}

    def _watched(self, forward: Any, run: Any) -> dict[str, Any]:
        """A batch of which operators are counted and, on a GPU, kernels recorded: those that the calls launch, not the work ahead of them or the copying."""
        with device.current().profile() as profile, Trace() as trace:
            if profile is None:
                reply = run(forward)
            else:
                def launched(*values: Any) -> Any:
                    with profile.owner(SUBMISSION):
                        return forward(*values)
                with profile.owner(JUDGE):
                    reply = run(launched)
        reply["operators"] = self._framework(trace.unseen(False))
        if profile is not None:
            reply["profile"] = profile.json(own_work.brought(self.context.calls, self.baseline))
        return reply

    def _framework(self, operators: dict[str, int] | None) -> dict[str, int] | None:
        """Those that were there before the submission."""
        return operators and {name: count for name, count in operators.items() if name.partition("::")[0] in self.baseline.namespaces}

    def op_latency(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        calls = [tuple(self.arena.read({"t": "list", "v": c["inputs"]["v"]})) for c in message["calls"]]
        try:
            return device.current().run_one_by_one(self.probe, lambda *values: self._call(list(values)), calls)
        except Failure:
            raise
        except BaseException as error:  # noqa: BLE001
            raise failure("runtime", error) from None

    def op_graph(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        inputs = self.arena.read({"t": "list", "v": message["inputs"]["v"]})
        return graph_replay.times(self.probe, lambda *values: self._call(list(values)), inputs, message["replays"], message["delay_ns"])

    def op_inspect(self, message: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
        notes = self.context.notes() if self.context else []
        return {"changed": integrity.changed(self.before), "notes": notes, "threads": threads, "cpu_ns": time.process_time_ns()}


def private_folder() -> str:
    os.makedirs("/tmp/build", exist_ok=True)
    return "/tmp/build"


def _write_artefacts(keys: list[str], fds: list[int]) -> dict[str, str]:
    """Artefacts into private files, so that they can be loaded by path."""
    os.makedirs("/tmp/artefacts", exist_ok=True)
    paths = {}
    for key, fd in zip(keys, fds):
        paths[key] = "/tmp/artefacts/%s.so" % key
        with open(paths[key], "wb") as out:
            os.sendfile(out.fileno(), fd, 0, os.fstat(fd).st_size)
    return paths


def _translated(source: bytes, translate: Callable[[str], str] | None) -> bytes:
    """The Python of a submission that may be in another language. Raises Failure("format")."""
    if translate is None:
        return source
    try:
        return translate(source.decode()).encode()
    except Exception as error:  # noqa: BLE001
        raise Failure("format", describe(error)) from None


def import_submission(fd: int, translate: Callable[[str], str] | None = None) -> Any:
    """The submission as a module from a private file (inspect.getsource needs one). Raises Failure("format"), ("load") or ("compile")."""
    os.makedirs(_HOME, exist_ok=True)
    path = os.path.join(_HOME, "submission.py")
    with open(fd, "rb", closefd=False) as source, open(path, "wb") as out:
        out.write(_translated(source.read(), translate))
    spec = importlib.util.spec_from_file_location("submission", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission"] = module
    try:
        spec.loader.exec_module(module)
    except Failure:
        raise
    except BaseException as error:  # noqa: BLE001
        raise failure("format" if isinstance(error, SyntaxError) else "load", error) from None
    return module
