// The curves of a run, from the lines of its history.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace firm {

// Chunks of slices are solved one after the other, each from round 0 and second 0: gives their
// lines the rounds and seconds of one run.
class ContinuedRounds {
 public:
  void apply(nlohmann::ordered_json& line);

 private:
  int chunk_ = 0;
  long round_ = -1;
  long rounds_before_ = 0;
  double seconds_ = 0;
  double seconds_before_ = 0;
};

class RunCurves {
 public:
  // A curve with twice as many points is thinned to `most`.
  explicit RunCurves(std::size_t most) : most_(most) {}

  // Parts of a line: of all sites together; the distance to the truth; the residual of each site.
  void add_common(const nlohmann::ordered_json& line);
  void add_error(const nlohmann::ordered_json& line);
  void add_residuals(const nlohmann::ordered_json& line);
  void add(const nlohmann::ordered_json& line) {
    add_common(line);
    add_error(line);
    add_residuals(line);
  }

  // `curves` of the document that docs/report.md describes.
  nlohmann::ordered_json json() const;

 private:
  struct Curve {
    std::string key;
    std::string site;
    std::size_t added = 0;
    std::vector<long> rounds;
    std::vector<double> seconds;
    std::vector<double> values;
  };

  void add(const nlohmann::ordered_json& line, const std::string& key, const std::string& site,
           const nlohmann::ordered_json& value);
  void thin(Curve& curve) const;

  std::size_t most_;
  std::vector<Curve> curves_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
};

}  // namespace firm
