#include "align/refine_choice.h"

namespace firm {

RefineChoice refine_choice(const std::string& names) {
  const auto has = [list = "," + names + ","](const std::string& name) {
    return list.find("," + name + ",") != std::string::npos;
  };
  return {
      has("shifts"), has("shifts-vertical"), has("axis"), has("angles"), has("lag"), has("gain"),
      has("scale")};
}

}  // namespace firm
