// Certificates, checked by FIRM and by the openssl program.
#include <filesystem>

#include "federation/pki/pki_directories.h"
#include "federation/pki/text.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

TEST_F(Pki, OpensslAcceptsCertificates) {
  enrol("argonne");
  EXPECT_EQ(openssl_verify("-purpose sslclient argonne.crt"), 0) << output_;
  EXPECT_EQ(openssl_verify("-purpose sslserver -verify_hostname localhost coordinator.crt"), 0)
      << output_;
  EXPECT_EQ(openssl_verify("-purpose sslserver -verify_ip 127.0.0.1 coordinator.crt"), 0);
  EXPECT_EQ(openssl_verify("-purpose sslserver -verify_ip ::1 coordinator.crt"), 0);
  EXPECT_NE(openssl_verify("-purpose sslserver -verify_hostname other coordinator.crt"), 0);
  EXPECT_NE(openssl_verify("-purpose sslserver argonne.crt"), 0);
  EXPECT_NE(openssl_verify("-purpose sslclient coordinator.crt"), 0);
}

TEST_F(Pki, CertificatesHaveExpectedFields) {
  enrol("argonne");
  ASSERT_EQ(openssl("x509 -noout -text -in ca.crt"), 0);
  for (const char* part : {"Version: 3", "CA:TRUE, pathlen:0", "Basic Constraints: critical",
                           "Certificate Sign, CRL Sign", "ecdsa-with-SHA256", "NIST CURVE: P-256",
                           "Subject Key Identifier", "Not Before: Jan  1 11:00:00 2030",
                           "Not After : Dec 30 12:00:00 2039", "O = FIRM, CN = FIRM study"}) {
    EXPECT_CONTAINS(output_, part);
  }
  ASSERT_EQ(openssl("x509 -noout -text -in coordinator.crt"), 0);
  for (const char* part :
       {"Subject: CN = coordinator", "TLS Web Server Authentication",
        "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1", "CA:FALSE",
        "Authority Key Identifier", "Subject Key Identifier", "Digital Signature"}) {
    EXPECT_CONTAINS(output_, part);
  }
  EXPECT_EQ(output_.find("Client Auth"), std::string::npos);
  ASSERT_EQ(openssl("x509 -noout -text -in argonne.crt"), 0);
  EXPECT_CONTAINS(output_, "Subject: CN = argonne");
  EXPECT_CONTAINS(output_, "TLS Web Client Authentication");
  EXPECT_CONTAINS(output_, "Not After : Jan  1 12:00:00 2031");
  EXPECT_EQ(output_.find("Server Auth"), std::string::npos);
}

TEST_F(Pki, FingerprintsMatchOpenssl) {
  ASSERT_EQ(openssl("x509 -noout -fingerprint -sha256 -in ca.crt"), 0);
  std::string digits;
  for (const char c : output_.substr(output_.find('=') + 1)) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0)
      digits += static_cast<char>(std::tolower(c));
  }
  EXPECT_EQ(made_.ca.fingerprint, digits);
  EXPECT_EQ(made_.ca.fingerprint.size(), 64u);
  ASSERT_EQ(openssl("x509 -noout -pubkey -in ca.crt | openssl pkey -pubin -outform DER | openssl "
                    "dgst -sha256"),
            0);
  EXPECT_CONTAINS(output_, made_.ca.key_fingerprint);
}

TEST_F(Pki, LoadsItsOwnFiles) {
  const Signed made = enrol("argonne");
  const Credentials site = load_site_credentials(site_, "argonne", now_);
  EXPECT_EQ(site.certificate.name, "argonne");
  EXPECT_EQ(site.certificate.purpose, kSite);
  EXPECT_EQ(site.certificate.not_after, now_ + days(365));
  EXPECT_EQ(site.certificate.not_before, now_ - hours(1));
  EXPECT_EQ(site.certificate.fingerprint, made.certificate.fingerprint);
  EXPECT_EQ(site.ca.fingerprint, made_.ca.fingerprint);
  EXPECT_EQ(site.certificate_pem, center("argonne.crt"));
  EXPECT_EQ(site.key_pem.text(), file_content(site_ + "/argonne.key"));

  const Credentials coordinator = load_coordinator_credentials(center_, now_);
  EXPECT_EQ(coordinator.certificate.name, "coordinator");
  EXPECT_EQ(coordinator.certificate.hosts,
            (std::vector<std::string>{"localhost", "127.0.0.1", "::1"}));
  EXPECT_EQ(verify_site(site.certificate_pem, coordinator.ca_pem, now_), "argonne");
  EXPECT_EQ(verify_peer(coordinator.certificate_pem, site.ca_pem, kCoordinator, now_).name,
            "coordinator");
}

