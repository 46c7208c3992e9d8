// A coordinator that does not add up what the sites send, or not for all of them: every site ends,
// before it uses the sum for results, and says that the coordinator's sum is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "federation/secure/secure_federation.h"

namespace firm {
namespace {

constexpr std::uint64_t kWrongSum = 3;
constexpr const char* kWrong = "the coordinator's sum is wrong";

std::uint32_t word_at(const std::string& words, std::size_t k) {
  std::uint32_t word = 0;
  std::copy_n(words.data() + 4 * k, 4, reinterpret_cast<char*>(&word));
  return word;
}

void set_word(std::string& words, std::size_t k, std::uint32_t word) {
  std::copy_n(reinterpret_cast<const char*>(&word), 4, words.data() + 4 * k);
}

// Alters the total of the sum kWrongSum.
LocalChannel::Change of_total(const std::function<void(v1::Total&)>& change) {
  return [change](v1::CoordinatorMessage& m) {
    if (m.has_total() && m.total().position().exchange() == kWrongSum) change(*m.mutable_total());
  };
}

// Adds to the words that a scale is asked for: the sum after kWrongSum has a new length.
LocalChannel::Change of_scale(int more_bits) {
  return [more_bits](v1::CoordinatorMessage& m) {
    if (!m.has_scale() || m.scale().position().exchange() != kWrongSum + 1) return;
    m.mutable_scale()->set_fraction_bits(m.scale().fraction_bits() + more_bits);
  };
}

// Adds bytes to a field, or removes some.
void resize_by(std::string& bytes, int more) {
  bytes.resize(static_cast<std::size_t>(static_cast<int>(bytes.size()) + more), '\0');
}

// Sends the total of kWrongSum again, before the scale that follows.
LocalChannel::Change twice() {
  return [total = std::optional<v1::Total>()](v1::CoordinatorMessage& m) mutable {
    if (m.has_total() && m.total().position().exchange() == kWrongSum) total = m.total();
    if (m.has_scale() && m.scale().position().exchange() == kWrongSum + 1) {
      *m.mutable_total() = total.value();
    }
  };
}

struct Lie {
  const char* what;
  LocalChannel::Change change;
};

const Lie kLies[] = {
    {"adds 1 to a word",
     of_total([](v1::Total& t) { set_word(*t.mutable_words(), 5, word_at(t.words(), 5) + 1); })},
    {"adds 2^31 to a word", of_total([](v1::Total& t) {
       set_word(*t.mutable_words(), 5, word_at(t.words(), 5) + 0x80000000U);
     })},
    {"swaps two words", of_total([](v1::Total& t) {
       const std::uint32_t first = word_at(t.words(), 2);
       set_word(*t.mutable_words(), 2, word_at(t.words(), 3));
       set_word(*t.mutable_words(), 3, first);
     })},
    {"changes a scalar", of_total([](v1::Total& t) { t.mutable_scalars()->at(0) ^= 1; })},
    {"changes the highest bit of a scalar",
     of_total([](v1::Total& t) { t.mutable_scalars()->at(31) ^= '\x80'; })},
    {"changes the vote", of_total([](v1::Total& t) { t.mutable_scalars()->at(32 + 20) ^= 1; })},
    {"changes a tag", of_total([](v1::Total& t) { t.mutable_scalars()->at(3 * 32) ^= 1; })},
    {"drops a word", of_total([](v1::Total& t) { resize_by(*t.mutable_words(), -4); })},
    {"drops a byte", of_total([](v1::Total& t) { resize_by(*t.mutable_words(), -1); })},
    {"drops a word, and says so", of_total([](v1::Total& t) {
       resize_by(*t.mutable_words(), -4);
       t.set_length(t.length() - 1);
     })},
    {"drops all words", of_total([](v1::Total& t) { t.clear_words(); })},
    {"appends a word", of_total([](v1::Total& t) { resize_by(*t.mutable_words(), 4); })},
    {"appends a word, and says so", of_total([](v1::Total& t) {
       resize_by(*t.mutable_words(), 4);
       t.set_length(t.length() + 1);
     })},
    {"drops a scalar", of_total([](v1::Total& t) { resize_by(*t.mutable_scalars(), -32); })},
    {"appends a scalar", of_total([](v1::Total& t) { resize_by(*t.mutable_scalars(), 32); })},
    {"drops all scalars", of_total([](v1::Total& t) { t.clear_scalars(); })},
    {"moves words", of_total([](v1::Total& t) { t.set_offset(1); })},
    {"promises more words", of_total([](v1::Total& t) { t.set_last(false); })},
    {"names another attempt", of_total([](v1::Total& t) { t.mutable_position()->set_attempt(9); })},
    {"names another sum", of_total([](v1::Total& t) { t.mutable_position()->set_exchange(9); })},
    {"names another try", of_total([](v1::Total& t) { t.mutable_position()->set_try_(1); })},
    {"sends a total twice", twice()},
    {"coarsens a scale", of_scale(-1)},
    {"coarsens a scale much", of_scale(-12)},
    {"refines a scale", of_scale(1)},
    {"sends a scale that no number has", of_scale(1000)},
};

class DishonestCoordinator : public SecureFederation {
 protected:
  // Makes the sums up to the one that is tampered with, then one of a length whose scale is not
  // agreed yet. Sites have different values, and c the largest.
  static void sum_until_caught(const AtSite& at, std::size_t& sums, const std::string& opener) {
    const auto value = static_cast<float>(1 + 3 * at.number);
    for (; sums <= kWrongSum; ++sums) {
      std::vector<float> values(10, value);
      values[2] = 0.5f;
      double scalar = 1;
      at.collective.sum(values, std::span(&scalar, 1));
    }
    std::vector<float> values(11, value);
    if (opener.empty()) {
      at.collective.sum(values, {});
    } else {
      at.collective.sum_for(opener, values);
    }
    at.collective.confirm();
    ++sums;
  }

