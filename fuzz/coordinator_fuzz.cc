// Sends messages of three sites to a Coordinator, in any order and with any content, while sites
// connect and leave. The coordinator must never throw, and must serve sites that behave correctly
// afterwards.
//
// Record::what holds the site in bits 0 and 1 (3: an unknown site) and the Action in bits 2 and 3.
#include <array>
#include <cstring>

#include "federation/protocol/coordinator.h"
#include "input.h"

namespace firm {
namespace {

const std::vector<std::string> kSites = {"a", "b", "c"};
constexpr std::uint64_t kMostWords = 2 * kChunkWords;

enum Action : std::uint8_t { kSend, kSendFitting, kConnect, kLeave };

std::uint8_t what(std::size_t site, Action action) {
  return static_cast<std::uint8_t>(site | static_cast<unsigned>(action) << 2);
}

CoordinatorOptions options(bool secure) {
  CoordinatorOptions o;
  v1::Term term;
  term.set_field("image rows");
  term.set_value("4");
  o.terms.push_back(term);
  o.sites = kSites;
  o.most_words = kMostWords;
  o.image_values = 16;
  o.other_at = "c";
  o.secure = secure;
  o.checkpoint_seconds = 0;
  return o;
}

class Federation {
 public:
  explicit Federation(bool secure) : coordinator_(options(secure), {}, observer()) {}

  void take(const Record& record) {
    const std::size_t site = record.what & 3u;
    if (site == kSites.size()) return connect_unknown();
    switch (static_cast<Action>(record.what >> 2 & 3)) {
      case kConnect:
        return connect(site);
      case kLeave:
        return leave(site);
      case kSend:
      case kSendFitting:
        break;
    }
    v1::SiteMessage message;
    if (!message.ParseFromString(record.bytes)) return;
    if (static_cast<Action>(record.what >> 2 & 3) == kSendFitting) fit(message, site);
    send(site, message);
  }

  // All sites connect again and behave correctly.
  void expect_service() {
    for (std::size_t site = 0; site < kSites.size(); ++site) connect(site);
    for (std::size_t site = 0; site < kSites.size(); ++site) {
      v1::SiteMessage hello;
      hello.mutable_hello();
      fit(hello, site);
      hello.mutable_hello()->set_done(state_.finished);
      send(site, hello);
      require(connections_[site] != 0, "a site with a correct hello is not refused");
    }
    if (state_.finished) return;
    require(begun_ == kSites.size(), "an attempt begins when all sites are connected");
    require(!coordinator_.failure(), "messages of sites do not end the coordinator");
  }

 private:
  CoordinatorObserver observer() {
    CoordinatorObserver o;
    o.on_event = [](const std::string& line) { require(!line.empty(), "log lines are not empty"); };
    o.keep = [this](const CoordinatorState& s) {
      require(s.attempt > state_.attempt || s.finished, "attempts count up");
      state_ = s;
    };
    o.on_exchange = [](std::uint64_t, std::uint64_t words) {
      require(words <= kMostWords, "sums are within the limit");
    };
    o.on_image = [](const std::string& site, const std::string& name, const auto& values) {
      require(name == site || (site == "c" && name == "other"), "a site sends only its own images");
      require(values.size() == 16, "images are complete");
    };
    return o;
  }

  void connect(std::size_t site) {
    connections_[site] = coordinator_.connect(kSites[site], [this](const ToSite& what) {
      what.for_each([this](const v1::CoordinatorMessage& m) { return take_answer(m); });
    });
    require(connections_[site] != 0, "sites of the study can connect");
  }
  void connect_unknown() {
    bool told = false;
    const std::uint64_t connection = coordinator_.connect("d", [&](const ToSite& what) {
      what.for_each([&](const v1::CoordinatorMessage& m) { return told = m.has_refusal(); });
    });
    require(connection == 0 && told, "unknown sites are refused");
  }
  void leave(std::size_t site) {
    coordinator_.disconnect(kSites[site], connections_[site]);
    connections_[site] = 0;
  }
  void send(std::size_t site, const v1::SiteMessage& message) {
    if (connections_[site] == 0) connect(site);
    if (message.has_hello()) begun_ = 0;
    if (!coordinator_.receive(kSites[site], connections_[site], message)) connections_[site] = 0;
  }

  bool take_answer(const v1::CoordinatorMessage& m) {
    if (m.has_begin()) {
      ++begun_;
      position_ = {};
      position_.set_attempt(m.begin().attempt());
    }
    if (m.has_scale()) position_ = m.scale().position();
    if (!m.has_total()) return true;
    const v1::Total& total = m.total();
    require(total.position().attempt() == state_.attempt, "sums are of this attempt");
    require(total.offset() + total.words().size() / 4 <= total.length(), "sums are in bounds");
    if (!total.last()) return true;
    position_.set_exchange(total.position().exchange() + 1);
    position_.set_try_(0);
    return true;
  }

