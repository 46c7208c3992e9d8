// The curves of a run, from its rounds or from the lines of its history.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace firm {

struct CurveName {
  std::string key;   // objective, kkt, residual, ...: as in history.jsonl
  std::string site;  // of a residual

  bool operator==(const CurveName&) const = default;
};

// Where the rounds of a chunk begin among those of the run.
struct ChunkStart {
  int chunk = 0;
  long round = 0;
  double seconds = 0;
};

// Chunks of slices are solved one after the other, each from round 0 and second 0: gives them the
// rounds and seconds of one run.
class ContinuedRounds {
 public:
  void begin(int chunk);
  void apply(int chunk, long& round, double& seconds);
  // The same for a line of the history.
  void apply(nlohmann::ordered_json& line);
  // Of the chunks so far.
  const std::vector<ChunkStart>& starts() const { return starts_; }

 private:
  std::vector<ChunkStart> starts_ = {{}};
  int chunk_ = 0;
  long round_ = -1;
  long rounds_before_ = 0;
  double seconds_ = 0;
  double seconds_before_ = 0;
};

// Residuals that the discrepancy rule asks for, by site.
using SiteLevels = std::map<std::string, double>;

// `levels` of the document: they hold from the beginning of a chunk on. `of_chunks` by number; a
// chunk, or a site of it, may be missing.
nlohmann::ordered_json levels_json(const std::vector<ChunkStart>& starts,
                                   const std::vector<SiteLevels>& of_chunks);

class RunCurves {
 public:
  // A curve with twice as many points is thinned to `most`.
  explicit RunCurves(std::size_t most) : most_(most) {}

  // Number of a curve, which begins here when it is new.
  std::size_t find(const CurveName& name);
  void add(std::size_t number, long round, double seconds, double value);

  // Parts of a line: of all sites together; the distance to the truth; the residual of each site.
  void add_common(const nlohmann::ordered_json& line);
  void add_error(const nlohmann::ordered_json& line);
  void add_residuals(const nlohmann::ordered_json& line);
  void add(const nlohmann::ordered_json& line) {
    add_common(line);
    add_error(line);
    add_residuals(line);
  }

  // `curves` of the document that docs/report.md describes; those without points are left out.
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
