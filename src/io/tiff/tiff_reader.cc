#include "io/tiff/tiff_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "firm/error.h"
#include "io/files/raw_file.h"
#include "io/tiff/tiff_detail.h"

namespace firm {
namespace {

// A field, or its default in the format.
template <typename T>
T field(TIFF* file, ttag_t tag) {
  T value{};
  TIFFGetFieldDefaulted(file, tag, &value);
  return value;
}

NumberType type_of(TIFF* file) {
  NumberType type;
  switch (field<std::uint16_t>(file, TIFFTAG_SAMPLEFORMAT)) {
    case SAMPLEFORMAT_INT:
      type.kind = NumberType::Kind::kSigned;
      break;
    case SAMPLEFORMAT_IEEEFP:
      type.kind = NumberType::Kind::kFloat;
      break;
    default:  // the default of the format
      type.kind = NumberType::Kind::kUnsigned;
  }
  const auto bits = field<std::uint16_t>(file, TIFFTAG_BITSPERSAMPLE);
  type.bytes = bits % 8 == 0 ? bits / 8u : 0;
  return type;
}

// A strip or tile: rows and columns that are decoded together.
struct Piece {
  bool tile = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t bytes = 0;
};

}  // namespace

class TiffReader::File {
 public:
  explicit File(const std::string& path) : path_(path), bytes_(RawFile(path).size()) {
    errno = 0;
    // 'm': does not map the file into memory, where truncating it would crash the program.
    handle_ = tiff::open(path, "rm", complaint_, plausible_bytes(bytes_));
    if (!handle_) fail("a TIFF");
  }

  TIFF* get() const { return handle_.get(); }
  void forget_complaints() {
    errno = 0;
    complaint_.clear();
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw data_error({path_, "", expected, complaint_.empty() ? "a damaged TIFF" : complaint_});
  }
  // `page` counts from 0.
  [[noreturn]] void refuse(std::size_t page, const std::string& expected,
                           const std::string& found) const {
    throw data_error({path_, fmt::format("page {}", page), expected, found});
  }

  TiffPage describe(std::size_t number) const;
  Piece piece(const TiffPage& page) const;
  // Decodes the piece that contains `row` and `column`.
  void decode(const Piece& piece, std::size_t row, std::size_t column, std::span<std::byte> out);

 private:
  void check_kind(std::size_t number) const;

