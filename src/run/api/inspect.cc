// Implements inspect_scan() of include/firm/tools.h.
#include <nlohmann/json.hpp>

#include "firm/tools.h"
#include "io/files/json_file.h"
#include "run/api/inspection_json.h"

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const ValueStatistics& v) {
  return {{"count", v.count}, {"min", v.min},           {"max", v.max},
          {"mean", v.mean},   {"nan", v.nan},           {"infinite", v.infinite},
          {"zero", v.zero},   {"negative", v.negative}, {"saturated", v.saturated}};
}

Json to_json(const FieldReport& f) {
  return {{"path", f.path}, {"shape", f.shape}, {"type", f.type},
          {"axes", f.axes}, {"units", f.units}, {"values", to_json(f.values)}};
}

Json to_json(const AngleReport& a) {
  return {{"source", a.source},   {"count", a.count},       {"not_finite", a.not_finite},
          {"min_degrees", a.min}, {"max_degrees", a.max},   {"order", a.order},
          {"uniform", a.uniform}, {"min_step", a.min_step}, {"max_step", a.max_step}};
}

Json to_json(const DeadReport& d) {
  Json columns = Json::array();
  for (const DeadColumn& c : d.first) {
    columns.push_back({{"slice", c.slice}, {"beamlet", c.beamlet}, {"value", c.value}});
  }
  return {{"count", d.count}, {"zero", d.zero}, {"first", columns}};
}

Json to_json(const JumpReport& j) {
  Json frames = Json::array();
  for (const Jump& jump : j.frames) {
    frames.push_back({{"frame", jump.frame}, {"ratio", jump.ratio}});
  }
  return {{"level", j.level}, {"rule", j.rule}, {"frames", frames}};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json memory_json(const Inspection& r) {
  const MemoryEstimate needs = memory_for(r);
  return {{"method", default_method()},
          {"side", r.beamlets},
          {"sites", 2},
          {"bytes_per_slice", needs.per_slice},
          {"bytes", needs.bytes(r.slices)}};
}

}  // namespace

MemoryEstimate memory_for(const Inspection& r) {
  Study study;
  study.image_rows = study.image_columns = static_cast<int>(r.beamlets);
  Site site;
  site.geometry.angles = half_turn(static_cast<int>(r.angles.count));
  site.geometry.beamlets = static_cast<int>(r.beamlets);
  study.sites = {site, site};
  study.sites.back().kind = SiteKind::kXrt;
  return estimate_memory({}, study);
}

std::string inspection_json(const Inspection& r) {
  Json fields = Json::array();
  for (const FieldReport& f : r.fields) fields.push_back(to_json(f));
  const Json all = {{"file", r.file},
                    {"file_bytes", r.file_bytes},
                    {"format", r.format},
                    {"elements", r.elements},
                    {"title", r.title},
                    {"slices", r.slices},
                    {"beamlets", r.beamlets},
                    {"angles", to_json(r.angles)},
                    {"fields", fields},
                    {"spacing_cm", or_null(r.spacing)},
                    {"rotation_axis", or_null(r.rotation_axis)},
                    {"memory", memory_json(r)},
                    {"element", r.element},
                    {"scalers", r.scalers},
                    {"dead_columns", to_json(r.dead)},
                    {"jumps", to_json(r.jumps)},
                    {"missing_frames", r.missing},
                    {"warnings", r.warnings},
                    {"study", r.study}};
  return json_text(all, 2);
}

std::string inspect_scan(const InspectRequest& r, const Observer& observer) {
  ScanRequest request{r.choice.element, false, r.choice.angles, r.choice.axes, r.choice.angle_unit};
  (r.monitor.starts_with('/') ? request.monitor : request.monitor_file) = r.monitor;
  return inspection_json(inspect_file(r.file, request, observer.progress));
}

}  // namespace firm
