#include "apps/kgym/table.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace kgym::app {
namespace {

struct Range {
  std::uint32_t first, last;
};

// East Asian wide and full-width blocks, and emoji, coarsely.
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                           {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                           {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
constexpr Range kZero[] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

bool In(std::span<const Range> ranges, std::uint32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.first <= c && c <= range.last; });
}

std::size_t WidthOf(std::uint32_t c) { return In(kZero, c) ? 0 : In(kWide, c) ? 2 : 1; }

/// The character at `i`, which moves behind it. The text is UTF-8.
std::uint32_t Next(std::string_view text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  std::uint32_t c = lead & (0x3f >> more);
  for (int k = 0; k < more && i < text.size(); ++k) c = c << 6 | (static_cast<unsigned char>(text[i++]) & 0x3f);
  return c;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) width += WidthOf(Next(text, i));
  return width;
}

std::string CutToWidth(std::string_view text, std::size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  std::size_t used = 0, end = 0;
  for (std::size_t i = 0; i < text.size();) {
    used += WidthOf(Next(text, i));
    if (used + 1 > width) break;
    end = i;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Printable(std::string_view text) {
  std::string clean = ToUtf8(text);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto c = static_cast<unsigned char>(clean[i]);
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    const bool c1 = c == 0xc2 && i + 1 < clean.size() && static_cast<unsigned char>(clean[i + 1]) < 0xa0;
    if (control) clean[i] = '?';
    if (c1) clean.replace(i, 2, "?");
  }
  return clean;
}

void Table::Add(std::vector<Cell> row) {
  row.resize(columns_.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::ranges::replace(row[i].text, '\n', ' ');
    row[i].text = CutToWidth(Printable(row[i].text), columns_[i].most);
  }
  rows_.push_back(std::move(row));
}

std::string Table::Line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths, bool colour) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string space(widths[i] - DisplayWidth(row[i].text), ' ');
    const std::string text = Paint(row[i].text, row[i].colour, colour);
    line += columns_[i].align == Align::kRight ? space + text : text + space;
    if (i + 1 < columns_.size()) line += "  ";
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::Text(bool colour) const {
  std::vector<Cell> head;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    head.push_back({columns_[i].name, Colour::kBold});
    widths.push_back(DisplayWidth(columns_[i].name));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], DisplayWidth(row[i].text));
  }
  std::string text = Line(head, widths, colour);
  for (const auto& row : rows_) text += Line(row, widths, colour);
  return text;
}

}  // namespace kgym::app
