// What `lcn archive verify` promises: every kind of damage to an archive or unit file is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

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

UnitRecord sample_unit(int index) {
  UnitRecord record = sample_record(sample_instance());
  record.repetition = index + 1;
  return identify(record);
}

// The only mismatch of a unit file whose writer was told something that is not so. Its checksum is right.
std::string mismatch(const std::function<void(UnitRecord&)>& tamper,
                     const Instance& instance = sample_instance()) {
  const TestFolder run;
  UnitRecord record = sample_unit(0);
  tamper(record);
  const std::vector<std::string> found =
      verify_archive(write_unit_file(run.path(), record, instance, R"({"job":1})")).mismatches;
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? std::string() : found[0];
}

TEST(ArchiveVerify, AcceptsWhatIsRight) {
  const TestFolder run;
  for (int i : {0, 1}) write_unit_file(run.path(), sample_unit(i), sample_instance(), R"({"job":1})");
  UnitRecord failed = sample_unit(2);
  failed.status = "failed";
  failed.error = "no valid drawing found";
  failed.drawing.clear();
  const std::string file = write_unit_file(run.path(), failed, sample_instance(), R"({"job":2})");
  EXPECT_THAT(verify_archive(file).mismatches, ::testing::IsEmpty());
  const VerifyReport report = verify_archive(merge_run(run.path()).archive);
  EXPECT_THAT(report.mismatches, ::testing::IsEmpty());
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.drawings, 2);
}

TEST(ArchiveVerify, RecountsDrawings) {
  EXPECT_THAT(mismatch([](UnitRecord& r) {
                r.drawing[1] = {1, 8};
              }),
              HasSubstr("stored tuple (1, 2, 2, 1) but the drawing has (0, 0, 0, 0)"));
  EXPECT_THAT(mismatch([](UnitRecord& r) { r.drawing[1] = {30, 9}; }), HasSubstr("invalid: V1"));
  EXPECT_THAT(mismatch([](UnitRecord& r) { r.drawing.pop_back(); }), HasSubstr("3 points for 4 vertices"));
  EXPECT_THAT(mismatch([](UnitRecord& r) { r.final.Phi = r.claimed.Phi = 3; }),
              HasSubstr("stored tuple (1, 2, 3, 1)"));
}