// Further certificates in ca.crt must not be trusted.
TEST_F(Pki, TrustsOneAuthorityOnly) {
  AuthorityOptions other;
  other.directory = directory_ / "other";
  make_pki(other, now_);
  write_text_file(center_ + "/ca.crt",
                  center("ca.crt") + file_content(other.directory + "/ca.crt"));
  const std::string pem = load_coordinator_credentials(center_, now_).ca_pem;
  EXPECT_EQ(pem.find("BEGIN", pem.find("BEGIN") + 1), std::string::npos);
}

TEST_F(Pki, RefusesOtherAuthority) {
  enrol("argonne");
  AuthorityOptions other;
  other.directory = directory_ / "other";
  make_pki(other, now_);  // an authority with the same name
  const std::string other_authority = file_content(other.directory + "/ca.crt");
  expect_error(kNetwork, "not signed by this authority",
               [&] { verify_site(center("argonne.crt"), other_authority, now_); });
  copy_into(other.directory + "/ca.crt", site_);
  expect_error(kNetwork, "argonne.crt: signature: expected one by the authority",
               [&] { load_site_credentials(site_, "argonne", now_); });
}

TEST_F(Pki, RefusesCertificatesOutsideTheirValidity) {
  enrol("argonne", 30);
  const std::string pem = center("argonne.crt");
  const std::string ca = center("ca.crt");
  EXPECT_EQ(verify_site(pem, ca, now_ + days(29)), "argonne");
  EXPECT_EQ(verify_site(pem, ca, now_ - hours(1)), "argonne");
  expect_error(kNetwork, "EXPIRED 3 days ago", [&] { verify_site(pem, ca, now_ + days(33)); });
  expect_error(kNetwork, "EXPIRED 0 minutes ago", [&] { verify_site(pem, ca, now_ + days(30)); });
  expect_error(kNetwork, "EXPIRED", [&] { verify_site(pem, ca, now_ + days(4000)); });
  expect_error(kNetwork, "valid in 2 hours", [&] { verify_site(pem, ca, now_ - hours(3)); });
  expect_error(kNetwork, "argonne.crt: validity: expected a certificate that is valid on 2030-03-",
               [&] { load_site_credentials(site_, "argonne", now_ + days(60)); });
  expect_error(kNetwork, "ca.crt: validity",
               [&] { load_coordinator_credentials(center_, now_ + days(3650)); });
}

TEST_F(Pki, NoLeafOutlivesItsAuthority) {
  AuthorityOptions options;
  options.directory = directory_ / "short";
  options.days = 10;
  const AuthorityMade made = make_pki(options, now_);
  EXPECT_EQ(made.ca.not_after, now_ + days(10));
  EXPECT_EQ(made.coordinator.not_after, made.ca.not_after);
  const std::string request = request_certificate(site_, "argonne").request_path;
  const Signed result = sign_request({options.directory, request, "", 365, false}, now_ + days(5));
  EXPECT_TRUE(result.cut_short);
  EXPECT_EQ(result.certificate.not_after, made.ca.not_after);
  expect_error(kNetwork, "EXPIRED 2 days ago", [&] {
    sign_request({options.directory, request, "", 365, false}, now_ + days(12));
  });
}

