// Certificate directories of an authority and a site, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "federation/pki/authority.h"
#include "federation/pki/certificates.h"
#include "federation/pki/issue.h"
#include "federation/pki/key_files.h"
#include "firm/error.h"
#include "support/temporary_directory.h"

namespace firm {

using std::chrono::days;
using std::chrono::hours;

inline unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
}

inline void copy_into(const std::string& file, const std::string& directory) {
  const auto name = std::filesystem::path(file).filename();
  std::filesystem::copy_file(file, directory / name,
                             std::filesystem::copy_options::overwrite_existing);
}

// Kind and text of the error that `action` throws.
template <typename Action>
void expect_error(Error::Kind kind, const std::string& part, const Action& action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_CONTAINS(std::string(e.what()), part);
  }
}

inline constexpr auto kUsage = Error::Kind::kUsage;
inline constexpr auto kData = Error::Kind::kData;
inline constexpr auto kNetwork = Error::Kind::kNetwork;
inline constexpr auto kSite = CertificatePurpose::kSite;
inline constexpr auto kCoordinator = CertificatePurpose::kCoordinator;

// The directories of a coordinator and a site.
class Pki : public ::testing::Test {
 protected:
  Pki() {
    AuthorityOptions options;
    options.directory = center_;
    made_ = make_pki(options, now_);
  }

  Signed sign(const std::string& name, int number_of_days = kLeafDays) {
    SignOptions options;
    options.directory = center_;
    options.request = site_ + "/" + name + ".csr";
    options.days = number_of_days;
    return sign_request(options, now_);
  }

  // Makes a request, signs it, and copies the certificates back to the site.
  Signed enrol(const std::string& name, int number_of_days = kLeafDays) {
    request_certificate(site_, name);
    Signed result = sign(name, number_of_days);
    copy_into(result.path, site_);
    copy_into(result.ca_path, site_);
    return result;
  }

  // Runs the openssl program in the coordinator's directory; returns its exit code and keeps its
  // output in output_.
  int openssl(const std::string& arguments) {
    const std::string out = directory_ / "openssl.txt";
    const int code = std::system(
        fmt::format("cd '{}' && openssl {} >'{}' 2>&1", center_, arguments, out).c_str());
    output_ = file_content(out);
    return code;
  }

  int openssl_verify(const std::string& arguments) {
    return openssl(fmt::format("verify -x509_strict -attime {} -CAfile ca.crt {}",
                               now_.time_since_epoch().count(), arguments));
  }

  std::string center(const std::string& name) const { return file_content(center_ + "/" + name); }

  pki::Authority load_authority() const {
    return {pki::read_certificate(center("ca.crt"), "ca.crt"),
            pki::read_private_key(center("ca.key"), "ca.key")};
  }

  TemporaryDirectory directory_;
  const std::string center_ = directory_ / "center";
  const std::string site_ = directory_ / "site";
  const Instant now_ = std::chrono::sys_days(std::chrono::year(2030) / 1 / 1) + hours(12);
  AuthorityMade made_;
  std::string output_;
};

}  // namespace firm
