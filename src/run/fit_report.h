// Texts about the fit of a run, for people: sites whose data is missed, or whose noise is fitted.
#pragma once

#include <string>
#include <vector>

#include "firm/solution.h"
#include "prep/study_data.h"

namespace firm {

// One text for each site whose fit is not plausible, with likely causes; also for a site that is
// fitted alone, but not together with the others. Reads the data of such a
// site, and of XRT where it is in this process, again.
std::vector<std::string> fit_warnings(const Summary& summary, StudyData& data);

// The text with each of its causes on a line of its own, for a terminal.
std::string causes_below(const std::string& warning);

// "1.03", with "missed" or "overfitted" behind it where that is so; "-" if the noise is unknown.
std::string fit_text(const SiteSummary& site);
// One sentence, the last line of a run: whether the data is fitted.
std::string fit_sentence(const Summary& summary);

// The warnings among lines for people, without the word: "xrt: warning: TEXT" gives "xrt: TEXT".
std::vector<std::string> warnings_in(const std::vector<std::string>& lines);

}  // namespace firm