TEST_F(Pki, RefusesWrongPurpose) {
  enrol("argonne");
  const std::string ca = center("ca.crt");
  expect_error(kNetwork, "expected the coordinator's certificate, found a site's (CN = argonne)",
               [&] { verify_peer(center("argonne.crt"), ca, kCoordinator, now_); });
  expect_error(kNetwork, "expected a site's certificate, found the coordinator's",
               [&] { verify_site(center("coordinator.crt"), ca, now_); });
  expect_error(kNetwork, "found the authority's", [&] { verify_site(ca, ca, now_); });
  expect_error(kNetwork, "expected the authority's certificate, found a site's",
               [&] { verify_site(center("argonne.crt"), center("argonne.crt"), now_); });
  expect_error(kNetwork, "found no PEM text", [&] { verify_site("hello", ca, now_); });
}

// Certificates that the authority's key can sign, but FIRM never does.
TEST_F(Pki, RefusesIllegalSiteNames) {
  const pki::Authority authority = load_authority();
  const pki::PrivateKey key = pki::new_private_key();
  const auto pem = [&](const std::string& name, CertificatePurpose purpose) {
    const pki::Leaf leaf{name, purpose, {}, pki::validity(now_, 10)};
    return pki::to_pem(pki::make_leaf(authority, key.get(), leaf).get());
  };
  const std::string ca = center("ca.crt");
  EXPECT_EQ(verify_site(pem("argonne", kSite), ca, now_), "argonne");
  for (const std::string name : {"coordinator", "../argonne", "a b", "\x1b[2J"}) {
    expect_error(kNetwork, "peer's certificate: subject",
                 [&] { verify_site(pem(name, kSite), ca, now_); });
  }
  expect_error(kNetwork, "CN = coordinator and nothing else",
               [&] { verify_peer(pem("argonne", kCoordinator), ca, kCoordinator, now_); });
}

// A site must not be able to make certificates.
TEST_F(Pki, RefusesCertificateSignedBySite) {
  enrol("argonne");
  const pki::Authority site{pki::read_certificate(center("argonne.crt"), ""),
                            pki::read_private_key(file_content(site_ + "/argonne.key"), "")};
  const pki::PrivateKey key = pki::new_private_key();
  const pki::X509Certificate forged =
      pki::make_leaf(site, key.get(), {"diamond", kSite, {}, pki::validity(now_, 10)});
  const std::string chain = pki::to_pem(forged.get()) + center("argonne.crt");
  expect_error(kNetwork, "not signed by this authority",
               [&] { verify_site(chain, center("ca.crt"), now_); });
}

TEST_F(Pki, NamesMissingFile) {
  const auto load = [&] { load_site_credentials(site_, "argonne", now_); };
  expect_error(kData, "argonne.key: expected the site's private key, found No such file", load);
  expect_error(kData, "firm pki request --dir " + site_ + " --name argonne", load);
  request_certificate(site_, "argonne");
  expect_error(kData, "'firm pki sign' from argonne.csr", load);
  copy_into(sign("argonne").path, site_);
  expect_error(kData, "the coordinator sends it with argonne.crt", load);
  expect_error(kData, "firm pki init --dir " + site_,
               [&] { load_coordinator_credentials(site_, now_); });
  expect_error(kUsage, "expected a site name",
               [&] { load_site_credentials(site_, "../argonne", now_); });
}

TEST_F(Pki, RefusesFilesThatDoNotMatch) {
  enrol("argonne");
  enrol("diamond");
  const auto load = [&] { load_site_credentials(site_, "argonne", now_); };
  const std::string path = site_ + "/argonne.crt";
  const std::string good = file_content(path);
  write_text_file(path, center("diamond.crt"));
  expect_error(kNetwork, "expected the certificate of argonne, found CN = diamond", load);
  write_text_file(path, good);
  load();
  std::filesystem::copy_file(site_ + "/diamond.key", site_ + "/argonne.key",
                             std::filesystem::copy_options::overwrite_existing);
  expect_error(kData, "found that of another key", load);
  write_text_file(path, center("argonne.crt").substr(0, 200));
  expect_error(kData, "argonne.crt: expected a certificate (PEM), found one that is damaged", load);
}

