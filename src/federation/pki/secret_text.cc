#include "federation/pki/secret_text.h"

#include <openssl/crypto.h>

namespace firm {

void wipe(std::string& text) {
  text.resize(text.capacity());  // what a longer text has left behind its end, too
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

}  // namespace firm
