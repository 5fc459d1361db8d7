#include "io/hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace lcn {
namespace {

constexpr std::size_t kCompactBytes = 60'000;  // data inside the object header: at most 64 KiB with the rest
constexpr hsize_t kChunkRows = 16'384;
constexpr unsigned kDeflateLevel = 3;

// The library's own exit handler is left out: every file is closed by its owner, and after a full disk that
// handler crashes on what it could not flush (HDF5 1.10.8). Before main, because any first call would install
// it.
[[maybe_unused]] const herr_t kNoExitHandler = H5dont_atexit();

// Called before every use of the library: its stack of errors is read by fail(), and not printed.
void silence() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// The innermost entry of the error stack is where the failure happened.
herr_t keep_innermost(unsigned, const H5E_error2_t* entry, void* reason) {
  auto& text = *static_cast<std::string*>(reason);
  if (text.empty() && entry->desc && *entry->desc) text = entry->desc;
  return 0;
}

std::string innermost_reason() {
  std::string reason;
  if (H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason) < 0 || reason.empty())
    return "no reason given";
  // "..., errno = 28, error message = 'No space left on device', buf = 0x7f..., ..." : keep what a person
  // needs
  if (const std::size_t at = reason.find("error message = '"); at != std::string::npos) {
    const std::size_t start = at + std::strlen("error message = '");
    if (const std::size_t end = reason.find('\'', start); end != std::string::npos)
      return reason.substr(start, end - start);
  }
  return reason;
}

std::size_t sequence_length(std::string_view text) {  // of the UTF-8 sequence at the front; 0 when it is none
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead >= 1 && lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return tail(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && tail(2, 0x80, 0xBF) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4)
    return tail(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && tail(2, 0x80, 0xBF) &&
                   tail(3, 0x80, 0xBF)
               ? 4
               : 0;
  return 0;
}

std::string without_padding(std::string text) {
  text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 = 0
  return text;
}

}  // namespace

std::string valid_utf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(std::string_view(text).substr(i));
    if (length == 0) text[i] = '?';
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

std::string cut_utf8(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

void Hdf5File::fail(const char* call, const std::string& object) const {
  const std::string place = object.empty() ? name_ : name_ + ": " + object;
  const std::string reason = innermost_reason();
  if (writing_)
    throw Error(
        ErrorKind::environment, "HDF5", call, -1,
        fmt::format("{}: cannot be written ({}). Check space and rights in its folder.", place, reason));
  throw Error(
      ErrorKind::rejected, "HDF5", call, -1,
      fmt::format("{}: cannot be read ({}). The file is cut, damaged, or none of lcn.", place, reason));
}

void Hdf5File::wrong(const std::string& object, const std::string& problem) const {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}: {}", name_, object, problem));
}

Hdf5File Hdf5File::create(const std::string& path) {
  silence();
  Hdf5File file(path, true);
  const Hdf5Id access(file.check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"), H5Pclose);
  const Hdf5Id creation(file.check(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate"), H5Pclose);
  file.check(H5Pset_obj_track_times(creation, false), "H5Pset_obj_track_times");
  file.check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST), "H5Pset_libver_bounds");
  file.file_ =
      Hdf5Id(file.check(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation, access), "H5Fcreate"), H5Fclose);
  return file;
}

Hdf5File Hdf5File::open(const std::string& path) {
  silence();
  if (std::error_code code; !std::filesystem::exists(path, code)) throw input_error(path + ": no such file");
  Hdf5File file(path, false);
  file.file_ = Hdf5Id(file.check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen"), H5Fclose);
  return file;
}

Hdf5File Hdf5File::open_image(std::string bytes, const std::string& name) {
  silence();
  Hdf5File file(name, false);
  file.image_ = std::move(bytes);
  const Hdf5Id access(file.check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"), H5Pclose);
  file.check(H5Pset_fapl_core(access, 1 << 16, false), "H5Pset_fapl_core");
  file.check(H5Pset_file_image(access, file.image_.data(), file.image_.size()), "H5Pset_file_image");
  // the library wants a name that no file has
  file.file_ =
      Hdf5Id(file.check(H5Fopen((name + ".image").c_str(), H5F_ACC_RDONLY, access), "H5Fopen"), H5Fclose);
  return file;
}

void Hdf5File::close() {
  check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "H5Fflush");
  check(H5Fclose(file_.release()), "H5Fclose");
}

bool Hdf5File::exists(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    if (check(H5Lexists(file_, prefix.c_str(), H5P_DEFAULT), "H5Lexists", prefix) == 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> Hdf5File::links(const std::string& group) const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  const Hdf5Id id(check(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), "H5Gopen2", group), H5Gclose);
  check(H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "H5Literate", group);
  return names;
}

void Hdf5File::make_group(const std::string& path, bool creation_order) {
  const Hdf5Id creation(check(H5Pcreate(H5P_GROUP_CREATE), "H5Pcreate"), H5Pclose);
  check(H5Pset_obj_track_times(creation, false), "H5Pset_obj_track_times");
  if (creation_order)
    check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order");
  const Hdf5Id group(
      check(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), "H5Gcreate2", path),
      H5Gclose);
}

