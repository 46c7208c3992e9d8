#include "solve/absorption/self_absorption.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "firm/error.h"
#include "solve/absorption/absorption_start.h"

namespace firm {
namespace {

constexpr double kSettled = 5e-4;  // change of a mass, relative

double voxel_volume(const Study& study) {
  const double height = study.slice_spacing > 0 ? study.slice_spacing : study.pixel_size;
  return study.pixel_size * study.pixel_size * height;
}

// Standard deviation of the mass of a slice, from the noise of its values: each angle shows all of
// the mass.
double mass_noise(const Study& study, const Variable& variable) {
  const Geometry& g = variable.geometry;
  const double area = voxel_volume(study) / study.pixel_size / study.pixel_size * g.spacing;
  return area * variable.sigma * std::sqrt(static_cast<double>(g.rays())) /
         static_cast<double>(g.angles.size());
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

SelfAbsorption::Member* SelfAbsorption::member(std::size_t site) {
  const auto at = std::ranges::find(members_, site, &Member::site);
  return at == members_.end() ? nullptr : &*at;
}

double SelfAbsorption::Member::mass(std::size_t round, std::size_t slices) const {
  const auto begin = masses.begin() + static_cast<std::ptrdiff_t>(round * slices);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(slices), 0.0);
}

void SelfAbsorption::record_masses(const Problem& problem, const Block& images) {
  const std::size_t slices = problem.slices();
  for (Member& m : members_) {
    const std::size_t v = hosted_variable(problem, m.site);
    for (std::size_t z = 0; z < slices; ++z) {
      double sum = 0;
      for (std::size_t p = 0; p < images.rows(); ++p) {
        sum += static_cast<double>(images(p, v * slices + z));
      }
      m.masses.push_back(voxel_volume(study_) * sum);
    }
  }
}

// Every process comes to the same conclusion, however slices are spread: each slice has a vote.
bool SelfAbsorption::settled(const Problem& problem, Collective& collective) const {
  const std::size_t slices = problem.slices();
  double moving = 0;
  for (const Member& m : members_) {
    if (m.masses.size() < 2 * slices) continue;
    const double noise = mass_noise(study_, problem.variables()[hosted_variable(problem, m.site)]);
    for (std::size_t z = 0; z < slices; ++z) {
      const double mass = m.masses[m.masses.size() - slices + z];
      const double before = m.masses[m.masses.size() - 2 * slices + z];
      if (std::abs(mass - before) > std::max(kSettled * mass, noise)) moving += 1;
    }
  }
  collective.sum({}, std::span(&moving, 1));
  collective.sum_slices(std::span(&moving, 1));
  return moving == 0;
}

bool SelfAbsorption::refine(Problem& problem, const Block& images, Collective& collective) {
  record_masses(problem, images);
  if (rounds_ >= options_.rounds || settled(problem, collective)) return false;
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
  stage_ = Stage::kWithout;
  const bool absorbs = rounds_ > 0;
  rounds_ = 0;
  for (Member& m : members_) {
    m.masses.clear();
    std::ranges::fill(m.attenuation.values(), 0.0f);
  }
  if (absorbs) update(problem);
}

void SelfAbsorption::archive(Archive& archive) {
  int stage = static_cast<int>(stage_);
  archive.number("absorption/stage", stage);
  stage_ = static_cast<Stage>(stage);
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
    std::vector<double> masses;
    for (std::size_t round = 0; round < m.masses.size() / study_.slices; ++round) {
      masses.push_back(m.mass(round, study_.slices));
    }
    summary.sites.push_back({site.name, site.fluorescence->incident_energy,
                             site.fluorescence->line_energy, std::move(masses), 0, 0});
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
