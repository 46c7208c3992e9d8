// KeptShares: the shares of a site with their salts, in a directory that only the site can read.
// With them a site can open the commitments in its ledger.
//
// A file is RUN-ATTEMPT-EXCHANGE-TRY.share: one line of JSON, then the words (4 bytes each) and the
// scalars (32 bytes each), little-endian.
//
//   {"run":"3f2a...","site":"xrf-1","attempt":1,"exchange":7,"try":0,"fraction_bits":20,
//    "words":62500,"scalars":10,"salt":"97ae..."}
#pragma once

#include <string>
#include <vector>

#include "federation/audit/commitment.h"

namespace firm {

class KeptShares {
 public:
  // Makes the directory, for its owner alone. Throws firm::Error.
  explicit KeptShares(std::string directory);

  // Throws firm::Error (kData) when the file cannot be written; the share must then not be sent.
  void keep(const PlainShare& share, const SharePosition& position, const std::string& salt) const;

 private:
  std::string directory_;
};

// A share read from its file.
struct KeptShare {
  SharePosition position;
  std::string salt;
  int fraction_bits = 0;
  std::vector<std::uint32_t> words;
  std::vector<ScalarWord> scalars;

  PlainShare plain() const { return {words, scalars, fraction_bits}; }
};

// Throws firm::Error (kData) when the file is damaged.
KeptShare read_kept_share(const std::string& path);
// The files of shares in a directory, sorted; none if there is no such directory.
std::vector<std::string> kept_share_files(const std::string& directory);

}  // namespace firm
