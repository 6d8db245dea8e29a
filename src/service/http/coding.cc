#include "service/http/coding.h"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <charconv>
#include <memory>

#include "base/text.h"
#include "service/http/message.h"

namespace kgym::http {
namespace {

using Decoded = std::variant<std::string, TooLarge>;

constexpr int kGzipWindow = 15 + 16;  // zlib's way to say: gzip, not zlib's own format.
constexpr std::size_t kPiece = std::size_t{64} << 10;

unsigned char* Bytes(const char* text) { return reinterpret_cast<unsigned char*>(const_cast<char*>(text)); }

Result<Decoded> Gunzip(std::string_view bytes, std::size_t limit) {
  z_stream stream{};
  KGYM_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = Bytes(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string decoded, piece(kPiece, '\0');
  for (int code = Z_OK; code != Z_STREAM_END;) {
    stream.next_out = Bytes(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END) return Error{"the body is not a whole gzip stream"};
    decoded.append(piece, 0, piece.size() - stream.avail_out);
    if (decoded.size() > limit) return Decoded(TooLarge{});
  }
  if (stream.avail_in > 0) return Error{"the body has bytes after its gzip stream"};
  return Decoded(std::move(decoded));
}

Result<Decoded> Unzstd(std::string_view bytes, std::size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 23);  // 8 MiB, as RFC 8878 asks of decoders.
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string decoded, piece(kPiece, '\0');
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    const bool stuck = left != 0 && in.pos == before && out.pos == 0;
    if (ZSTD_isError(left) != 0 || stuck) return Error{"the body is not a whole zstd frame"};
    decoded.append(piece, 0, out.pos);
    if (decoded.size() > limit) return Decoded(TooLarge{});
  }
  if (in.pos < in.size) return Error{"the body has bytes after its zstd frame"};
  return Decoded(std::move(decoded));
}

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  KGYM_CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  std::string encoded(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = Bytes(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = Bytes(encoded.data());
  stream.avail_out = static_cast<uInt>(encoded.size());
  KGYM_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  encoded.resize(stream.total_out);
  return encoded;
}

std::string Zstd(std::string_view bytes) {
  std::string encoded(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(encoded.data(), encoded.size(), bytes.data(), bytes.size(), 1);
  KGYM_CHECK(ZSTD_isError(size) == 0) << ZSTD_getErrorName(size);
  encoded.resize(size);
  return encoded;
}

/// The q of ";q=0.5": 1 where nothing is said.
double Quality(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return 1;
  double quality = 1;
  std::from_chars(parameters.data() + at + 2, parameters.data() + parameters.size(), quality);
  return quality;
}

}  // namespace

std::string_view Name(Coding coding) {
  constexpr std::array<std::string_view, 3> kNames = {"identity", "gzip", "zstd"};
  return kNames[static_cast<std::size_t>(coding)];
}

std::optional<Coding> ParseCoding(std::string_view header) {
  header = Trim(header);
  if (header.empty() || SameWord(header, "identity")) return Coding::kIdentity;
  if (SameWord(header, "gzip") || SameWord(header, "x-gzip")) return Coding::kGzip;
  if (SameWord(header, "zstd")) return Coding::kZstd;
  return std::nullopt;
}

Coding BestCoding(std::string_view accept) {
  double best = 0;
  Coding chosen = Coding::kIdentity;
  for (const std::string& item : Split(accept, ',')) {
    const std::string_view name = Trim(std::string_view(item).substr(0, item.find(';')));
    const double quality = Quality(std::string_view(item).substr(std::min(item.size(), item.find(';'))));
    const std::optional<Coding> coding = name.empty() ? std::nullopt : ParseCoding(name);
    if (!coding || *coding == Coding::kIdentity) continue;
    const bool better = quality > best || (quality == best && quality > 0 && *coding == Coding::kZstd);
    if (!better) continue;
    best = quality;
    chosen = *coding;
  }
  return chosen;
}

Result<Decoded> Decode(Coding coding, std::string_view bytes, std::size_t limit) {
  if (coding == Coding::kGzip) return Gunzip(bytes, limit);
  if (coding == Coding::kZstd) return Unzstd(bytes, limit);
  if (bytes.size() > limit) return Decoded(TooLarge{});
  return Decoded(std::string(bytes));
}

std::string Encode(Coding coding, std::string_view bytes) {
  if (coding == Coding::kGzip) return Gzip(bytes);
  if (coding == Coding::kZstd) return Zstd(bytes);
  return std::string(bytes);
}

}  // namespace kgym::http
