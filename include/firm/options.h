// Options of a run, as plain structs. The comment of a member is the inequality that uses it.
// options.cc has a table of all options with key, limits and help text; it serves the [solve] table
// of a study, --set on the command line, validation and help.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firm {

// Stop rules: a run ends as soon as one of them holds; 0 turns a rule off.
struct StopOptions {
  int rounds = 0;        // rounds >= stop.rounds; 0: the method's own limit
  double seconds = 0;    // time since the start >= stop.seconds
  double objective = 0;  // f(w) <= stop.objective
  // ||A_i w_i - b_i|| <= max(b_i) sqrt(m_i) stop.discrepancy, all i. With a prior it is no rule: it
  // only tells the noise, s_i = max(b_i) stop.discrepancy.
  double discrepancy = 0;
  double kkt = 0;     // projected gradient <= stop.kkt ||A^T b||, and ||D w|| <= stop.kkt ||w_N||
  double change = 0;  // |f(w) - f(w_before)| <= stop.change f(w_before)
  double step = 0;    // ||w - w_before|| <= stop.step; depends on the unit, as in the paper
  // Every site falls no faster than noise: per e-fold of steps ||A_i w_i - b_i||^2 loses at most
  // stop.noise min(P, m / 2) / m of itself, P pixels above 0, m rays; a site that is done keeps its
  // image. Default where the noise is known and no other rule is set: 0.5.
  double noise = 0;
};

// firm and firm+: eta_1 = step_scale * 3 / (4 lambda_max); after the first `hold` rounds, the end
// of each inner loop multiplies eta by `ratio`.
struct FirmOptions {
  int hold = 10000;    // rounds at r = 1
  double ratio = 0.9;  // r, 0 < r < 1
  double eps = 1e-2;   // outer loop ends when eta < eps (rule = paper), eta < eps eta_1 (relative)
  double step_scale = 1;       // gamma > 0
  std::string rule = "paper";  // inner loop ends when ||w+ - w|| <= eta^2 ("paper"), or
                               // <= (eta / eta_1)^2 ||w|| ("relative", free of units)
};

struct FedPgdOptions {
  double step_scale =
      1;  // gamma: step gamma 3 / (4 lambda_max); accelerated: gamma / (2 lambda_max)
  bool accelerated = false;  // FISTA with gradient restart
};

struct PgdOptions {
  double step_scale = 1;
  bool accelerated = false;
};

struct PlsqrOptions {
  double tolerance = 1e-6;  // ||A^T r|| <= tolerance ||A|| ||r||, or ||r|| <= tolerance ||b||
};

struct DsOptions {
  int local_steps = 0;  // M, local steps per round; 0: 8 with stop.discrepancy and no prior, an
                        // eighth of the steps taken so far with stop.noise, else 75
};

// A prior R(w) that prefers likely images. kind "tv": R_i(w) = lambda_i TV(w), with
// lambda_i = strength 2 h_i s_i / s^2: h_i root mean square of the column norms of A_i, s_i noise
// of the site, 1 / s^2 its weight. The strength has no unit and is the same for all sites.
struct PriorOptions {
  std::string kind = "none";  // "none" or "tv"
  double strength = 0;        // rho; 0: automatic, from rays that each site leaves out
  int inner = 10;             // steps on the dual in each proximal step
  bool slices = false;        // with differences between slices
};

// Self-absorption, for studies that have it: T from the present images, then the images again, and
// so on.
struct AbsorptionOptions {
  int rounds = 5;  // how often T is made, at most; 0: never, so that absorption is ignored
  // Pixels along a side of the squares in which T is constant: 1, 2 or 4; 0: 2 where the image has
  // at least 256 pixels along either side, else 1.
  int grid = 0;
  // Images for the first T: "xrt" scales those found without absorption, pixel by pixel, so that
  // they add up to XRT alone; "plain" takes them as they are; "auto" is "xrt" where all data is in
  // one place, and has to be one of the others in a federation.
  std::string start = "auto";
};

// Name of the default method.
const char* default_method();
// Names of all methods, in the order of the documentation.
const std::vector<std::string>& method_names();

struct SolveOptions {
  std::string method = default_method();
  StopOptions stop;
  FirmOptions firm;
  FedPgdOptions fedpgd;
  PgdOptions pgd;
  PlsqrOptions plsqr;
  DsOptions ds;
  PriorOptions prior;
  AbsorptionOptions absorption;
  // Numbers of the scans to refine before the study is solved, separated by commas: "shifts,axis".
  std::string refine = "none";
  int chunks = 1;          // shards of the slices that `firm recon` solves one after another
  int threads = 0;         // 0: all that the process may use
  std::uint64_t seed = 1;  // selects the rays left out to find prior.strength
};

// Description of one option.
struct OptionText {
  std::string key;      // "stop.kkt"
  std::string value;    // its current value
  std::string help;     // one line
  std::string expects;  // "a number from 0 on"
};

// Describes all options, with their values in `options`.
std::vector<OptionText> describe_options(const SolveOptions& options);

// Sets the option `key` from text. Throws firm::Error (kUsage) naming the key, the expected values
// and the one found. `where` starts the message: "--set", or "study.toml:31".
void set_option(SolveOptions& options, const std::string& where, const std::string& key,
                const std::string& value);

}  // namespace firm
