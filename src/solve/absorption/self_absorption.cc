#include "solve/absorption/self_absorption.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "firm/error.h"
#include "solve/absorption/absorption_start.h"
#include "solve/registry.h"
#include "solve/solver.h"

namespace firm {
namespace {

constexpr double kSettled = 5e-4;  // change of a mass, relative
// Steps of an outer round, and of each exchange within it.
constexpr int kStepsPerRound = 200;
constexpr int kLocalSteps = 50;
constexpr int kMostRounds = 1000000;
constexpr double kTight = 1e-9;

double voxel_volume(const Study& study) {
  const double height = study.slice_spacing > 0 ? study.slice_spacing : study.pixel_size;
  return study.pixel_size * study.pixel_size * height;
}

std::size_t hosted_variable(const Problem& problem, std::size_t slot) {
  const auto& variables = problem.variables();
  const auto at = std::ranges::find(variables, slot, &Variable::slot);
  FIRM_CHECK(at != variables.end());
  return static_cast<std::size_t>(at - variables.begin());
}

// Copies the slices of one image out of those of all.
Block image_of(const Block& images, std::size_t variable, std::size_t slices) {
  Block one(images.rows(), slices);
  for (std::size_t p = 0; p < one.rows(); ++p) {
    for (std::size_t z = 0; z < slices; ++z) one(p, z) = images(p, variable * slices + z);
  }
  return one;
}

double sum_of(const Block& block) {
  double sum = 0;
  for (const float value : block.values()) sum += static_cast<double>(value);
  return sum;
}

double projected_sum(Projector& projector, const Block& image) {
  Block rays(projector.geometry().rays(), image.columns());
  projector.forward(image, rays);
  return sum_of(rays);
}

}  // namespace

SelfAbsorption::SelfAbsorption(const Study& study, const Setup& setup)
    : study_(study), options_(setup.options), factories_(study.sites.size(), &plain_projectors()) {
  study_.data.clear();
  std::vector<std::size_t> absorbing;
  for (const std::size_t site : setup.sites) {
    if (study.sites[site].fluorescence) absorbing.push_back(site);
  }
  for (const std::size_t i : absorbing) {
    const Site& site = study.sites[i];
    TransmittanceOptions options;
    options.grid = options_.grid;
    options.columns = static_cast<int>(study.slices);
    options.threads = setup.threads;
    options.max_bytes = setup.max_bytes / absorbing.size();
    Member member{
        i,
        std::make_unique<AbsorbingProjectors>(site.geometry, site.fluorescence->path, options),
        Block(study.pixels(), 2 * study.slices),
        {}};
    factories_[i] = member.projectors.get();
    members_.push_back(std::move(member));
  }
}

void SelfAbsorption::find(const Search& search) {
  SolveInput input;
  input.problem = &search.problem;
  input.collective = &search.collective;
  input.options.method = search.method;
  input.options.ds.local_steps = kLocalSteps;
  input.options.pgd.accelerated = true;
  input.options.stop.kkt = kTight;  // no rule that ends at the noise, whose steps are slow
  const bool joint = find_method(search.method).joint;
  input.options.stop.rounds = joint ? kStepsPerRound / kLocalSteps : kStepsPerRound;
  input.options.threads = search.problem.threads();
  input.observer.interrupted = search.interrupted;
  const Block start = begin(search.problem, solve(input).images, search.collective);
  if (study_.attenuation == Attenuation::kXrt) return;  // does not depend on the images
  input.options.stop.rounds = kMostRounds;
  input.start = &start;
  input.refiners = {this};
  input.refine_after = kStepsPerRound;
  solve(input);
}

// Makes the first T from images that were found without absorption. Returns the images to continue
// from.
Block SelfAbsorption::begin(Problem& problem, const Block& images, Collective& collective) {
  record_masses(problem, images);
  const bool published = study_.attenuation == Attenuation::kXrt;
  const bool scale = !published && options_.start != "plain";
  Block start = scale ? scaled(problem, images, collective) : images;
  make_round(problem, published ? publish_xrt(problem, collective) : start, collective);
  return start;
}

SelfAbsorption::Member* SelfAbsorption::member(std::size_t site) {
  const auto at = std::ranges::find(members_, site, &Member::site);
  return at == members_.end() ? nullptr : &*at;
}

void SelfAbsorption::record_masses(const Problem& problem, const Block& images) {
  for (Member& m : members_) {
    const std::size_t v = hosted_variable(problem, m.site);
    m.masses.push_back(voxel_volume(study_) * sum_of(image_of(images, v, problem.slices())));
  }
}

// Every process comes to the same conclusion.
bool SelfAbsorption::settled(Collective& collective) const {
  double moving = 0;
  for (const Member& m : members_) {
    const std::size_t count = m.masses.size();
    if (count < 2) continue;
    const double change = std::abs(m.masses[count - 1] - m.masses[count - 2]);
    if (change > kSettled * m.masses[count - 1]) moving += 1;
  }
  collective.sum({}, std::span(&moving, 1));
  collective.sum_slices(std::span(&moving, 1));
  return moving == 0;
}

bool SelfAbsorption::refine(Problem& problem, const Block& images, Collective& collective) {
  record_masses(problem, images);
  if (rounds_ >= options_.rounds || settled(collective)) return false;
  make_round(problem, images, collective);
  return true;
}

void SelfAbsorption::make_round(Problem& problem, const Block& images, Collective& collective) {
  exchange(problem, images, collective);
  ++rounds_;
  update(problem);
  if (callback_) callback_(rounds_so_far());
}

Block SelfAbsorption::scaled(Problem& problem, const Block& images, Collective& collective) const {
  const Block factors = start_factors(problem, images, collective);
  const std::size_t slices = problem.slices();
  Block scaled = images;
  for (std::size_t p = 0; p < scaled.rows(); ++p) {
    for (std::size_t c = 0; c < scaled.columns(); ++c) scaled(p, c) *= factors(p, c % slices);
  }
  return scaled;
}

// Fills the attenuation of the members. `images`: those of the hosted variables; with
// Attenuation::kXrt that of XRT, which all processes have.
void SelfAbsorption::exchange(Problem& problem, const Block& images, Collective& collective) {
  const std::size_t slices = problem.slices();
  const bool published = study_.attenuation == Attenuation::kXrt;
  const NamedSums named(collective, "absorption");
  for (std::size_t i = 0; i < study_.sites.size(); ++i) {
    if (!study_.sites[i].fluorescence) continue;
    const Fluorescence& f = *study_.sites[i].fluorescence;
    Member* hosted = member(i);
    if (published && hosted == nullptr) continue;
    Block sum(problem.pixels(), 2 * slices);
    const auto add = [&](std::size_t slot, std::size_t image) {
      const auto incident = static_cast<float>(f.incident[slot]);
      const auto line = static_cast<float>(f.line[slot]);
      parallel_rows(sum.rows(), problem.threads(), [&](std::size_t p) {
        for (std::size_t z = 0; z < slices; ++z) {
          sum(p, z) += incident * images(p, image * slices + z);
          sum(p, slices + z) += line * images(p, image * slices + z);
        }
      });
    };
    if (published) {
      add(f.incident.size() - 1, 0);
    } else {
      for (std::size_t v = 0; v < problem.variables().size(); ++v) {
        if (!problem.variables()[v].transmission) add(problem.variables()[v].slot, v);
      }
      collective.sum_for(study_.sites[i].name, sum.values());
    }
    if (hosted != nullptr) hosted->attenuation = std::move(sum);
  }
}

void SelfAbsorption::update(Problem& problem) {
  const std::size_t slices = problem.slices();
  for (Member& m : members_) {
    m.projectors->transmittance().update(image_of(m.attenuation, 0, slices),
                                         image_of(m.attenuation, 1, slices));
  }
  problem.matrices_changed();
}

void SelfAbsorption::reset(Problem& problem) {
  if (rounds_ == 0) return;
  rounds_ = 0;
  for (Member& m : members_) {
    m.masses.clear();
    std::ranges::fill(m.attenuation.values(), 0.0f);
  }
  update(problem);
}

void SelfAbsorption::archive(Archive& archive) {
  archive.number("absorption/rounds", rounds_);
  for (Member& m : members_) {
    const std::string name = "absorption/" + study_.sites[m.site].name;
    archive.values(name + "/attenuation", m.attenuation.values());
    double count = static_cast<double>(m.masses.size());
    archive.number(name + "/count", count);
    m.masses.resize(static_cast<std::size_t>(count));
    archive.values(name + "/masses", std::span<double>(m.masses));
  }
}

void SelfAbsorption::apply(Problem& problem) {
  if (rounds_ > 0) update(problem);
}

AbsorptionSummary SelfAbsorption::rounds_so_far() const {
  AbsorptionSummary summary;
  summary.attenuation = study_.attenuation;
  summary.start = options_.start == "plain" ? "plain" : "xrt";
  summary.outer_rounds = rounds_;
  for (const Member& m : members_) {
    const Site& site = study_.sites[m.site];
    summary.sites.push_back({site.name, site.fluorescence->incident_energy,
                             site.fluorescence->line_energy, m.masses, 0, 0});
  }
  return summary;
}

AbsorptionSummary SelfAbsorption::summary(const Problem& problem, const Block& images) const {
  AbsorptionSummary summary = rounds_so_far();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& m = members_[k];
    const Geometry& geometry = study_.sites[m.site].geometry;
    const Block image = image_of(images, hosted_variable(problem, m.site), problem.slices());
    ProjectorOptions options;
    options.threads = problem.threads();
    options.columns = static_cast<int>(problem.slices());
    AbsorptionSummary::Site& site = summary.sites[k];
    site.emitted = projected_sum(*make_projector(geometry, options), image);
    site.kept = projected_sum(*m.projectors->make(geometry, options), image);
    site.masses.push_back(voxel_volume(study_) * sum_of(image));
  }
  return summary;
}

std::vector<AttenuationImages> SelfAbsorption::attenuation() const {
  std::vector<AttenuationImages> all;
  for (const Member& m : members_) {
    all.push_back({study_.sites[m.site].name, image_of(m.attenuation, 0, study_.slices),
                   image_of(m.attenuation, 1, study_.slices)});
  }
  return all;
}

}  // namespace firm
