// checkpoint.h5: the state of a run between two rounds. A run resumed from it gives the same bytes.
//
//   /identity    text: study, data and options that the state depends on
//   /round       rounds done
//   /state/...   arrays of the method, float32 or float64
//   /names       one line for each array, in order: its type and name
//   /sha256      hash of all of the above, to detect a damaged file
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/archive.h"

namespace firm {

// Writes a checkpoint. Replaces an existing file only when the new one is complete.
void write_checkpoint(const std::string& path, const std::string& identity, int round,
                      const std::function<void(Archive&)>& state);

// Returns the round of a checkpoint, or nothing if the file is damaged.
std::optional<int> intact_checkpoint(const std::string& path);

// Throws firm::Error (kUsage) if the identity in a file differs from the expected one; names the
// first line that differs.
void require_identity(const std::string& path, const std::string& expected,
                      const std::string& found);

// An open checkpoint, as an Archive that fills the given arrays.
class Checkpoint : public Archive {
 public:
  // Throws firm::Error if the file is missing, damaged, or belongs to another run: compares
  // `identity` line by line and names the first difference.
  Checkpoint(const std::string& path, const std::string& identity);
  ~Checkpoint() override;

  int round() const { return round_; }

  void values(const std::string& name, std::span<float> values) override;
  void values(const std::string& name, std::span<double> values) override;

 private:
  struct File;
  std::unique_ptr<File> file_;
  int round_ = 0;
};

}  // namespace firm
