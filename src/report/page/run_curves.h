// Curves of a run, made from its rounds or from the lines of its history.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace firm {

struct CurveName {
  std::string key;   // as in history.jsonl: objective, kkt, residual, fit, ...
  std::string site;  // for a residual or a fit; otherwise empty

  bool operator==(const CurveName&) const = default;
};

// Where a chunk starts, in rounds and seconds of the whole run.
struct ChunkStart {
  int chunk = 0;
  long round = 0;
  double seconds = 0;
};

// Puts chunks of slices, which are solved one after the other and each count from round 0 and
// second 0, on the time axis of the whole run.
class ChunkTimeline {
 public:
  void start_chunk(int chunk);
  // Converts round and seconds of a chunk to those of the run.
  void apply(int chunk, long& round, double& seconds);
  // Converts `round` and `seconds` of a line of the history.
  void apply(nlohmann::ordered_json& line);
  // Starts of the chunks so far.
  const std::vector<ChunkStart>& starts() const { return starts_; }

 private:
  std::vector<ChunkStart> starts_ = {{}};
  int chunk_ = 0;
  long round_ = -1;
  long rounds_before_ = 0;
  double seconds_ = 0;
  double seconds_before_ = 0;
};

// Residual of each site at which the discrepancy rule stops, by the site's name.
using SiteTargets = std::map<std::string, double>;

// `levels` of the document: each target applies from the start of its chunk on. `chunks` holds the
// targets by the number of the chunk; chunks and sites may be missing.
nlohmann::ordered_json residual_targets_json(const std::vector<ChunkStart>& starts,
                                             const std::vector<SiteTargets>& chunks);

class RunCurves {
 public:
  // A curve that reaches twice `most` points is thinned to `most`.
  explicit RunCurves(std::size_t most) : most_(most) {}

  // Returns the index of a curve; adds the curve if it is new.
  std::size_t find(const CurveName& name);
  void add(std::size_t index, long round, double seconds, double value);

  // Add parts of a line of the history: values of all sites together, the distance to the truth,
  // residual and fit of each site.
  void add_common(const nlohmann::ordered_json& line);
  void add_error(const nlohmann::ordered_json& line);
  void add_sites(const nlohmann::ordered_json& line);
  void add(const nlohmann::ordered_json& line) {
    add_common(line);
    add_error(line);
    add_sites(line);
  }

  // `curves` of the document that docs/report.md describes, without curves that have no points.
  nlohmann::ordered_json json() const;

 private:
  struct Curve {
    CurveName name;
    std::size_t added = 0;
    std::vector<long> rounds = {};
    std::vector<double> seconds = {};
    std::vector<double> values = {};
  };

  void add(const nlohmann::ordered_json& line, const CurveName& name,
           const nlohmann::ordered_json& value);
  void thin(Curve& curve) const;

  std::size_t most_;
  std::vector<Curve> curves_;
};

}  // namespace firm
