#include "io/init/study_proposal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "firm/error.h"
#include "io/formats/data_units.h"
#include "io/inspect/study_suggestion.h"
#include "io/study/quantity.h"

namespace firm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerb = "firm init";

// A channel of a file that may become a site.
struct Candidate {
  Inspection r;
  SiteGuess guess;
  const DataSource* source = nullptr;

  bool xrt() const { return guess.kind == "xrt"; }
  bool counter() const { return !source->counter.empty() && r.element == source->counter; }
  std::string label() const { return r.element.empty() ? r.file : r.file + " " + r.element; }
};

using Candidates = std::vector<Candidate>;

std::string labels(const Candidates& candidates) {
  std::vector<std::string> names;
  for (const Candidate& c : candidates) names.push_back(c.label());
  return fmt::format("{}", fmt::join(names, ", "));
}

Candidate inspect_channel(const DataSource& source, const std::string& channel,
                          const Progress& progress) {
  ScanRequest request = source.request;
  request.element = channel;
  Inspection r = inspect_file(source.file, request, progress);
  SiteGuess guess = guess_site(r);
  return {std::move(r), std::move(guess), &source};
}

bool all_zero(const Inspection& r) {
  const ValueStatistics& v = r.fields.front().values;
  return v.zero == v.count;
}

class Proposal {
 public:
  explicit Proposal(const ProposalArguments& arguments) : arguments_(arguments) {}

  StudyProposal make(const Progress& progress);

 private:
  void read(const Progress& progress);
  void choose_xrt();
  void require_elements() const;
  void require_same_slices() const;
  void note(const std::string& text) { result_.guesses.push_back(text); }

  StudyFacts facts();
  std::size_t side_of(double pixel_size, std::string& why) const;
  std::string relative(const std::string& file) const;
  std::string site_text(Candidate c);
  std::string unique_name(const std::string& name);

  const ProposalArguments& arguments_;
  std::vector<DataSource> sources_;
  Candidates candidates_;  // later: the sites, XRT last
  std::set<std::string> names_;
  StudyProposal result_;
};

void Proposal::read(const Progress& progress) {
  for (const std::string& file : arguments_.files) {
    sources_.push_back(find_data_source(file, arguments_.hints));
  }
  for (const DataSource& source : sources_) {
    std::vector<std::string> channels = source.elements;
    if (!source.counter.empty()) channels.push_back(source.counter);
    if (channels.empty() && source.left_out.empty()) channels.emplace_back();
    for (const std::string& channel : channels) {
      Candidate c = inspect_channel(source, channel, progress);
      if (!channel.empty() && all_zero(c.r)) {
        note(fmt::format("{}: left out: all values are 0", c.label()));
        continue;
      }
      candidates_.push_back(std::move(c));
    }
    for (const std::string& channel : source.left_out) {
      note(fmt::format("{} {}: left out: no element", source.file, channel));
    }
  }
}

// Keeps one XRT site and puts it last. A file of its own is preferred to a counter beside spectra,
// and a file that may be either kind is XRT if no other is.
void Proposal::choose_xrt() {
  const auto is_xrt = [](const Candidate& c) { return c.xrt(); };
  const auto is_open = [](const Candidate& c) { return c.guess.open; };
  if (std::ranges::none_of(candidates_, is_xrt) &&
      std::ranges::count_if(candidates_, is_open) == 1) {
    Candidate& c = *std::ranges::find_if(candidates_, is_open);
    c.guess = guess_xrt(c.r, "a guess: the only file without an element");
  }
  const bool has_file =
      std::ranges::any_of(candidates_, [](const Candidate& c) { return c.xrt() && !c.counter(); });
  std::erase_if(candidates_, [&](const Candidate& c) {
    const bool drop = has_file && c.xrt() && c.counter();
    if (drop) note(fmt::format("{}: left out: another file has the transmission", c.label()));
    return drop;
  });
  Candidates found;
  std::ranges::copy_if(candidates_, std::back_inserter(found), is_xrt);
  if (found.empty()) {
    throw usage_error(
        {kVerb, "FILE",
         "one file with the transmission (XRT): counts with white frames, "
         "transmissions or their logarithms; a name such as xrt.npy tells it from XRF",
         "XRF only: " + labels(candidates_)});
  }
  if (found.size() > 1) {
    throw usage_error(
        {kVerb, "FILE",
         "one file with the transmission (XRT); leave the others out, or give a file of XRF a name "
         "with xrf, such as xrf_Fe.npy",
         fmt::format("{} of them: {}", found.size(), labels(found))});
  }
  std::stable_partition(candidates_.begin(), candidates_.end(),
                        [](const Candidate& c) { return !c.xrt(); });
}

void Proposal::require_elements() const {
  for (const Candidate& c : candidates_) {
    if (c.xrt() || !c.guess.element.empty()) continue;
    throw usage_error({c.label(), "element",
                       "an element in the name of the file, the dataset or the title, as in "
                       "Fe.npy or xrf_Fe_K.tif, because the file is taken for XRF; rename the "
                       "file, or give it a name with xrt if it is the transmission",
                       "none"});
  }
  if (candidates_.size() == 1 || arguments_.energy) return;
  throw usage_error({kVerb, "--energy",
                     "the energy of the XRT beam, for example --energy \"12 keV\", because the "
                     "coefficients of the elements depend on it",
                     "none"});
}

