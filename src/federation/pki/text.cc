#include "federation/pki/text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace firm::pki {
namespace {

// "3 days", "1 hour", "20 minutes": rounded down, in the largest unit that fits.
std::string duration_text(std::chrono::seconds length) {
  const auto text = [](long count, const char* unit) {
    return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
  };
  const long minutes = length.count() / 60;
  if (minutes >= 24 * 60) return text(minutes / (24 * 60), "day");
  return minutes >= 60 ? text(minutes / 60, "hour") : text(minutes, "minute");
}

std::tm calendar(Instant time) { return fmt::gmtime(std::chrono::system_clock::to_time_t(time)); }

}  // namespace

std::string purpose_text(CertificatePurpose purpose) {
  switch (purpose) {
    case CertificatePurpose::kAuthority:
      return "the authority's";
    case CertificatePurpose::kCoordinator:
      return "the coordinator's";
    case CertificatePurpose::kSite:
      return "a site's";
    case CertificatePurpose::kOther:
      break;
  }
  return "another";
}

std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~';
    result += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string quoted(const std::string& text) { return fmt::format("'{}'", printable(text)); }

std::string time_text(Instant time) { return fmt::format("{:%Y-%m-%d %H:%M} UTC", calendar(time)); }

std::string iso_time(Instant time) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", calendar(time)); }

std::string validity_text(Instant not_before, Instant not_after, Instant now) {
  if (now < not_before) return fmt::format("valid in {}", duration_text(not_before - now));
  if (now >= not_after) return fmt::format("EXPIRED {} ago", duration_text(now - not_after));
  return fmt::format("{} left", duration_text(not_after - now));
}

}  // namespace firm::pki

namespace firm {

Instant current_instant() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

bool is_certificate_name(const std::string& name) {
  const auto alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  const auto legal = [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  if (name.empty() || name.size() > 63 || name[0] == '-' || name[0] == '.') return false;
  if (!std::all_of(name.begin(), name.end(), legal)) return false;
  return lower_case(name) != kCoordinatorName;
}

std::string certificate_file_name(const std::string& site) {
  return lower_case(site) == "ca" ? site + "@site" : site;
}

}  // namespace firm
