#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "io/archive.hpp"
#include "io/files.hpp"
#include "io/unit_file.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

const char* const kPython = "/usr/bin/python3";

// Looks for the packages without importing them, which takes seconds.
bool has_h5py_and_pandas() {
  static const bool found =
      std::system((std::string(kPython) +
                   " -c 'import importlib.util as u, sys; "
                   "sys.exit(not (u.find_spec(\"h5py\") and u.find_spec(\"pandas\")))' >/dev/null 2>&1")
                      .c_str()) == 0;
  return found;
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return "popen failed";
  std::string text;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  const int status = ::pclose(pipe);
  return status == 0 ? text : "failed: " + text;
}

std::string page() {
  return read_text_file(std::string(LCN_SOURCE_DIR) + "/docs/format.md");
}

// A run with an archive of two units in FOLDER/RUN.
void make_run(const TestFolder& folder) {
  const Instance instance = sample_instance();
  for (const char* unit : {"00aa000000000001", "11bb000000000002"})
    write_unit_file(folder.path() + "/RUN", sample_record(instance, unit), instance, "{}");
  merge_run(folder.path() + "/RUN");
}

TEST(FormatPage, NamesEveryColumnWithTypeUnitsAndMeaning) {
  const std::string text = page();
  for (const RunColumn& column : run_columns()) {
    const char* type = column.is_text()      ? "text"
                       : column.is_real()    ? "float64"
                       : column.is_boolean() ? "boolean"
                                             : "int64";
    EXPECT_THAT(text, HasSubstr("| `" + std::string(column.name) + "` | " + type + " | " + column.units +
                                " | " + column.description + " |"));
  }
}

TEST(FormatPage, ThePandasExampleRuns) {
  if (!has_h5py_and_pandas()) GTEST_SKIP() << kPython << " has no h5py and pandas";
  const std::string text = page();
  const std::size_t start = text.find("```python\n") + 10;
  const std::string example = text.substr(start, text.find("```", start) - start);
  EXPECT_EQ(std::count(example.begin(), example.end(), '\n'), 3);
  const TestFolder folder;
  make_run(folder);
  const std::string script =
      folder.write("example.py", example +
                                     "print(len(runs), runs.instance[0], runs.K.sum(), runs.K.dtype, "
                                     "runs.optimal.dtype, runs.wall_time.dtype, list(runs)[:2])\n");
  EXPECT_EQ(output_of("cd '" + folder.path() + "' && PYTHONIOENCODING=utf-8 " + kPython + " " + script),
            "2 kreuz-ß 2 int64 bool float64 ['unit', 'instance']\n");
}

TEST(FormatPage, AnotherReaderSeesWhatThePageSays) {
  if (!has_h5py_and_pandas()) GTEST_SKIP() << kPython << " has no h5py and pandas";
  const TestFolder folder;
  make_run(folder);
  const std::string script = folder.write("look.py", R"(
import h5py, json
f = h5py.File("RUN/archive.h5")
assert f.attrs["schema_version"] == 1 and f.attrs["format"] == b"lcn" and f.attrs["kind"] == b"archive"
assert f["runs/K"].attrs["units"] == b"crossings" and f["runs/K"].attrs["description"]
assert h5py.check_enum_dtype(f["runs/optimal"].dtype) or f["runs/optimal"].dtype == bool
assert h5py.check_string_dtype(f["runs/status"].dtype).encoding == "utf-8"
unit = f["runs/unit"].asstr()[0]
assert f["drawings"][unit][:].tolist() == [[0, 0], [10, 10], [0, 10], [10, 0]]
assert f["trace"][unit].dtype.names == ("seconds", "step", "K", "n_K", "Phi", "C")
assert f["schedule"][unit]["table_K"].tolist() == [7, 6]
assert json.loads(f["schedule"][unit].attrs["stages"]) == ["anneal", "polish"]
assert f["replicas"][unit]["families"].tolist() == [7]
instance = f["instances"][f["runs/instance_sha256"].asstr()[0]]
assert instance["name"].asstr()[()] == "kreuz-ß" and len(json.loads(instance["json"].asstr()[()])["nodes"]) == 4
assert json.loads(f["provenance"][f["runs/provenance"].asstr()[0]].asstr()[()]) == {}
print("as described")
)");
  EXPECT_EQ(output_of("cd '" + folder.path() + "' && " + kPython + " " + script), "as described\n");
}

TEST(FormatPage, AnotherSchemaVersionIsRefused) {
  if (!has_h5py_and_pandas()) GTEST_SKIP() << kPython << " has no h5py and pandas";
  const TestFolder folder;
  make_run(folder);
  const std::string run = folder.path() + "/RUN", archive = run + "/archive.h5";
  const std::string unit = unit_file_path(run, "00aa000000000001");
  const std::string script = folder.write(
      "change.py",
      "import h5py, sys\nfor path in sys.argv[1:]: h5py.File(path, 'r+').attrs['schema_version'] = 2\n");
  ASSERT_EQ(output_of(std::string(kPython) + " " + script + " " + unit + " " + archive), "");
  EXPECT_FALSE(unit_file_valid(unit));
  const std::string before = read_text_file(archive);
  for (const auto& read :
       std::vector<std::function<void()>>{[&] { read_unit_file(unit); }, [&] { read_archive_rows(archive); },
                                          [&] { verify_archive(archive); }, [&] { merge_run(run); },
                                          [&] { merge_archives({archive}, run + "/out.h5"); }}) {
    try {
      read();
      ADD_FAILURE() << "another schema was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::rejected);
      EXPECT_THAT(error.what(), HasSubstr("has schema_version 2 (this program reads 1)"));
    }
  }
  EXPECT_TRUE(read_text_file(archive) == before);
  EXPECT_FALSE(std::filesystem::exists(run + "/out.h5"));
}

}  // namespace
}  // namespace lcn
