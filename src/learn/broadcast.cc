#include "learn/broadcast.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {
namespace {

/// The first token from `begin` on that counts, or `end`.
std::size_t FirstThatCounts(const std::uint8_t* mask, std::size_t begin, std::size_t end) {
  std::uint64_t eight = 0;
  for (; begin + sizeof eight <= end; begin += sizeof eight) {
    std::memcpy(&eight, mask + begin, sizeof eight);
    if (eight != 0) break;
  }
  while (begin < end && mask[begin] == 0) ++begin;
  return begin;
}

/// Visits each stretch [begin, end) of tokens of the row that count, in order.
template <class Visit>
void ForEachRun(const TokenRows& tokens, std::size_t row, Visit visit) {
  const std::uint8_t* mask = tokens.mask.data();
  const std::size_t last = tokens.end(row);
  for (std::size_t begin = FirstThatCounts(mask, tokens.begin(row), last); begin < last;) {
    const void* gap = std::memchr(mask + begin, 0, last - begin);
    const std::size_t end =
        gap == nullptr ? last : static_cast<std::size_t>(static_cast<const std::uint8_t*>(gap) - mask);
    visit(begin, end);
    begin = FirstThatCounts(mask, end, last);
  }
}

/// More than a cache holds by the time somebody reads it.
constexpr std::size_t kLarge = (std::size_t{16} << 20) / sizeof(double);

/// Fills past the caches. An ordinary store reads the memory first that it then overwrites: twice the traffic.
class Filler {
 public:
  explicit Filler(std::size_t all) : past_caches_(all >= kLarge) {}
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;
#ifdef __SSE2__
  ~Filler() {
    if (past_caches_) _mm_sfence();  // Such stores are ordered with nothing else.
  }
#endif

  void Fill(double* begin, double* end, double value) const {
#ifdef __SSE2__
    if (past_caches_) return Stream(begin, end, value);
#endif
    std::fill(begin, end, value);
  }

 private:
#ifdef __SSE2__
  static void Stream(double* begin, double* end, double value) {
    // Only whole cache lines go out at once, so the ends are written as usual.
    while (begin < end && reinterpret_cast<std::uintptr_t>(begin) % 64 != 0) *begin++ = value;
    const __m128d pair = _mm_set1_pd(value);
    for (; end - begin >= 8; begin += 8) {
      for (int i = 0; i < 8; i += 2) _mm_stream_pd(begin + i, pair);
    }
    std::fill(begin, end, value);
  }
#endif

  bool past_caches_;
};

/// By four sums side by side: an addition need not wait for the one before it.
double SumOf(std::span<const double> values) {
  const double* value = values.data();
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    a += value[i];
    b += value[i + 1];
    c += value[i + 2];
    d += value[i + 3];
  }
  for (; i < values.size(); ++i) a += value[i];
  return (a + b) + (c + d);
}

}  // namespace

Status RowSums(std::span<const double> values, const TokenRows& tokens, std::span<double> sums) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokenCount("values", values.size(), tokens));
  KGYM_TRY_VOID(CheckLength("sums", sums.size(), tokens.rows()));
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    double sum = 0;
    ForEachRun(tokens, row,
               [&](std::size_t begin, std::size_t end) { sum += SumOf(values.subspan(begin, end - begin)); });
    sums[row] = sum;
    if (std::isfinite(sum)) continue;
    KGYM_TRY_VOID(CheckTokens("values", values, tokens));  // One that is not finite shows in its sum.
    return Error{Concat("values of row ", row, " add up to ", sum, "; a finite number is expected")};
  }
  return Ok();
}

Status Broadcast(std::span<const double> values, const TokenRows& tokens, Masked masked, std::span<double> out) {
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckLength("values", values.size(), tokens.rows()));
  KGYM_TRY_VOID(CheckTokenCount("out", out.size(), tokens));
  const Filler filler(out.size());
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    std::size_t written = tokens.begin(row);
    const auto clear_up_to = [&](std::size_t begin) {
      if (masked == Masked::kZero) filler.Fill(out.data() + written, out.data() + begin, 0);
    };
    ForEachRun(tokens, row, [&](std::size_t begin, std::size_t end) {
      clear_up_to(begin);
      filler.Fill(out.data() + begin, out.data() + end, values[row]);
      written = end;
    });
    clear_up_to(tokens.end(row));
    const bool wrote = written != tokens.begin(row);
    if (wrote && !std::isfinite(values[row])) {
      return Error{Concat("values of row ", row, " is ", values[row], "; a finite number is expected")};
    }
  }
  return Ok();
}

}  // namespace kgym::learn
