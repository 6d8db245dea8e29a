#include "service/compat/cases.h"

#include <array>

#include "base/json.h"
#include "base/text.h"

namespace kgym::service::kernelgym {
namespace {

/// _TEXT, _JSON, _ENTRY and _CHECK are put before it. Inputs stay as they are: outputs are known for them alone.
constexpr const char* kProgram = R"py(
META = {"perturb": False}


def _value(value):
    """JSON as tensors: a list whose leaves are all numbers is one."""
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    try:
        return torch.tensor(value)
    except (TypeError, ValueError):
        return [_value(item) for item in value]


def _case(case):
    """One case of a request. A list of inputs is a list of arguments, so it is no tensor itself."""
    if not isinstance(case, dict):
        case = {"inputs": case}
    return {key: [_value(item) for item in value] if key in ("inputs", "input") and isinstance(value, list) else _value(value)
            for key, value in case.items()}


def _normal(case):
    inputs = case.get("inputs", case.get("input")) if isinstance(case, dict) else case
    outputs = case.get("outputs", case.get("output")) if isinstance(case, dict) else None
    if isinstance(inputs, dict):
        inputs = list(inputs.values())
    return (list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]), outputs


def _load():
    if _JSON is not None:
        cases = json.loads(_JSON)
        cases = [_case(case) for case in (cases if isinstance(cases, list) else [cases])]
    elif "get_cases" in _SPACE:
        cases = _SPACE["get_cases"]()
        cases = list(cases) if isinstance(cases, (list, tuple)) else [cases]
    else:
        cases = [{"inputs": _SPACE["get_inputs"]()}]
    return [_normal(case) for case in cases]


_SPACE = {"__name__": "cases"}
exec(compile(_TEXT, "cases", "exec"), _SPACE)
_CASES = _load()


def _same(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and bool(torch.equal(a.to(b.device), b))
    return type(a) is type(b) and a == b


def _moved(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(item, device) for item in value)
    if isinstance(value, dict):
        return {key: _moved(item, device) for key, item in value.items()}
    return value


class Model(torch.nn.Module):
    def __init__(self, *init):
        super().__init__()
        if not _CHECK:
            self.kernel = _SPACE[_ENTRY](*init)

    def forward(self, *inputs):
        if not _CHECK:
            return self.kernel(*inputs)
        for known, outputs in _CASES:
            if len(known) == len(inputs) and all(_same(a, b) for a, b in zip(known, inputs)):
                device = next((x.device for x in inputs if isinstance(x, torch.Tensor)), "cpu")
                return _moved(outputs, device)
        raise RuntimeError("no case has these inputs")


def get_inputs():
    usable = [number for number, (_, outputs) in enumerate(_CASES) if outputs is not None or not _CHECK]
    if not usable:
        raise ValueError("No cases or inputs provided")
    inputs, _ = _CASES[usable[int(torch.randint(len(usable), ()))]]
    return [x.clone() if isinstance(x, torch.Tensor) else x for x in inputs]


def get_init_inputs():
    return list(_SPACE.get("get_init_inputs", lambda: [])())
)py";

/// A Python literal: JSON's escapes are Python's.
std::string Literal(const std::string& text) { return DumpJson(Json(text)); }

bool Defines(const std::string& code, const char* function) {
  return code.find(Concat("def ", function, "(")) != code.npos;
}

bool HasCases(const std::string& code) { return Defines(code, "get_cases") || Defines(code, "get_inputs"); }

bool HasOutputs(const Json& cases) {
  const auto has = [](const Json& one) {
    return one.is_object() && (one.contains("outputs") || one.contains("output"));
  };
  if (!cases.is_array()) return has(cases);
  for (const Json& one : cases) {
    if (has(one)) return true;
  }
  return false;
}

}  // namespace

std::string_view Name(CasesFrom from) {
  constexpr std::array<std::string_view, 3> kNames = {"inline", "cases_code", "kernel_code"};
  return kNames[static_cast<std::size_t>(from)];
}

Result<CasesProblem> ProblemOfCases(const Evaluation& evaluation) {
  CasesProblem problem;
  std::string text = evaluation.kernel_code;
  bool check = evaluation.run_correctness.value_or(true);
  if (!evaluation.cases.is_null() && !evaluation.cases.empty()) {
    check = check && HasOutputs(evaluation.cases);
    if (check && !Defines(evaluation.kernel_code, "get_init_inputs")) text.clear();  // Nothing of it is needed.
  } else if (HasCases(evaluation.cases_code)) {
    problem.from = CasesFrom::kCasesCode;
    // Without outputs the kernel is needed too, to compare it with itself.
    check = check && Defines(evaluation.cases_code, "get_cases");
    text = check ? evaluation.cases_code : Concat(evaluation.kernel_code, "\n\n", evaluation.cases_code);
  } else if (HasCases(evaluation.kernel_code)) {
    problem.from = CasesFrom::kKernelCode;
    check = check && Defines(evaluation.kernel_code, "get_cases");
  } else {
    return Error{"No cases or inputs provided"};
  }
  problem.checked = check;
  const std::string json = problem.from == CasesFrom::kRequest ? Literal(DumpJson(evaluation.cases)) : "None";
  problem.source =
      Concat("\"\"\"Cases of a kernel_simple request.\"\"\"\nimport json\nimport torch\n\n_TEXT = ", Literal(text),
             "\n_JSON = ", json, "\n_ENTRY = ", Literal(KernelClass(evaluation)),
             "\n_CHECK = ", check ? "True" : "False", "\n", kProgram);
  return problem;
}

}  // namespace kgym::service::kernelgym
