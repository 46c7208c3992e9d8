#include "federation/pki/revocation.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <charconv>

#include "core/shell_quote.h"
#include "federation/pki/authority_files.h"
#include "federation/pki/facts.h"
#include "federation/pki/issue.h"
#include "federation/pki/key_files.h"
#include "federation/pki/text.h"
#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

using List = pki::Handle<X509_CRL, X509_CRL_free>;
using Time = pki::Handle<ASN1_TIME, ASN1_TIME_free>;
using Integer = pki::Handle<ASN1_INTEGER, ASN1_INTEGER_free>;

constexpr long kVersion2 = 1;
constexpr const char* kExpected = "a revocation list (PEM)";

std::string list_path(const std::string& directory) {
  return pki::path_in(directory, kRevocationFile);
}

std::string how_to_renew(const std::string& path) {
  return fmt::format("at the authority: firm pki revoke --dir DIR makes a new one; copy it to {}",
                     shell_quote(path));
}

// ---- reading ------------------------------------------------------------------------------------

List parse(const std::string& text, const std::string& path) {
  const pki::Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  FIRM_CHECK(bio != nullptr);
  List list(PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (list) return list;
  throw data_error({path, "", kExpected, "something else, or a damaged one"});
}

std::uint64_t number_of(X509_CRL* list, const std::string& path) {
  const Integer integer(
      static_cast<ASN1_INTEGER*>(X509_CRL_get_ext_d2i(list, NID_crl_number, nullptr, nullptr)));
  std::uint64_t number = 0;
  if (integer && ASN1_INTEGER_get_uint64(&number, integer.get()) == 1) return number;
  ERR_clear_error();
  throw data_error({path, "number", "a list with a number", "one without"});
}

RevocationList facts_of(X509_CRL* list, const std::string& path) {
  RevocationList facts;
  facts.number = number_of(list, path);
  facts.issuer = pki::one_line(X509_CRL_get_issuer(list));
  facts.this_update = pki::instant_of(X509_CRL_get0_lastUpdate(list), path);
  if (X509_CRL_get0_nextUpdate(list) == nullptr) {
    throw data_error(
        {path, "next update", "a list that says until when it counts", "one that does not"});
  }
  facts.next_update = pki::instant_of(X509_CRL_get0_nextUpdate(list), path);
  const STACK_OF(X509_REVOKED)* entries = X509_CRL_get_REVOKED(list);
  for (int k = 0; k < sk_X509_REVOKED_num(entries); ++k) {
    const X509_REVOKED* entry = sk_X509_REVOKED_value(entries, k);
    facts.revoked[pki::serial_text(X509_REVOKED_get0_serialNumber(entry))] =
        pki::instant_of(X509_REVOKED_get0_revocationDate(entry), path);
  }
  return facts;
}

// Throws unless the authority signed the list, and it counts at `now`.
RevocationList verify(const std::string& text, const std::string& path, X509* ca, Instant now) {
  const List list = parse(text, path);
  RevocationList facts = facts_of(list.get(), path);
  const bool same_issuer =
      X509_NAME_cmp(X509_CRL_get_issuer(list.get()), X509_get_subject_name(ca)) == 0;
  const bool good = same_issuer && X509_CRL_verify(list.get(), X509_get0_pubkey(ca)) == 1;
  ERR_clear_error();
  if (!good) {
    throw data_error(
        {path, "signature", "one by the authority in ca.crt",
         fmt::format("another, in the name of {}; get the list from the authority again",
                     facts.issuer)});
  }
  if (now < facts.this_update || now >= facts.next_update) {
    const bool early = now < facts.this_update;
    throw data_error({path, "validity",
                      fmt::format("a revocation list for {}", pki::time_text(now)),
                      fmt::format("one {} {}; {}", early ? "from" : "until",
                                  pki::time_text(early ? facts.this_update : facts.next_update),
                                  early ? "check the clock of this machine" : how_to_renew(path))});
  }
  return facts;
}

// ---- writing ------------------------------------------------------------------------------------

Time time_of(Instant instant) {
  Time time(ASN1_TIME_set(nullptr, std::chrono::system_clock::to_time_t(instant)));
  FIRM_CHECK(time != nullptr);
  return time;
}

void add_entry(X509_CRL* list, const std::string& serial, Instant when) {
  BIGNUM* raw = nullptr;
  FIRM_CHECK(BN_hex2bn(&raw, serial.c_str()) > 0);
  const pki::BigNumber number(raw);
  const Integer integer(BN_to_ASN1_INTEGER(number.get(), nullptr));
  X509_REVOKED* entry = X509_REVOKED_new();
  FIRM_CHECK(integer != nullptr && entry != nullptr);
  FIRM_CHECK(X509_REVOKED_set_serialNumber(entry, integer.get()) == 1);
  FIRM_CHECK(X509_REVOKED_set_revocationDate(entry, time_of(when).get()) == 1);
  FIRM_CHECK(X509_CRL_add0_revoked(list, entry) == 1);  // the list owns it now
}

std::string sign_list(const RevocationList& facts, const pki::Authority& authority) {
  X509* ca = authority.certificate.get();
  const List list(X509_CRL_new());
  FIRM_CHECK(list != nullptr && X509_CRL_set_version(list.get(), kVersion2) == 1);
  FIRM_CHECK(X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(ca)) == 1);
  FIRM_CHECK(X509_CRL_set1_lastUpdate(list.get(), time_of(facts.this_update).get()) == 1);
  FIRM_CHECK(X509_CRL_set1_nextUpdate(list.get(), time_of(facts.next_update).get()) == 1);
  for (const auto& [serial, when] : facts.revoked) add_entry(list.get(), serial, when);
  FIRM_CHECK(X509_CRL_sort(list.get()) == 1);
  const Integer number(ASN1_INTEGER_new());
  FIRM_CHECK(number != nullptr && ASN1_INTEGER_set_uint64(number.get(), facts.number) == 1);
  FIRM_CHECK(X509_CRL_add1_ext_i2d(list.get(), NID_crl_number, number.get(), 0, 0) == 1);
  X509V3_CTX context;
  X509V3_set_ctx(&context, ca, nullptr, nullptr, list.get(), 0);
  const pki::X509Extension key_id(
      X509V3_EXT_nconf_nid(nullptr, &context, NID_authority_key_identifier, "keyid:always"));
  FIRM_CHECK(key_id != nullptr && X509_CRL_add_ext(list.get(), key_id.get(), -1) == 1);
  FIRM_CHECK(X509_CRL_sign(list.get(), authority.key.get(), EVP_sha256()) > 0);
  const pki::Bio bio(BIO_new(BIO_s_mem()));
  FIRM_CHECK(bio != nullptr && PEM_write_bio_X509_CRL(bio.get(), list.get()) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

// The certificates that `who` names and that have not expired.
std::vector<IssuedCertificate> find_issued(const RevokeOptions& options, Instant now) {
  std::vector<IssuedCertificate> found;
  bool known = options.who.empty();
  for (IssuedCertificate& issued : issued_certificates(options.directory)) {
    if (issued.name != options.who && issued.serial != options.who) continue;
    known = true;
    if (issued.not_after > pki::iso_time(now)) found.push_back(std::move(issued));
  }
  if (known) return found;
  throw usage_error(
      {pki::issued_path(options.directory), "",
       fmt::format("a certificate with the name or the serial number {}", pki::quoted(options.who)),
       "none"});
}

// The list in `directory`, signed by this authority; it may have expired.
RevocationList last_list(const std::string& directory, const pki::Authority& authority) {
  const std::string path = list_path(directory);
  if (!pki::file_exists(path)) return {};
  const std::string text = pki::read_public({path, kExpected, ""});
  const Instant within = facts_of(parse(text, path).get(), path).this_update;
  return verify(text, path, authority.certificate.get(), within);
}

}  // namespace

Revoked revoke_certificates(const RevokeOptions& options, Instant now) {
  pki::check_days(options.days);
  const pki::DirectoryLock lock(options.directory);
  const pki::Authority authority = pki::load_authority(options.directory, now);
  Revoked result;
  result.path = list_path(options.directory);
  result.list = last_list(options.directory, authority);
  for (IssuedCertificate& issued : find_issued(options, now)) {
    if (!result.list.revoked.emplace(issued.serial, now).second) continue;
    result.added.push_back(std::move(issued));
  }
  const pki::Validity valid = pki::validity(
      now, options.days, pki::facts_of(authority.certificate.get(), "ca.crt").not_after);
  result.list.this_update = valid.not_before;
  result.list.next_update = valid.not_after;
  // The time, so that numbers grow also when the last list was lost.
  const auto seconds = static_cast<std::uint64_t>(now.time_since_epoch().count());
  result.list.number = std::max(result.list.number + 1, seconds);
  pki::write_files({{result.path, sign_list(result.list, authority)}});
  return result;
}

RevocationList read_revocation_list(const std::string& path) {
  return facts_of(parse(pki::read_public({path, kExpected, ""}), path).get(), path);
}

RevocationCheck::RevocationCheck(std::string directory, std::string ca_pem, std::string memory)
    : path_(list_path(directory)), ca_pem_(std::move(ca_pem)), memory_(std::move(memory)) {
  if (memory_.empty()) return;
  const std::string text = read_text_file(memory_).value_or("0\n");
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), largest_);
  if (failure == std::errc() && end == text.data() + text.size() - 1 && *end == '\n') return;
  throw data_error({memory_, "", "the number of a revocation list", "something else"});
}

