// Parts of `firm pki` that say which keys count: pin and revoke.
#pragma once

#include <CLI/App.hpp>

namespace firm {

void add_pki_pin(CLI::App& pki);
void add_pki_revoke(CLI::App& pki);

}  // namespace firm
