#include "judge/probe/gpu_timing.h"

#include <array>
#include <vector>

#include "judge/probe/gpu_occupy.h"
#include "judge/probe/monotonic.h"

namespace kgym::judge::probe {
namespace {

constexpr int kPersistingL2Limit = 6;  // CU_LIMIT_PERSISTING_L2_CACHE_SIZE

/// Four events for each call: before and after the occupying kernel, after forward, after emit.
class Events {
 public:
  Events(const Driver& driver, std::size_t calls) : driver_(driver), events_(4 * calls) {
    for (CuEvent& event : events_) Keep(driver_.EventCreate(&event, 0));
  }
  ~Events() {
    for (CuEvent event : events_) {
      if (event != nullptr) driver_.EventDestroy(event);
    }
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// Waits for the last event of the last call: what is done on the calls' own stream.
  int WaitForLast() { return events_.empty() ? 0 : driver_.EventSynchronize(events_.back()); }

  int Record(std::size_t call, std::size_t which) { return driver_.EventRecord(events_[4 * call + which], nullptr); }

  /// Nanoseconds from one event of a call to the next; see error().
  long long Span(std::size_t call, std::size_t from) {
    float ms = 0;
    Keep(driver_.EventElapsedTime(&ms, events_[4 * call + from], events_[4 * call + from + 1]));
    return static_cast<long long>(static_cast<double>(ms) * 1e6);
  }

  /// The driver's first code that was not success, of making events and of reading them.
  int error() const { return error_; }

 private:
  void Keep(int code) {
    if (error_ == 0) error_ = code;
  }

  const Driver& driver_;
  std::vector<CuEvent> events_;
  int error_ = 0;
};

/// A candidate may have set lines aside that no write evicts.
void FreeSetAsideCache(const Driver& driver) {
  std::size_t set_aside = 0;
  if (driver.CtxGetLimit(&set_aside, kPersistingL2Limit) == 0 && set_aside > 0) driver.CtxResetPersistingL2Cache();
}

/// How long a call kept the CPU: forward alone, and with copying its outputs out.
struct HostTime {
  long long forward_ns = 0, all_ns = 0;
};

/// One call enqueued; false with a Python error set.
bool Enqueue(Occupier& card, Events& events, PyObject* forward, PyObject* arguments, PyObject* emit, std::size_t index,
             long long delay_ns, HostTime& host) {
  FreeSetAsideCache(card.driver());
  int code = events.Record(index, 0);
  if (code == 0) code = card.Launch(delay_ns, true);
  if (code == 0) code = events.Record(index, 1);
  if (code != 0) return Fail(card.driver().Describe("a launch", code)) != nullptr;
  const long long start = NowNs();
  PyObject* output = PyObject_Call(forward, arguments, nullptr);
  host.forward_ns = NowNs() - start;
  if (output == nullptr) return false;
  code = events.Record(index, 2);
  PyObject* emitted = PyObject_CallFunction(emit, "nO", static_cast<Py_ssize_t>(index), output);
  Py_DECREF(output);
  if (emitted == nullptr) return false;
  Py_DECREF(emitted);
  if (code == 0) code = events.Record(index, 3);
  host.all_ns = NowNs() - start;
  return code == 0 || Fail(card.driver().Describe("recording an event", code)) != nullptr;
}

PyObject* Spans(const Driver& driver, Events& events, const std::vector<HostTime>& host) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(host.size()));
  for (std::size_t i = 0; list != nullptr && i < host.size(); ++i) {
    PyObject* row = Py_BuildValue("(LLLLL)", events.Span(i, 1), events.Span(i, 2), events.Span(i, 0),
                                  host[i].forward_ns, host[i].all_ns);
    if (row != nullptr && PyList_SetItem(list, static_cast<Py_ssize_t>(i), row) == 0) continue;
    Py_DECREF(list);
    return nullptr;
  }
  if (list == nullptr || events.error() == 0) return list;
  Py_DECREF(list);
  return Fail(driver.Describe("reading an event", events.error()));
}

PyObject* RunBatch(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    PyObject *forward = nullptr, *calls = nullptr, *emit = nullptr;
    long long delay_ns = 0;
    if (!PyArg_ParseTuple(args, "OOOL:gpu_run_batch", &forward, &calls, &emit, &delay_ns)) return nullptr;
    const Py_ssize_t count = PyList_Size(calls);
    if (count < 0) return nullptr;
    std::string error;
    Occupier* card = Occupier::Get(error);
    if (card == nullptr) return Fail(error);
    Events events(card->driver(), static_cast<std::size_t>(count));
    std::vector<HostTime> host(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      if (!Enqueue(*card, events, forward, PyList_GetItem(calls, i), emit, index, delay_ns, host[index]))
        return nullptr;
    }
    int code = events.WaitForLast();
    const long long done = NowNs();
    if (code == 0) code = card->driver().CtxSynchronize();
    const long long drain_ns = NowNs() - done;
    if (code != 0) return Fail(card->driver().Describe("waiting for the GPU", code));
    PyObject* spans = Spans(card->driver(), events, host);
    return spans != nullptr ? Py_BuildValue("(NL)", spans, drain_ns) : nullptr;
  });
}