  std::string path_;
  std::uintmax_t bytes_;
  std::string complaint_;
  tiff::Handle handle_;
};

void TiffReader::File::check_kind(std::size_t number) const {
  const auto samples = field<std::uint16_t>(get(), TIFFTAG_SAMPLESPERPIXEL);
  if (samples != 1) {
    refuse(number, "one number per pixel", fmt::format("{} (a colour image?)", samples));
  }
  if (field<std::uint16_t>(get(), TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_PALETTE) {
    refuse(number, "numbers", "colours of a palette");
  }
  const NumberType type = type_of(get());
  if (type.known()) return;
  refuse(
      number, "integers of 8, 16, 32 or 64 bits, or floats of 32 or 64",
      fmt::format("{} bits, sample format {}", field<std::uint16_t>(get(), TIFFTAG_BITSPERSAMPLE),
                  field<std::uint16_t>(get(), TIFFTAG_SAMPLEFORMAT)));
}

TiffPage TiffReader::File::describe(std::size_t number) const {
  check_kind(number);
  TiffPage page;
  page.rows = field<std::uint32_t>(get(), TIFFTAG_IMAGELENGTH);
  page.columns = field<std::uint32_t>(get(), TIFFTAG_IMAGEWIDTH);
  page.type = type_of(get());
  page.offset = TIFFCurrentDirOffset(get());
  if (page.rows == 0 || page.columns == 0) refuse(number, "pixels", "none");
  const bool plain = field<std::uint16_t>(get(), TIFFTAG_COMPRESSION) == COMPRESSION_NONE;
  const std::uintmax_t most = plain ? bytes_ : plausible_bytes(bytes_);
  if (!fits({page.rows, page.columns}, page.type.bytes, most)) {
    refuse(number, fmt::format("{} x {} pixels of {}", page.rows, page.columns, page.type.name()),
           fmt::format("a file of {} bytes", bytes_));
  }
  page.rows_together = piece(page).rows;
  return page;
}

Piece TiffReader::File::piece(const TiffPage& page) const {
  Piece p;
  p.tile = TIFFIsTiled(get()) != 0;
  tmsize_t bytes = 0;
  if (p.tile) {
    p.rows = field<std::uint32_t>(get(), TIFFTAG_TILELENGTH);
    p.columns = field<std::uint32_t>(get(), TIFFTAG_TILEWIDTH);
    bytes = TIFFTileSize(get());
  } else {
    p.rows = std::min<std::size_t>(field<std::uint32_t>(get(), TIFFTAG_ROWSPERSTRIP), page.rows);
    p.columns = page.columns;
    bytes = TIFFStripSize(get());
  }
  p.bytes = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  if (p.rows == 0 || p.columns == 0 || p.bytes > plausible_bytes(bytes_) ||
      !fits({p.rows, p.columns}, page.type.bytes, p.bytes)) {
    fail("strips or tiles of a possible size");
  }
  return p;
}

void TiffReader::File::decode(const Piece& piece, std::size_t row, std::size_t column,
                              std::span<std::byte> out) {
  forget_complaints();
  const auto x = static_cast<std::uint32_t>(column);
  const auto y = static_cast<std::uint32_t>(row);
  const auto size = static_cast<tmsize_t>(out.size());
  const tmsize_t got =
      piece.tile ? TIFFReadEncodedTile(get(), TIFFComputeTile(get(), x, y, 0, 0), out.data(), size)
                 : TIFFReadEncodedStrip(get(), TIFFComputeStrip(get(), y, 0), out.data(), size);
  if (got != size) fail("pixels that can be read");
}

TiffReader::TiffReader(const std::string& path) : file_(std::make_unique<File>(path)) {}
TiffReader::~TiffReader() = default;

std::vector<TiffPage> TiffReader::pages() {
  std::vector<TiffPage> pages;
  file_->forget_complaints();
  if (TIFFSetDirectory(file_->get(), 0) != 1) file_->fail("pages that can be read");
  do {
    pages.push_back(file_->describe(pages.size()));
    file_->forget_complaints();
  } while (TIFFLastDirectory(file_->get()) == 0 && TIFFReadDirectory(file_->get()) == 1);
  // A damaged page must not pass for the last one.
  if (TIFFLastDirectory(file_->get()) == 0) file_->fail("pages that can be read");
  return pages;
}

void TiffReader::read_rows(const TiffPage& page, std::size_t first, std::size_t count, float* out) {
  FIRM_CHECK(first + count <= page.rows);
  file_->forget_complaints();
  if (TIFFCurrentDirOffset(file_->get()) != page.offset &&
      TIFFSetSubDirectory(file_->get(), page.offset) != 1) {
    file_->fail("pages that can be read");
  }
  const Piece piece = file_->piece(page);
  std::vector<std::byte> raw(piece.bytes);
  const std::size_t row_bytes = piece.columns * page.type.bytes;
  for (std::size_t y = first / piece.rows * piece.rows; y < first + count; y += piece.rows) {
    for (std::size_t x = 0; x < page.columns; x += piece.columns) {
      // The last strip is as long as there are rows; tiles are always whole.
      const std::size_t rows = piece.tile ? piece.rows : std::min(piece.rows, page.rows - y);
      file_->decode(piece, y, x, std::span(raw).first(rows * row_bytes));
      const std::size_t columns = std::min(piece.columns, page.columns - x);
      for (std::size_t r = std::max(y, first); r < std::min(y + rows, first + count); ++r) {
        to_float(raw.data() + (r - y) * row_bytes, page.type,
                 {out + (r - first) * page.columns + x, columns});
      }
    }
  }
}

}  // namespace firm
