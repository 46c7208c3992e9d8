#include "federation/secure/masking.h"

#include <algorithm>

#include "firm/error.h"

namespace firm {
namespace {

// Words per block: 32 KiB, which stay in the second-level cache while all streams are applied.
constexpr std::size_t kBlock = 8192;

// Works block by block, so that words are read from memory once and not once per stream.
template <typename Word, typename Pads>
void apply(Pads pads, std::span<Word> words) {
  for (std::size_t first = 0; first < words.size(); first += kBlock) {
    const std::span block = words.subspan(first, std::min(kBlock, words.size() - first));
    for (auto& pad : pads) {
      if (pad.added) {
        pad.stream.add_to(block);
      } else {
        pad.stream.subtract_from(block);
      }
    }
  }
}

}  // namespace

Masker::Masker(Setup setup)
    : self_(std::move(setup.self)),
      pairs_(std::move(setup.pairs)),
      group_(std::move(setup.group)),
      own_(Secret::random()) {
  self_.roster = sorted_roster(self_.roster);
  if (self_.roster.size() == 2 && !setup.allow_two) {
    throw usage_error({"secure aggregation", "sites",
                       "at least 3 (of two each knows the other's share; allow it explicitly)",
                       "2"});
  }
  FIRM_CHECK(self_.roster.size() >= 2 && pairs_.size() == self_.roster.size() - 1);
  for (const std::string& name : self_.roster) {
    FIRM_CHECK(pairs_.contains(name) == (name != self_.name));
  }
}

void Masker::mask(const ShareView& share, const MaskPosition& position) {
  remember(share, position);
  apply(masks(context(position, MaskKind::kVector, share.words.size(), share.fraction_bits)),
        share.words);
  apply(masks(context(position, MaskKind::kScalars, share.scalars.size(), share.fraction_bits)),
        share.scalars);
}

void Masker::unmask(const ShareView& sum, const MaskPosition& position) const {
  FIRM_CHECK(position.opener.empty() || position.opener == self_.name);
  if (auto stream =
          pad(context(position, MaskKind::kVector, sum.words.size(), sum.fraction_bits))) {
    stream->subtract_from(sum.words);
  }
  if (auto stream =
          pad(context(position, MaskKind::kScalars, sum.scalars.size(), sum.fraction_bits))) {
    stream->subtract_from(sum.scalars);
  }
}

// The tags of a sum for one site use the group key, too: all sites have to make them. Only that
// site can read them, since the pad covers them.
SumTag Masker::tag(const ShareView& share, const MaskPosition& position) const {
  FIRM_CHECK(group_.has_value());
  MaskContext c = context(position, MaskKind::kTag, share.words.size(), share.fraction_bits);
  c.scope = MaskScope::kGroup;
  c.holders = self_.roster;
  return {Keystream(*group_, c), share.words.size(), share.scalars.size()};
}

void Masker::remember(const ShareView& share, const MaskPosition& position) {
  const bool opener_is_known =
      position.opener.empty() || position.opener == self_.name || pairs_.contains(position.opener);
  FIRM_CHECK(opener_is_known);
  const Fingerprint print =
      fingerprint_({std::as_bytes(std::span(&share.fraction_bits, 1)), std::as_bytes(share.words),
                    std::as_bytes(share.scalars)});
  const bool first_or_same_share = masked_.try_emplace(position, print).first->second == print;
  FIRM_CHECK(first_or_same_share);
}

MaskContext Masker::context(const MaskPosition& position, MaskKind kind, std::size_t length,
                            int scale) const {
  return {.study = self_.study,
          .roster = self_.roster,
          .scope = MaskScope::kPair,
          .holders = {},
          .position = position,
          .kind = kind,
          .length = length,
          .scale = scale};
}

std::vector<Masker::Pad> Masker::masks(const MaskContext& context) const {
  std::vector<Pad> pads;
  for (const auto& [peer, secret] : pairs_) {
    MaskContext pair = context;
    pair.holders = {self_.name, peer};
    pads.push_back({Keystream(secret, pair), self_.name < peer});
  }
  const std::string& opener = context.position.opener;
  if (self_.name == (opener.empty() ? self_.roster.front() : opener)) {
    if (auto stream = pad(context)) pads.push_back({std::move(*stream), true});
  }
  return pads;
}

std::optional<Keystream> Masker::pad(MaskContext context) const {
  if (!context.position.opener.empty()) {
    context.scope = MaskScope::kAlone;
    context.holders = {self_.name};
    return Keystream(own_, context);
  }
  if (!group_) return std::nullopt;
  context.scope = MaskScope::kGroup;
  context.holders = self_.roster;
  return Keystream(*group_, context);
}

}  // namespace firm
