// Certificate requests: signing, renewal and replaced keys.
#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "federation/pki/pki_directories.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

TEST_F(Pki, RenewsWithSameKey) {
  const Signed first = enrol("argonne");
  const std::string key = file_content(site_ + "/argonne.key");
  const SiteRequest request = renew_request(site_, "argonne");
  EXPECT_EQ(file_content(site_ + "/argonne.key"), key);
  EXPECT_EQ(request.key_fingerprint, first.certificate.key_fingerprint);
  const Signed second = sign("argonne", 400);
  EXPECT_FALSE(second.replaced.has_value());
  EXPECT_EQ(second.certificate.key_fingerprint, first.certificate.key_fingerprint);
  EXPECT_NE(second.certificate.serial, first.certificate.serial);
  copy_into(second.path, site_);
  EXPECT_EQ(load_site_credentials(site_, "argonne", now_ + days(399)).certificate.serial,
            second.certificate.serial);
  expect_error(kData, "without --renew one is made", [&] { renew_request(site_, "diamond"); });
}

TEST_F(Pki, RefusesTamperedRequest) {
  request_certificate(site_, "argonne");
  const std::string path = site_ + "/argonne.csr";
  const pki::X509Request request = pki::read_request(file_content(path), path);
  // Changes the name but not the signature.
  const pki::X509Request other = pki::make_request(pki::new_private_key().get(), "diamond");
  X509_REQ_set_subject_name(request.get(), X509_REQ_get_subject_name(other.get()));
  write_text_file(path, pki::to_pem(request.get()));
  expect_error(kData, "argonne.csr: signature: expected one by the request's own key",
               [&] { sign("argonne"); });
  EXPECT_EQ(issued_certificates(center_).size(), 1u);
}

TEST_F(Pki, UsesOnlyKeyAndNameOfRequest) {
  std::filesystem::create_directory(site_);
  const auto request = [&](const std::string& arguments) {
    ASSERT_EQ(openssl(fmt::format("req -new -nodes -keyout /dev/null -out '{}/x.csr' {}", site_,
                                  arguments)),
              0)
        << output_;
  };
  const std::string p256 = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 ";
  request(p256 + "-subj /O=Lab/CN=x");
  expect_error(kData, "x.csr: subject: expected nothing but CN", [&] { sign("x"); });
  request(p256 + "-subj /CN=x/CN=y");
  expect_error(kData, "subject", [&] { sign("x"); });
  request(p256 + "-subj /CN=coordinator");
  expect_error(kData, "found CN = coordinator", [&] { sign("x"); });
  request("-newkey rsa:2048 -subj /CN=x");
  expect_error(kData, "x.csr: key: expected ECDSA P-256, found RSA, 2048 bits", [&] { sign("x"); });
  request("-newkey ec -pkeyopt ec_paramgen_curve:P-384 -subj /CN=x");
  expect_error(kData, "expected ECDSA P-256, found EC, 384 bits", [&] { sign("x"); });
  request(p256 +
          "-subj /CN=x -addext basicConstraints=critical,CA:TRUE "
          "-addext extendedKeyUsage=serverAuth -addext subjectAltName=DNS:localhost");
  const CertificateFacts facts = sign("x").certificate;
  EXPECT_EQ(facts.purpose, kSite);
  EXPECT_TRUE(facts.hosts.empty());
}

TEST_F(Pki, RecordsReplacedKeys) {
  const std::string first = enrol("argonne").certificate.key_fingerprint;
  const std::string old = file_content(site_ + "/argonne.csr");
  std::filesystem::remove(site_ + "/argonne.key");
  request_certificate(site_, "argonne");
  expect_error(kData, "found another", [&] { sign("argonne"); });
  SignOptions options{center_, site_ + "/argonne.csr", "", kLeafDays, true};
  const Signed second = sign_request(options, now_);
  ASSERT_TRUE(second.replaced.has_value());
  EXPECT_EQ(second.replaced->key_fingerprint, first);
  EXPECT_EQ(last_issued(center_, "argonne")->key_fingerprint, second.certificate.key_fingerprint);
  EXPECT_FALSE(sign("argonne").replaced.has_value());
  write_text_file(options.request, old);  // The old key is not accepted again without --replace.
  expect_error(kData, "found another", [&] { sign("argonne"); });
}

TEST_F(Pki, NeedsListOfIssuedCertificates) {
  request_certificate(site_, "argonne");
  write_text_file(center_ + "/issued.jsonl", center("issued.jsonl") + "{\"name\": 3}\n");
  expect_error(kData, "issued.jsonl: line 2", [&] { sign("argonne"); });
  std::filesystem::remove(center_ + "/issued.jsonl");
  expect_error(kData, "expected the list of issued certificates", [&] { sign("argonne"); });
  EXPECT_FALSE(std::filesystem::exists(center_ + "/argonne.crt"));
}

TEST_F(Pki, SignsConcurrently) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) {
    const std::string name = fmt::format("site-{}", k);
    request_certificate(site_, name);
    threads.emplace_back([this, name] { sign(name); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(issued_certificates(center_).size(), 9u);
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(verify_site(center(fmt::format("site-{}.crt", k)), center("ca.crt"), now_),
              fmt::format("site-{}", k));
  }
}

TEST_F(Pki, SignsAndVerifiesBytes) {
  const Credentials c = load_coordinator_credentials(center_, now_);
  std::vector<std::byte> bytes(40, std::byte{7});
  const std::vector<std::byte> signature = sign_bytes(bytes, c.key_pem);
  EXPECT_TRUE(verify_signature(bytes, signature, c.certificate_pem));
  EXPECT_FALSE(verify_signature(bytes, signature, c.ca_pem));
  EXPECT_FALSE(verify_signature(bytes, {}, c.certificate_pem));
  EXPECT_FALSE(verify_signature(std::span(bytes).first(39), signature, c.certificate_pem));
  const auto flipped = [](std::vector<std::byte> data, std::size_t bit) {
    data[bit / 8] ^= std::byte{1} << (bit % 8);
    return data;
  };
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    EXPECT_FALSE(verify_signature(flipped(bytes, bit), signature, c.certificate_pem)) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * signature.size(); ++bit) {
    EXPECT_FALSE(verify_signature(bytes, flipped(signature, bit), c.certificate_pem)) << bit;
  }
  EXPECT_TRUE(verify_signature({}, sign_bytes({}, c.key_pem), c.certificate_pem));
  expect_error(kData, "private key", [&] { sign_bytes(bytes, c.certificate_pem); });
}

}  // namespace
}  // namespace firm
