// SelfAbsorption: the refiner that makes T of every XRF site from the present images.
//
// In each outer round a site i needs mu at two energies, that of its beam and that of its line,
//
//     mu(E) = sum_v c_v(E) w_v          over all images of the study,
//
// and makes T and with it A_i diag(T) (firm/fluorescence.h). The sums for site i are opened by that
// site only. With Attenuation::kXrt, mu is the image of XRT alone, which its site publishes, times
// the ratio of the attenuation of one assumed compound at both energies; then one round is enough.
//
// The first T is made from images that are scaled to XRT (absorption_start.h), or from images found
// without absorption. The rounds end when the mass of no slice changes by more than 0.05 %, or than
// its noise. All this is done by find(), before the study is solved with a T that stays. So the
// solution, its stop rules and its prior are those of a study without absorption. A checkpoint of
// the search holds its solver, so that a run resumes in the middle of an outer round.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "firm/options.h"
#include "firm/solution.h"
#include "solve/absorption/absorbing_projectors.h"
#include "solve/refiner.h"

namespace firm {

class SelfAbsorption : public Refiner {
 public:
  struct Setup {
    std::vector<std::size_t> sites;  // hosted: indices into Study::sites
    AbsorptionOptions options;
    int threads = 0;
    std::size_t max_bytes = 0;  // for T of all sites here; 0: no limit
  };
  SelfAbsorption(const Study& study, const Setup& setup);

  // Factory of the matrix of each site of the study, for Problem.
  std::vector<const ProjectorFactory*> factories() const { return factories_; }

  // Finds T by outer rounds of a few local steps each, from images of zero. Every process of a run
  // calls it at the same time. Returns false if it was interrupted.
  struct Search {
    Problem& problem;
    Collective& collective;
    std::string method;  // of the study: one that refines
    std::function<bool()> interrupted = {};
    // Called before each round of a solver with the complete state. Rounds count from 1 to less
    // than most_rounds(); `ending`: this round is the last, because of an interrupt.
    std::function<void(int round, bool ending, const std::function<void(Archive&)>& state)>
        on_state = {};
    Archive* resume = nullptr;           // state to resume from, after archive() has read it
    std::function<void()> resumed = {};  // called when that has been read
  };
  bool find(const Search& search);
  // Whether T has been found, or read from a checkpoint that has it.
  bool found() const { return stage_ == Stage::kFound; }
  static int most_rounds(const AbsorptionOptions& options, const std::string& method);

  // Forgets all rounds: T is 1 again. For a run that starts again.
  void reset(Problem& problem);

  bool refine(Problem& problem, const Block& images, Collective& collective) override;
  void archive(Archive& archive) override;
  void apply(Problem& problem) override;

  // Called when an outer round begins, with the masses so far.
  void on_round(std::function<void(const AbsorptionSummary&)> callback) {
    callback_ = std::move(callback);
  }
  // Rounds, with masses and kept fractions of the final images, those of the hosted variables.
  AbsorptionSummary summary(const Problem& problem, const Block& images) const;
  // Returns the attenuation that T of the hosted sites was made from.
  std::vector<AttenuationImages> attenuation() const;

 private:
  // A hosted XRF site.
  struct Member {
    std::size_t site;  // index into Study::sites, which is also the slot of its image
    std::unique_ptr<AbsorbingProjectors> projectors;
    Block attenuation;           // pixels x (2 slices): mu of beam and line that T was made from
    std::vector<double> masses;  // g, of each slice in each round

    double mass(std::size_t round, std::size_t slices) const;  // of all slices
  };
  enum class Stage { kWithout, kRounds, kFound };  // of the search; the first is without absorption

  Member* member(std::size_t site);
  Block begin(Problem& problem, const Block& images, Collective& collective);
  void make_round(Problem& problem, const Block& images, Collective& collective);
  void record_masses(const Problem& problem, const Block& images);
  bool settled(const Problem& problem, Collective& collective) const;
  Block scaled(Problem& problem, const Block& images, Collective& collective) const;
  void exchange(Problem& problem, const Block& images, Collective& collective);
  void update(Problem& problem);
  AbsorptionSummary rounds_so_far() const;

  Study study_;  // without data
  AbsorptionOptions options_;
  std::vector<Member> members_;
  std::vector<const ProjectorFactory*> factories_;
  int rounds_ = 0;
  Stage stage_ = Stage::kWithout;
  std::function<void(const AbsorptionSummary&)> callback_;
};

}  // namespace firm
