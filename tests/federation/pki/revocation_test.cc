#include "federation/pki/revocation.h"

#include <algorithm>

#include "federation/pki/describe.h"
#include "federation/pki/pki_directories.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

class Revocation : public Pki {
 protected:
  Revoked revoke(const std::string& who, Instant now, int number_of_days = kListDays) {
    return revoke_certificates({center_, who, number_of_days}, now);
  }
  CertificateFacts facts(const std::string& site) const {
    return load_site_credentials(site_, site, now_).certificate;
  }
  std::string ca() const { return center("ca.crt"); }
  std::string list_file() const { return center_ + "/ca.crl"; }
  std::string memory() const { return directory_ / "number"; }
};

TEST_F(Revocation, ListsNameAndSerialNumber) {
  enrol("argonne");
  enrol("berkeley");
  enrol("chicago");
  RevocationCheck check(center_, ca());
  EXPECT_FALSE(check.list(now_));
  check.check(facts("argonne"), "peer", now_);

  EXPECT_EQ(revoke("argonne", now_).added.size(), 1u);
  expect_error(kNetwork,
               "peer: expected a certificate that is not revoked, found the certificate of argonne",
               [&] { check.check(facts("argonne"), "peer", now_); });
  check.check(facts("berkeley"), "peer", now_);

  revoke(facts("berkeley").serial, now_ + hours(1));
  expect_error(kNetwork, "revoked on 2030-01-01 13:00 UTC",
               [&] { check.check(facts("berkeley"), "peer", now_ + hours(1)); });
  expect_error(kNetwork, "of argonne", [&] { check.check(facts("argonne"), "peer", now_); });
  check.check(facts("chicago"), "peer", now_);
  EXPECT_EQ(check.list(now_)->revoked.size(), 2u);
  EXPECT_TRUE(revoke("argonne", now_ + hours(2)).added.empty());
  expect_error(kUsage, "name or the serial number 'nobody', found none",
               [&] { revoke("nobody", now_); });
}

// A new key for the same name is good: certificates are revoked by number.
TEST_F(Revocation, LeavesLaterCertificatesOfTheName) {
  enrol("argonne");
  revoke("argonne", now_);
  std::filesystem::remove(site_ + "/argonne.key");
  request_certificate(site_, "argonne");
  SignOptions options;
  options.directory = center_;
  options.request = site_ + "/argonne.csr";
  options.replace = true;
  copy_into(sign_request(options, now_).path, site_);
  RevocationCheck check(center_, ca());
  check.check(facts("argonne"), "peer", now_);
}

TEST_F(Revocation, OpensslAgrees) {
  enrol("argonne");
  enrol("berkeley");
  revoke("argonne", now_);
  EXPECT_EQ(openssl("crl -in ca.crl -CAfile ca.crt -noout -text"), 0) << output_;
  EXPECT_CONTAINS(output_, "verify OK");
  EXPECT_CONTAINS(output_, "X509v3 CRL Number");
  EXPECT_EQ(openssl_verify("-crl_check -CRLfile ca.crl berkeley.crt"), 0) << output_;
  EXPECT_NE(openssl_verify("-crl_check -CRLfile ca.crl argonne.crt"), 0);
  EXPECT_CONTAINS(output_, "certificate revoked");
}

TEST_F(Revocation, RefusesExpiredAndForeignLists) {
  enrol("argonne");
  revoke("argonne", now_, 10);
  RevocationCheck check(center_, ca());
  check.list(now_ + days(9));
  expect_error(kData, "firm pki revoke --dir DIR makes a new one",
               [&] { check.list(now_ + days(10)); });
  expect_error(kData, "check the clock", [&] { check.list(now_ - days(1)); });

  AuthorityOptions other;
  other.directory = directory_ / "other";
  make_pki(other, now_);
  revoke_certificates({other.directory, ""}, now_);
  RevocationCheck foreign(other.directory, ca());
  expect_error(kData, "expected one by the authority in ca.crt", [&] { foreign.list(now_); });

  std::string text = file_content(list_file());
  text[text.size() / 2] = text[text.size() / 2] == 'A' ? 'B' : 'A';
  write_text_file(list_file(), text);
  expect_error(kData, "ca.crl: ", [&] { RevocationCheck(center_, ca()).list(now_); });
  write_text_file(list_file(), "nothing");
  expect_error(kData, "expected a revocation list (PEM)",
               [&] { RevocationCheck(center_, ca()).list(now_); });
}

TEST_F(Revocation, NeverGoesBack) {
  revoke("", now_);
  const std::string old = file_content(list_file());
  enrol("argonne");
  revoke("argonne", now_ + hours(1));
  const std::string next = file_content(list_file());
  {
    RevocationCheck check(center_, ca(), memory());
    check.list(now_);
    write_text_file(list_file(), old);
    expect_error(kData, "an older list; get the newest one", [&] { check.list(now_); });
  }
  RevocationCheck later(center_, ca(), memory());
  expect_error(kData, "an older list", [&] { later.list(now_); });
  std::filesystem::remove(list_file());
  expect_error(kData, "found no file; get it from the authority again", [&] { later.list(now_); });
  write_text_file(list_file(), next);
  EXPECT_TRUE(later.list(now_));
  write_text_file(memory(), "x\n");
  expect_error(kData, "the number of a revocation list",
               [&] { RevocationCheck(center_, ca(), memory()); });
}

// Also when the last list was lost.
TEST_F(Revocation, NumbersGrow) {
  const std::uint64_t first = revoke("", now_).list.number;
  const std::uint64_t second = revoke("", now_).list.number;
  EXPECT_GT(second, first);
  std::filesystem::remove(list_file());
  EXPECT_GT(revoke("", now_ + hours(1)).list.number, second);
}

TEST_F(Revocation, IsShown) {
  enrol("argonne");
  revoke("argonne", now_);
  const std::vector<FactRow> rows = describe_certificate_file(list_file(), now_);
  const auto row = [&](const std::string& name) {
    const auto found = std::ranges::find(rows, name, &FactRow::name);
    return found == rows.end() ? "" : found->value;
  };
  EXPECT_EQ(row("kind"), "revocation list");
  EXPECT_CONTAINS(row("valid until"), "180 days left");
  EXPECT_EQ(row("revoked"), facts("argonne").serial + " on 2030-01-01 12:00 UTC");
  const std::vector<std::string> files = certificate_files(center_);
  EXPECT_NE(std::ranges::find(files, list_file()), files.end());
}

}  // namespace
}  // namespace firm
