#include "align/aligned.h"

#include <algorithm>

#include "prep/steps/lag.h"

namespace firm {

std::vector<AlignSite> hosted_sites(const ShakenScan& scan) {
  std::vector<AlignSite> hosted;
  for (const SiteData& data : scan.study.data) {
    AlignSite site;
    site.site = data.site;
    const auto beamlets = static_cast<std::size_t>(scan.study.sites[data.site].geometry.beamlets);
    site.data = [&data, beamlets](double lag) {
      Sinogram s(beamlets, data.values, 0);
      remove_lag(lag, s);
      SiteData out;
      out.site = data.site;
      out.values = std::move(s.values);
      out.weights = data.weights;
      return out;
    };
    hosted.push_back(std::move(site));
  }
  return hosted;
}

Refinement aligned(const ShakenScan& scan, const RefineChoice& refine,
                   const std::vector<std::size_t>& only, int threads) {
  LocalCollective collective;
  std::vector<AlignSite> hosted = hosted_sites(scan);
  if (!only.empty()) {
    std::erase_if(hosted, [&](const AlignSite& site) {
      return std::ranges::find(only, site.site) == only.end();
    });
  }
  return align({scan.study, hosted, refine, collective, threads, {}});
}

}  // namespace firm
