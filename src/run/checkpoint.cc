#include "run/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "firm/error.h"
#include "io/hdf5.h"

namespace firm {
namespace {

std::string state_path(const std::string& name) { return "/state/" + name; }

class CheckpointWriter : public Archive {
 public:
  explicit CheckpointWriter(h5::Writer& writer) : writer_(writer) {}

  void values(const std::string& name, std::span<float> values) override {
    writer_.dataset(state_path(name), {values.size()}, std::span<const float>(values));
  }
  void values(const std::string& name, std::span<double> values) override {
    writer_.dataset(state_path(name), {values.size()}, std::span<const double>(values));
  }

 private:
  h5::Writer& writer_;
};

// The first line in which two texts differ, as "expected" and "found".
void compare_identities(const std::string& path, const std::string& expected,
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

struct Checkpoint::File {
  explicit File(const std::string& path) : reader(path) {}
  h5::Reader reader;
};

void write_checkpoint(const std::string& path, const std::string& identity, int round,
                      const std::function<void(Archive&)>& state) {
  h5::Writer writer(path);
  writer.text("/identity", identity);
  writer.number("/round", round, "1");
  CheckpointWriter archive(writer);
  state(archive);
  writer.commit();
}

Checkpoint::Checkpoint(const std::string& path, const std::string& identity) {
  if (!std::filesystem::exists(path)) {
    throw usage_error({path, "", "the checkpoint of an interrupted run", "no such file"});
  }
  file_ = std::make_unique<File>(path);
  compare_identities(path, identity, file_->reader.text("/identity"));
  round_ = static_cast<int>(file_->reader.number("/round"));
}

Checkpoint::~Checkpoint() = default;

void Checkpoint::values(const std::string& name, std::span<float> values) {
  fill(file_->reader, name, values);
}

void Checkpoint::values(const std::string& name, std::span<double> values) {
  fill(file_->reader, name, values);
}

}  // namespace firm
