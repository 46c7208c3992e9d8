#include "service/site_begin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "federation/protocol/terms.h"
#include "federation/secure/peer_text.h"
#include "firm/study.h"

namespace firm {
namespace {

void check_sites(const v1::Begin& begin, const StudyFile& file) {
  std::vector<std::string> expected;
  for (const SiteEntry& site : file.sites) expected.push_back(site.name);
  std::ranges::sort(expected);
  std::vector<std::string> found;
  for (const v1::Member& member : begin.members()) found.push_back(member.site());
  if (found == expected) return;
  throw WrongBegin(fmt::format("the sites {}", fmt::join(expected, ", ")),
                   peer_text(fmt::format("{}", fmt::join(found, ", "))));
}

// The sites have been checked before: this one is among them.
void check_own(const v1::Begin& begin, const v1::Hello& own, const StudyFile& file) {
  const auto member = std::ranges::find_if(
      begin.members(), [&](const v1::Member& m) { return m.site() == own.site(); });
  const auto require = [](bool same, const char* what) {
    if (same) return;
    throw WrongBegin(fmt::format("this site's {} as it was sent", what), "another");
  };
  require(same_rays(from_message(member->geometry(), file), from_message(own.geometry(), file)),
          "geometry");
  require(member->noise().sigma() == own.noise().sigma() &&
              member->noise().weighted() == own.noise().weighted(),
          "noise");
}

void check_round(const v1::Begin& begin, const v1::Hello& own) {
  std::vector<std::uint64_t> rounds = {0};
  if (begin.run() == own.run()) {
    rounds.insert(rounds.end(), own.checkpoints().begin(), own.checkpoints().end());
  }
  if (std::ranges::find(rounds, begin.round()) != rounds.end()) return;
  throw WrongBegin(
      fmt::format("a round that this site can resume from: {}", fmt::join(rounds, " or ")),
      fmt::format("{}", begin.round()));
}

void check_attempt(const v1::Begin& begin, const v1::Hello& own, std::uint32_t last_attempt) {
  const std::uint32_t last = begin.run() == own.run() ? last_attempt : 0;
  if (begin.attempt() > last) return;
  const std::string advice =
      last == 0 ? ""
                : fmt::format(
                      " (if the coordinator runs with an older copy of coordinator.json, set its "
                      "attempt to {})",
                      last);
  throw WrongBegin(fmt::format("an attempt above {}", last),
                   fmt::format("{}{}", begin.attempt(), advice));
}

}  // namespace

WrongBegin::WrongBegin(const std::string& expected, const std::string& found)
    : Error(Kind::kNetwork, fmt::format("the coordinator's Begin is wrong: expected {}, found {}",
                                        expected, found)) {}

void check_begin(const v1::Begin& begin, const v1::Hello& own, const StudyFile& file,
                 std::uint32_t last_attempt) {
  check_sites(begin, file);
  check_own(begin, own, file);
  check_round(begin, own);
  check_attempt(begin, own, last_attempt);
}

}  // namespace firm
