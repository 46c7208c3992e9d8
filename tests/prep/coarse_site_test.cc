#include "prep/diagnose/coarse_site.h"

#include <gtest/gtest.h>

namespace firm {
namespace {

Site site_of(int side, int beamlets) {
  Site site;
  site.geometry.image_rows = site.geometry.image_columns = side;
  site.geometry.pixel_size = 1e-4;
  site.geometry.spacing = 1e-4;
  site.geometry.beamlets = beamlets;
  site.geometry.rotation_axis = 0.5 * (beamlets - 1);
  site.geometry.angles = {0, 0.5, 1};
  return site;
}

CoarseSite coarse_of(const Site& site) {
  SiteData data;
  data.values = Block(site.geometry.rays(), 1);
  return coarse_site(site, data, 1);
}

TEST(CoarseSite, KeepsBeamletsOfSmallImages) {
  EXPECT_EQ(coarse_of(site_of(64, 91)).geometry.beamlets, 91);
  EXPECT_EQ(coarse_of(site_of(250, 354)).geometry.beamlets, 354 / 4);
}

// A product takes as long as there are pairs of a pixel and a beamlet that meet.
TEST(CoarseSite, HasNoPixelOverManyBeamlets) {
  for (const int side : {1000, 10000, 32768}) {
    const Geometry g = coarse_of(site_of(side, 91)).geometry;
    EXPECT_LE(g.image_columns, 160);
    EXPECT_TRUE(g.pixel_size <= 5 * g.spacing || g.beamlets == 1) << side << " " << g.beamlets;
  }
}

}  // namespace
}  // namespace firm
