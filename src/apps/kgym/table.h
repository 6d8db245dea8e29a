// A table for a person: columns as wide as their widest cell on the screen, not in bytes.
//
// Threads: any; a plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kgym/console.h"

namespace kgym::app {

/// Columns that a terminal gives to UTF-8 text: 2 for wide characters, 0 for those that combine.
std::size_t DisplayWidth(std::string_view text);

/// At most `width` columns, the last of them an ellipsis where something was cut.
std::string CutToWidth(std::string_view text, std::size_t width);

/// Without what would move the cursor or change colours: control characters but \n and \t become `?`.
std::string Printable(std::string_view text);

struct Cell {
  std::string text;
  Colour colour = Colour::kPlain;
};

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string name;
    Align align = Align::kLeft;
    std::size_t most = 48;  // Columns on the screen; longer cells are cut.
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column; those left out are empty.
  void Add(std::vector<Cell> row);

  /// A line of names, then a line a row, no space at the ends.
  std::string Text(bool colour) const;

 private:
  std::string Line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths, bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace kgym::app
