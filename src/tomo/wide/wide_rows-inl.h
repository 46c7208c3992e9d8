// The pixels that a ray meets in a band and their weights, for the wide forward kernel. Compiled
// once for each instruction set, after wide_weights-inl.h.

HWY_BEFORE_NAMESPACE();
namespace firm {
namespace HWY_NAMESPACE {
namespace wide {

constexpr int kHalfRows = kWideRows / 2;

// The rows of a band as a ray meets them. The last row stands for no row.
struct RowTable {
  HWY_ALIGN std::int32_t at[kWideMembers][kWideRows + 1];  // bytes from a member's start
  HWY_ALIGN float first[kWideRows + 1];                    // weights
  HWY_ALIGN float second[kWideRows + 1];
  std::uint8_t crossings[2][kWideRows];  // rows, of each half of the band
  int found[2];                          // crossings, of each half
  int count;                             // entries of either list that count
};

// The blocks of T that a ray meets, in elements from the first one: those of the pixels that it
// meets first in a row and of the next ones, and of the opposite pixels.
struct BlockTable {
  HWY_ALIGN std::int32_t at[2][2][kWideMembers][kWideRows + 1];  // [opposite][next]
};

// How a member of a family walks through T: the block of pixel x in row r of the tile is
// ((sign x + origin) >> shift) * step + down[r].
struct BlockWalk {
  std::int32_t sign;
  std::int32_t origin;
  std::int32_t step;
  HWY_ALIGN std::int32_t down[kWideRows];

  void set(const WideForwardJob& job, const Orientation& o, bool opposite) {
    const WideTransmittance& t = job.transmittance;
    const Geometry& g = job.plan->geometry();
    const int columns = g.image_columns;
    const int rows = g.image_rows;
    const auto row = static_cast<std::int32_t>(t.row_stride);
    const auto block = static_cast<std::int32_t>(t.stride);
    const bool up = o.up() != opposite;
    const bool left = o.left() != opposite;
    const bool reversed = o.transposed ? up : left;
    sign = reversed ? -1 : 1;
    origin = reversed ? (o.transposed ? rows : columns) - 1 : 0;
    step = o.transposed ? row : block;
    for (int r = 0; r < kWideRows; ++r) {
      const int y = job.tile.y0 + std::min(r, job.tile.height - 1);
      const int i = up ? rows - 1 - y : y;
      const int j = left ? columns - 1 - y : y;
      down[r] = o.transposed ? (j >> t.shift) * block : (i >> t.shift) * row;
    }
  }

  HWY_INLINE VI at(VI x, int r, int shift) const {
    const DI di;
    const VI place = hn::Add(hn::Mul(hn::Set(di, sign), x), hn::Set(di, origin));
    const VI block = hn::ShiftRightSame(place, shift);
    return hn::Add(hn::Mul(block, hn::Set(di, step)), hn::Load(di, down + r));
  }
};

// Path of one member of a family through the band.
struct Member {
  const float* start;                      // pixel 0 of the tile's row 0
  const float* opposite;                   // the one opposite in the image
  std::ptrdiff_t dx;                       // bytes from one pixel of a row to the next
  HWY_ALIGN std::int32_t down[kWideRows];  // bytes from row 0 to the others

  void set(const WideForwardJob& job, const Orientation& o) {
    const FrameSteps steps = frame_steps(job.plan->geometry(), o, job.x_row_stride, job.x_stride);
    const std::ptrdiff_t corner = job.tile.y0 * steps.dy + job.tile.x0 * steps.dx;
    start = job.x + steps.start + corner;
    opposite = job.x + steps.opposite - corner;
    constexpr std::ptrdiff_t kBytes = sizeof(float);
    dx = kBytes * steps.dx;
    for (int r = 0; r < kWideRows; ++r) {  // a row that is not there is read as the last one
      down[r] = static_cast<std::int32_t>(kBytes * steps.dy * std::min(r, job.tile.height - 1));
    }
  }
};

// The tile, as the members of all its families see it.
struct Band {
  Tile tile;
  int width;  // of the frame
  int count;  // of members
  Member members[kWideMembers];
  HWY_ALIGN float live[kWideRows];    // 1, or 0 for rows below the band
  int shift;                          // of the blocks of T
  BlockWalk blocks[2][kWideMembers];  // [opposite]; only if attenuated

  explicit Band(const WideForwardJob& job) : tile(job.tile), count(job.family->members) {
    const auto first = static_cast<std::size_t>(job.family->first_orientation);
    const Orientation* orientations = job.plan->strips().orientations().data() + first;
    width = orientations[0].width;
    for (int m = 0; m < count; ++m) members[m].set(job, orientations[m]);
    for (int r = 0; r < kWideRows; ++r) live[r] = r < tile.height ? 1.0f : 0.0f;
    shift = job.transmittance.shift;
    if (job.transmittance.view == nullptr) return;
    for (int m = 0; m < count; ++m) {
      for (const int opposite : {0, 1}) {
        blocks[opposite][m].set(job, orientations[m], opposite == 1);
      }
    }
  }

  void set_none(BlockTable& table) const {
    for (auto& opposite : table.at) {
      for (auto& next : opposite) {
        for (int m = 0; m < count; ++m) next[m][kWideRows] = 0;
      }
    }
  }

