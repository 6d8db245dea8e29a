// Arrays across the border: views of what Python passes in, new arrays out, errors as ValueError. Nothing here copies.
//
// Threads: with the GIL, but for what runs inside Unlocked().
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "learn/token_rows.h"

namespace kgym::python {

namespace nb = nanobind;

// Of one or two dimensions: rows, or rows and columns.
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::c_contig, nb::device::cpu>;
using OutDoubles = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using NewDoubles = nb::ndarray<nb::numpy, double>;
using NewMarks = nb::ndarray<nb::numpy, bool>;

static_assert(sizeof(bool) == 1);

inline std::span<const double> View(const Doubles& array) { return {array.data(), array.size()}; }
inline std::span<const std::int64_t> View(const Integers& array) { return {array.data(), array.size()}; }
inline std::span<const std::uint8_t> View(const Marks& array) {
  return {reinterpret_cast<const std::uint8_t*>(array.data()), array.size()};
}
template <class Array>
auto View(const std::optional<Array>& array) -> decltype(View(*array)) {
  return array ? View(*array) : decltype(View(*array)){};
}

[[noreturn]] inline void Fail(const Error& error) { throw nb::value_error(error.message.c_str()); }
inline void Check(const Status& status) {
  if (!status.ok()) Fail(status.error());
}
template <class T>
T Check(Result<T> result) {
  if (!result.ok()) Fail(result.error());
  return std::move(result).value();
}

/// Runs `work` without the GIL.
template <class Work>
auto Unlocked(Work work) {
  nb::gil_scoped_release released;
  return work();
}

/// The choice of that name; an unknown one is a ValueError with the nearest.
template <class T>
T Pick(const char* what, const std::string& name, const std::map<std::string, T>& choices) {
  if (const auto found = choices.find(name); found != choices.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, choice] : choices) names.push_back(known);
  Fail(Error{Concat(what, " is '", name, "'; one of ", Join(names, ", "), " is expected", DidYouMean(name, names))});
}

/// A result of the shape of an input: in `out`, where one is given, or a new array.
class Output {
 public:
  template <class Like>
  Output(const Like& like, std::optional<OutDoubles> out) : shape_(like.shape_ptr(), like.shape_ptr() + like.ndim()) {
    if (out) {
      if (out->size() != like.size()) {
        Fail(Error{Concat("out has ", out->size(), " values; ", like.size(), " are expected")});
      }
      given_ = *out;
    } else {
      owned_ = std::make_unique<double[]>(like.size());
    }
    size_ = like.size();
  }

  std::span<double> span() { return {given_ ? given_->data() : owned_.get(), size_}; }

  /// With the GIL. `out` itself, or the new array.
  nb::object Finish() {
    if (given_) return nb::cast(*given_);
    double* data = owned_.release();
    nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<double*>(pointer); });
    return nb::cast(NewDoubles(data, shape_.size(), shape_.data(), owner));
  }

 private:
  std::vector<std::size_t> shape_;
  std::optional<OutDoubles> given_;
  std::unique_ptr<double[]> owned_;
  std::size_t size_ = 0;
};

/// A new array of marks, of the shape of `like`.
template <class Like>
nb::object NewMarksLike(const std::vector<std::uint8_t>& marks, const Like& like) {
  const std::vector<std::size_t> shape(like.shape_ptr(), like.shape_ptr() + like.ndim());
  bool* data = new bool[marks.size()];
  std::ranges::transform(marks, data, [](std::uint8_t mark) { return mark != 0; });
  nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<bool*>(pointer); });
  return nb::cast(NewMarks(data, shape.size(), shape.data(), owner));
}

/// Token rows from a mask: a matrix, or flat with offsets.
class Tokens {
 public:
  Tokens(const Marks& mask, const std::optional<Integers>& offsets) : mask_(View(mask)), given_(View(offsets)) {
    if (mask.ndim() == 2 && !offsets) {
      padded_ = learn::PaddedOffsets(mask.shape(0), mask.shape(1));
    } else if (mask.ndim() != 1 || !offsets) {
      Fail(Error{"a mask [rows, columns], or a flat one with offsets, is expected"});
    }
  }
  learn::TokenRows view() const { return {padded_.empty() ? given_ : std::span<const std::int64_t>(padded_), mask_}; }

 private:
  std::span<const std::uint8_t> mask_;
  std::span<const std::int64_t> given_;
  std::vector<std::int64_t> padded_;
};

/// A dict from JSON's numbers, texts, lists and objects.
inline nb::object ToPython(const std::string& json) { return nb::module_::import_("json").attr("loads")(json); }

}  // namespace kgym::python
