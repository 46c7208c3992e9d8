#include "sim/matter.h"

#include "firm/error.h"
#include "physics/attenuation.h"
#include "physics/fluorescence.h"
#include "sim/minerals.h"
#include "sim/rod.h"

namespace firm {
namespace {

double attenuation(const std::string& substance, double kev) {
  const auto value = mass_attenuation(substance, kev);
  FIRM_CHECK(value.has_value());
  return *value;
}

std::vector<double> coefficients(const Matter& matter, double kev) {
  std::vector<double> all;
  for (const std::string& substance : matter.substances) all.push_back(attenuation(substance, kev));
  if (!matter.matrix.empty()) {
    all.push_back(attenuation(matter.matrix, kev) / attenuation(matter.matrix, matter.energy));
  }
  all.push_back(0);  // XRT
  return all;
}

void multiply(double factor, Block& images) {
  for (float& value : images.values()) {
    value = static_cast<float>(factor * static_cast<double>(value));
  }
}

}  // namespace

Matter matter_of(const std::string& preset) {
  if (preset == "rod") {
    return {kRodEnergy, {"W", "Au", "Zn"}, {"W La", "Au La", "Zn Ka"}, {}, "Glass, Pyrex"};
  }
  if (preset == "minerals") {
    Matter rock{kMineralEnergy, {}, {}, {}, ""};
    for (const Mineral& mineral : minerals()) {
      rock.substances.push_back(mineral.element);
      rock.lines.push_back(mineral.line);
    }
    return rock;
  }
  Matter matter{12, {"CaCO3", "Fe", "Zn"}, {"Ca Ka", "Fe Ka", "Zn Ka"}, {2.7, 0.5, 0.3}, ""};
  if (preset == "geode") matter.densities = {2.7, 0.27, 1.35};
  if (preset == "elements") {
    matter.substances[0] = "Ca";
    matter.densities.clear();
  }
  return matter;
}

void make_real(const Matter& matter, Phantom& phantom) {
  const std::size_t elements = matter.substances.size();
  FIRM_CHECK(phantom.images.size() == elements + 1);
  phantom.energy = matter.energy;
  Block& xrt = phantom.images.back();
  xrt = phantom.other.rows() > 0 ? phantom.other : Block(xrt.rows(), xrt.columns());
  for (std::size_t i = 0; i < elements; ++i) {
    if (!matter.densities.empty()) multiply(matter.densities[i], phantom.images[i]);
    phantom.titles[i] = matter.substances[i];
    phantom.coefficients[i] = attenuation(matter.substances[i], matter.energy);
    for (std::size_t k = 0; k < xrt.size(); ++k) {
      xrt.data()[k] += static_cast<float>(phantom.coefficients[i] *
                                          static_cast<double>(phantom.images[i].data()[k]));
    }
  }
}

std::vector<Fluorescence> fluorescence_of(const Matter& matter) {
  std::vector<Fluorescence> all;
  for (const std::string& name : matter.lines) {
    const auto line = fluorescence_line(name);
    FIRM_CHECK(line && line->edge < matter.energy);
    Fluorescence f;
    f.incident_energy = matter.energy;
    f.line_energy = line->energy;
    f.incident = coefficients(matter, matter.energy);
    f.line = coefficients(matter, line->energy);
    all.push_back(f);
  }
  return all;
}

double absorbing_field(const std::string& preset) {
  if (preset == "rod") return kRodField;
  if (preset == "elements") return 400e-4;
  return preset == "geode" ? 130e-4 : 100e-4;
}

}  // namespace firm
