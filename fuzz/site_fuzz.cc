// Sends any messages of a coordinator to site b of three: keys, sums, the beginning of an attempt.
// The site must end with a result, or with an error of the outside world.
//
// Record::what of the first record chooses the Stage, that of the others the Kind of `bytes`.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "federation/protocol/key_exchange.h"
#include "federation/protocol/terms.h"
#include "federation/sums/fixed_point_collective.h"
#include "federation/transport/remote_exchange.h"
#include "firm/error.h"
#include "input.h"
#include "support/certificates.h"

namespace firm {
namespace {

const std::vector<std::string> kSites = {"a", "b", "c"};
constexpr const char* kStudy = "study";

enum Stage : std::uint8_t { kKeys, kSums, kBegin };

enum Kind : std::uint8_t {
  kMessage,  // a message
  kAltered,  // a change to the correct answer: two bytes of position, then bytes for exclusive or
  kMerged,   // a message to merge into the correct answer
};
constexpr std::uint8_t kMore = 64;  // marks a merged sum as not the last chunk

// Answers the site from the input, then closes the connection.
class FuzzedChannel : public SiteChannel {
 public:
  using CorrectAnswer = std::function<v1::CoordinatorMessage(const v1::SiteMessage& last)>;

  FuzzedChannel(const std::vector<Record>& records, CorrectAnswer correct)
      : records_(records), correct_(std::move(correct)) {}

  void send(const v1::SiteMessage& message) override { last_ = message; }
  v1::CoordinatorMessage receive() override {
    while (next_ < records_.size()) {
      const Record& record = records_[next_++];
      const auto kind = static_cast<Kind>((record.what & ~kMore) % 3);
      v1::CoordinatorMessage message;
      if (!message.ParseFromString(kind == kAltered ? altered(record.bytes) : record.bytes)) {
        continue;
      }
      if (kind != kMerged) return message;
      v1::CoordinatorMessage merged = correct_(last_);
      merged.MergeFrom(message);
      if (merged.has_total() && (record.what & kMore) != 0) merged.mutable_total()->clear_last();
      return merged;
    }
    throw ChannelLost("the end of the input");
  }

 private:
  std::string altered(const std::string& by) const {
    std::string text = correct_(last_).SerializeAsString();
    if (by.size() < 3 || text.empty()) return text;
    std::uint16_t place = 0;
    std::memcpy(&place, by.data(), sizeof(place));
    for (std::size_t k = sizeof(place); k < by.size(); ++k) {
      text[(place + k) % text.size()] ^= by[k];
    }
    return text;
  }

  const std::vector<Record>& records_;
  CorrectAnswer correct_;
  std::size_t next_ = 1;
  v1::SiteMessage last_;
};

v1::Begin begin_message() {
  v1::Begin begin;
  begin.set_run("run");
  begin.set_attempt(1);
  begin.set_secure(true);
  for (const std::string& site : kSites) {
    v1::Member& member = *begin.add_members();
    member.set_site(site);
    member.mutable_geometry()->add_angles(0.5);
    member.mutable_geometry()->set_beamlets(4);
    member.mutable_geometry()->set_spacing(0.1);
    member.mutable_noise()->set_sigma(1);
  }
  return begin;
}

// Shared by all inputs.
struct World {
  explicit World(const Certificates& made)
      : a(made.of("a")), b(made.of("b")), c(made.of("c")), ledger("/dev/null") {}

  Credentials a;
  Credentials b;
  Credentials c;
  Ledger ledger;
};

World& world() {
  static World w{Certificates(kSites)};
  return w;
}

// --- keys

Agreement peer(const std::string& name, const Credentials& credentials) {
  return Agreement(membership(kStudy, begin_message(), name), [&](const std::string& bytes) {
    const auto signature =
        sign_bytes(std::as_bytes(std::span(bytes.data(), bytes.size())), credentials.key_pem);
    return std::string(reinterpret_cast<const char*>(signature.data()), signature.size());
  });
}

// Sites a and c, as b sees them.
class Peers {
 public:
  v1::CoordinatorMessage answer(const v1::SiteMessage& last) {
    v1::CoordinatorMessage message;
    if (!sealed_.empty() || !last.has_offer()) {
      message.mutable_sealed_key()->set_sealed(sealed_);
      return message;
    }
    static const Agreement a = peer("a", world().a);
    static const Agreement c = peer("c", world().c);
    v1::Offers& offers = *message.mutable_offers();
    add(offers, a.offer(), world().a);
    add(offers, c.offer(), world().c);
    *offers.add_offers() = last.offer();
    const Offer of_b{membership(kStudy, begin_message(), "b"), last.offer().public_key(),
                     last.offer().signature()};
    const PairSecrets pairs =
        a.agree(std::vector<Offer>{of_b, c.offer()}, [](const auto&...) { return true; });
    sealed_ =
        seal_group_key({Secret::random(), SumChain().text()}, pairs.at("b"), a.offer().from, "b");
    return message;
  }

 private:
  static void add(v1::Offers& offers, const Offer& offer, const Credentials& credentials) {
    v1::Offer& o = *offers.add_offers();
    o.set_site(offer.from.name);
    o.set_public_key(offer.key);
    o.set_signature(offer.signature);
    o.set_certificate(credentials.certificate_pem);
  }

