#include "federation/audit/commitment.h"

#include <openssl/rand.h>

#include <bit>

#include "federation/secure/keystream.h"
#include "firm/error.h"
#include "io/files/sha256.h"

namespace firm {

static_assert(std::endian::native == std::endian::little, "words are hashed as they are in memory");

std::string random_salt() {
  std::string salt(kSaltBytes, '\0');
  FIRM_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(salt.data()), kSaltBytes) == 1);
  return salt;
}

std::string commitment_to(const PlainShare& share, const SharePosition& position,
                          const std::string& salt) {
  FIRM_CHECK(salt.size() == kSaltBytes);
  Sha256 hash;
  hash.add(Transcript("firm/v1/commitment")
               .text(salt)
               .text(position.run)
               .text(position.site)
               .number(position.attempt)
               .number(position.exchange)
               .number(position.try_number)
               .number(static_cast<std::uint64_t>(share.fraction_bits))
               .number(share.words.size())
               .number(share.scalars.size())
               .bytes());
  hash.add(std::as_bytes(share.words));
  hash.add(std::as_bytes(share.scalars));
  return hash.finish();
}

std::string hash_of_sum(std::span<const std::uint32_t> words, std::span<const ScalarWord> scalars) {
  Sha256 hash;
  hash.add(std::as_bytes(words));
  hash.add(std::as_bytes(scalars));
  return hash.finish();
}

}  // namespace firm
