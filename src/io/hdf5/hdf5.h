// Reads and writes HDF5 files: numbers, texts and attributes by path.
//
// The library prints nothing: its message becomes part of a firm::Error that names the file and the
// dataset. Not thread-safe: one thread at a time may use any of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/pending_file.h"

namespace firm::h5 {

using Shape = std::vector<std::size_t>;

std::size_t element_count(const Shape& shape);
// "(181, 2, 640)", or "scalar" for no dimensions.
std::string to_string(const Shape& shape);

// A box within a dataset: one start and one count per dimension.
struct Slab {
  Shape start;
  Shape count;
};

// Owns an identifier of the HDF5 library, of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept;

  std::int64_t get() const { return id_; }
  bool ok() const { return id_ >= 0; }
  std::int64_t release();
  void reset();

 private:
  std::int64_t id_ = -1;
};

// Whether values may be in other files, by external links and virtual datasets: in none, or in
// those below the folder of the file. External storage, raw files of values, is refused in any
// case.
enum class OtherFiles { kNone, kBelow };

class LinkGuard;

// A dataset; it keeps its file open, also after the Reader is gone. T is float, double or
// std::int64_t; the library converts from the type in the file.
class Dataset {
 public:
  // `other_bytes`: size of the other files that have values of it.
  Dataset(std::string file, std::string path, Handle handle, std::uintmax_t other_bytes);

  const std::string& path() const { return path_; }
  const Shape& shape() const { return shape_; }
  // Shape of a chunk; empty when the dataset is stored as one piece.
  const Shape& chunk() const { return chunk_; }
  // "float32", "uint16", "string", ...
  const std::string& type_name() const { return type_name_; }
  bool numeric() const { return numeric_; }

  // Throws firm::Error when the dataset claims more values than its file can hold. Call it before
  // allocating memory for them.
  void check_size() const;

  template <typename T>
  void read(const Slab& slab, std::span<T> out) const;
  template <typename T>
  std::vector<T> read_all() const;

 private:
  std::string file_;
  std::string path_;
  Handle handle_;
  Shape shape_;
  Shape chunk_;
  std::string type_name_;
  bool numeric_ = false;
  std::uintmax_t other_bytes_ = 0;
};

class Reader {
 public:
  explicit Reader(std::string file, OtherFiles others = OtherFiles::kNone);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const std::string& file() const { return file_; }
  OtherFiles others() const;

  bool has(const std::string& path) const;
  // Throws firm::Error when there is no such dataset, or it has values in files that must not be
  // read.
  Dataset dataset(const std::string& path) const;
  // A scalar, or an array of one number.
  double number(const std::string& path) const;
  std::string text(const std::string& path) const;  // an array is joined with ':'
  std::vector<std::string> texts(const std::string& path) const;
  // An array of texts is joined with ':'. None when there is no such attribute, or it is not text.
  std::optional<std::string> text_attribute(const std::string& path, const std::string& name) const;
  // None when there is no such attribute, or it is not one number.
  std::optional<double> number_attribute(const std::string& path, const std::string& name) const;
  // Paths of all datasets, sorted.
  std::vector<std::string> dataset_paths() const;
  // A dataset of which only the place is known.
  Handle open(const std::string& path) const;
  // An object of any kind; no handle if there is none.
  Handle try_open(const std::string& path) const;

 private:
  bool has_link(const std::string& path) const;
  Handle attribute(const std::string& path, const std::string& name) const;

  std::string file_;
  Handle handle_;
  std::unique_ptr<LinkGuard> links_;
};

// Writes a new file, which gets its name at `commit` and is removed without it. Creates the groups
// of a path. Equal calls give equal bytes: no times are stored. T may also be std::uint16_t.
class Writer {
 public:
  explicit Writer(const std::string& file);
  ~Writer();

  void group(const std::string& path);
  template <typename T>
  void dataset(const std::string& path, const Shape& shape, std::span<const T> values);
  void number(const std::string& path, double value, const std::string& units);
  void text(const std::string& path, const std::string& value);
  void texts(const std::string& path, const std::vector<std::string>& values);

  // Creates a float32 dataset to be filled box by box. Release the handle before `commit`.
  Handle create(const std::string& path, const Shape& shape);
  void fill(const Handle& dataset, const std::string& path, const Slab& slab,
            std::span<const float> values);

  void attribute(const std::string& path, const std::string& name, const std::string& value);
  void attribute(const std::string& path, const std::string& name,
                 const std::vector<std::string>& values);
  void attribute(const std::string& path, const std::string& name, double value);

  void commit();

 private:
  void put_texts(const std::string& path, const Shape& shape,
                 const std::vector<std::string>& values);

  PendingFile pending_;
  Handle handle_;
};

}  // namespace firm::h5
