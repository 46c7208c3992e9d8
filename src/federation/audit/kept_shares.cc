#include "federation/audit/kept_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "federation/audit/whole_number.h"
#include "federation/sums/fixed_point.h"
#include "firm/error.h"
#include "io/files/pending_file.h"

namespace firm {
namespace {

constexpr const char* kEnding = ".share";

std::string hex_of(const std::string& bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::string bytes_of_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < digits.size(); k += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(k, 2), nullptr, 16));
  }
  return bytes;
}

// The coordinator names the run: nothing in it may lead out of the directory.
std::string file_part(std::string run) {
  std::ranges::replace_if(
      run, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return run.substr(0, 64);
}

template <typename Word>
void append(std::string& text, std::span<const Word> words) {
  text.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

KeptShare parse(const std::string& text) {
  const std::size_t end = text.find('\n');
  const auto json = nlohmann::json::parse(text.substr(0, end));
  KeptShare share;
  share.position = {json.at("run").get<std::string>(), json.at("site").get<std::string>(),
                    whole_number<std::uint32_t>(json, "attempt"),
                    whole_number<std::uint64_t>(json, "exchange"),
                    whole_number<std::uint32_t>(json, "try")};
  share.fraction_bits =
      whole_number<int>(json, "fraction_bits", kLeastFractionBits, kMostFractionBits);
  share.salt = bytes_of_hex(json.at("salt").get<std::string>());
  const auto words = whole_number<std::uint64_t>(json, "words");
  const auto scalars = whole_number<std::uint64_t>(json, "scalars");
  const std::size_t bytes = text.size() - std::min(text.size(), end + 1);
  if (share.salt.size() != kSaltBytes || words > bytes || scalars > bytes ||
      bytes != words * sizeof(std::uint32_t) + scalars * sizeof(ScalarWord)) {
    throw std::invalid_argument("sizes do not fit");
  }
  share.words.resize(words);
  share.scalars.resize(scalars);
  const char* from = text.data() + end + 1;
  std::copy_n(from, words * sizeof(std::uint32_t), reinterpret_cast<char*>(share.words.data()));
  std::copy_n(from + words * sizeof(std::uint32_t), scalars * sizeof(ScalarWord),
              reinterpret_cast<char*>(share.scalars.data()));
  return share;
}

}  // namespace

KeptShares::KeptShares(std::string directory) : directory_(std::move(directory)) {
  make_directory(directory_);
  std::error_code error;
  std::filesystem::permissions(directory_, std::filesystem::perms::owner_all, error);
  if (error) {
    throw data_error({directory_, "", "a directory that only its owner can read", error.message()});
  }
}

void KeptShares::keep(const PlainShare& share, const SharePosition& p,
                      const std::string& salt) const {
  const nlohmann::ordered_json header = {{"run", p.run},
                                         {"site", p.site},
                                         {"attempt", p.attempt},
                                         {"exchange", p.exchange},
                                         {"try", p.try_number},
                                         {"fraction_bits", share.fraction_bits},
                                         {"words", share.words.size()},
                                         {"scalars", share.scalars.size()},
                                         {"salt", hex_of(salt)}};
  std::string text = header.dump() + "\n";
  append(text, share.words);
  append(text, share.scalars);
  write_text_file(fmt::format("{}/{}-{}-{}-{}{}", directory_, file_part(p.run), p.attempt,
                              p.exchange, p.try_number, kEnding),
                  text);
}

KeptShare read_kept_share(const std::string& path) {
  std::error_code none;  // a named pipe would wait for a writer
  const bool other =
      std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none);
  if (other) throw data_error({path, "", "the file of a share", "something that is no file"});
  const std::optional<std::string> text = read_text_file(path);
  if (!text) throw data_error({path, "", "the file of a share", "none"});
  try {
    return parse(*text);
  } catch (const std::exception&) {
    throw data_error({path, "", "a line of JSON, then words and scalars as it says",
                      "something else: the file is damaged"});
  }
}

std::vector<std::string> kept_share_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
    if (entry.path().extension() == kEnding) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace firm
