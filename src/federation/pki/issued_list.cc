#include "federation/pki/issued_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "federation/pki/key_files.h"
#include "federation/pki/text.h"
#include "firm/error.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

IssuedCertificate parse_line(const std::string& line, const std::string& where) {
  try {
    const Json j = Json::parse(line);
    return {j.at("serial"), j.at("name"), j.at("key_fingerprint"), j.at("not_before"),
            j.at("not_after")};
  } catch (const nlohmann::json::exception&) {
    throw data_error({where, "",
                      "serial, name, key_fingerprint, not_before and not_after of a certificate",
                      "something else"});
  }
}

}  // namespace

std::vector<IssuedCertificate> issued_certificates(const std::string& directory) {
  std::istringstream text(pki::read_issued_text(directory));
  std::vector<IssuedCertificate> issued;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    issued.push_back(
        parse_line(line, fmt::format("{}: line {}", pki::issued_path(directory), number)));
  }
  return issued;
}

std::optional<IssuedCertificate> last_issued(const std::string& directory,
                                             const std::string& name) {
  std::optional<IssuedCertificate> last;
  for (IssuedCertificate& issued : issued_certificates(directory)) {
    if (issued.name == name) last = std::move(issued);
  }
  return last;
}

namespace pki {

std::string issued_path(const std::string& directory) { return path_in(directory, "issued.jsonl"); }

std::string read_issued_text(const std::string& directory) {
  return read_public({issued_path(directory), "the list of issued certificates",
                      "it is made with the authority; bring it back from a copy"});
}

std::string with_line(const std::string& list, const CertificateFacts& certificate) {
  const Json line = {{"serial", certificate.serial},
                     {"name", certificate.name},
                     {"key_fingerprint", certificate.key_fingerprint},
                     {"not_before", iso_time(certificate.not_before)},
                     {"not_after", iso_time(certificate.not_after)}};
  return list + line.dump() + "\n";
}

}  // namespace pki
}  // namespace firm
