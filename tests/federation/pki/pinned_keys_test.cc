#include "federation/pki/pinned_keys.h"

#include "federation/pki/pki_directories.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

const std::string kFirst(64, 'a');
const std::string kSecond(64, 'b');

const std::string kStudy =
    "# made by hand\n"
    "[study]\n"
    "name = \"a study\"   # key = \"not this\"\n"
    "\n"
    "[image]\n"
    "rows = 4\ncolumns = 4\nslices = 1\n"
    "pixel_size = \"1 um\"\n"
    "\n"
    "[[site]]   # the first\n"
    "  kind = \"xrf\"\n"
    "  name = \"xrf-1\"  # its name\n"
    "  data = \"a.h5\"\n"
    "  coefficient = 2.5\n"
    "\n"
    "# before the second\n"
    "[[site]]\n"
    "name = \"xrt\"\n"
    "kind = \"xrt\"\n"
    "data = \"b.h5\"";

TEST(PinnedKeys, KeepsCommentsAndLayout) {
  const std::string once = with_keys(kStudy, "s.toml", {{"xrf-1", kFirst}, {"xrt", kSecond}});
  std::string expected = kStudy;
  expected.insert(expected.find("  data = \"a.h5\""),
                  "  key = \"" + kFirst + "\"  # of its certificate\n");
  expected.insert(expected.find("kind = \"xrt\""),
                  "key = \"" + kSecond + "\"  # of its certificate\n");
  EXPECT_EQ(once, expected);
  EXPECT_EQ(with_keys(once, "s.toml", {{"xrf-1", kFirst}, {"xrt", kSecond}}), once);
  const std::string other = with_keys(once, "s.toml", {{"xrf-1", kSecond}});
  EXPECT_EQ(parse_study(other, "s.toml").sites[0].key, kSecond);
  EXPECT_EQ(other.size(), once.size());
}

TEST(PinnedKeys, KeepsLineEndsOfWindows) {
  std::string text;
  for (const char c : kStudy) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string pinned = with_keys(text, "s.toml", {{"xrf-1", kFirst}});
  EXPECT_EQ(parse_study(pinned, "s.toml").sites[0].key, kFirst);
  EXPECT_CONTAINS(pinned, kFirst + "\"  # of its certificate\r\n");
}

TEST(PinnedKeys, RefusesWhatItCannotEdit) {
  EXPECT_CONTAINS(error_of([] {
                    with_keys(kStudy, "s.toml", {{"xrf-2", kFirst}});
                  }),
                  "s.toml: [[site]]: expected a site with the name \"xrf-2\", found xrf-1, xrt");
  std::string text = kStudy;
  // A line of a text that looks like a key.
  text.insert(text.find("# before"), "monitor = \"\"\"x\nkey = 1\n\"\"\"\n");
  EXPECT_CONTAINS(error_of([&] {
                    with_keys(text, "s.toml", {{"xrf-1", kFirst}});
                  }),
                  "write key = \"...\" for each site by hand");
  const std::string head = kStudy.substr(0, kStudy.find("[[site]]"));
  const std::string arrays = "site = [ { name = \"xrt\", kind = \"xrt\", data = \"b.h5\" } ]\n";
  std::string in_line = arrays + head;
  in_line.insert(in_line.find("name = \"a study\""), "other = true\n");
  EXPECT_CONTAINS(error_of([&] { with_keys(in_line, "s.toml", {{"xrt", kFirst}}); }), "by hand");
}

class PinnedStudyFile : public Pki {
 protected:
  const std::string study_ = directory_ / "study.toml";
};

TEST_F(PinnedStudyFile, TakesKeysSignedLast) {
  write_text_file(study_, kStudy);
  const std::string first = enrol("xrf-1").certificate.key_fingerprint;
  PinnedStudy pinned = pin_keys(study_, center_);
  EXPECT_EQ(pinned.changed, (std::vector<std::string>{"xrf-1"}));
  EXPECT_EQ(pinned.unknown, (std::vector<std::string>{"xrt"}));
  EXPECT_EQ(read_study(study_).sites[0].key, first);
  EXPECT_EQ(sites_without_key(read_study(study_)), (std::vector<std::string>{"xrt"}));
  EXPECT_CONTAINS(warn_unpinned(read_study(study_)), "the study names no key for xrt: ");

  enrol("xrt");
  pinned = pin_keys(study_, center_);
  EXPECT_EQ(pinned.changed, (std::vector<std::string>{"xrt"}));
  EXPECT_TRUE(pinned.unknown.empty());
  EXPECT_EQ(warn_unpinned(read_study(study_)), "");
  EXPECT_TRUE(pin_keys(study_, center_).changed.empty());
}

}  // namespace
}  // namespace firm
