#include "run/store/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <sstream>
#include <vector>

#include "firm/error.h"
#include "io/files/crash_guard.h"
#include "io/files/sha256.h"
#include "io/hdf5/hdf5.h"

namespace firm {
namespace {

std::string state_path(const std::string& name) { return "/state/" + name; }

// Hash of a checkpoint, computed in the order of its content.
class Digest {
 public:
  Digest(const std::string& identity, int round) {
    hash_.add(identity);
    hash_.add(fmt::format("\nround {}\n", round));
  }

  template <typename T>
  void add(const std::string& name, std::span<const T> values) {
    hash_.add(fmt::format("{} {}\n", name, values.size()));
    hash_.add(std::as_bytes(values));
  }
  std::string finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

class CheckpointWriter : public Archive {
 public:
  CheckpointWriter(h5::Writer& writer, Digest& digest) : writer_(writer), digest_(digest) {}

  void values(const std::string& name, std::span<float> values) override {
    keep("float", name, std::span<const float>(values));
  }
  void values(const std::string& name, std::span<double> values) override {
    keep("double", name, std::span<const double>(values));
  }
  const std::string& names() const { return names_; }

 private:
  template <typename T>
  void keep(const std::string& type, const std::string& name, std::span<const T> values) {
    writer_.dataset(state_path(name), {values.size()}, values);
    digest_.add(name, values);
    names_ += fmt::format("{} {}\n", type, name);
  }

  h5::Writer& writer_;
  Digest& digest_;
  std::string names_;
};

template <typename T>
void add_dataset(const h5::Reader& reader, const std::string& name, Digest& digest) {
  const h5::Dataset dataset = reader.dataset(state_path(name));
  if (dataset.shape().size() != 1) {
    throw data_error({reader.file(), dataset.path(), "one dimension",
                      "the shape " + h5::to_string(dataset.shape())});
  }
  dataset.check_size();  // before allocating the size that a damaged file claims
  std::vector<T> values(dataset.shape()[0]);
  dataset.read({{0}, {values.size()}}, std::span<T>(values));
  digest.add(name, std::span<const T>(values));
}

void check_digest(const h5::Reader& reader, const std::string& identity, int round) {
  Digest digest(identity, round);
  std::istringstream names(reader.text("/names"));
  std::string type;
  std::string name;
  while (names >> type >> name) {
    if (type == "float") {
      add_dataset<float>(reader, name, digest);
    } else {
      add_dataset<double>(reader, name, digest);
    }
  }
  const std::string found = digest.finish();
  if (found == reader.text("/sha256")) return;
  throw data_error({reader.file(), "/sha256", "a file as it was written", "a damaged one"});
}

int round_of(const h5::Reader& reader) {
  const double round = reader.number("/round");
  if (round >= 0 && round <= std::numeric_limits<int>::max()) return static_cast<int>(round);
  throw data_error({reader.file(), "/round", "the number of a round", fmt::format("{}", round)});
}

// Reads the texts, and opens the datasets: all that the HDF5 library may crash on.
void try_texts(const std::string& path) {
  const h5::Reader reader(path);
  for (const char* text : {"/identity", "/sha256"}) static_cast<void>(reader.text(text));
  round_of(reader);
  std::istringstream names(reader.text("/names"));
  for (std::string type, name; names >> type >> name;) reader.dataset(state_path(name));
}

template <typename T>
void fill(const h5::Reader& reader, const std::string& name, std::span<T> values) {
  const h5::Dataset dataset = reader.dataset(state_path(name));
  if (dataset.shape() != h5::Shape{values.size()}) {
    throw data_error({reader.file(), dataset.path(), fmt::format("{} values", values.size()),
                      "the shape " + h5::to_string(dataset.shape())});
  }
  dataset.read({{0}, {values.size()}}, values);
}

}  // namespace

void require_identity(const std::string& path, const std::string& expected,
                      const std::string& found) {
  std::istringstream a(expected);
  std::istringstream b(found);
  std::string expected_line;
  std::string found_line;
  while (true) {
    const bool more_expected = static_cast<bool>(std::getline(a, expected_line));
    const bool more_found = static_cast<bool>(std::getline(b, found_line));
    if (!more_expected && !more_found) return;
    if (more_expected && more_found && expected_line == found_line) continue;
    throw usage_error({path, "identity of the run", more_expected ? expected_line : "nothing more",
                       more_found ? found_line : "nothing more"});
  }
}

struct Checkpoint::File {
  explicit File(const std::string& path) : reader(path) {}
  h5::Reader reader;
};

void write_checkpoint(const std::string& path, const std::string& identity, int round,
                      const std::function<void(Archive&)>& state) {
  h5::Writer writer(path);
  writer.text("/identity", identity);
  writer.number("/round", round, "1");
  Digest digest(identity, round);
  CheckpointWriter archive(writer, digest);
  state(archive);
  writer.text("/names", archive.names());
  writer.text("/sha256", digest.finish());
  writer.commit();
}

std::optional<int> intact_checkpoint(const std::string& path) {
  if (!survives_in_child([&] { try_texts(path); })) return {};
  try {
    const h5::Reader reader(path);
    const int round = round_of(reader);
    check_digest(reader, reader.text("/identity"), round);
    return round;
  } catch (const std::exception&) {
    return {};
  }
}

Checkpoint::Checkpoint(const std::string& path, const std::string& identity) {
  if (!std::filesystem::exists(path)) {
    throw usage_error({path, "", "the checkpoint of an interrupted run", "no such file"});
  }
  guard_hdf5(path, [&] { try_texts(path); });
  file_ = std::make_unique<File>(path);
  const std::string found = file_->reader.text("/identity");
  round_ = round_of(file_->reader);
  check_digest(file_->reader, found, round_);
  require_identity(path, identity, found);
}

Checkpoint::~Checkpoint() = default;

void Checkpoint::values(const std::string& name, std::span<float> values) {
  fill(file_->reader, name, values);
}

void Checkpoint::values(const std::string& name, std::span<double> values) {
  fill(file_->reader, name, values);
}

}  // namespace firm
