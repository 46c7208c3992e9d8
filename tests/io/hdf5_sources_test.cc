// HDF5 files that refer to other files of this machine.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "firm/error.h"
#include "io/hdf5_variants.h"
#include "io/inspect/inspect.h"
#include "support/scan_files.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

class Hdf5Sources : public ::testing::Test {
 protected:
  static std::vector<double> counting() {
    std::vector<double> values(kAngles * kSlices * kBeamlets);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
    return values;
  }
  // A file with frames in /data, which another file can refer to.
  void put_source(const std::string& path) {
    Hdf5Variant file(path);
    file.numbers("/data", {kAngles, kSlices, kBeamlets}, counting(), {});
    file.numbers("/group/theta", {kAngles}, {0, 45, 90, 135}, {});
  }
  // A file of Data Exchange whose data is made by `make`.
  template <typename Make>
  std::string scan_with(const Make& make) {
    const std::string path = directory_ / "scan.h5";
    Hdf5Variant file(path);
    file.numbers("/exchange/theta", {kAngles}, {0, 45, 90, 135}, {});
    make(file);
    return path;
  }
  void expect_refused(const std::string& path, const std::string& part,
                      const ScanRequest& request = {}) {
    const std::string text = error_of([&] { open_scan(path, request); });
    EXPECT_CONTAINS(text, "scan.h5: /exchange/");
    EXPECT_CONTAINS(text, part);
    EXPECT_CONTAINS(text, "docs/formats.md");
    EXPECT_CONTAINS(error_of([&] { inspect_file(path, request); }), part);
  }

  static constexpr ScanRequest kAllowed{.external_files = true};
  TemporaryDirectory directory_;
};

TEST_F(Hdf5Sources, RefusesExternalLink) {
  put_source(directory_ / "other.h5");
  for (const std::string& target : {std::string("other.h5"), directory_ / "other.h5"}) {
    const std::string path =
        scan_with([&](Hdf5Variant& f) { f.external_link("/exchange/data", target, "/data"); });
    expect_refused(path, "found an external link to /data in " + target);
    expect_counted(*open_scan(path, kAllowed).data);
  }
}

TEST_F(Hdf5Sources, RefusesExternalLinkOfGroupAndBehindSoftLink) {
  put_source(directory_ / "other.h5");
  const std::string by_group = directory_ / "scan.h5";
  {
    Hdf5Variant other(directory_ / "frames.h5");
    other.numbers("/e/data", {kAngles, kSlices, kBeamlets}, counting(), {});
    other.numbers("/e/theta", {kAngles}, {0, 45, 90, 135}, {});
  }
  {
    Hdf5Variant file(by_group);
    file.external_link("/exchange", "frames.h5", "/e");
  }
  expect_refused(by_group, "found an external link to /e in frames.h5");
  expect_counted(*open_scan(by_group, kAllowed).data);
  const std::string soft = scan_with([&](Hdf5Variant& f) {
    f.external_link("/exchange/hidden", "other.h5", "/data");
    f.soft_link("/exchange/data", "/exchange/hidden");
  });
  expect_refused(soft, "found an external link to /data in other.h5");
}

TEST_F(Hdf5Sources, RefusesFilesBeyondFolder) {
  std::filesystem::create_directory(directory_ / "inner");
  put_source(directory_ / "other.h5");
  std::filesystem::create_symlink(directory_ / "other.h5", directory_ / "inner/link.h5");
  for (const std::string target : {"../other.h5", "link.h5", "/etc/passwd"}) {
    const std::string path = directory_ / "inner/scan.h5";
    {
      Hdf5Variant file(path);
      file.numbers("/exchange/theta", {kAngles}, {0, 45, 90, 135}, {});
      file.external_link("/exchange/data", target, "/data");
    }
    expect_refused(path, "an external link to /data in " + target, kAllowed);
  }
}

// A link to a pipe would wait for ever.
TEST_F(Hdf5Sources, RefusesPipe) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe.h5").c_str(), 0600), 0);
  const std::string path =
      scan_with([&](Hdf5Variant& f) { f.external_link("/exchange/data", "pipe.h5", "/data"); });
  expect_refused(path, "an external link to /data in pipe.h5", kAllowed);
}

TEST_F(Hdf5Sources, RefusesExternalStorage) {
  for (const ScanRequest& request : {ScanRequest{}, kAllowed}) {
    const std::string path = scan_with([&](Hdf5Variant& f) {
      f.stored_in("/exchange/data", {kAngles, kSlices, kBeamlets}, "/etc/passwd");
    });
    expect_refused(
        path, "expected all data in this file, found values in another file, /etc/passwd", request);
  }
}

