// Metrics of evaluations.
#include "arrays.h"
#include "learn/bootstrap.h"
#include "learn/fast_p.h"
#include "learn/pass_at_k.h"
#include "learn/turn_table.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

learn::FastIf ConventionOf(const std::string& name) {
  return Pick<learn::FastIf>("convention", name,
                             {{"above", learn::FastIf::kAbove}, {"at-least", learn::FastIf::kAtLeast}});
}

nb::dict FastP(const RowMarks& correct, const RowDoubles& speedup, const std::vector<double>& thresholds,
               const std::string& convention) {
  learn::FastP counter(thresholds, ConventionOf(convention));
  if (correct.size() != speedup.size()) {
    Fail(Error{Concat("speedup has ", speedup.size(), " values for ", correct.size(), " rows")});
  }
  Unlocked([&] {
    for (std::size_t row = 0; row < correct.size(); ++row) Check(counter.Add(correct.data()[row], speedup.data()[row]));
  });
  std::vector<double> in_all, among_correct;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    in_all.push_back(counter.InAll(i));
    among_correct.push_back(counter.AmongCorrect(i));
  }
  nb::dict result;
  result["thresholds"] = thresholds;
  result["in_all"] = in_all;
  result["among_correct"] = among_correct;
  return result;
}

double PassAtK(std::int64_t n, std::int64_t solved, std::int64_t k) {
  learn::PassAtK pass(k);
  Check(pass.Add(n, solved));
  return pass.mean();
}

nb::tuple GeometricMean(const RowDoubles& values, const Integers& clusters, double confidence, std::size_t replicates,
                        std::uint64_t seed) {
  if (values.size() != clusters.size()) {
    Fail(Error{Concat("clusters has ", clusters.size(), " values for ", values.size(), " rows")});
  }
  if (!(confidence > 0 && confidence < 1)) Fail(Error{"confidence lies between 0 and 1"});
  if (replicates == 0) Fail(Error{"replicates is 0; 1 or more is expected"});
  const learn::Estimate estimate = Unlocked([&] {
    learn::GeometricMean mean(replicates, seed);
    for (std::size_t row = 0; row < values.size(); ++row) Check(mean.Add(values.data()[row], clusters.data()[row]));
    return mean.Finish(confidence);
  });
  return nb::make_tuple(estimate.value, estimate.low, estimate.high);
}

}  // namespace

void AddMetrics(nb::module_& m) {
  m.def("fast_p", &FastP, "correct"_a.noconvert(), "speedup"_a.noconvert(), "thresholds"_a, nb::kw_only(),
        "convention"_a = "above",
        "Shares that are correct and fast, in all and among the correct. convention: 'above' speedup > p "
        "(KernelBench), 'at-least' speedup >= p (Dr. "
        "Kernel). correct: bool[rows]; speedup: float64[rows], looked at where correct.");
  m.def("pass_at_k", &PassAtK, "n"_a, "solved"_a, "k"_a,
        "Unbiased estimate from `solved` of n replies (arXiv 2107.03374).");
  m.def("geometric_mean", &GeometricMean, "values"_a.noconvert(), "clusters"_a.noconvert(), nb::kw_only(),
        "confidence"_a = 0.95, "replicates"_a = 400, "seed"_a = 0,
        "(mean, low, high) of values above 0, with a bootstrap interval; clusters: int64[rows], the problem of each "
        "row.");
  nb::class_<learn::TurnTable>(m, "TurnTable", "What a model achieves by turn; see to_dict().")
      .def(
          "__init__",
          [](learn::TurnTable* self, std::vector<double> thresholds, const std::string& convention) {
            new (self) learn::TurnTable(std::move(thresholds), ConventionOf(convention));
          },
          "thresholds"_a = learn::FastP::DrKernelThresholds(), "convention"_a = "at-least")
      .def(
          "add",
          [](learn::TurnTable& self, std::int64_t trajectory, std::int64_t turn, bool compiled, bool correct,
             double speedup, double coverage) {
            Check(self.Add({trajectory, turn, compiled, correct, speedup, coverage}));
          },
          "trajectory"_a, "turn"_a, "compiled"_a, "correct"_a, "speedup"_a = 0.0, "coverage"_a = 0.0,
          "One turn, counted from 1; in any order. speedup 0: not measured.")
      .def(
          "to_dict", [](const learn::TurnTable& self) { return ToPython(DumpJson(self.ToJson())); },
          "Lines by turn, the best so far, and what refinement changed.");
}

}  // namespace kgym::python
