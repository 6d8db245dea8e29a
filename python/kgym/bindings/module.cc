// The module kgym._learn: a part for each noun.
#include "arrays.h"
#include "parts.h"

NB_MODULE(_learn, module) {
  using namespace kgym::python;
  module.doc() = "The RL methods of kgym on numpy arrays and torch tensors. See the package's docstring.";
  AddAdvantages(module);
  AddTokens(module);
  AddLosses(module);
  AddEntropy(module);
  AddMismatch(module);
  AddFilters(module);
  AddSampling(module);
  AddMetrics(module);
  AddRewards(module);

  nb::list names;
  for (auto [name, value] : nb::borrow<nb::dict>(module.attr("__dict__"))) {
    if (!nb::cast<std::string>(name).starts_with("_")) names.append(name);
  }
  module.attr("__all__") = names;
}