TEST_F(Hdf5Sources, RefusesVirtualDataset) {
  put_source(directory_ / "other.h5");
  const auto made_of = [&](const std::string& source) {
    return scan_with([&](Hdf5Variant& f) {
      f.made_of("/exchange/data", {kAngles, kSlices, kBeamlets}, {source}, kAngles);
    });
  };
  const std::string path = made_of("other.h5");
  expect_refused(path, "found a virtual dataset made of /data in other.h5");
  expect_counted(*open_scan(path, kAllowed).data);
  expect_refused(made_of("../other.h5"), "made of /data in ../other.h5", kAllowed);
}

// The source is allowed, but keeps its values elsewhere.
TEST_F(Hdf5Sources, ChecksSourcesOfVirtualDatasets) {
  {
    Hdf5Variant other(directory_ / "other.h5");
    other.stored_in("/data", {kAngles, kSlices, kBeamlets}, "/etc/passwd");
  }
  const std::string path = scan_with([&](Hdf5Variant& f) {
    f.made_of("/exchange/data", {kAngles, kSlices, kBeamlets}, {"other.h5"}, kAngles);
  });
  const std::string text = error_of([&] { open_scan(path, kAllowed); });
  EXPECT_CONTAINS(text, "other.h5: /data: expected all data in this file, found values in another");
}

// The library takes names that it denies to exist.
TEST_F(Hdf5Sources, ChecksOwnSourcesOfUnusualNames) {
  const h5::Shape shape = {kAngles, kSlices, kBeamlets};
  for (const std::string name : {"./d0", "/./d0", "d%b"}) {
    const std::string path = scan_with([&](Hdf5Variant& f) {
      f.stored_in("/d0", shape, "/etc/passwd");
      if (name == "d%b") {
        f.made_of_pattern("/exchange/data", shape, name);
      } else {
        f.made_of_own("/exchange/data", shape, {name});
      }
    });
    try {
      open_scan(path, {});
      ADD_FAILURE() << name << " is read";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::kData);
      const std::string text = e.what();
      EXPECT_CONTAINS(text, "scan.h5: ");
      EXPECT_CONTAINS(text, name == "d%b" ? "a virtual dataset made of d%b in ."
                                          : "values in another file, /etc/passwd");
    }
  }
}

// "." is the file with the virtual dataset, not that with the link to it.
TEST_F(Hdf5Sources, ChecksOwnSourcesBehindExternalLink) {
  const h5::Shape shape = {kAngles, kSlices, kBeamlets};
  {
    Hdf5Variant other(directory_ / "other.h5");
    other.stored_in("/d0", shape, "/etc/passwd");
    other.made_of_own("/data", shape, {"/d0"});
  }
  const std::string path =
      scan_with([&](Hdf5Variant& f) { f.external_link("/exchange/data", "other.h5", "/data"); });
  const std::string text = error_of([&] { open_scan(path, kAllowed); });
  EXPECT_CONTAINS(text, "other.h5: /d0: expected all data in this file, found values in another");
}

TEST_F(Hdf5Sources, LimitsLevelsOfVirtualDatasets) {
  const h5::Shape shape = {kAngles, kSlices, kBeamlets};
  // Datasets of which each is made of the one before it, and one made of all of them.
  const auto nested = [&](std::size_t count) {
    return scan_with([&](Hdf5Variant& f) {
      f.numbers("/data", shape, counting(), {});
      std::vector<std::string> names;
      for (std::size_t k = 1; k <= count; ++k) {
        const std::string name = "/v" + std::to_string(k);
        f.made_of_own(name, shape, {names.empty() ? "/data" : names.back()});
        names.push_back(name);
      }
      f.made_of_own("/exchange/data", shape, names);
    });
  };
  EXPECT_EQ(open_scan(nested(3)).data->frames(), kAngles);
  const std::string limit = "virtual datasets within each other 4 times at most";
  EXPECT_CONTAINS(error_of([&] { open_scan(nested(4)); }), limit);
  const std::string loop = scan_with(
      [&](Hdf5Variant& f) { f.made_of_own("/exchange/data", shape, {"/exchange/data"}); });
  EXPECT_CONTAINS(error_of([&] { open_scan(loop); }), limit);
}

TEST_F(Hdf5Sources, ReadsVirtualDatasetOfOwnFile) {
  const std::string path = scan_with([&](Hdf5Variant& f) {
    f.numbers("/data", {kAngles, kSlices, kBeamlets}, counting(), {});
    f.made_of("/exchange/data", {kAngles, kSlices, kBeamlets}, {"."}, kAngles);
  });
  expect_counted(*open_scan(path).data);
}

// Without values, a virtual dataset can claim any size.
TEST_F(Hdf5Sources, RefusesVirtualDatasetOfHugeShape) {
  const std::string path = scan_with([&](Hdf5Variant& f) {
    f.numbers("/data", {kAngles, kSlices, kBeamlets}, counting(), {});
    f.made_of("/exchange/data", {std::size_t{1} << 40, kSlices, kBeamlets}, {"."}, kAngles);
  });
  EXPECT_CONTAINS(error_of([&] { open_scan(path); }), "no more values than the file has room for");
}

}  // namespace
}  // namespace firm