TEST(ArchiveVerify, ChecksEveryPromiseOfARow) {
  const std::vector<std::pair<std::function<void(UnitRecord&)>, const char*>> lies = {
      {[](UnitRecord& r) { r.unit[0] = r.unit[0] == 'a' ? 'b' : 'a'; }, "unit id is not the hash"},
      {[](UnitRecord& r) { r.repetition = 7; }, "unit id is not the hash"},
      {[](UnitRecord& r) { r.root_seed = 7; }, "unit id is not the hash"},
      {[](UnitRecord& r) { r.config = R"({"steps":1})"; }, "unit id is not the hash"},
      {[](UnitRecord& r) { r.config = "steps=1"; }, "config is not a JSON object"},
      {[](UnitRecord& r) { r.status = "done"; }, "status is 'done'"},
      {[](UnitRecord& r) { r.status = "optimal"; }, "status optimal, optimal FALSE"},
      {[](UnitRecord& r) { r.status = "target"; }, "status target, target -1, target_reached FALSE"},
      {[](UnitRecord& r) { r.status = "failed"; }, "with a drawing"},
      {[](UnitRecord& r) { r.status = "failed", r.drawing.clear(); }, "without a reason"},
      {[](UnitRecord& r) { r.error = "oh"; }, "with an error"},
      {[](UnitRecord& r) { r.backend = "tpu"; }, "backend is 'tpu'"},
      {[](UnitRecord& r) { r.rank = -1; }, "rank is -1"},
      {[](UnitRecord& r) { r.target_K = 4; }, "target_K is 4 but config says null"},
      {[](UnitRecord& r) { r.target_reached = true, r.time_to_target = 1; }, "target_reached TRUE"},
      {[](UnitRecord& r) { r.time_to_target = 1; }, "time_to_target is 1"},
      {[](UnitRecord& r) { r.time_to_best = r.wall_time + 1; }, "time_to_best"},
      {[](UnitRecord& r) { r.time_to_best = -1; }, "time_to_best"},
      {[](UnitRecord& r) { r.wall_time = std::nan(""); }, "wall_time"},
      {[](UnitRecord& r) { r.proposals_valid = 10'000; }, "proposals are not"},
      {[](UnitRecord& r) { r.proposals_accepted = -1; }, "proposals_accepted is -1"},
      {[](UnitRecord& r) { r.exchanges_accepted = 51; }, "exchanges"},
      {[](UnitRecord& r) { r.round_trips = -1; }, "round_trips is -1"},
      {[](UnitRecord& r) { r.replica_steps = 1201; }, "300 steps per replica cannot make 1201"},
      {[](UnitRecord& r) { r.claimed.C = 0; }, "claimed tuple"},
      {[](UnitRecord& r) { r.initial = {}; }, "worse than its start"},
      {[](UnitRecord& r) {
         r.initial = {3, 4, 20, 5};
       },
       "impossible"},
      {[](UnitRecord& r) {
         r.initial = {3, 1, 20, 5};
       },
       "does not begin at the start"},
      {[](UnitRecord& r) { r.lower_bound = 2; }, "below the lower bound"},
      {[](UnitRecord& r) { r.lower_bound = 1, r.optimal = true; }, "no more than 0 is proven"},
      {[](UnitRecord& r) { r.lower_bound = -1; }, "lower_bound is -1"},
      {[](UnitRecord& r) { r.optimal = true; }, "optimal TRUE, but K = 1"},
      {[](UnitRecord& r) { r.certificate = "proof"; }, "certificate is not"},
      {[](UnitRecord& r) { r.certificate = R"({"rule":"planar","n":4,"m":4,"vertices":[0,1,2,3]})"; },
       "subgraph has 4 vertices and 3 edges"},
      {[](UnitRecord& r) { r.certificate = R"({"rule":"planar","n":1,"m":0,"vertices":[4]})"; },
       "certificate is not"},
      {[](UnitRecord& r) { r.start_sha256 = "none"; }, "no hash"},
      {[](UnitRecord& r) { r.state_sha256.clear(); }, "no hash"},
      {[](UnitRecord& r) { r.host.clear(); }, "is empty"},
      {[](UnitRecord& r) { r.best_stage = "dream"; }, "best_stage is 'dream'"},
      {[](UnitRecord& r) { std::swap(r.trace[0], r.trace[1]); }, "trace"},
      {[](UnitRecord& r) { r.trace[0].step = 30; }, "trace: its rows"},
      {[](UnitRecord& r) { r.trace[1].seconds = 1e9; }, "trace: a time"},
      {[](UnitRecord& r) { r.trace.pop_back(); }, "does not end in the claimed"},
      {[](UnitRecord& r) { r.schedule[1].stage = 2; }, "schedule"},
      {[](UnitRecord& r) { r.schedule[1].temperature = -1; }, "schedule"},
      {[](UnitRecord& r) { r.replicas[0].accepts_odd = 5; }, "replicas"},
      {[](UnitRecord& r) { r.replicas[0].rejection_rate = 1.5; }, "replicas"},
      {[](UnitRecord& r) { r.replicas[0].hot_fraction = std::nan(""); }, "replicas"},
  };
  for (const auto& [tamper, reason] : lies) EXPECT_THAT(mismatch(tamper), HasSubstr(reason));
}

TEST(ArchiveVerify, AChangedInstanceTextIsFound) {
  Instance instance = sample_instance();
  instance.text += " ";
  EXPECT_THAT(mismatch([](UnitRecord&) {}, instance), HasSubstr("another sha256"));
}

// An HDF5 file that is changed in place.
class Damaged {
 public:
  explicit Damaged(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ~Damaged() { EXPECT_GE(H5Fclose(file_), 0); }
  operator hid_t() const { return file_; }

  // Flips the lowest bit of the last byte.
  void flip(const std::string& path) const {
    const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT), type = H5Dget_type(dataset),
                space = H5Dget_space(dataset);
    std::string bytes(H5Tget_size(type) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)),
                      '\0');
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0) << path;
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0) << path;
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
  }

  // Puts a column of one 32-bit integer, which no record has, in the place of a dataset.
  void retype(const std::string& path) const {
    H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
    const hsize_t rows = 1;
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const hid_t dataset =
        H5Dcreate2(file_, path.c_str(), H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << path;
    const std::int32_t value = 77;
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0) << path;
    H5Dclose(dataset);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

// Changes of single values, and of what is around them.
std::vector<std::pair<std::string, std::function<void(const Damaged&)>>> damages(const UnitRecord& unit,
                                                                                 const std::string& job) {
  std::vector<std::pair<std::string, std::function<void(const Damaged&)>>> all;
  std::vector<std::string> values, typed;
  for (const RunColumn& column : run_columns()) {
    const std::string path = std::string("/runs/") + column.name;
    values.push_back(path);
    if (!column.is_text()) typed.push_back(path);
    all.push_back({"units of " + path, [path](const Damaged& file) {
                     EXPECT_GE(H5Adelete_by_name(file, path.c_str(), "units", H5P_DEFAULT), 0);
                   }});
    if (std::string(column.name) != "checksum")
      all.push_back(
          {"no " + path, [path](const Damaged& file) { H5Ldelete(file, path.c_str(), H5P_DEFAULT); }});
  }
  for (const char* group : {"/trace/", "/schedule/", "/replicas/", "/drawings/"}) {
    values.push_back(group + unit.unit);
    typed.push_back(group + unit.unit);
    all.push_back({std::string("no ") + group, [group, unit](const Damaged& file) {
                     H5Ldelete(file, (group + unit.unit).c_str(), H5P_DEFAULT);
                   }});
    all.push_back({std::string("stray ") + group,
                   [group](const Damaged& file) { file.retype(group + std::string("0123456789abcdef")); }});
  }
  for (const char* text : {"name", "json", "certificate"})
    values.push_back("/instances/" + unit.instance_sha256 + "/" + text);
  values.push_back("/provenance/" + job);
  for (const std::string& path : values)
    all.push_back({"flip " + path, [path](const Damaged& file) { file.flip(path); }});
  for (const std::string& path : typed)
    all.push_back({"retype " + path, [path](const Damaged& file) { file.retype(path); }});
  for (const char* name : {"format", "kind", "schema_version"})
    all.push_back({name, [name](const Damaged& file) {
                     EXPECT_GE(H5Adelete_by_name(file, "/", name, H5P_DEFAULT), 0);
                   }});
  for (const char* group :
       {"/runs", "/trace", "/schedule", "/replicas", "/drawings", "/instances", "/provenance"})
    all.push_back({group, [group](const Damaged& file) { H5Ldelete(file, group, H5P_DEFAULT); }});
  all.push_back({"stages", [unit](const Damaged& file) {
                   EXPECT_GE(
                       H5Adelete_by_name(file, ("/schedule/" + unit.unit).c_str(), "stages", H5P_DEFAULT), 0);
                 }});
  return all;
}

TEST(ArchiveVerify, FindsEveryChangeOfTheFile) {
  const TestFolder run;
  const UnitRecord unit = sample_unit(0);
  const std::string job = R"({"job":1})", key = sha256_hex(job).substr(0, 16);
  const std::string unit_file = write_unit_file(run.path(), unit, sample_instance(), job);
  const std::string archive = merge_run(run.path()).archive;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  for (const std::string& file : {unit_file, archive}) {
    const std::string good = read_text_file(file), name = file.substr(run.path().size() + 1);
    for (const auto& [what, damage] : damages(unit, key)) {
      damage(Damaged(run.write(name, good)));
      bool found = false;
      try {
        found = !verify_archive(file).mismatches.empty();
      } catch (const Error& error) {
        found = error.kind() == ErrorKind::rejected;
      }
      EXPECT_TRUE(found) << name << ": " << what;
    }
    run.write(name, good);
  }
}

// A merge names a changed unit file instead of copying it. What tells only verify: units and descriptions of
// columns, groups and tables that no row has, and the names of instances.
TEST(ArchiveMerge, AChangedUnitFileIsNamedAndPassedOver) {
  const TestFolder run;
  const UnitRecord unit = sample_unit(0);
  const std::string job = R"({"job":1})", key = sha256_hex(job).substr(0, 16);
  const std::string file = write_unit_file(run.path(), unit, sample_instance(), job);
  run.write("plan.json", R"({"schema_version":1,"units":[{"unit":")" + unit.unit + R"("}]})");
  const std::string good = read_text_file(file), name = file.substr(run.path().size() + 1);
  for (const auto& [what, damage] : damages(unit, key)) {
    const bool only_verify = what.starts_with("units of") || what.starts_with("stray") || what == "kind" ||
                             what.ends_with(unit.instance_sha256 + "/name") ||
                             what.ends_with(unit.instance_sha256 + "/certificate");
    if (only_verify) continue;
    damage(Damaged(run.write(name, good)));
    const MergeReport report = merge_run(run.path());
    EXPECT_FALSE(report.written) << what;
    ASSERT_EQ(report.unreadable.size(), 1u) << what;
    EXPECT_THAT(report.unreadable[0], HasSubstr(file)) << what;
    EXPECT_FALSE(unit_file_valid(file)) << what << ": resume takes it as done";
  }
}

}  // namespace
}  // namespace lcn
