#include "prep/load_study.h"

#include <algorithm>

#include "prep/site_source.h"

namespace firm {
namespace {

// The XRT site last.
std::vector<const SiteEntry*> ordered(const StudyFile& file) {
  std::vector<const SiteEntry*> entries;
  for (const SiteEntry& entry : file.sites) entries.push_back(&entry);
  std::stable_partition(entries.begin(), entries.end(),
                        [](const SiteEntry* e) { return e->kind != "xrt"; });
  return entries;
}

}  // namespace

Study study_without_sites(const StudyFile& file) {
  Study study;
  study.name = file.name;
  study.image_rows = file.rows;
  study.image_columns = file.columns;
  study.pixel_size = file.pixel_size;
  study.slices = static_cast<std::size_t>(file.slices);
  study.other = file.other;
  return study;
}

Site load_site(const StudyFile& file, const SiteEntry& entry, const std::string& path) {
  return site_of(open_site(file, entry, path));
}

Study load_geometries(const StudyFile& file, const std::string& path) {
  Study study = study_without_sites(file);
  for (const SiteEntry* entry : ordered(file)) {
    const SiteSource source = open_site(file, *entry, path);
    study.sites.push_back(site_of(source));
    check_values_fit(source);
  }
  study.validate();
  return study;
}

LoadedStudy load_study(const StudyFile& file, const std::string& path) {
  // What is wrong with a geometry is told before the measurements are read: that may take long.
  load_geometries(file, path);
  return load_study(estimate_unknowns(file, path), path, all_slices(file));
}

LoadedStudy load_study(const EstimatedStudy& estimated, const std::string& path,
                       const SliceRange& slices) {
  const StudyFile& file = estimated.file;
  LoadedStudy loaded{study_without_sites(file), {}, {}};
  loaded.study.slices = slices.count;
  const std::vector<const SiteEntry*> entries = ordered(file);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    PreparedSite prepared = prepare_site(file, *entries[i], path, slices);
    add(estimated.findings[static_cast<std::size_t>(entries[i] - file.sites.data())],
        prepared.report);
    loaded.study.sites.push_back(std::move(prepared.site));
    loaded.data.push_back(std::move(prepared.data));
    loaded.data.back().site = i;
    loaded.reports.push_back(std::move(prepared.report));
  }
  loaded.study.validate();
  return loaded;
}

}  // namespace firm
