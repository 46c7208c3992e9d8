#include "sum_parts.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "bare_federation.h"
#include "core/timing.h"
#include "federation/audit/commitment.h"
#include "federation/protocol/exchange.h"
#include "federation/protocol/ledger.h"
#include "federation/secure/masking.h"
#include "io/files/sha256.h"
#include "sim/noise.h"
#include "solve/method.h"

namespace firm {
namespace {

constexpr double kBudget = 0.3;  // seconds per part

// A site's share of one sum.
struct Share {
  explicit Share(std::size_t length) : values(length), words(length), scalars(kScalars) {
    Random random(1, 0);
    for (float& x : values) x = static_cast<float>(random.uniform());
  }

  ShareView view() { return {words, kFractionBits, scalars}; }

  static constexpr int kFractionBits = 20;
  static constexpr std::size_t kScalars = 10;  // those of the solver, a vote and a bound
  std::vector<float> values;
  std::vector<std::uint32_t> words;
  std::vector<ScalarWord> scalars;
};

Masker make_masker(std::size_t sites) {
  Masker::Setup setup{{"", "study", bare_site_names(sites), "run/1/0"}, {}, Secret::random()};
  setup.self.name = setup.self.roster.front();
  for (const std::string& name : setup.self.roster) {
    if (name != setup.self.name) setup.pairs.emplace(name, Secret::random());
  }
  return Masker(std::move(setup));
}

std::vector<v1::SiteMessage> messages_of(const ShareView& all) {
  std::vector<v1::SiteMessage> messages;
  for (std::size_t offset = 0; offset < all.words.size(); offset += kChunkWords) {
    const std::size_t count = std::min(kChunkWords, all.words.size() - offset);
    v1::Share& share = *messages.emplace_back().mutable_share();
    share.set_length(all.words.size());
    share.set_offset(offset);
    share.set_words(all.words.data() + offset, count * sizeof(std::uint32_t));
    if (offset + count < all.words.size()) continue;
    share.set_last(true);
    share.set_scalars(all.scalars.data(), all.scalars.size_bytes());
  }
  return messages;
}

SumPart measure(const std::string& name, const std::function<void()>& work) {
  return {name, least_seconds(kBudget, work)};
}

}  // namespace

std::vector<SumPart> parts_at_site(std::size_t words, std::size_t sites,
                                   const std::string& ledger_path) {
  Share share(words);
  Masker masker = make_masker(sites);
  MaskPosition position;
  std::optional<SumTag> tag;
  Tags tags;
  Ledger ledger(ledger_path);
  std::vector<v1::SiteMessage> messages = messages_of(share.view());
  std::string bytes;
  return {
      measure("encode",
              [&] {
                static_cast<void>(encode(share.values, Share::kFractionBits, sites, share.words));
              }),
      measure("commitment",
              [&] {
                commitment_to({share.words, share.scalars, Share::kFractionBits}, {},
                              std::string(kSaltBytes, 's'));
              }),
      measure("make tags",
              [&] {
                tag.emplace(masker.tag(share.view(), position));
                tags = tag->of(share.words, share.scalars);
              }),
      measure("check tags",
              [&] { static_cast<void>(tag->matches(share.words, share.scalars, tags, sites)); }),
      measure("mask",
              [&] {
                ++position.exchange;
                masker.mask(share.view(), position);
              }),
      measure("messages", [&] { messages = messages_of(share.view()); }),
      measure("ledger",
              [&] {
                for (const v1::SiteMessage& m : messages) ledger.record(m);
              }),
      measure("to bytes",
              [&] {
                for (const v1::SiteMessage& m : messages) m.SerializeToString(&bytes);
              }),
      measure("from bytes",
              [&] {
                for (v1::SiteMessage& m : messages) m.ParseFromString(bytes);
              }),
      measure("hash of the sum",
              [&] {
                Sha256 hash;
                hash.add(std::as_bytes(std::span(share.words)));
                hash.finish();
              }),
      measure("unmask", [&] { masker.unmask(share.view(), position); }),
      measure("decode", [&] { decode(share.words, Share::kFractionBits, share.values); })};
}

std::vector<SumPart> parts_at_coordinator(std::size_t words, std::size_t sites) {
  Share share(words);
  const std::vector<v1::SiteMessage> messages = messages_of(share.view());
  const std::vector<std::string> names = bare_site_names(sites);
  return {measure("add up", [&] {
    Exchange exchange(names, 0);
    for (const std::string& name : names) {
      for (const v1::SiteMessage& m : messages) exchange.add(name, m.share());
    }
  })};
}

}  // namespace firm
