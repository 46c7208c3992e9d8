// Pinned keys: `key = "..."` in each [[site]] of a study says which key its certificate has, so
// that sites accept no other, whoever signed it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "federation/pki/certificates.h"
#include "io/study/study_file.h"

namespace firm {

// Returns the text of a study with these keys: fingerprints by name of the site. Keeps everything
// else as it is, comments and layout included. Throws firm::Error (kUsage) when the study has no
// such site, or its tables are not written as [[site]]; `path` is its name in errors.
std::string with_keys(const std::string& text, const std::string& path,
                      const std::map<std::string, std::string>& keys);

struct PinnedStudy {
  std::vector<std::string> changed;  // sites whose key was not there, or was another
  std::vector<std::string> unknown;  // sites without a certificate of this authority
};

// Writes the keys that the authority in `directory` signed last into a study file.
PinnedStudy pin_keys(const std::string& study, const std::string& directory);

// Writes the key of one site into a study file.
void pin_key(const std::string& study, const std::string& site, const std::string& key);

// Throws firm::Error (kUsage) unless the study has this site.
void require_site(const std::string& study, const std::string& site);

// Fingerprints of the keys of those sites for which the study names one.
std::map<std::string, std::string> pinned_keys(const StudyFile& study);
// Throws firm::Error (kNetwork) if `keys` names another key for the owner of this certificate.
void check_pinned_key(const std::map<std::string, std::string>& keys,
                      const CertificateFacts& facts);

// Sites for which a study names no key.
std::vector<std::string> sites_without_key(const StudyFile& study);
// Says which they are and what to do; empty: the study names all keys.
std::string warn_unpinned(const StudyFile& study);

}  // namespace firm
