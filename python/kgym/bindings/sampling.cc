// Samplers, oversampling, packing.
#include "arrays.h"
#include "learn/oversample.h"
#include "learn/pack.h"
#include "learn/sampler.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

learn::SamplerOptions SamplerOptionsOf(const std::string& policy) {
  using learn::SamplePolicy;
  return {.policy = Pick<SamplePolicy>("policy", policy,
                                       {{"uniform", SamplePolicy::kUniform},
                                        {"prioritized", SamplePolicy::kPrioritized},
                                        {"moderate", SamplePolicy::kModerate},
                                        {"refresh", SamplePolicy::kRefresh}})};
}

/// A sampler and the options that its state must be read with.
struct Sampler {
  learn::SamplerOptions options;
  learn::PromptSampler sampler;
};

std::vector<std::size_t> Next(Sampler& self, std::size_t count) {
  std::vector<std::size_t> prompts;
  for (std::size_t i = 0; i < count; ++i) prompts.push_back(self.sampler.Next());
  return prompts;
}

void AddOversampler(nb::module_& m) {
  using learn::Oversampler;
  nb::class_<Oversampler>(
      m, "Oversampler",
      "How many prompts to generate: until those expected to survive the filter are target * factor, in multiples of "
      "`multiple`. Resumes from state().")
      .def(
          "__init__",
          [](Oversampler* self, double target, double factor, std::size_t multiple, double smoothing, double most) {
            new (self) Oversampler(Check(Oversampler::Create({target, factor, multiple, smoothing, most})));
          },
          "target"_a, nb::kw_only(), "factor"_a = 1.0, "multiple"_a = 1, "smoothing"_a = 1.0, "most"_a = 0.95,
          "smoothing: weight of a new filter rate against the old, in (0, 1]. most: cap on a prompt's filter rate, so "
          "that a batch of hopeless prompts still ends.")
      .def("add", &Oversampler::Add, "prompt"_a,
           "Adds a prompt to the batch being collected; True once that is large enough, and a new one begins.")
      .def(
          "observe", [](Oversampler& self, std::int64_t prompt, double rate) { Check(self.Observe(prompt, rate)); },
          "prompt"_a, "filter_rate"_a, "The share of the prompt's rows that the filter dropped, from 0 to 1.")
      .def("filter_rate", &Oversampler::filter_rate, "prompt"_a, "0 for prompts never observed.")
      .def(
          "state", [](const Oversampler& self) { return DumpJson(self.State()); }, "JSON text.")
      .def_static(
          "from_state",
          [](const std::string& state, double target, double factor, std::size_t multiple, double smoothing,
             double most) {
            return Check(
                Oversampler::FromState({target, factor, multiple, smoothing, most}, Check(ParseJson(state, "state"))));
          },
          "state"_a, "target"_a, nb::kw_only(), "factor"_a = 1.0, "multiple"_a = 1, "smoothing"_a = 1.0,
          "most"_a = 0.95, "With the options that the state was made with.");
}

void AddRefill(nb::module_& m) {
  using learn::Refill;
  nb::class_<Refill>(m, "Refill",
                     "Rows that passed the filter, waiting until a batch is full; older than max_age steps, they are "
                     "dropped. Resumes from state().")
      .def(nb::init<std::int64_t>(), "max_age"_a)
      .def("add", &Refill::Add, "row"_a, "step"_a, "A row, by a number of its own, written at that step.")
      .def("take", &Refill::Take, "count"_a, "step"_a,
           "`count` rows, the oldest first; an empty list if fewer are fresh at that step.")
      .def_prop_ro("waiting", &Refill::waiting, "Rows.")
      .def_prop_ro("dropped", &Refill::dropped, "Rows, for their age.")
      .def(
          "state", [](const Refill& self) { return DumpJson(self.State()); }, "JSON text.")
      .def_static(
          "from_state",
          [](const std::string& state) { return Check(Refill::FromState(Check(ParseJson(state, "state")))); },
          "state"_a);
}

}  // namespace

void AddSampling(nb::module_& m) {
  m.def(
      "pack_by_budget",
      [](const Integers& lengths, std::int64_t budget) {
        return Unlocked([&] { return Check(learn::PackByBudget(View(lengths), budget)); });
      },
      "lengths"_a.noconvert(), "budget"_a,
      "Lists of row numbers: few, balanced, none with more than `budget` tokens. A longer row is a ValueError.");
  m.def(
      "pack_evenly",
      [](const Integers& lengths, std::size_t packs) {
        return Unlocked([&] { return Check(learn::PackEvenly(View(lengths), packs)); });
      },
      "lengths"_a.noconvert(), "packs"_a, "That many lists of row numbers, of like total length.");
  nb::class_<Sampler>(
      m, "PromptSampler",
      "Which prompts to train on next. policy: uniform, prioritized, moderate, refresh. Seeded; resumes from state().")
      .def(
          "__init__",
          [](Sampler* self, std::size_t prompts, std::uint64_t seed, const std::string& policy) {
            const learn::SamplerOptions options = SamplerOptionsOf(policy);
            new (self) Sampler{options, Check(learn::PromptSampler::Create(options, prompts, seed))};
          },
          "prompts"_a, "seed"_a, "policy"_a = "uniform")
      .def("next", &Next, "count"_a = 1, "The next `count` prompt numbers.")
      .def(
          "observe",
          [](Sampler& self, const std::vector<std::size_t>& prompts, const std::vector<double>& rates) {
            Check(self.sampler.Observe(prompts, rates));
          },
          "prompts"_a, "rates"_a, "Solve rates, from 0 to 1, of prompts just tried.")
      .def(
          "state", [](const Sampler& self) { return DumpJson(self.sampler.State()); }, "JSON text.")
      .def_static(
          "from_state",
          [](const std::string& state, const std::string& policy) {
            const learn::SamplerOptions options = SamplerOptionsOf(policy);
            return Sampler{options, Check(learn::PromptSampler::FromState(options, Check(ParseJson(state, "state"))))};
          },
          "state"_a, "policy"_a = "uniform");
  AddOversampler(m);
  AddRefill(m);
}

}  // namespace kgym::python
