// Refinements that a method cannot solve are refused before the alignment.
#include <gtest/gtest.h>

#include "firm/error.h"
#include "run/refine_study.h"
#include "solve/registry.h"

namespace firm {
namespace {

StudyFile file_with(bool one_scan) {
  StudyFile file;
  for (const std::string name : {"xrf-1", "xrf-2", "xrt"}) {
    SiteEntry& entry = file.sites.emplace_back();
    entry.name = name;
    if (one_scan) entry.scan = "A";
  }
  return file;
}

std::string refusal(const std::string& refine, const std::string& method, bool one_scan) {
  try {
    check_refined_method(file_with(one_scan), refine_choice(refine), method);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    return error.what();
  }
  return "";
}

TEST(RefinedMethod, IsRefusedIfSitesMayGetOtherRays) {
  for (const std::string method : {"firm", "firm+"}) {
    for (const std::string refine : {"axis", "lag", "shifts,axis"}) {
      const std::string text = refusal(refine, method, true);
      EXPECT_NE(text.find("as method " + method + " needs; or method firm-ds"), std::string::npos)
          << text;
    }
    EXPECT_EQ(refusal("shifts,angles,gain", method, true), "");
    EXPECT_NE(refusal("shifts", method, false).find("shifts of several scans"), std::string::npos);
    EXPECT_NE(refusal("angles", method, false).find("angles of several scans"), std::string::npos);
  }
  for (const std::string method : {"firm-ds", "fedpgd", "pgd", "plsqr"}) {
    EXPECT_EQ(refusal("shifts,axis,angles,lag", method, false), "") << method;
  }
}

}  // namespace
}  // namespace firm
