#include "federation/protocol/to_site.h"

#include <algorithm>

#include "federation/protocol/exchange.h"

namespace firm {
namespace {

bool for_each_chunk(const Sum& sum,
                    const std::function<bool(const v1::CoordinatorMessage&)>& send) {
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
    if (!send(message)) return false;
  } while (offset < sum.words.size());
  return true;
}

}  // namespace

bool ToSite::for_each(const std::function<bool(const v1::CoordinatorMessage&)>& send) const {
  return message_ ? send(*message_) : for_each_chunk(*sum_, send);
}

}  // namespace firm
