// Compares XRF sites with the XRT site: does the matter that they see lie where XRT sees matter?
//
// The coarse image of an XRF site, projected along the rays of XRT, should explain part of XRT:
//     b_xrt ~ sum_i f_i A_xrt w_i,   0.8 c_i <= f_i <= 1.25 c_i,
// c_i the coefficient: calibrations and self-absorption are not exact.
//
// A mirrored detector, reversed angles or a wrong spacing are invisible in the data of a site
// alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firm/study.h"
#include "prep/diagnose/coarse_site.h"

namespace firm {

enum class RayChange {
  kNone,
  kMirrored,       // t -> -t, the same as angles + 180 degrees
  kReversed,       // angle -> -angle
  kBoth,           // both
  kReversedOrder,  // the angles in the opposite order: angle -> smallest + largest - angle
};

// Describes a change of a site and how a study makes it: "its detector axis mirrored (angle_offset
// = 180)". `sum_of_ends`: smallest and largest angle, in radians.
std::string change_text(RayChange change, double sum_of_ends);

class SiteComparison {
 public:
  enum class Factors {
    kLimited,  // as above
    kFree,     // f_i >= 0: for one site of several, which has to explain XRT alone
  };
  // `sites` are XRF sites, `data` theirs, of the same slices as that of XRT.
  SiteComparison(const std::vector<const Site*>& sites, const std::vector<const SiteData*>& data,
                 const Site& xrt, const SiteData& xrt_data, Factors factors = Factors::kLimited);

  std::size_t count() const { return xrf_.size(); }

  struct Agreement {
    // Share of the energy of XRT, without that of its noise, that XRF does not explain, at best.
    double missed = 1;
    double outside = 0;  // share of the energy of a site at rays where XRT sees nothing
  };
  // With a change of one site, or of all if `site` is count(). `scale`: factor by which the spacing
  // of the site is multiplied.
  Agreement agreement(std::size_t site, RayChange change, double scale = 1) const;

  // The change of a site, or of all, with which the data fits far better than without: XRF misses
  // less than `share` of what it misses now, or returns to rays where XRT sees matter. None if no
  // change does.
  std::optional<RayChange> demanded_change(std::size_t site, double share = 0.5) const;
  // The same of all XRF sites together, which is one of XRT. None if the change of a single site
  // explains as much, or if there is only one.
  std::optional<RayChange> demanded_change_of_xrt(double share = 0.5) const;
  // Describes a change of a site, or of XRT if `site` is count().
  std::string text_of(std::size_t site, RayChange change) const;

  // A factor of the spacing of a site with which its data fits far better, in the same sense. With
  // free factors only its outline counts: a core may have the shape of a shell.
  std::optional<double> demanded_scale(std::size_t site) const;

 private:
  struct Seen {
    CoarseSite site;
    double coefficient = 0;
    Block image;
    double sum_of_ends = 0;  // smallest and largest angle
  };
  Block along_xrt(const Seen& seen, RayChange change, double scale) const;

  Factors factors_;
  std::vector<Seen> xrf_;
  std::vector<Block> unchanged_;  // along_xrt of each site
  CoarseSite xrt_;
  double dark_ = 0;  // values of XRT below this show no matter
};

struct SiteWarning {
  std::size_t site = 0;  // index into the study's sites
  std::string text;
};

// Warnings about sites whose data contradicts that of XRT, and fits if one of them is changed.
// `data` in the order of `sites`, the XRT site last.
std::vector<SiteWarning> compare_sites(const std::vector<Site>& sites,
                                       const std::vector<SiteData>& data);

}  // namespace firm
