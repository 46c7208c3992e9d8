#include "federation/protocol/to_site.h"

#include <algorithm>

#include "federation/protocol/exchange.h"

namespace firm {
namespace {

bool each_chunk(const Sum& sum, const std::function<bool(const v1::CoordinatorMessage&)>& take) {
  v1::CoordinatorMessage message;
  v1::Total& total = *message.mutable_total();
  *total.mutable_position() = sum.position;
  total.set_length(sum.words.size());
  std::size_t offset = 0;
  do {
    const std::size_t count = std::min(kChunkWords, sum.words.size() - offset);
    total.set_offset(offset);
    total.set_words(sum.words.data() + offset, count * sizeof(std::uint32_t));
    offset += count;
    if (offset == sum.words.size()) {
      total.set_last(true);
      total.set_scalars(sum.scalars.data(), sum.scalars.size());
      total.set_checkpoint(sum.checkpoint);
    }
    if (!take(message)) return false;
  } while (offset < sum.words.size());
  return true;
}

}  // namespace

bool ToSite::each(const std::function<bool(const v1::CoordinatorMessage&)>& take) const {
  return message_ ? take(*message_) : each_chunk(*sum_, take);
}

}  // namespace firm