  // Sets the row that stands for no row: a pixel that exists, with weight zero.
  void set_none(RowTable& table) const {
    const int x = std::clamp(tile.x0, 0, width - 2) - tile.x0;
    for (int m = 0; m < count; ++m) {
      table.at[m][kWideRows] = static_cast<std::int32_t>(members[m].dx * x);
    }
    table.first[kWideRows] = table.second[kWideRows] = 0;
  }
};

// The rays of one family that enter the band within the tile's width.
struct Walk {
  const Family* family;
  double origin;  // left end of ray 0 in the band's row 0
  int crossings;  // in half a band, at most
  float* out[kWideMembers];
  const std::uint16_t* transmittance[kWideMembers];
  Range rays;    // those that meet the frame
  Range inside;  // those that are within it in all rows

  void set(const WideForwardJob& job, const Band& band, const Family& f) {
    family = &f;
    origin = f.start - 0.5 * f.tau + f.slope * band.tile.y0;
    // A ray that goes w pixels to the right crosses at most w + 1 edges; w may have been rounded.
    crossings = std::min(kHalfRows, static_cast<int>(kHalfRows * f.tau + 1e-6) + 1);
    for (int m = 0; m < f.members; ++m) {
      const std::size_t view = f.first_view + static_cast<std::size_t>(m);
      const std::size_t angle = job.plan->strips().views()[view];
      out[m] =
          job.y + angle * static_cast<std::size_t>(job.plan->geometry().beamlets) * job.y_stride;
      const WideTransmittance& t = job.transmittance;
      transmittance[m] = t.view == nullptr ? nullptr : t.view[angle] + t.column;
    }
    const double drift = f.slope * kWideRows;
    const Range tile{ray_at(band.tile.x0, job.rays),
                     ray_at(band.tile.x0 + band.tile.width, job.rays)};
    rays = {ray_at(-2 - drift, tile), ray_at(band.width, tile)};
    inside = {ray_at(0, rays), ray_at(band.width - 2 - drift, rays)};
    if (band.tile.height < kWideRows || inside.begin > inside.end) inside = {rays.end, rays.end};
  }

  double x(int ray) const { return origin + family->pitch * ray; }

  // First ray, among some, that is not left of x in row 0. Neighbouring tiles ask for the same x.
  int ray_at(double x, Range among) const {
    return static_cast<int>(std::clamp(std::ceil((x - origin) / family->pitch),
                                       static_cast<double>(among.begin),
                                       static_cast<double>(among.end)));
  }
};

// Rows r, r + 1, .. With kEdges some may be outside of the frame.
template <bool kEdges, bool kCentred, bool kAttenuated>
HWY_INLINE void fill_rows(const RowWeights& weights, const Position& start, const Band& band, int r,
                          RowTable& out, [[maybe_unused]] BlockTable* blocks) {
  const D d;
  const DI di;
  TwoWeights w = weights.at<kEdges>(r, start);
  if constexpr (kEdges) {
    const V live = hn::Load(d, band.live + r);
    w.first = hn::Mul(live, w.first);
    w.second = hn::Mul(live, w.second);
  }
  hn::StoreU(w.first, d, out.first + r);
  hn::StoreU(w.second, d, out.second + r);
  const VI base = hn::Sub(w.base, hn::Set(di, band.tile.x0));
  for (int m = 0; m < band.count; ++m) {
    const Member& member = band.members[m];
    const VI dx = hn::Set(di, static_cast<std::int32_t>(member.dx));
    hn::StoreU(hn::Add(hn::Mul(base, dx), hn::Load(di, member.down + r)), di, out.at[m] + r);
  }
  if constexpr (kAttenuated) {
    const VI next = hn::Add(w.base, hn::Set(di, 1));
    for (int opposite = 0; opposite < (kCentred ? 2 : 1); ++opposite) {
      for (int m = 0; m < band.count; ++m) {
        const BlockWalk& walk = band.blocks[opposite][m];
        hn::StoreU(walk.at(w.base, r, band.shift), di, blocks->at[opposite][0][m] + r);
        hn::StoreU(walk.at(next, r, band.shift), di, blocks->at[opposite][1][m] + r);
      }
    }
  }
  const int half = r / kHalfRows;
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, hn::Gt(w.second, hn::Zero(d)), bits);
  for (int k = 0; k < lane_count(); k += 8) {
    const std::uint64_t rows = kSetBits.places_from(bits[k / 8], r + k);
    std::memcpy(out.crossings[half] + out.found[half], &rows, sizeof(rows));
    out.found[half] += kSetBits.count[bits[k / 8]];
  }
}

template <bool kEdges, bool kCentred, bool kAttenuated>
HWY_INLINE void fill(const Walk& walk, const Band& band, int ray, RowTable& out,
                     BlockTable* blocks) {
  const RowWeights weights(*walk.family, band.width - 2);
  const Position start = position(walk.x(ray));
  out.found[0] = out.found[1] = 0;
  for (int r = 0; r < kWideRows; r += lane_count()) {
    fill_rows<kEdges, kCentred, kAttenuated>(weights, start, band, r, out, blocks);
  }
  // Fills both lists up to the largest number of crossings of the family: processors predict the
  // end of a loop that always has the same length.
  for (int half = 0; half < 2; ++half) {
    std::memset(out.crossings[half] + out.found[half], kWideRows, kHalfRows);
  }
  out.count = std::max({walk.crossings, out.found[0], out.found[1]});
}

}  // namespace wide
}  // namespace HWY_NAMESPACE
}  // namespace firm
HWY_AFTER_NAMESPACE();