std::optional<RevocationList> RevocationCheck::list(Instant now) {
  const std::lock_guard lock(mutex_);
  const bool exists = pki::file_exists(path_);
  if (!exists && largest_ > 0) {
    throw data_error({path_, "",
                      fmt::format("the revocation list with number {}, or a later one", largest_),
                      "no file; get it from the authority again"});
  }
  if (!exists) return {};
  std::string text = pki::read_public({path_, kExpected, ""});
  const bool current = verified_ && now >= verified_->this_update && now < verified_->next_update;
  if (!current || text != text_) {
    const pki::X509Certificate ca = pki::read_certificate(ca_pem_, "ca.crt");
    RevocationList list = verify(text, path_, ca.get(), now);
    remember(list.number);
    verified_ = std::move(list);
    text_ = std::move(text);
  }
  return verified_;
}

void RevocationCheck::remember(std::uint64_t number) {
  if (number < largest_) {
    throw data_error(
        {path_, "number", fmt::format("{} or more, as seen before", largest_),
         fmt::format("{}: an older list; get the newest one from the authority", number)});
  }
  if (number == largest_) return;
  if (!memory_.empty()) write_text_file(memory_, fmt::format("{}\n", number));
  largest_ = number;
}

void RevocationCheck::check(const CertificateFacts& certificate, const std::string& where,
                            Instant now) {
  const std::optional<RevocationList> current = list(now);
  if (!current) return;
  const auto found = current->revoked.find(certificate.serial);
  if (found == current->revoked.end()) return;
  throw pki::network_error(
      {where, "", "a certificate that is not revoked",
       fmt::format("the certificate of {} with serial number {}, revoked on {}", certificate.name,
                   certificate.serial, pki::time_text(found->second))});
}

}  // namespace firm