  // Sets names and numbers in the message to those that the coordinator expects from this site now.
  void fit(v1::SiteMessage& message, std::size_t site) const {
    if (message.has_hello()) {
      v1::Hello& hello = *message.mutable_hello();
      hello.set_protocol(kProtocol);
      hello.set_site(kSites[site]);
      hello.clear_terms();
      *hello.add_terms() = options(false).terms[0];
      hello.set_run(state_.run);
    }
    if (message.has_offer()) {
      message.mutable_offer()->set_attempt(state_.attempt);
      message.mutable_offer()->set_site(kSites[site]);
    }
    if (message.has_sealed_keys()) message.mutable_sealed_keys()->set_attempt(state_.attempt);
    if (message.has_range()) *message.mutable_range()->mutable_position() = position_;
    if (message.has_share()) fit(*message.mutable_share());
    if (message.has_done()) message.mutable_done()->set_run(state_.run);
    if (message.has_image()) message.mutable_image()->set_run(state_.run);
  }
  void fit(v1::Share& share) const {
    *share.mutable_position() = position_;
    // All chunks but the last have the same length.
    const bool whole = share.offset() + kChunkWords < share.length();
    share.mutable_words()->resize(whole ? 4 * kChunkWords : share.words().size() / 4 * 4);
    share.set_last(share.offset() + share.words().size() / 4 == share.length());
    share.mutable_scalars()->resize(share.last() ? kScalarBytes : 0);
  }

  CoordinatorState state_;  // as saved last
  Coordinator coordinator_;
  std::array<std::uint64_t, 3> connections_{};
  v1::Position position_;  // of the next share
  std::size_t begun_ = 0;  // sites that received Begin since the last Hello
};

// --- seeds: correct runs

Record fitting(std::size_t site, const v1::SiteMessage& message) {
  return {what(site, kSendFitting), message.SerializeAsString()};
}

void add_hellos(std::vector<Record>& records) {
  v1::SiteMessage hello;
  hello.mutable_hello()->add_checkpoints(3);
  for (std::size_t site = 0; site < 3; ++site) {
    hello.mutable_hello()->set_publishes(site == 2);
    records.push_back(fitting(site, hello));
  }
}

void add_keys(std::vector<Record>& records) {
  v1::SiteMessage offer;
  offer.mutable_offer()->set_public_key(std::string(32, 'k'));
  for (std::size_t site = 0; site < 3; ++site) records.push_back(fitting(site, offer));
  v1::SiteMessage keys;
  for (const char* to : {"b", "c"}) keys.mutable_sealed_keys()->add_keys()->set_to(to);
  records.push_back(fitting(0, keys));
}

void add_sums(std::vector<Record>& records) {
  v1::SiteMessage range;
  range.mutable_range()->set_exponent(3);
  range.mutable_range()->set_length(kChunkWords + 1);
  for (std::size_t site = 0; site < 3; ++site) records.push_back(fitting(site, range));
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{kChunkWords}}) {
    v1::SiteMessage share;
    share.mutable_share()->set_length(kChunkWords + 1);
    share.mutable_share()->set_offset(offset);
    share.mutable_share()->set_words("abcd");
    for (std::size_t site = 0; site < 3; ++site) records.push_back(fitting(site, share));
  }
}

void add_end(std::vector<Record>& records) {
  v1::SiteMessage image;
  image.mutable_image()->set_name("c");
  image.mutable_image()->set_values(std::string(64, 'i'));
  records.push_back(fitting(2, image));
  v1::SiteMessage done;
  done.mutable_done();
  for (std::size_t site = 0; site < 3; ++site) records.push_back(fitting(site, done));
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const bool secure : {false, true}) {
    std::vector<Record> records = {{static_cast<std::uint8_t>(secure), ""}};
    add_hellos(records);
    if (secure) add_keys(records);
    all.push_back(packed(records));
    add_sums(records);
    all.push_back(packed(records));
    records.push_back({what(1, kLeave), ""});
    add_hellos(records);
    if (secure) add_keys(records);
    add_sums(records);
    add_end(records);
    all.push_back(packed(records));
    add_sums(records);
    add_end(records);
    all.push_back(packed(records));
  }
  return all;
}

}  // namespace
}  // namespace firm

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  google::protobuf::SetLogHandler(nullptr);  // silences parse errors
  firm::write_seeds(*argc, *argv, firm::seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<firm::Record> records = firm::unpacked(data, size);
  if (records.empty()) return 0;
  firm::Federation federation((records[0].what & 1) != 0);
  for (std::size_t k = 1; k < records.size(); ++k) federation.take(records[k]);
  federation.expect_service();
  return 0;
}
