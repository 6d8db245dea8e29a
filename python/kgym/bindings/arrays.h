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
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "buffer.h"
#include "learn/check_input.h"
#include "learn/token_rows.h"

namespace kgym::python {

namespace nb = nanobind;

// One value for each row; an array of another dimension is a TypeError.
using RowDoubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RowMarks = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// One value for each token: a matrix, or flat (class Tokens).
using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::c_contig, nb::device::cpu>;
using OutDoubles = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using NewDoubles = nb::ndarray<nb::numpy, double>;
using NewMarks = nb::ndarray<nb::numpy, bool>;

static_assert(sizeof(bool) == 1);

template <class... Options>
std::span<const double> View(const nb::ndarray<const double, Options...>& array) {
  return {array.data(), array.size()};
}
inline std::span<const std::int64_t> View(const Integers& array) { return {array.data(), array.size()}; }
template <class... Options>
std::span<const std::uint8_t> View(const nb::ndarray<const bool, Options...>& array) {
  return {reinterpret_cast<const std::uint8_t*>(array.data()), array.size()};
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

/// An optional array of one value for each row. To the mathematics an empty span is none at all, so one that is given
/// and too short must not get there.
template <class Array>
auto View(const char* name, const std::optional<Array>& array, std::size_t rows) -> decltype(View(*array)) {
  if (!array) return {};
  Check(learn::CheckLength(name, array->size(), rows));
  return View(*array);
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

/// The shape of a result that is like no input.
struct Shape {
  std::vector<std::size_t> sizes;
  template <class... Sizes>
  explicit Shape(Sizes... given) : sizes{given...} {}
  std::size_t ndim() const { return sizes.size(); }
  const std::size_t* shape_ptr() const { return sizes.data(); }
  std::size_t size() const { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>()); }
};

/// A result of the shape of an input: in `out`, where one is given, or a new array. Nothing is in it: whoever computes
/// writes all of it, or fails.
class Output {
 public:
  template <class Like>
  explicit Output(const Like& like, std::optional<OutDoubles> out = {})
      : shape_(like.shape_ptr(), like.shape_ptr() + like.ndim()) {
    if (out) {
      if (out->size() != like.size()) {
        Fail(Error{Concat("out has ", out->size(), " values; ", like.size(), " are expected")});
      }
      given_ = *out;
    } else {
      owned_ = NewBuffer<double>(like.size());
    }
    size_ = like.size();
  }

  std::span<double> span() { return {given_ ? given_->data() : owned_.get(), size_}; }

  /// With the GIL. `out` itself, or the new array.
  nb::object Finish() {
    if (given_) return nb::cast(*given_);
    double* data = owned_.release();
    nb::capsule owner(data, [](void* memory) noexcept { FreeBuffer()(memory); });
    return nb::cast(NewDoubles(data, shape_.size(), shape_.data(), owner));
  }

 private:
  std::vector<std::size_t> shape_;
  std::optional<OutDoubles> given_;
  Buffer<double> owned_;
  std::size_t size_ = 0;
};

/// A new array of marks, of the shape of `like`.
template <class Like>
nb::object NewMarksLike(const std::vector<std::uint8_t>& marks, const Like& like) {
  const std::vector<std::size_t> shape(like.shape_ptr(), like.shape_ptr() + like.ndim());
  bool* data = NewBuffer<bool>(marks.size()).release();
  std::ranges::transform(marks, data, [](std::uint8_t mark) { return mark != 0; });
  nb::capsule owner(data, [](void* memory) noexcept { FreeBuffer()(memory); });
  return nb::cast(NewMarks(data, shape.size(), shape.data(), owner));
}

/// Token rows from a mask: a matrix, or flat with offsets.
class Tokens {
 public:
  Tokens(const Marks& mask, const std::optional<Integers>& offsets)
      : mask_(python::View(mask)), shape_(mask.shape_ptr(), mask.shape_ptr() + mask.ndim()) {
    if (offsets) given_ = python::View(*offsets);
    if (mask.ndim() == 2 && !offsets) {
      padded_ = learn::PaddedOffsets(mask.shape(0), mask.shape(1));
    } else if (mask.ndim() != 1 || !offsets) {
      Fail(Error{"a mask [rows, columns], or a flat one with offsets, is expected"});
    }
    Check(learn::CheckTokenRows(view()));
  }

  /// An array of tokens has the mask's shape: a matrix of as many values, but other columns, is no mask's.
  /// `trailing`: dimensions that come after those of the tokens.
  void Expect(const char* name, const Doubles& array, std::size_t trailing = 0) const {
    if (array.ndim() != shape_.size() + trailing) {
      Fail(Error{Concat(name, " has ", array.ndim(), " dimensions; ", shape_.size() + trailing, " are expected")});
    }
    if (shape_.size() == 1) return Check(learn::CheckTokenCount(name, array.shape(0), view()));
    const std::size_t rows = array.shape(0), columns = array.shape(1);
    if (rows == shape_[0] && columns == shape_[1]) return;
    // Where the first row differs, it is that one.
    const std::size_t row = columns == shape_[1] ? std::min(rows, shape_[0]) : 0;
    const std::size_t column = columns == shape_[1] ? 0 : std::min(columns, shape_[1]);
    const bool lacks = columns == shape_[1] ? rows < shape_[0] : columns < shape_[1];
    Fail(Error{Concat(name, " is [", rows, ", ", columns, "], the mask [", shape_[0], ", ", shape_[1],
                      "]: ", lacks ? "" : "there is no ", "row ", row, ", column ", column, lacks ? " has none" : "")});
  }
  /// The same, or none.
  std::span<const double> View(const char* name, const std::optional<Doubles>& array) const {
    if (!array) return {};
    Expect(name, *array);
    return python::View(*array);
  }
  /// One for each row will do as well.
  void ExpectTokensOrRows(const char* name, const Doubles& array) const {
    if (array.ndim() != 1 || (shape_.size() == 1 && array.size() != rows())) return Expect(name, array);
    Check(learn::CheckLength(name, array.size(), rows()));
  }

  std::size_t rows() const { return view().rows(); }
  learn::TokenRows view() const { return {padded_.empty() ? given_ : std::span<const std::int64_t>(padded_), mask_}; }

 private:
  std::span<const std::uint8_t> mask_;
  std::span<const std::int64_t> given_;
  std::vector<std::int64_t> padded_;
  std::vector<std::size_t> shape_;
};

/// A dict from JSON's numbers, texts, lists and objects.
inline nb::object ToPython(const std::string& json) { return nb::module_::import_("json").attr("loads")(json); }

}  // namespace kgym::python
