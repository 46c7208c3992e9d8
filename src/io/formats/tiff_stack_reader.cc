// TIFF: a folder with one file per page, or one file with many pages. With the axes theta:y:x a
// page is a projection, with y:theta:x the sinogram of a slice.
#include <fmt/format.h>

#include "core/interruption.h"
#include "firm/error.h"
#include "io/files/folder.h"
#include "io/formats/formats.h"
#include "io/formats/page_frames.h"
#include "io/tiff/tiff_reader.h"

namespace firm {
namespace {

std::string size_text(const TiffPage& page) {
  return fmt::format("{} x {} pixels of {}", page.rows, page.columns, page.type.name());
}

// `file` and `number`: place of the page, for the error.
void check_same(const TiffPage& page, const TiffPage& first, const std::string& file,
                std::size_t number, const std::string& first_name) {
  if (page.rows == first.rows && page.columns == first.columns && page.type == first.type) return;
  throw data_error({file, fmt::format("page {}", number),
                    fmt::format("{}, as {} has", size_text(first), first_name), size_text(page)});
}

// The pages of one file.
class FilePages : public PageSource {
 public:
  FilePages(std::unique_ptr<TiffReader> reader, std::vector<TiffPage> pages)
      : reader_(std::move(reader)), pages_(std::move(pages)) {}

  void read_rows(std::size_t page, std::size_t first, std::size_t count,
                 float* out) const override {
    reader_->read_rows(pages_.at(page), first, count, out);
  }

 private:
  std::unique_ptr<TiffReader> reader_;
  std::vector<TiffPage> pages_;
};

TiffPage only_page(TiffReader& reader, const std::string& file) {
  const std::vector<TiffPage> pages = reader.pages();
  if (pages.size() == 1) return pages.front();
  throw data_error({file, "", "one page, since there are several files in the folder",
                    fmt::format("{} pages", pages.size())});
}

// One page per file. Opens a file for each read: there may be too many to keep open.
class FolderPages : public PageSource {
 public:
  FolderPages(std::vector<std::string> files, TiffPage first)
      : files_(std::move(files)), first_(first) {}

  void read_rows(std::size_t page, std::size_t first, std::size_t count,
                 float* out) const override {
    const std::string& file = files_.at(page);
    TiffReader reader(file);
    const TiffPage there = only_page(reader, file);
    check_same(there, first_, file, 0, name_of_file(files_.front()));
    reader.read_rows(there, first, count, out);
  }

 private:
  std::vector<std::string> files_;
  TiffPage first_;
};

Scan scan_of(std::unique_ptr<PageSource> source, std::size_t count, const TiffPage& first,
             Frames::Facts facts, const std::string& path, const ScanRequest& request) {
  facts.shape = {count, first.rows, first.columns};
  facts.type = first.type.name();
  // A single page may be the sinogram of the only slice.
  const bool flat = count == 1 && (request.axes == "theta:x" || request.axes == "x:theta");
  const PageAxes axes = page_axes(path, request.axes, flat ? 2 : 3);
  Scan scan;
  scan.data = std::make_unique<PageFrames>(std::move(source), axes,
                                           std::array{count, first.rows, first.columns},
                                           first.rows_together, std::move(facts));
  return scan;
}

}  // namespace

Scan tiff_scan(const std::string& path, const ScanRequest& request) {
  auto reader = std::make_unique<TiffReader>(path);
  std::vector<TiffPage> pages = reader->pages();
  const TiffPage first = pages.front();
  for (std::size_t k = 1; k < pages.size(); ++k) {
    check_same(pages[k], first, path, k, "page 0");
  }
  const std::size_t count = pages.size();
  auto source = std::make_unique<FilePages>(std::move(reader), std::move(pages));
  Frames::Facts facts;
  facts.path = count == 1 ? "one page" : fmt::format("{} pages", count);
  Scan scan = scan_of(std::move(source), count, first, std::move(facts), path, request);
  scan.format = "TIFF";
  return scan;
}

Scan tiff_folder_scan(const Folder& folder, const ScanRequest& request) {
  if (folder.files.size() == 1) {
    Scan scan = tiff_scan(folder.files.front(), request);
    scan.files = folder.files;
    return scan;
  }
  TiffReader reader(folder.files.front());
  const TiffPage first = only_page(reader, folder.files.front());
  const std::string first_name = name_of_file(folder.files.front());
  for (const std::string& file : folder.files) {
    check_interruption();
    TiffReader other(file);
    check_same(only_page(other, file), first, file, 0, first_name);
  }
  Frames::Facts facts;
  facts.path = fmt::format("{} .. {}", first_name, name_of_file(folder.files.back()));
  Scan scan = scan_of(std::make_unique<FolderPages>(folder.files, first), folder.files.size(),
                      first, std::move(facts), folder.path, request);
  scan.format = "TIFF, a folder of files";
  scan.files = folder.files;
  return scan;
}

}  // namespace firm