void Hdf5File::remove(const std::string& path) {
  check(H5Ldelete(file_, path.c_str(), H5P_DEFAULT), "H5Ldelete", path);
}

Hdf5Id Hdf5File::text_type(std::size_t width) const {
  Hdf5Id type(check(H5Tcopy(H5T_C_S1), "H5Tcopy"), H5Tclose);
  check(H5Tset_size(type, width), "H5Tset_size");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

Hdf5Id Hdf5File::boolean_type() const {
  Hdf5Id type(check(H5Tenum_create(H5T_NATIVE_INT8), "H5Tenum_create"), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  check(H5Tenum_insert(type, "FALSE", &no), "H5Tenum_insert");
  check(H5Tenum_insert(type, "TRUE", &yes), "H5Tenum_insert");
  return type;
}

Hdf5Id Hdf5File::storage(const std::vector<hsize_t>& dimensions, std::size_t row_bytes) const {
  Hdf5Id creation(check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"), H5Pclose);
  check(H5Pset_obj_track_times(creation, false), "H5Pset_obj_track_times");  // equal content, equal bytes
  const hsize_t rows = dimensions.empty() ? 1 : dimensions[0];
  if (rows * row_bytes <= kCompactBytes) {
    check(H5Pset_layout(creation, H5D_COMPACT), "H5Pset_layout");
  } else if (rows > 1) {
    std::vector<hsize_t> chunk = dimensions;
    chunk[0] = std::min({rows, kChunkRows, std::max<hsize_t>(1, (std::size_t{1} << 24) / row_bytes)});
    check(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "H5Pset_chunk");
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      check(H5Pset_shuffle(creation), "H5Pset_shuffle");
      check(H5Pset_deflate(creation, kDeflateLevel), "H5Pset_deflate");
    }
  }
  return creation;
}

void Hdf5File::write_text(const std::string& path, const std::string& text) {
  const std::string bytes = valid_utf8(text);
  const Hdf5Id type = text_type(std::max<std::size_t>(bytes.size(), 1));
  const Hdf5Id space(check(H5Screate(H5S_SCALAR), "H5Screate"), H5Sclose);
  const Hdf5Id creation = storage({}, bytes.size());
  const Hdf5Id dataset(check(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                             "H5Dcreate2", path),
                       H5Dclose);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.empty() ? "" : bytes.data()), "H5Dwrite",
        path);
}

std::string Hdf5File::read_text(const std::string& path) const {
  const Hdf5Id dataset = open_dataset(path);
  const Hdf5Id type(check(H5Dget_type(dataset), "H5Dget_type", path), H5Tclose);
  const Hdf5Id space(check(H5Dget_space(dataset), "H5Dget_space", path), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
      H5Sget_simple_extent_npoints(space) != 1)
    wrong(path, "is not one fixed-length text");
  std::string text(H5Tget_size(type), '\0');
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "H5Dread", path);
  return without_padding(std::move(text));
}

void Hdf5File::set_attribute(hid_t object, const char* name, const std::string& text) {
  const std::string bytes = valid_utf8(text);
  const Hdf5Id type = text_type(std::max<std::size_t>(bytes.size(), 1));
  const Hdf5Id space(check(H5Screate(H5S_SCALAR), "H5Screate"), H5Sclose);
  const Hdf5Id attribute(
      check(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2", name), H5Aclose);
  check(H5Awrite(attribute, type, bytes.empty() ? "" : bytes.data()), "H5Awrite", name);
}

void Hdf5File::set_attribute(hid_t object, const char* name, std::int64_t value) {
  const Hdf5Id space(check(H5Screate(H5S_SCALAR), "H5Screate"), H5Sclose);
  const Hdf5Id attribute(
      check(H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2", name),
      H5Aclose);
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "H5Awrite", name);
}

Hdf5Id Hdf5File::open_attribute(const std::string& object, const char* name) const {
  if (check(H5Aexists_by_name(file_, object.c_str(), name, H5P_DEFAULT), "H5Aexists_by_name", object) == 0)
    wrong(object, fmt::format("has no attribute {}", name));
  Hdf5Id attribute(check(H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT),
                         "H5Aopen_by_name", object),
                   H5Aclose);
  const Hdf5Id space(check(H5Aget_space(attribute), "H5Aget_space", object), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1)
    wrong(object, fmt::format("its attribute {} is not one value", name));
  return attribute;
}

std::string Hdf5File::text_attribute(const std::string& object, const char* name) const {
  const Hdf5Id attribute = open_attribute(object, name);
  const Hdf5Id type(check(H5Aget_type(attribute), "H5Aget_type", object), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    wrong(object, fmt::format("its attribute {} is not a fixed-length text", name));
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), "H5Aread", object);
  return without_padding(std::move(text));
}

std::int64_t Hdf5File::integer_attribute(const std::string& object, const char* name) const {
  const Hdf5Id attribute = open_attribute(object, name);
  const Hdf5Id type(check(H5Aget_type(attribute), "H5Aget_type", object), H5Tclose);
  if (H5Tget_class(type) != H5T_INTEGER)
    wrong(object, fmt::format("its attribute {} is not an integer", name));
  std::int64_t value = 0;
  check(H5Aread(attribute, H5T_NATIVE_INT64, &value), "H5Aread", object);
  return value;
}