  // Runs an attempt and expects that every site ends before it has the results.
  void expect_caught(const std::string& opener = "") {
    std::vector<std::size_t> sums(kCount);
    const auto endings =
        attempt([&](const AtSite& at) { sum_until_caught(at, sums[at.number], opener); });
    for (std::size_t i = 0; i < kCount; ++i) {
      SCOPED_TRACE(sites_[i]);
      EXPECT_LE(sums[i], kWrongSum + 1);
      EXPECT_EQ(endings[i].kind, Error::Kind::kNetwork);
      EXPECT_CONTAINS(endings[i].text, kWrong);
    }
  }
  void restart() {
    start();
    changes_.assign(kCount, {});
    changes_sent_.assign(kCount, {});
  }
};

TEST_F(DishonestCoordinator, IsHonestWithoutLies) {
  restart();
  std::vector<std::size_t> sums(kCount);
  good_attempt([&](const AtSite& at) { sum_until_caught(at, sums[at.number], ""); });
  EXPECT_EQ(sums, std::vector<std::size_t>(kCount, kWrongSum + 2));
}

TEST_F(DishonestCoordinator, IsCaughtWhenItLiesToAll) {
  for (const Lie& lie : kLies) {
    SCOPED_TRACE(lie.what);
    restart();
    changes_.assign(kCount, lie.change);
    expect_caught();
  }
}

// The site that received another total finds it, and the others learn it.
TEST_F(DishonestCoordinator, IsCaughtWhenItLiesToOne) {
  for (const Lie& lie : kLies) {
    SCOPED_TRACE(lie.what);
    for (std::size_t deceived = 0; deceived < kCount; ++deceived) {
      restart();
      changes_[deceived] = lie.change;
      expect_caught();
    }
  }
}

// The text has every field that is wrong, and no other.
TEST_F(DishonestCoordinator, LeadsToTextWithEveryWrongField) {
  restart();
  changes_[1] = of_total([](v1::Total& t) {
    t.mutable_position()->set_try_(2);
    resize_by(*t.mutable_scalars(), -32);
  });
  std::vector<std::size_t> sums(kCount);
  const auto endings =
      attempt([&](const AtSite& at) { sum_until_caught(at, sums[at.number], ""); });
  EXPECT_EQ(endings[1].text,
            "the coordinator's sum is wrong: exchange 3 of attempt 1: expected try 0, bytes of "
            "scalars 160, found try 2, bytes of scalars 128");
}

TEST_F(DishonestCoordinator, IsCaughtInSumForOneSite) {
  const Lie in_opened_sum[] = {
      {"adds 1 to a word",
       [](v1::CoordinatorMessage& m) {
         if (!m.has_total() || m.total().position().exchange() != kWrongSum + 1) return;
         set_word(*m.mutable_total()->mutable_words(), 5, word_at(m.total().words(), 5) + 1);
       }},
      {"changes a scalar",
       [](v1::CoordinatorMessage& m) {
         if (!m.has_total() || m.total().position().exchange() != kWrongSum + 1) return;
         m.mutable_total()->mutable_scalars()->at(0) ^= 1;
       }},
      {"coarsens a scale", of_scale(-1)},
      {"refines a scale", of_scale(1)}};
  for (const Lie& lie : in_opened_sum) {
    SCOPED_TRACE(lie.what);
    restart();
    changes_.assign(kCount, lie.change);
    expect_caught("c");
    for (std::size_t deceived = 0; deceived < kCount; ++deceived) {
      restart();
      changes_[deceived] = lie.change;
      expect_caught("c");
    }
  }
}

// ---- what arrives at the coordinator -----------------------------------------------------------

bool is_share_of(const v1::SiteMessage& m, std::uint64_t exchange) {
  return m.has_share() && m.share().position().exchange() == exchange;
}

TEST_F(DishonestCoordinator, IsCaughtWhenItDropsWordsOfSite) {
  for (std::size_t dropped = 0; dropped < kCount; ++dropped) {
    for (const bool scalars : {false, true}) {
      restart();
      changes_sent_[dropped] = [scalars](v1::SiteMessage& m) {
        if (!is_share_of(m, kWrongSum)) return;
        v1::Share& share = *m.mutable_share();
        share.set_words(std::string(share.words().size(), '\0'));
        if (scalars) share.set_scalars(std::string(share.scalars().size(), '\0'));
      };
      expect_caught();
    }
  }
}

// The words of the sum before, of one site or of all, or the whole total.
TEST_F(DishonestCoordinator, IsCaughtWhenItReplaysOldWords) {
  std::vector<std::string> old(kCount);
  const auto replay = [&](std::size_t i) {
    return [&words = old[i]](v1::SiteMessage& m) {
      if (is_share_of(m, kWrongSum - 1)) words = m.share().words();
      if (is_share_of(m, kWrongSum)) m.mutable_share()->set_words(words);
    };
  };
  restart();
  changes_sent_[1] = replay(1);
  expect_caught();
  restart();
  for (std::size_t i = 0; i < kCount; ++i) changes_sent_[i] = replay(i);
  expect_caught();
  restart();
  std::vector<v1::Total> totals(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    changes_[i] = [&total = totals[i]](v1::CoordinatorMessage& m) {
      if (!m.has_total()) return;
      if (m.total().position().exchange() == kWrongSum - 1) total = m.total();
      if (m.total().position().exchange() != kWrongSum) return;
      m.mutable_total()->set_words(total.words());
      m.mutable_total()->set_scalars(total.scalars());
    };
  }
  expect_caught();
}

// A site that needs no other scale is told to use a coarser one, which no site has asked for.
TEST_F(DishonestCoordinator, IsCaughtWhenItInventsScale) {
  restart();
  for (std::size_t i = 0; i < kCount; ++i) {
    changes_sent_[i] = [i](v1::SiteMessage& m) {
      if (!is_share_of(m, kWrongSum) || m.share().position().try_() > 0 || i != 1) return;
      v1::Range range;
      *range.mutable_position() = m.share().position();
      range.set_exponent(3);  // of site c; the scale has room for more
      range.set_length(m.share().length());
      *m.mutable_range() = range;
    };
  }
  expect_caught();
}

// ---- different sums before a checkpoint --------------------------------------------------------

// A sum for one site is noise to the others, which cannot check it. If they receive other noise,
// masks of the next sum do not cancel: the last, empty sum finds it.
TEST_F(DishonestCoordinator, IsCaughtAtLastSumWhenItLiesToSitesThatCannotOpenIt) {
  const auto work = [&](const AtSite& at) {
    std::vector<float> values(10, 1.0f);
    at.collective.sum(values, {});
    at.collective.sum_for("b", values);
    at.collective.confirm();
  };
  restart();
  good_attempt(work);
  changes_[2] = [](v1::CoordinatorMessage& m) {
    if (!m.has_total() || m.total().position().exchange() != 1) return;
    m.mutable_total()->mutable_words()->at(5) ^= 1;
  };
  for (const Ending& ending : attempt(work)) {
    EXPECT_EQ(ending.kind, Error::Kind::kNetwork);
    EXPECT_CONTAINS(ending.text, kWrong);
  }
}

// The chain in a checkpoint differs from that of the other sites.
TEST_F(DishonestCoordinator, IsCaughtBeforeAttemptResumes) {
  const auto sum_and_keep = [&](const AtSite& at) {
    std::vector<float> values(10, 1.0f);
    at.collective.sum(values, {});
    totals_[at.number] = at.exchange.totals();
  };
  for (std::size_t deceived = 0; deceived < kCount; ++deceived) {
    restart();
    totals_.assign(kCount, {});
    for (int turn = 0; turn < 2; ++turn) good_attempt(sum_and_keep);
    totals_[deceived].add(std::string(SumChain::kDigits, '1'));
    std::vector<int> summed(kCount);
    const auto endings = attempt([&](const AtSite& at) {
      at.collective.confirm();
      summed[at.number] = 1;
    });
    EXPECT_EQ(summed, std::vector<int>(kCount));
    // All sites compare their chain with that of a. One that differs ends, and so do the others.
    for (const Ending& ending : endings) {
      EXPECT_EQ(ending.kind, Error::Kind::kNetwork);
      EXPECT_CONTAINS(ending.text, kWrong);
    }
    EXPECT_CONTAINS(endings[deceived == 0 ? 1 : deceived].text,
                    "site a: expected a site that has received the same sums so far");
  }
}

// Before any sum the coordinator cannot have lied: the first site is to blame, and the others wait
// for a better attempt.
TEST_F(DishonestCoordinator, IsNotBlamedForChainBeforeFirstSum) {
  restart();
  totals_.assign(kCount, {});
  totals_[0].add(std::string(SumChain::kDigits, '1'));
  for (const Ending& ending : attempt([](const AtSite& at) { at.collective.confirm(); })) {
    EXPECT_NE(ending.text, "");
    EXPECT_FALSE(ending.wrong_sum) << ending.text;
  }
}

// ---- without masks -----------------------------------------------------------------------------

// Without a group key there are no tags. The votes show a share that was left out by mistake.
TEST_F(DishonestCoordinator, IsCaughtWithoutMasksWhenItLeavesOutShare) {
  start(false);
  changes_sent_[1] = [](v1::SiteMessage& m) {
    if (!is_share_of(m, kWrongSum)) return;
    m.mutable_share()->set_scalars(std::string(m.share().scalars().size(), '\0'));
  };
  expect_caught();
}

}  // namespace
}  // namespace firm