TEST_F(Pki, OnlyOwnerCanReadKeys) {
  enrol("argonne");
  EXPECT_EQ(mode_of(center_), 0700u);
  EXPECT_EQ(mode_of(site_), 0700u);
  for (const std::string& path :
       {center_ + "/ca.key", center_ + "/coordinator.key", site_ + "/argonne.key"}) {
    EXPECT_EQ(mode_of(path), 0600u) << path;
    EXPECT_CONTAINS(file_content(path), "-----BEGIN PRIVATE KEY-----");
    for (const mode_t mode : {0640U, 0604U, 0620U, 0601U}) {
      ASSERT_EQ(::chmod(path.c_str(), mode), 0);
      expect_error(kData, "chmod 600 " + path, [&] { pki::read_secret({path, "a key", ""}); });
    }
  }
  expect_error(kData, "chmod 600", [&] { load_site_credentials(site_, "argonne", now_); });
  expect_error(kData, "chmod 600", [&] { load_coordinator_credentials(center_, now_); });
  expect_error(kData, "chmod 600", [&] { renew_request(site_, "argonne"); });
  expect_error(kData, "ca.key: mode", [&] { sign("argonne"); });
}

TEST_F(Pki, WritesAllFilesOrNone) {
  EXPECT_THROW(pki::write_files({{directory_ / "a", "text"}, {directory_ / "none/b", "text"}}),
               Error);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "a"));
  EXPECT_EQ(directory_.count(), 1u);
}

// Calcium. No file differs from one of the authority by case alone.
TEST_F(Pki, EnrolsSiteCalledCa) {
  const std::string authority = center("ca.crt");
  request_certificate(site_, "Ca");
  const Signed made = sign("Ca@site");
  EXPECT_EQ(made.certificate.name, "Ca");
  copy_into(made.path, site_);
  copy_into(made.ca_path, site_);
  EXPECT_EQ(center("ca.crt"), authority);
  EXPECT_EQ(load_site_credentials(site_, "Ca", now_).certificate.name, "Ca");
  for (const auto& entry : std::filesystem::directory_iterator(site_)) {
    EXPECT_NE(entry.path().stem(), "Ca") << entry.path();
  }
}

TEST(CertificateName, AllowsFewCharacters) {
  for (const std::string name : {"argonne", "APS-2.id", "9_a", "_a", "a", "Ca", "ca"}) {
    EXPECT_TRUE(is_certificate_name(name)) << name;
  }
  EXPECT_TRUE(is_certificate_name(std::string(63, 'a')));
  EXPECT_FALSE(is_certificate_name(std::string(64, 'a')));
  EXPECT_FALSE(is_certificate_name(std::string("a\0b", 3)));
  for (const std::string name : {"", "a b", "a/b", "..", ".a", "-a", "a\n", "\xc3\xa9", "a'b",
                                 "a,b", "coordinator", "Coordinator"}) {
    EXPECT_FALSE(is_certificate_name(name)) << name;
  }
}

TEST(Host, IsNameOrAddress) {
  for (const std::string host : {"localhost", "a.b-c.example", "10.0.0.1", "::1", "2001:db8::7"}) {
    EXPECT_TRUE(pki::is_host(host)) << host;
  }
  for (const std::string host : {"", "a:443", "https://a", "300.1.1.1", "1.2.3", "a..b", "a.", "-a",
                                 "a b", "*.example", "a,DNS:b", "::1%eth0"}) {
    EXPECT_FALSE(pki::is_host(host)) << host;
  }
}

TEST(Validity, IsDescribedInWords) {
  const Instant start = std::chrono::sys_days(std::chrono::year(2030) / 1 / 1);
  const auto text = [&](auto after_start) {
    return pki::validity_text(start, start + days(10), start + after_start);
  };
  EXPECT_EQ(text(-hours(2)), "valid in 2 hours");
  EXPECT_EQ(text(hours(0)), "10 days left");
  EXPECT_EQ(text(days(9) - hours(1)), "1 day left");
  EXPECT_EQ(text(days(10) - std::chrono::minutes(5)), "5 minutes left");
  EXPECT_EQ(text(days(13)), "EXPIRED 3 days ago");
}

}  // namespace
}  // namespace firm