void Proposal::require_same_slices() const {
  const Candidate& xrt = candidates_.back();
  for (const Candidate& c : candidates_) {
    if (c.r.slices == xrt.r.slices) continue;
    throw data_error(
        {c.label(), c.r.fields.front().path,
         fmt::format(
             "{} slices, as {} has; cut the files to the same rows, or begin with the files "
             "that agree and add this one to the study by hand, with first_slice",
             xrt.r.slices, xrt.label()),
         fmt::format("{}", c.r.slices)});
  }
}

// As many pixels as the widest detector covers.
std::size_t Proposal::side_of(double pixel_size, std::string& why) const {
  double widest = 0;
  const Candidate* at = nullptr;
  bool differ = false;
  for (const Candidate& c : candidates_) {
    const double width =
        static_cast<double>(c.r.beamlets) * c.r.spacing.value_or(pixel_size) / pixel_size;
    differ = differ || (at != nullptr && std::abs(width - widest) > 0.5);
    if (width > widest) at = &c;
    widest = std::max(widest, width);
  }
  // 1e-6: rounding of the quotient of two lengths.
  const auto side = static_cast<std::size_t>(std::ceil(widest - 1e-6));
  if (differ || side != at->r.beamlets) {
    why = fmt::format("a guess: as wide as the widest detector, {} beamlets of {}", at->r.beamlets,
                      at->r.file);
  }
  return side;
}

StudyFacts Proposal::facts() {
  StudyFacts facts;
  facts.name = arguments_.name.empty() ? fs::path(arguments_.out).stem().string() : arguments_.name;
  facts.energy = arguments_.energy;
  facts.pixel_size = arguments_.pixel_size;
  for (auto c = candidates_.rbegin(); c != candidates_.rend() && !facts.pixel_size; ++c) {
    if (!c->r.spacing) continue;
    facts.pixel_size = c->r.spacing;
    note(fmt::format("pixel_size = \"{}\": the spacing of the beamlets in {}",
                     exact_length_text(*c->r.spacing), c->r.file));
  }
  if (!facts.pixel_size) {
    throw usage_error({kVerb, "--pixel-size",
                       "the distance between beamlets, for example --pixel-size \"1 um\", because "
                       "no file has it",
                       "none"});
  }
  facts.side = side_of(*facts.pixel_size, facts.side_why);
  facts.slices = candidates_.back().r.slices;
  facts.xrf = candidates_.size() > 1;
  return facts;
}

std::string Proposal::relative(const std::string& file) const {
  if (file.empty()) return "";
  return fs::proximate(fs::absolute(file), fs::absolute(arguments_.out).parent_path()).string();
}

std::string Proposal::unique_name(const std::string& name) {
  std::string unique = name;
  for (int k = 2; !names_.insert(unique).second; ++k) unique = fmt::format("{}-{}", name, k);
  return unique;
}

std::string Proposal::site_text(Candidate c) {
  const DataSource& source = *c.source;
  c.r.file = relative(c.r.file);
  c.r.request.angles = relative(c.r.request.angles);
  SiteLines site = site_lines(c.r, c.guess);
  site.name = unique_name(site.name);
  result_.sites.push_back(site.name);
  const std::pair<const char*, const std::string&> reasons[] = {
      {"angles = ", source.angles_why},
      {"angle_unit = ", source.angle_unit_why},
      {"axes = ", source.axes_why}};
  for (StudyLine& line : site.lines) {
    for (const auto& [start, why] : reasons) {
      if (why.empty() || !line.assignment.starts_with(start)) continue;
      line.comment = why;
      line.guess = true;
    }
    result_.needs_calibration |= line.assignment.starts_with("scale = ");
    if (line.guess) note(fmt::format("{}: {}: {}", site.name, line.assignment, line.comment));
  }
  return "\n[[site]]\n" + text_of({{fmt::format("name = \"{}\"", site.name)}}) +
         text_of(site.lines);
}

StudyProposal Proposal::make(const Progress& progress) {
  read(progress);
  choose_xrt();
  require_elements();
  require_same_slices();
  const StudyFacts f = facts();
  const std::vector<StudyLine> image = image_lines(f);
  for (const StudyLine& line : image) {
    if (line.guess) note(fmt::format("image: {}: {}", line.assignment, line.comment));
  }
  result_.side = f.side;
  result_.slices = f.slices;
  result_.text = "# A FIRM study. File names are relative to this file.\n\n[study]\n" +
                 text_of(study_lines(f)) + "\n[image]\n" + text_of(image);
  for (const Candidate& c : candidates_) result_.text += site_text(c);
  return std::move(result_);
}

}  // namespace

StudyProposal propose_study(const ProposalArguments& arguments, const Progress& progress) {
  return Proposal(arguments).make(progress);
}

}  // namespace firm