/// How long each call takes, with waiting for the card, one after the other; nothing is ahead of it.
PyObject* RunOneByOne(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    PyObject *forward = nullptr, *calls = nullptr;
    if (!PyArg_ParseTuple(args, "OO:gpu_run_one_by_one", &forward, &calls)) return nullptr;
    std::string error;
    Occupier* card = Occupier::Get(error);
    if (card == nullptr) return Fail(error);
    PyObject* list = PyList_New(0);
    for (Py_ssize_t i = 0; list != nullptr && i < PyList_Size(calls); ++i) {
      int code = card->driver().CtxSynchronize();
      const long long start = NowNs();
      PyObject* output = code == 0 ? PyObject_Call(forward, PyList_GetItem(calls, i), nullptr) : nullptr;
      if (output != nullptr) code = card->driver().CtxSynchronize();
      const long long ns = NowNs() - start;
      Py_XDECREF(output);
      if (code != 0) Fail(card->driver().Describe("waiting for the GPU", code));
      PyObject* time = code == 0 && output != nullptr ? PyLong_FromLongLong(ns) : nullptr;
      const bool added = time != nullptr && PyList_Append(list, time) == 0;
      Py_XDECREF(time);
      if (added) continue;
      Py_DECREF(list);
      return nullptr;
    }
    return list;
  });
}

PyObject* ProbeIdle(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    int repeats = 0;
    if (!PyArg_ParseTuple(args, "i:gpu_probe_idle", &repeats)) return nullptr;
    std::string error;
    Occupier* card = Occupier::Get(error);
    if (card == nullptr) return Fail(error);
    PyObject* list = PyList_New(0);
    for (int i = 0; list != nullptr && i < repeats; ++i) {
      Events events(card->driver(), 1);
      int code = events.Record(0, 0);
      if (code == 0) code = card->Launch(0, false);
      if (code == 0) code = events.Record(0, 1);
      if (code == 0) code = card->driver().CtxSynchronize();
      const long long span = code == 0 ? events.Span(0, 0) : 0;
      if (code == 0) code = events.error();
      PyObject* ns = code == 0 ? PyLong_FromLongLong(span) : nullptr;
      if (code != 0) Fail(card->driver().Describe("probing the card", code));
      const bool added = ns != nullptr && PyList_Append(list, ns) == 0;
      Py_XDECREF(ns);
      if (added) continue;
      Py_DECREF(list);
      return nullptr;
    }
    return list;
  });
}

PyObject* Card(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    std::string error;
    const Occupier* card = Occupier::Get(error);
    if (card == nullptr) return Fail(error);
    return Py_BuildValue("{s:i,s:i,s:i}", "multiprocessors", card->multiprocessors(), "threads", card->threads(),
                         "l2_bytes", card->l2_bytes());
  });
}

}  // namespace

PyMethodDef kGpuTimingMethods[] = {
    {"gpu_run_batch", RunBatch, METH_VARARGS,
     "gpu_run_batch(forward, calls, emit, delay_ns) -> ([(span_ns, emit_ns, ahead_ns, host_ns, enqueue_ns), ...], "
     "drain_ns)\n\ndrain_ns: what the card worked on after the calls' own stream was done."},
    {"gpu_run_one_by_one", RunOneByOne, METH_VARARGS,
     "gpu_run_one_by_one(forward, calls) -> list[int]\n\nNanoseconds of each call, until every stream is done."},
    {"gpu_probe_idle", ProbeIdle, METH_VARARGS,
     "gpu_probe_idle(repeats: int) -> list[int]\n\nSpans, in ns, of a small kernel that needs the whole card."},
    {"gpu_card", Card, METH_NOARGS, "gpu_card() -> dict[str, int]\n\nmultiprocessors, threads of one, l2_bytes."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
