#include "io/files/npy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cctype>
#include <charconv>

#include "firm/error.h"

namespace firm {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
struct Header {
  std::string type;
  std::string fortran_order;
  std::vector<std::size_t> shape;
  bool complete = false;  // all three keys were found, and no others
};

class HeaderParser {
 public:
  explicit HeaderParser(std::string text) : text_(std::move(text)) {}

  Header parse() {
    Header header;
    int found = 0;
    if (!take('{')) return header;
    while (!take('}')) {
      const std::string key = quoted();
      if (!take(':')) return header;
      if (key == "descr") {
        header.type = quoted();
        found |= 1;
      } else if (key == "fortran_order") {
        header.fortran_order = word();
        found |= 2;
      } else if (key == "shape") {
        if (!read_shape(header.shape)) return header;
        found |= 4;
      } else {
        return header;
      }
      if (!take(',') && peek() != '}') return header;
    }
    const bool yes_or_no = header.fortran_order == "True" || header.fortran_order == "False";
    header.complete = found == 7 && yes_or_no;
    return header;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // Empty when no quoted text follows.
  std::string quoted() {
    const char mark = peek();
    if (mark != '\'' && mark != '"') return "";
    const std::size_t end = text_.find(mark, at_ + 1);
    if (end == std::string::npos) return "";
    std::string value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  std::string word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool read_shape(std::vector<std::size_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      peek();
      std::size_t n = 0;
      const char* end = text_.data() + text_.size();
      const auto [after, error] = std::from_chars(text_.data() + at_, end, n);
      if (error != std::errc()) return false;
      at_ = static_cast<std::size_t>(after - text_.data());
      take('L');  // Python 2 writes 3L
      shape.push_back(n);
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string text_;
  std::size_t at_ = 0;
};

struct HeaderPlace {
  std::size_t begin = 0;
  std::size_t length = 0;
};

HeaderPlace header_place(const RawFile& file) {
  const std::string start = file.text(0, 12);
  const auto byte = [&](std::size_t k) {
    return k < start.size() ? std::size_t{static_cast<unsigned char>(start[k])} : 0;
  };
  if (!start.starts_with("\x93NUMPY")) {
    throw data_error({file.path(), "", "a .npy file", "a file of another format"});
  }
  if (byte(6) == 1) return {10, byte(8) | byte(9) << 8};
  if (byte(6) == 2 || byte(6) == 3) {
    return {12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
  }
  throw data_error(
      {file.path(), "", "a .npy file of version 1, 2 or 3", fmt::format("version {}", byte(6))});
}

Header read_header(const RawFile& file, const HeaderPlace& place) {
  if (place.length > kLongestHeader || place.begin + place.length > file.size()) {
    throw data_error({file.path(), "header", "a complete header",
                      fmt::format("{} bytes of {}", file.size(), place.begin + place.length)});
  }
  Header header = HeaderParser(file.text(place.begin, place.length)).parse();
  if (!header.complete) {
    throw data_error({file.path(), "header",
                      "{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(2, 3)} or similar",
                      "another header"});
  }
  return header;
}

NumberType type_of(const std::string& path, const std::string& text) {
  const std::string_view order = "<>=|";
  const std::string_view kinds = "uif";
  NumberType type;
  if (text.size() == 3 && order.find(text[0]) != std::string_view::npos &&
      kinds.find(text[1]) != std::string_view::npos) {
    type = {static_cast<NumberType::Kind>(kinds.find(text[1])),
            static_cast<std::size_t>(text[2] - '0')};
    if (type.known()) return type;
  }
  throw data_error({path, "descr", "integers, or floats of 4 or 8 bytes", text});
}

}  // namespace

NpyFile::NpyFile(const std::string& path) : file_(path) {
  const HeaderPlace place = header_place(file_);
  const Header header = read_header(file_, place);
  type_ = type_of(path, header.type);
  big_endian_ = header.type[0] == '>';
  fortran_order_ = header.fortran_order == "True";
  shape_ = header.shape;
  begin_ = place.begin + place.length;
  if (!fits(shape_, type_.bytes, file_.size() - begin_)) {
    throw data_error(
        {path, "shape",
         fmt::format("as many values as ({}) of {} has", fmt::join(shape_, ", "), type_.name()),
         fmt::format("{} bytes", file_.size() - begin_)});
  }
}

std::vector<std::byte> NpyFile::raw(std::size_t first, std::size_t count) const {
  std::vector<std::byte> bytes(count * type_.bytes);
  file_.read(begin_ + first * type_.bytes, bytes);
  if (big_endian_ != (std::endian::native == std::endian::big)) {
    reverse_bytes(bytes, type_.bytes);
  }
  return bytes;
}

void NpyFile::read(std::size_t first, std::span<float> out) const {
  to_float(raw(first, out.size()).data(), type_, out);
}

std::vector<double> NpyFile::read_all() const {
  std::size_t count = 1;
  for (const std::size_t n : shape_) count *= n;
  return to_double(raw(0, count), type_);
}

}  // namespace firm
