#include <firm/firm.h>

#include <iostream>

int main() {  // a pixel of 2 g/cm^3 of an element with c = 0.5 cm^2/g
  const firm::Geometry g = firm::paper_geometry(16, 12);
  firm::Block truth(g.pixels(), 1), iron(g.rays(), 1), xrt(g.rays(), 1);
  truth(8 * 16 + 8, 0) = 2;
  firm::make_projector(g)->forward(truth, iron);
  for (std::size_t k = 0; k < iron.size(); ++k) xrt.data()[k] = 0.5F * iron.data()[k];
  firm::Study study;
  study.add({"Fe", firm::SiteKind::kXrf, 0.5, 1, g}, iron);
  study.add({"xrt", firm::SiteKind::kXrt, 0, 1, g}, xrt);
  std::cout << firm::reconstruct(study).image("Fe")(8 * 16 + 8, 0) << '\n';
}
