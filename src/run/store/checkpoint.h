// checkpoint.h5: the state of a run between two rounds, from which it goes on to the same bytes.
//
//   /identity    text: what the state belongs to (study, data, options that the state depends on)
//   /round       rounds done
//   /state/...   what the method named, float32 or float64
//   /names       one line for each of these, in order: its type and name
//   /sha256      of all of the above: a damaged file is found before it is used
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/archive.h"

namespace firm {

// Replaces the file once it is complete.
void write_checkpoint(const std::string& path, const std::string& identity, int round,
                      const std::function<void(Archive&)>& state);

// The round of a checkpoint, or none when the file is damaged.
std::optional<int> intact_checkpoint(const std::string& path);

// Throws firm::Error (kUsage) when what a file belongs to is not what it is needed for: names the
// first line that differs.
void require_identity(const std::string& path, const std::string& expected,
                      const std::string& found);

// An open checkpoint, as an Archive that fills what it is given.
class Checkpoint : public Archive {
 public:
  // Throws firm::Error when the file is missing, damaged, or belongs to another run: `identity` is
  // compared line by line and the first difference is named.
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
