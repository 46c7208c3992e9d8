// Reads data files with any content. A file must be read, or refused with a firm::Error, and must
// not cause an allocation of whatever size it claims.
//
// An input has the number of angles, the order of the axes, and the content of the file: either its
// bytes, or the datasets of an HDF5 file as records (input.h), because the HDF5 library itself
// crashes on damaged files. Record::what chooses the path; the bytes are type, attributes, shape
// and values.
#include <cstdlib>
#include <filesystem>

#include "firm/error.h"
#include "io/files/angle_file.h"
#include "io/files/raw_file.h"
#include "io/formats/scan.h"
#include "io/hdf5/hdf5.h"
#include "memory_file.h"
#include "support/map_files.h"
#include "support/temporary_directory.h"
#include "support/tiff_pages.h"

namespace firm {
namespace {

// Bits in the byte of the axes.
constexpr std::uint8_t kDatasets = 128;  // the content is datasets of an HDF5 file
constexpr std::uint8_t kMonitor = 64;    // request a monitor: /monitor, or the file of angles

constexpr const char* kAxes[] = {"",          "theta:y:x", "y:theta:x", "x:y:theta",
                                 "theta:x:y", "theta:x",   "x:theta"};

// Paths of all formats.
constexpr const char* kPaths[] = {"/exchange/data",
                                  "/exchange/data_white",
                                  "/exchange/data_dark",
                                  "/exchange/theta",
                                  "/exchange/title",
                                  "/process/acquisition/rotation/rotation_start",
                                  "/process/acquisition/rotation/rotation_step",
                                  "/process/acquisition/rotation/num_angles",
                                  "/process/acquisition/rotation/rotation_axis",
                                  "/measurement/instrument/detector/actual_pixel_size_x",
                                  "/data",
                                  "/elements",
                                  "/names",
                                  "/thetas",
                                  "/entry/instrument/detector/data",
                                  "/entry/instrument/detector/image_key",
                                  "/entry/sample/rotation_angle",
                                  "/entry1/stxm_entry/data/data",
                                  "/entry1/stxm_entry/data/theta",
                                  "/entry1/stxm_entry/monitor/data",
                                  "/MAPS/XRF_Analyzed/Fitted/Counts_Per_Sec",
                                  "/MAPS/XRF_Analyzed/Fitted/Channel_Names",
                                  "/MAPS/XRF_Analyzed/Fitted/Channel_Units",
                                  "/MAPS/Scalers/Values",
                                  "/MAPS/Scalers/Names",
                                  "/MAPS/Scan/theta",
                                  "/MAPS/XRF_fits",
                                  "/MAPS/channel_names",
                                  "/MAPS/scalers",
                                  "/MAPS/scaler_names",
                                  "/xrfmap/detsum/xrf_fit",
                                  "/xrfmap/detsum/xrf_fit_name",
                                  "/xrfmap/scalers/val",
                                  "/xrfmap/scalers/name",
                                  "/xrfmap/scan_metadata",
                                  "/monitor"};

constexpr const char* kUnits[] = {"", "deg", "rad", "um", "1", "furlongs"};
constexpr const char* kOrders[] = {"", "theta:y:x", "y:theta:x", "x:y"};
constexpr const char* kNames[] = {"Fe", "Ca_K", "US_IC", "i0", "compton", "", "Fe_Fe"};

enum Type : std::uint8_t { kFloat, kDouble, kInteger, kText };

// Files that hold an input.
struct Place {
  MemoryFile bytes;
  MemoryFile angles;
  TemporaryDirectory folder;
  std::string hdf5 = folder / "a.h5";
};

const Place& place() {
  static const Place place;
  return place;
}

// Reads the first and last frame, and one slice of all frames.
void read(const Frames& frames) {
  frames.read({0, 1, 0, frames.slices()});
  frames.read({frames.frames() - 1, 1, 0, frames.slices()});
  if (frames.frames() < 100) frames.read({0, frames.frames(), frames.slices() - 1, 1});
}

void try_scan(const std::string& path, const ScanRequest& request) {
  try {
    const Scan scan = open_scan(path, request);
    require(scan.theta.size() == scan.data->frames(), "every frame has an angle");
    for (const auto* frames : {&scan.data, &scan.white, &scan.dark, &scan.monitor}) {
      if (*frames) read(**frames);
    }
  } catch (const Error&) {
  }
}

// Yields the bytes of a record, then zeros.
class Source {
 public:
  explicit Source(const std::string& bytes) : bytes_(bytes) {}
  std::size_t next(std::size_t below) {
    const std::size_t byte = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0;
    return byte % below;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <typename T>
void put_numbers(h5::Writer& writer, const std::string& path, const h5::Shape& shape,
                 Source& source) {
  std::vector<T> values(h5::element_count(shape));
  for (T& value : values) value = static_cast<T>(source.next(256));
  writer.dataset(path, shape, std::span<const T>(values));
}

void put_dataset(h5::Writer& writer, const Record& record) {
  const std::string path = kPaths[record.what % std::size(kPaths)];
  Source source(record.bytes);
  const std::size_t type = source.next(4);
  const std::string units = kUnits[source.next(std::size(kUnits))];
  const std::string order = kOrders[source.next(std::size(kOrders))];
  h5::Shape shape(source.next(6));
  for (std::size_t& n : shape) n = source.next(7);
  if (type == kText) {
    std::vector<std::string> texts(shape.empty() ? 1 : shape[0]);
    for (std::string& text : texts) text = kNames[source.next(std::size(kNames))];
    writer.texts(path, texts);
  } else if (type == kDouble) {
    put_numbers<double>(writer, path, shape, source);
  } else if (type == kInteger) {
    put_numbers<std::int64_t>(writer, path, shape, source);
  } else {
    put_numbers<float>(writer, path, shape, source);
  }
  if (!units.empty()) writer.attribute(path, "units", units);
  if (!order.empty()) writer.attribute(path, "axes", order);
}

void run_datasets(const std::vector<Record>& records, const ScanRequest& request) {
  try {
    h5::Writer writer(place().hdf5);
    for (const Record& record : records) put_dataset(writer, record);
    writer.commit();
  } catch (const Error&) {  // for example a dataset that exists already
    return;
  }
  try_scan(place().hdf5, request);
  try_scan(place().folder.path(), request);
}

void run_bytes(const std::string& bytes, const ScanRequest& request) {
  place().bytes.write(bytes);
  if (kind_of_file(place().bytes.path()) == FileKind::kHdf5) return;
  try_scan(place().bytes.path(), request);
  try {
    read_angles(place().bytes.path());
  } catch (const Error&) {
  }
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return;
  std::string angles;
  for (int k = 0; k < data[0]; ++k) angles += std::to_string(k) + "\n";
  place().angles.write(angles);
  const std::string axes = kAxes[data[1] % kMonitor % std::size(kAxes)];
  ScanRequest request{"", true, data[0] > 0 ? place().angles.path() : "", axes};
  if ((data[1] & kMonitor) != 0) {
    (data[1] < kDatasets ? request.monitor_file : request.monitor) =
        data[1] < kDatasets ? place().angles.path() : "/monitor";
  }
  if (data[1] < kDatasets) {
    run_bytes(std::string(reinterpret_cast<const char*>(data + 2), size - 2), request);
  } else {
    run_datasets(unpacked(data + 2, size - 2), request);
  }
}

// ---- seeds

// A record of the dataset `path` with values that count upwards.
Record dataset(const std::string& path, Type type, const std::vector<char>& shape) {
  Record record;
  while (kPaths[record.what] != path) ++record.what;
  record.bytes = {static_cast<char>(type), 0, 0, static_cast<char>(shape.size())};
  record.bytes.append(shape.begin(), shape.end());
  for (char k = 0; k < 100; ++k) record.bytes += k;
  return record;
}

std::vector<std::vector<Record>> files() {
  return {
      {dataset("/exchange/data", kFloat, {4, 2, 3}),
       dataset("/exchange/data_white", kFloat, {2, 2, 3}),
       dataset("/exchange/data_dark", kFloat, {1, 2, 3}), dataset("/exchange/theta", kDouble, {4})},
      {dataset("/data", kFloat, {2, 4, 2, 3}), dataset("/elements", kText, {2}),
       dataset("/thetas", kDouble, {4})},
      {dataset("/entry/instrument/detector/data", kFloat, {4, 2, 3}),
       dataset("/entry/instrument/detector/image_key", kInteger, {4}),
       dataset("/entry/sample/rotation_angle", kDouble, {4})},
      {dataset("/entry1/stxm_entry/data/data", kFloat, {4, 3}),
       dataset("/entry1/stxm_entry/data/theta", kDouble, {4}),
       dataset("/entry1/stxm_entry/monitor/data", kFloat, {4, 3})},
      {dataset("/MAPS/XRF_Analyzed/Fitted/Counts_Per_Sec", kFloat, {2, 2, 3}),
       dataset("/MAPS/XRF_Analyzed/Fitted/Channel_Names", kText, {2}),
       dataset("/MAPS/Scalers/Values", kFloat, {3, 2, 3}),
       dataset("/MAPS/Scalers/Names", kText, {3}), dataset("/MAPS/Scan/theta", kDouble, {1})},
      {dataset("/xrfmap/detsum/xrf_fit", kFloat, {2, 2, 3}),
       dataset("/xrfmap/detsum/xrf_fit_name", kText, {2}),
       dataset("/xrfmap/scalers/val", kFloat, {2, 3, 4}),
       dataset("/xrfmap/scalers/name", kText, {4})}};
}

std::vector<std::string> seeds() {
  const TemporaryDirectory directory;
  const std::string path = directory / "a";
  std::vector<std::string> all;
  const auto add = [&](char angles, char axes) {
    all.push_back(std::string{angles, axes} + file_content(path));
  };
  for (const std::vector<Record>& file : files()) {
    for (const char angles : {0, 1, 4}) {
      all.push_back(std::string{angles, static_cast<char>(kDatasets)} + packed(file));
      std::vector<Record> with = file;
      with.push_back(dataset("/monitor", kFloat, {4, 2}));
      all.push_back(std::string{angles, static_cast<char>(kDatasets | kMonitor)} + packed(with));
    }
  }
  for (const int version : {1, 2}) {
    write_bytes(path,
                npy(version, npy_header("<f4", "(4, 2, 3)", version == 2), std::string(96, '\1')));
    add(4, static_cast<char>(version - 1));
  }
  write_bytes(path, npy(3, npy_header(">u2", "(4, 3)"), std::string(24, '\1')));
  add(4, 5);
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE}) {
    TiffKind kind;
    kind.compression = static_cast<std::uint16_t>(compression);
    kind.tiles = compression == COMPRESSION_LZW;
    write_counted_pages<std::uint16_t>(path, kind);
    add(4, 0);
    add(4, kMonitor);
    add(2, 2);
  }
  write_angles(path);
  add(4, 0);
  return all;
}

}  // namespace
}  // namespace firm

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  // Files in memory: writers flush to disk, which is slow.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  firm::write_seeds(*argc, *argv, firm::seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  firm::run(data, size);
  return 0;
}
