// Checks the start of an attempt for what only the coordinator can have changed.
#pragma once

#include <cstdint>
#include <string>

#include "firm/error.h"
#include "firm/v1/federation.pb.h"
#include "io/study/study_file.h"

namespace firm {

// A Begin that no other site can have caused. The site ends: the next one might be wrong, too.
class WrongBegin : public Error {
 public:
  WrongBegin(const std::string& expected, const std::string& found);
};

// Throws WrongBegin unless it has the sites of the study, what this site has said about itself in
// `own`, its last Hello, a round of that Hello, and an attempt above `last_attempt` of the run in
// that Hello. Does not look at the numbers of other sites.
void check_begin(const v1::Begin& begin, const v1::Hello& own, const StudyFile& file,
                 std::uint32_t last_attempt);

}  // namespace firm
