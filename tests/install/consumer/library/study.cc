// Reconstructs a study file.
#include <firm/firm.h>

#include <iostream>

int main(int /*argc*/, char** argv) {
  const firm::Study study = firm::load_study(argv[1]);
  firm::Observer observer;
  observer.on_round = [](const firm::RoundRecord& r, int) { std::cout << r.round << ' '; };
  const firm::Solution s = firm::reconstruct(study, firm::load_options(argv[1]), observer);
  for (const std::string& name : s.names) std::cout << name << ' ' << s.image(name).rows() << ' ';
  std::cout << s.summary.termination.converged << ' ' << s.summary.certificate.relative << '\n';
}