Hdf5Id Hdf5File::make_column(const std::string& path, hid_t type, hsize_t rows) {
  const Hdf5Id space(check(H5Screate_simple(1, &rows, nullptr), "H5Screate_simple", path), H5Sclose);
  const Hdf5Id creation = storage({rows}, H5Tget_size(type));
  return Hdf5Id(check(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                      "H5Dcreate2", path),
                H5Dclose);
}

void Hdf5File::write_piece(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t rows, const void* data) {
  if (rows == 0) return;
  const Hdf5Id memory(check(H5Screate_simple(1, &rows, nullptr), "H5Screate_simple"), H5Sclose);
  const Hdf5Id space(check(H5Dget_space(dataset), "H5Dget_space"), H5Sclose);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &rows, nullptr), "H5Sselect_hyperslab");
  check(H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, data), "H5Dwrite");
}

Hdf5Id Hdf5File::open_dataset(const std::string& path) const {
  return Hdf5Id(check(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), "H5Dopen2", path), H5Dclose);
}

hsize_t Hdf5File::rows(hid_t dataset, const std::string& path) const {
  const Hdf5Id space(check(H5Dget_space(dataset), "H5Dget_space", path), H5Sclose);
  if (H5Sget_simple_extent_ndims(space) != 1) wrong(path, "is not one-dimensional");
  return static_cast<hsize_t>(
      check(H5Sget_simple_extent_npoints(space), "H5Sget_simple_extent_npoints", path));
}

void Hdf5File::read_piece(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t rows, void* data) const {
  if (rows == 0) return;
  const Hdf5Id memory(check(H5Screate_simple(1, &rows, nullptr), "H5Screate_simple"), H5Sclose);
  const Hdf5Id space(check(H5Dget_space(dataset), "H5Dget_space"), H5Sclose);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &rows, nullptr), "H5Sselect_hyperslab");
  check(H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, data), "H5Dread");
}

Hdf5Id Hdf5File::table_type(const std::vector<TableColumn>& columns) const {
  Hdf5Id type(check(H5Tcreate(H5T_COMPOUND, 8 * columns.size()), "H5Tcreate"), H5Tclose);
  for (std::size_t i = 0; i < columns.size(); ++i)
    check(H5Tinsert(type, columns[i].name, 8 * i, columns[i].real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64),
          "H5Tinsert");
  return type;
}

Hdf5Id Hdf5File::write_table(const std::string& path, const std::vector<TableColumn>& columns, hsize_t rows,
                             const void* data) {
  const Hdf5Id type = table_type(columns);
  Hdf5Id dataset = make_column(path, type, rows);
  if (rows > 0) check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite", path);
  return dataset;
}

std::string Hdf5File::read_table(const std::string& path, const std::vector<TableColumn>& columns) const {
  const Hdf5Id dataset = open_dataset(path);
  const hsize_t count = rows(dataset, path);
  const Hdf5Id stored(check(H5Dget_type(dataset), "H5Dget_type", path), H5Tclose);
  const Hdf5Id type = table_type(columns);
  if (check(H5Tequal(stored, type), "H5Tequal", path) == 0) {
    std::string names;
    for (const TableColumn& column : columns) names += (names.empty() ? "" : ", ") + std::string(column.name);
    wrong(path, fmt::format("is not a table of the 8-byte columns {}", names));
  }
  std::string bytes(8 * columns.size() * count, '\0');
  if (count > 0) check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "H5Dread", path);
  return bytes;
}

void Hdf5File::write_pairs(const std::string& path, const std::vector<std::int32_t>& values) {
  const std::vector<hsize_t> dimensions = {values.size() / 2, 2};
  const Hdf5Id space(check(H5Screate_simple(2, dimensions.data(), nullptr), "H5Screate_simple", path),
                     H5Sclose);
  const Hdf5Id creation = storage(dimensions, 8);
  const Hdf5Id dataset(
      check(H5Dcreate2(file_, path.c_str(), H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
            "H5Dcreate2", path),
      H5Dclose);
  if (!values.empty())
    check(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "H5Dwrite",
          path);
}

std::vector<std::int32_t> Hdf5File::read_pairs(const std::string& path) const {
  const Hdf5Id dataset = open_dataset(path);
  const Hdf5Id space(check(H5Dget_space(dataset), "H5Dget_space", path), H5Sclose);
  hsize_t dimensions[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, dimensions, nullptr) != 2 ||
      dimensions[1] != 2)
    wrong(path, "is not of shape [n, 2]");
  const Hdf5Id stored(check(H5Dget_type(dataset), "H5Dget_type", path), H5Tclose);
  if (check(H5Tequal(stored, H5T_STD_I32LE), "H5Tequal", path) == 0) wrong(path, "is not of 32-bit integers");
  std::vector<std::int32_t> values(2 * dimensions[0]);
  if (!values.empty())
    check(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "H5Dread", path);
  return values;
}

}  // namespace lcn