  std::string sealed_;
};

void agree_on_keys(const std::vector<Record>& records) {
  Peers peers;
  FuzzedChannel channel(records, [&](const auto& last) { return peers.answer(last); });
  exchange_keys({channel, world().ledger, world().b, "b", kStudy, {}}, begin_message());
}

// --- sums

// Three times the share of the site, as if all sites had the same.
v1::CoordinatorMessage sum_of_three(const v1::SiteMessage& last) {
  v1::CoordinatorMessage message;
  if (last.has_range()) {
    *message.mutable_scale()->mutable_position() = last.range().position();
    message.mutable_scale()->mutable_position()->set_try_(last.range().position().try_() + 1);
    message.mutable_scale()->set_fraction_bits(10);
    return message;
  }
  const v1::Share& share = last.share();
  std::vector<std::uint32_t> words(share.words().size() / sizeof(std::uint32_t));
  std::copy_n(share.words().data(), share.words().size(), reinterpret_cast<char*>(words.data()));
  for (std::uint32_t& word : words) word *= 3;
  std::vector<ScalarWord> scalars(share.scalars().size() / sizeof(ScalarWord));
  std::copy_n(share.scalars().data(), share.scalars().size(),
              reinterpret_cast<char*>(scalars.data()));
  const std::vector<ScalarWord> once = scalars;
  for (int k = 0; k < 2; ++k) add(once, scalars);
  v1::Total& total = *message.mutable_total();
  *total.mutable_position() = share.position();
  total.set_length(share.length());
  total.set_offset(share.offset());
  total.set_last(share.last());
  total.set_words(words.data(), share.words().size());
  total.set_scalars(scalars.data(), share.scalars().size());
  return message;
}

void add_up(const std::vector<Record>& records) {
  FuzzedChannel channel(records, sum_of_three);
  RemoteExchange exchange({&channel, &world().ledger, "b", 1, kSites.size(), {}});
  FixedPointCollective collective(exchange);
  for (const std::size_t length : {0, 5, 5, 9, 5, 0}) {
    std::vector<float> values(length, 0.25f);
    double scalars[] = {1.5, -2};
    collective.sum(values, scalars);
    collective.sum_for("a", values);
    exchange.checkpoint_asked();
  }
}

// --- the beginning

StudyFile study_file() {
  StudyFile file;
  file.rows = file.columns = 4;
  file.slices = 1;
  file.pixel_size = 0.1;
  for (const std::string& site : kSites) {
    SiteEntry entry;
    entry.name = site;
    entry.kind = site == "c" ? "xrt" : "xrf";
    entry.coefficient = site == "c" ? 0 : 1;
    file.sites.push_back(entry);
  }
  return file;
}

void begin(const std::vector<Record>& records) {
  FuzzedChannel channel(records, [](const auto&) {
    v1::CoordinatorMessage message;
    *message.mutable_begin() = begin_message();
    return message;
  });
  for (;;) {
    const v1::CoordinatorMessage message = receive_within_attempt(channel);
    if (!message.has_begin()) continue;
    const Study study = study_with(study_file(), message.begin());
    require(sorted_roster(membership("", message.begin(), "b").roster) == kSites,
            "the roster is that of the study");
    require(study_hash({}, message.begin()).size() == 64, "a study has a hash");
    const v1::Geometry there = to_message(study.sites[0].geometry);
    require(same_rays(from_message(there, study_file()), study.sites[0].geometry),
            "a geometry survives the conversion to a message and back");
  }
}

void run(const std::vector<Record>& records) {
  try {
    switch (static_cast<Stage>(records[0].what % 3)) {
      case kKeys:
        return agree_on_keys(records);
      case kSums:
        return add_up(records);
      case kBegin:
        return begin(records);
    }
  } catch (const Error&) {
  } catch (const ChannelLost&) {
  } catch (const AttemptAbandoned&) {
  }
}

// Parts of messages, to merge into correct answers.
std::vector<Record> fragments(Stage stage) {
  v1::CoordinatorMessage one;
  v1::CoordinatorMessage two;
  switch (stage) {
    case kKeys:
      one.mutable_offers()->add_offers()->set_site("a");
      two.mutable_sealed_key()->set_sealed("sealed");
      break;
    case kSums:
      one.mutable_total()->set_words("12345678");
      two.mutable_scale()->set_fraction_bits(20);
      break;
    case kBegin:
      one.mutable_begin()->add_members()->set_site("a");
      two.mutable_begin()->set_round(3);
      break;
  }
  return {{kMerged, one.SerializeAsString()}, {kMerged, two.SerializeAsString()}};
}

std::vector<std::string> seeds() {
  const Record correct{kMerged, ""};
  const Record altered{kAltered, {"\x20\x00\x01", 3}};
  v1::CoordinatorMessage abandon;
  abandon.mutable_abandon()->set_reason("why");
  std::vector<std::string> all;
  for (const Stage stage : {kKeys, kSums, kBegin}) {
    const Record first{stage, ""};
    all.push_back(
        packed({first, correct, correct, correct, correct, correct, correct, correct, correct}));
    all.push_back(packed({first, correct, altered, correct, altered}));
    all.push_back(packed({first, correct, {kMessage, abandon.SerializeAsString()}}));
    for (const Record& fragment : fragments(stage)) {
      all.push_back(packed({first, fragment, correct}));
      all.push_back(packed({first, correct, fragment}));
      all.push_back(packed({first, correct, {kMerged | kMore, fragment.bytes}}));
    }
  }
  return all;
}

// Correct answers must give keys and sums; otherwise fuzzing would test little.
void check_correct_answers() {
  agree_on_keys(std::vector<Record>(3, {kMerged, ""}));
  add_up(std::vector<Record>(40, {kMerged, ""}));
}

}  // namespace
}  // namespace firm

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  google::protobuf::SetLogHandler(nullptr);  // silences parse errors
  firm::write_seeds(*argc, *argv, firm::seeds());
  firm::check_correct_answers();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<firm::Record> records = firm::unpacked(data, size);
  if (!records.empty()) firm::run(records);
  return 0;
}
