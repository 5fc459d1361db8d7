// Studies from outside: run, verify, report, alone, under mpirun and in shares; and every way to bend one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "io/archive.hpp"
#include "io/unit_file.hpp"
#include "jobs/commands.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/study_check.hpp"
#include "jobs/study_file.hpp"
#include "jobs/study_job.hpp"
#include "jobs/study_report.hpp"
#include "support/error.hpp"
#include "tests/jobs/run_program.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kRejected = 5, kIncomplete = 6, kStopped = 75;

const char* const kStudyText =
    "[study]\n"
    "question = Is more better?\n"
    "hypothesis = Yes.\n"
    "instances = graphs\n"
    "seeds = 1..3\n"
    "steps = 400\n"
    "min-pairs = 6\n"
    "target = 3\n"
    "target.torus = 1\n"
    "baseline = one\n"
    "[one]\n"
    "start = random\n"
    "[four]  # chains\n"
    "start = random\n"
    "replicas = 4\n";

class StudyTest : public testing::Test {
 protected:
  StudyTest() {
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                             "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
      setenv(name, "1", 1);
    setenv("OMPI_MCA_pml", "ob1", 1);
    fs::create_directories(folder_.path() + "/mpi");
    setenv("OMPI_MCA_orte_tmpdir_base", (folder_.path() + "/mpi").c_str(), 1);
    fs::create_directories(folder_.path() + "/graphs");
    run_lcn("generate torus --rows 3 --cols 5 --grid 100x100 --out " + path("graphs/torus.json"));
    run_lcn("generate complete --n 7 --grid 100x100 --out " + path("graphs/clique.json"));
    write("study.ini", kStudyText);
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }

  // `lcn study run` of study.ini; ranks 0: without mpirun.
  ProgramResult run(const std::string& out, int ranks = 0, const std::string& more = "",
                    const std::string& wrapper = "") {
    const std::string command = wrapper + (ranks > 0 ? "mpirun -n " + std::to_string(ranks) + " " : "") +
                                LCN_PROGRAM + " study run " + path("study.ini") + " --out " + path(out) +
                                " " + more + " </dev/null >" + path("stdout") + " 2>" + path("stderr");
    const int status = std::system(("env " + command).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_text(path("stdout")),
            file_text(path("stderr"))};
  }

  // The other actions need no program of their own.
  static ProgramResult study(const std::vector<std::string>& args) {
    ::testing::internal::CaptureStdout();
    ProgramResult result;
    try {
      result.code = study_command(args);
    } catch (const Error& error) {
      result.code = exit_code(error.kind());
      result.err = error.what();
    }
    std::fflush(stdout);
    result.out = ::testing::internal::GetCapturedStdout();
    return result;
  }

  // report.json without what names the very run.
  json report(const std::string& out) {
    const ProgramResult result = study({"report", path(out)});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    json j = json::parse(file_text(path(out) + "/report.json"));
    j.erase("manifest_sha256");
    return j;
  }

  std::vector<std::string> unit_files(const std::string& run) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path(run) + "/units"))
      if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
  }

  TestFolder folder_;
};

TEST_F(StudyTest, SameReportAloneUnderRanksAndInShares) {
  const ProgramResult alone = run("alone");
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(alone.out, AllOf(HasSubstr("[12/12] "), HasSubstr(" four: "), HasSubstr(" one: ")));
  const json expected = report("alone");
  EXPECT_EQ(expected.at("units").size(), 12u);
  EXPECT_EQ(expected.at("time_unit"), "proposals per replica");

  ASSERT_EQ(run("ranks", 2).code, 0);
  EXPECT_EQ(report("ranks"), expected);

  const ProgramResult first = run("shares", 0, "--share 1/2");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("6 of other shares are missing"));
  EXPECT_FALSE(fs::exists(path("shares/runs/one/archive.h5")));
  const ProgramResult half = study({"report", path("shares")});
  EXPECT_EQ(half.code, kIncomplete);
  EXPECT_THAT(half.out, AllOf(HasSubstr("missing: unit "), HasSubstr("no report (incomplete)")));
  EXPECT_FALSE(fs::exists(path("shares/report.json")));
  ASSERT_EQ(run("shares", 2, "--share 2/2").code, 0);
  EXPECT_EQ(report("shares"), expected);

  // each configuration's run is a run like any other
  for (const char* name : {"one", "four"}) {
    const std::string folder = path("shares/runs/") + name;
    EXPECT_EQ(read_archive_rows(folder + "/archive.h5").size(), 6u);
    EXPECT_EQ(run_lcn("archive verify " + folder + "/archive.h5").code, 0);
  }
  const ProgramResult again = run("shares");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("done: all 12 units"));
}

TEST_F(StudyTest, ReportStatesWhatTheRowsSay) {
  ASSERT_EQ(run("study").code, 0);
  const ProgramResult result = study({"report", path("study")});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("study: Is more better?"), HasSubstr("four - one"),
                                HasSubstr("win/loss/tie"), HasSubstr("K <= 1 reached")));
  const json report = json::parse(file_text(path("study/report.json")));
  EXPECT_EQ(study({"report", "--json", path("study")}).out, file_text(path("study/report.json")));
  const json decision = json::parse(file_text(path("study/decision.json")));
  EXPECT_EQ(decision.at("report_sha256"), sha256_hex(file_text(path("study/report.json"))));
  EXPECT_EQ(decision.at("manifest_sha256"), sha256_hex(file_text(path("study/manifest.json"))));

  std::map<std::string, UnitRecord> rows;
  for (const char* name : {"one", "four"})
    for (UnitRecord& row : read_archive_rows(path("study/runs/") + name + "/archive.h5"))
      rows.emplace(row.unit, std::move(row));
  std::map<std::pair<std::string, std::int64_t>, std::map<std::string, UnitRecord>> pairs;
  for (const json& unit : report.at("units")) {
    const UnitRecord& row = rows.at(unit.at("unit"));
    EXPECT_EQ(unit.at("tuple"), (json{row.final.K, row.final.n_K, row.final.Phi, row.final.C}));
    const std::int64_t target = unit.at("instance") == "torus" ? 1 : 3;
    EXPECT_EQ(unit.at("target_reached"), row.final.K <= target);
    EXPECT_EQ(unit.at("time_to_target").is_null(), row.final.K > target) << "not reached is no number";
    pairs[{unit.at("instance"), unit.at("repetition")}].emplace(unit.at("configuration"), row);
  }
  int wins = 0, losses = 0;
  for (const auto& [pair, sides] : pairs) {
    const UnitRecord &tried = sides.at("four"), &baseline = sides.at("one");
    if (tried.optimal && baseline.optimal) continue;
    wins += tried.final < baseline.final;
    losses += baseline.final < tried.final;
  }
  EXPECT_EQ(report.at("comparisons").at(0).at("tuple").at("wins"), wins);
  EXPECT_EQ(report.at("comparisons").at(0).at("tuple").at("losses"), losses);
  EXPECT_EQ(decision.at("decisions").at(0).at("inputs").at("wins"), wins);
}

TEST_F(StudyTest, OrderKeepsPairsTogetherAndShufflesBoth) {
  ASSERT_EQ(run("study", 0, "--share 1/6").code, 0);
  const StudyManifest manifest = parse_manifest(file_text(path("study/manifest.json")), "manifest");
  ASSERT_EQ(manifest.order.size(), 12u);
  std::set<std::pair<std::size_t, std::int64_t>> pairs;
  std::set<std::size_t> first_configurations;
  for (std::size_t u = 0; u < 12; u += 2) {
    const StudyUnit &a = manifest.order[u], &b = manifest.order[u + 1];
    EXPECT_EQ(a.pair, u / 2);
    EXPECT_EQ(a.pair, b.pair);
    EXPECT_EQ(a.instance, b.instance);
    EXPECT_EQ(a.repetition, b.repetition);
    EXPECT_NE(a.configuration, b.configuration);
    pairs.emplace(a.instance, a.repetition);
    first_configurations.insert(a.configuration);
  }
  EXPECT_EQ(pairs.size(), 6u);
  EXPECT_EQ(first_configurations.size(), 2u) << "either configuration is the first of some pair";
  StudyManifest other = manifest;
  for (ManifestConfiguration& c : other.configurations) c.configuration.root_seed = 1;
  const auto places = [](const StudyManifest& m) {
    std::vector<std::pair<std::size_t, std::int64_t>> result;
    for (const StudyUnit& unit : run_order(m)) result.emplace_back(unit.instance, unit.repetition);
    return result;
  };
  EXPECT_NE(places(other), places(manifest));
}

TEST_F(StudyTest, StopsAndGoesOn) {
  std::string text = kStudyText;
  text.replace(text.find("steps = 400"), 11, "time = 0.4s");
  text.replace(text.find("instances = graphs"), 18, "instances = hypercube.json");
  text.erase(text.find("target = 3\n"), 28);  // and target.torus
  write("study.ini", text);
  // too hard to end as optimal
  run_lcn("generate hypercube --d 5 --grid 1000x1000 --out " + path("hypercube.json"));
  // stopped as soon as one unit is stored
  write("stop.sh",
        "\"$@\" &\npid=$!\nuntil find \"$STUDY\" -name '*.h5' 2>/dev/null | grep -q .; do sleep 0.05; done\n"
        "kill -TERM $pid\nwait $pid\n");
  const ProgramResult stopped =
      run("study", 0, "", "STUDY=" + path("study") + " sh " + path("stop.sh") + " ");
  EXPECT_EQ(stopped.code, kStopped) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("stopped early: "));
  const ProgramResult on = run("study", 2);
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_THAT(on.out, HasSubstr("finished earlier"));
  EXPECT_EQ(study({"verify", path("study")}).code, 0);
  // six decided pairs would do for the rule, three seeds do not
  const ProgramResult timed = study({"report", path("study")});
  EXPECT_EQ(timed.code, kIncomplete);
  EXPECT_THAT(timed.out, HasSubstr("INSUFFICIENT_EVIDENCE: "));
  EXPECT_EQ(json::parse(file_text(path("study/report.json"))).at("time_unit"), "s");
}

TEST_F(StudyTest, AChangedStudyIsRefusedNamingTheField) {
  ASSERT_EQ(run("study", 0, "--share 1/6").code, 0);
  const std::string manifest = file_text(path("study/manifest.json"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = kStudyText;
    text.replace(text.find(from), from.size(), to);
    write("study.ini", text);
    const ProgramResult result = run("study");
    EXPECT_EQ(result.code, 2) << from;
    EXPECT_EQ(file_text(path("study/manifest.json")), manifest);
    return result.err;
  };
  EXPECT_THAT(changed("seeds = 1..3", "seeds = 1..4"),
              HasSubstr("/seeds/3 is absent in its manifest and 4 now"));
  EXPECT_THAT(changed("target.torus = 1", "target.torus = 2"),
              HasSubstr("/instances/1/target is 1 in its manifest and 2 now"));
  EXPECT_THAT(changed("steps = 400", "steps = 500"),
              HasSubstr("/budget/steps is 400 in its manifest and 500"));
  EXPECT_THAT(changed("replicas = 4", "replicas = 5"), HasSubstr("/configurations/1/config/replicas is 4"));
  EXPECT_THAT(changed("Yes.", "No."), HasSubstr("/study/hypothesis is \"Yes.\""));
  EXPECT_THAT(changed("min-pairs = 6", "min-pairs = 5"), HasSubstr("/rule/min_pairs is 6"));
  write("study.ini", kStudyText);
  std::string graph = file_text(path("graphs/torus.json"));
  graph.insert(graph.find('{') + 1, " ");
  write("graphs/torus.json", graph);
  EXPECT_THAT(run("study").err, HasSubstr("/instances/1/sha256 is "));
}

// Two jobs with overlapping shares at the same time, as when an array task was requeued while its twin still
// runs: each unit is computed once, by whoever claims it first.
TEST_F(StudyTest, JobsOnOneStudyShareItsUnits) {
  std::string text = kStudyText;
  text.replace(text.find("seeds = 1..3"), 12, "seeds = 1..6");
  text.replace(text.find("steps = 400"), 11, "steps = 30000");
  text.replace(text.find("instances = graphs"), 18, "instances = hypercube.json");
  text.erase(text.find("target.torus"), 17);
  write("study.ini", text);
  // too hard to end as optimal before the other job has begun
  run_lcn("generate hypercube --d 5 --grid 1000x1000 --out " + path("hypercube.json"));
  write("twice.sh", "\"$@\" --share 1/1 >" + path("log1") + " 2>&1 &\n\"$@\" --share 1/1 >" + path("log2") +
                        " 2>&1\nsecond=$?\nwait $!\nexit $(($? + second))\n");
  EXPECT_EQ(run("study", 0, "", "sh " + path("twice.sh") + " ").code, 0);
  int computed = 0;
  for (const char* name : {"log1", "log2"}) {
    const std::string log = file_text(path(name));
    EXPECT_THAT(log, AllOf(HasSubstr(" seed "), HasSubstr("done: "), Not(HasSubstr("stopped early"))));
    EXPECT_THAT(log,
                testing::AnyOf(HasSubstr(" finished by another job"), HasSubstr("in work in another job")));
    for (std::size_t at = log.find(" seed "); at != log.npos; at = log.find(" seed ", at + 1)) ++computed;
  }
  EXPECT_EQ(computed, 12) << file_text(path("log1")) << file_text(path("log2"));
  EXPECT_EQ(study({"verify", path("study")}).code, 0);
  EXPECT_EQ(report("study").at("units").size(), 12u);
  for (const char* name : {"one", "four"})
    EXPECT_EQ(read_archive_rows(path("study/runs/") + name + "/archive.h5").size(), 6u);
}

TEST_F(StudyTest, AUnitInWorkInAnotherJobIsLeftToIt) {
  ASSERT_EQ(run("study", 0, "--share 1/6").code, 0);
  const StudyManifest manifest = parse_manifest(file_text(path("study/manifest.json")), "manifest");
  const StudyUnit& unit = manifest.order.back();
  RunFolder other(study_run_folder(path("study"), manifest.configurations[unit.configuration].name));
  ASSERT_EQ(other.claim(unit.id, false), Claim::taken);
  const ProgramResult rest = run("study");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("done: 11 units; 1 unit in work in another job"));
  EXPECT_FALSE(fs::exists(other.archive_path())) << "it is not whole";
  EXPECT_EQ(study({"verify", path("study")}).code, kIncomplete);
  const ProgramResult share = run("study", 0, "--share 1/6");
  EXPECT_EQ(share.code, 0) << share.err;
  EXPECT_THAT(share.out, HasSubstr("done: 2 units; 1 of other shares is missing; the job that ends last"));
}

// Writes the unit file anew with a change.
void rewrite(const std::string& run, const std::string& unit_path,
             const std::function<void(UnitRecord&)>& change) {
  UnitRecord record = read_unit_file(unit_path);
  const std::string provenance = read_archive_provenance(unit_path, record.provenance);
  const Instance instance = read_best_drawings(unit_path).front().instance;
  change(record);
  write_unit_file(run, record, instance, provenance);
}

TEST_F(StudyTest, ARunAndAStudyDoNotShareAFolder) {
  ASSERT_EQ(run("study", 0, "--share 1/6").code, 0);
  const std::string solve = "solve " + path("graphs/torus.json") + " --steps 50 --out ";
  const ProgramResult into_study = run_lcn(solve + path("study"));
  EXPECT_EQ(into_study.code, 2);
  EXPECT_THAT(into_study.err, HasSubstr("is a study"));
  ASSERT_EQ(run_lcn(solve + path("plain")).code, 0);
  const ProgramResult into_run = run("plain");
  EXPECT_EQ(into_run.code, 2);
  EXPECT_THAT(into_run.err, HasSubstr("is a run of lcn solve"));
}

TEST_F(StudyTest, VerifyFindsEveryMutation) {
  ASSERT_EQ(run("study").code, 0);
  ASSERT_EQ(study({"verify", path("study")}).code, 0);
  const std::string one = path("broken/runs/one");
  const auto edit = [&](const std::string& file, const std::string& from, const std::string& to) {
    std::string text = file_text(path("broken/") + file);
    ASSERT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
    write("broken/" + file, text);
  };
  const auto first_unit = [&] { return unit_files("broken/runs/one").front(); };
  struct StudyMutation {
    const char* what;
    std::function<void()> change;
    int code;
    std::string words;
  };
  const std::vector<StudyMutation> mutations = {
      {"missing unit",
       [&] {
         fs::remove(first_unit());
         fs::remove(one + "/archive.h5");
       },
       kIncomplete, "missing: unit "},
      {"missing run", [&] { fs::remove_all(one); }, kIncomplete, "(one, torus, seed 2)"},
      {"extra unit", [&] { fs::copy_file(unit_files("broken/runs/four").front(), first_unit() + ".h5"); },
       kRejected, "extra: the unit is not in the manifest"},
      {"unit of the other configuration",
       [&] {
         const fs::path file = unit_files("broken/runs/four").front();
         const std::string place = unit_file_path(one, file.stem().string());
         fs::create_directories(fs::path(place).parent_path());
         fs::copy_file(file, place);
       },
       kRejected, "extra: the unit is not in the manifest"},
      {"extra run", [&] { fs::create_directory(path("broken/runs/five")); }, kRejected,
       "five: is no configuration of the manifest"},
      {"configuration of the plan", [&] { edit("runs/one/plan.json", "\"steps\":400", "\"steps\":401"); },
       kRejected, "is not the hash of what it consists of"},
      {"instance of the plan",
       [&] {
         const std::string text = file_text(one + "/plan.json");
         const std::string hash = text.substr(text.find("\"sha256\":\"") + 10, 64);
         std::string changed = text;
         for (std::size_t at = changed.find(hash); at != changed.npos; at = changed.find(hash))
           changed.replace(at, 1, hash[0] == 'a' ? "b" : "a");
         write("broken/runs/one/plan.json", changed);
       },
       kRejected, "is not the hash of what it consists of"},
      {"configuration of the manifest",
       [&] { edit("manifest.json", "\"replicas\": 4,", "\"replicas\": 5,"); }, kRejected,
       "order is not that of its instances"},
      {"seed of the manifest", [&] { edit("manifest.json", "  3\n ],", "  4\n ],"); }, kRejected,
       "order is not that of its instances"},
      {"target named afterwards", [&] { edit("manifest.json", "\"target\": 1", "\"target\": 2"); }, kRejected,
       "it was changed afterwards"},
      {"rule chosen afterwards", [&] { edit("manifest.json", "\"min_pairs\": 6", "\"min_pairs\": 1"); },
       kRejected, "it was changed afterwards"},
      {"another program", [&] { edit("manifest.json", "\"binary_sha256\": \"", "\"binary_sha256\": \"0"); },
       kRejected, "was made by the program "},
      {"tampered tuple",
       [&] { rewrite(one, first_unit(), [](UnitRecord& r) { r.final.Phi -= 1, r.claimed = r.final; }); },
       kRejected, "but the drawing has"},
      {"result exchanged for a failure",
       [&] {
         rewrite(one, first_unit(), [](UnitRecord& r) {
           r.status = "failed";
           r.final = {-1, -1, -1, -1};
           r.drawing.clear();
         });
       },
       kRejected, "its file says failed"},
      {"another seed under this name",
       [&] { rewrite(one, first_unit(), [](UnitRecord& r) { r.repetition += 1; }); }, kRejected,
       "repetition is "},
      {"another instance",
       [&] {
         std::map<std::string, std::string> by_instance;
         for (const std::string& file : unit_files("broken/runs/one"))
           by_instance.emplace(read_unit_file(file).instance, file);
         fs::copy_file(by_instance.at("torus"), by_instance.at("clique"),
                       fs::copy_options::overwrite_existing);
       },
       kRejected, "instance_sha256 is "},
      {"damaged unit file", [&] { write(fs::relative(first_unit(), folder_.path()).string(), "HDF"); },
       kRejected, ".h5"},
  };
  for (const StudyMutation& mutation : mutations) {
    fs::remove_all(path("broken"));
    fs::copy(path("study"), path("broken"), fs::copy_options::recursive);
    mutation.change();
    const ProgramResult result = study({"verify", path("broken")});
    EXPECT_EQ(result.code, mutation.code) << mutation.what << "\n" << result.out << result.err;
    EXPECT_THAT(result.out + result.err, HasSubstr(mutation.words)) << mutation.what;
    const ProgramResult no_report = study({"report", path("broken")});
    EXPECT_EQ(no_report.code, mutation.code) << mutation.what;
    EXPECT_FALSE(fs::exists(path("broken/report.json"))) << mutation.what;
  }
  // a unit file that is gone, but merged: nothing is lost
  fs::remove_all(path("broken"));
  fs::copy(path("study"), path("broken"), fs::copy_options::recursive);
  fs::remove_all(path("broken/runs/one/units"));
  const json expected = report("study");
  EXPECT_EQ(study({"verify", path("broken")}).code, 0);
  EXPECT_EQ(report("broken"), expected);
}

// Drawings of earlier runs as starts: they are part of what is fixed beforehand.
TEST_F(StudyTest, WarmStartsAreFixedByTheManifest) {
  run_lcn("solve " + path("graphs") + " --steps 50 --start random --out " + path("earlier"));
  fs::copy_file(path("earlier/archive.h5"), path("copy.h5"));
  std::string text = kStudyText;
  text += "[warm]\nstart = archive:earlier/archive.h5\n";
  write("study.ini", text);
  const ProgramResult first = run("study", 2);
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(study({"verify", path("study")}).code, 0);

  std::map<std::string, UnitRecord> earlier;
  for (UnitRecord& row : read_archive_rows(path("earlier/archive.h5")))
    earlier.emplace(row.instance, std::move(row));
  const StudyManifest manifest = parse_manifest(file_text(path("study/manifest.json")), "manifest");
  const ManifestConfiguration& warm = manifest.configurations.back();
  EXPECT_EQ(warm.configuration.start, "archive:" + to_hex(sha256_file(path("copy.h5"))));
  std::map<std::string, std::string> starts;
  for (std::size_t i = 0; i < manifest.instances.size(); ++i)
    starts[manifest.instances[i].name] = warm.resolved[i].start_sha256;
  for (const UnitRecord& row : read_archive_rows(path("study/runs/warm/archive.h5"))) {
    EXPECT_EQ(row.initial, earlier.at(row.instance).final);
    EXPECT_EQ(row.start_sha256, starts.at(row.instance));
  }
  for (const UnitRecord& row : read_archive_rows(path("study/runs/one/archive.h5")))
    EXPECT_NE(row.start_sha256, starts.at(row.instance));

  const std::string unit = unit_files("study/runs/warm").front();
  fs::remove(path("study/runs/warm/archive.h5"));
  const std::string good = file_text(unit);
  rewrite(path("study/runs/warm"), unit, [](UnitRecord& r) { r.start_sha256 = std::string(64, 'a'); });
  const ProgramResult bent = study({"verify", path("study")});
  EXPECT_EQ(bent.code, kRejected);
  EXPECT_THAT(bent.out, HasSubstr("start_sha256 is aaaa"));
  std::ofstream(unit, std::ios::binary) << good;

  // other drawings would be another study; the same ones are a configuration that is there already
  write("study.ini", text + "[same]\nstart = archive:copy.h5\n");
  EXPECT_THAT(run("study").err, HasSubstr("[warm] and [same] start from the same content"));
  run_lcn("solve " + path("graphs") + " --steps 60 --start random --out " + path("later"));
  fs::copy_file(path("later/archive.h5"), path("earlier/archive.h5"), fs::copy_options::overwrite_existing);
  write("study.ini", text);
  EXPECT_THAT(run("study").err, HasSubstr("/configurations/2/config/start is \"archive:"));
  // a file has the drawing of one graph
  run_lcn("archive export " + path("later/archive.h5") + " --best --out " + path("drawings"));
  write("study.ini", std::string(kStudyText) + "[warm]\nstart = file:drawings/torus.json\n");
  const ProgramResult other = run("file");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("[warm]: "), HasSubstr("is a drawing of another graph")));
  EXPECT_FALSE(fs::exists(path("file")));
  const ProgramResult one_graph = run("file", 0, "--share 1/6 " + path("graphs/torus.json"));
  EXPECT_EQ(one_graph.code, 0) << one_graph.err;
}

// Told when the study is planned, not by hundreds of failed units.
TEST_F(StudyTest, AConfigurationWhoseUnitsCannotStartIsRefused) {
  const auto failure = [&](const std::string& start) {
    write("study.ini", std::string(kStudyText) + "[given]\nstart = " + start + "\n");
    const ProgramResult result = run("study", 0, "--dry-run");
    EXPECT_EQ(result.code, 2) << start << result.out;
    EXPECT_EQ(run("study").code, 2);
    EXPECT_FALSE(fs::exists(path("study")));
    return result.err;
  };
  EXPECT_THAT(failure("input"), AllOf(HasSubstr("[given]: " + path("graphs/clique.json") + ": no unit can"),
                                      HasSubstr("the instance has no coordinates")));
  EXPECT_THAT(failure("gradient:init=input"), HasSubstr("the instance has no coordinates"));
  EXPECT_THAT(failure("planar+input"),
              AllOf(HasSubstr("the graph is not planar"), HasSubstr("the instance has no coordinates")));
  write("study.ini", std::string(kStudyText) + "[given]\nstart = planar+input+snake\n");
  EXPECT_EQ(run("study", 0, "--dry-run").code, 0) << "one provider that applies is enough";
  run_lcn("generate complete --n 7 --grid 1x2 --out " + path("graphs/narrow.json"));
  write("study.ini", kStudyText);
  EXPECT_THAT(run("study").err, HasSubstr("[one]: " + path("graphs/narrow.json") +
                                          ": no unit can start (7 vertices do not fit on the 6 points"));
}

TEST_F(StudyTest, MistakesInTheFileNameLineSectionAndKey) {
  const auto failure = [&](const std::string& from, const std::string& to) {
    std::string text = kStudyText;
    text.replace(text.find(from), from.size(), to);
    write("study.ini", text);
    const ProgramResult result = run("study", 0, "--dry-run");
    EXPECT_EQ(result.code, 2) << to << result.out;
    EXPECT_FALSE(fs::exists(path("study")));
    return result.err;
  };
  EXPECT_THAT(failure("replicas = 4", "replica = 4"),
              HasSubstr("study.ini:15: [four]: unknown key replica (did you mean replicas?)"));
  EXPECT_THAT(failure("seeds = 1..3", "seeds = 3..1"), HasSubstr("study.ini:5: [study]: seeds: "));
  EXPECT_THAT(failure("start = random\n[four]", "start = rnd\n[four]"),
              HasSubstr("study.ini:12: [one]: start: "));
  EXPECT_THAT(failure("[four]", "[f/r]"), HasSubstr("study.ini:13: [f/r] cannot name a folder"));
  EXPECT_THAT(failure("[four]", "[one]"), HasSubstr("study.ini:13: [one] is there twice (first in line 11)"));
  EXPECT_THAT(failure("replicas = 4\n", ""), HasSubstr("[one] and [four] are the same configuration"));
  EXPECT_THAT(failure("baseline = one", "baseline = two"), HasSubstr("baseline: there is no section [two]"));
  EXPECT_THAT(failure("hypothesis = Yes.\n", ""), HasSubstr("must be written down before"));
  EXPECT_THAT(failure("steps = 400\n", ""), HasSubstr("[study]: no budget"));
  EXPECT_THAT(failure("target.torus = 1", "target.torus = 0"),
              HasSubstr("torus: the target K = 0 is below the proven bound 1"));
  EXPECT_THAT(failure("target.torus", "target.taurus"), HasSubstr("the study has no instance of this name"));
  EXPECT_THAT(failure("start = random\nreplicas = 4", "start = file:x.json"),
              HasSubstr("[four]: " + path("x.json") + ": "));
  EXPECT_THAT(failure("start = random\nreplicas = 4", "start = archive:"),
              HasSubstr("no path after the colon"));
  EXPECT_THAT(failure("instances = graphs", "instances = none"), HasSubstr("none"));
  EXPECT_THAT(failure("[study]", "[stud]"), HasSubstr("has no section [study]"));
  EXPECT_THAT(failure("[study]\n", ""), HasSubstr("stands before the first section"));
  write("study.ini", kStudyText);
  EXPECT_THAT(run("study", 0, "--share 3/2").err, HasSubstr("'3/2' is not"));
  EXPECT_EQ(study({"verify", path("graphs")}).code, 2);
}

TEST_F(StudyTest, TheExampleOfTheDocumentationRuns) {
  const std::string page = file_text(LCN_SOURCE_DIR "/docs/studies.md");
  const std::size_t begin = page.find("```ini\n") + 7;
  write("study.ini", page.substr(begin, page.find("```", begin) - begin));
  run_lcn("generate torus --rows 6 --cols 8 --grid 1000x1000 --out " + path("torus.json"));
  run_lcn("generate hypercube --d 5 --out " + path("hypercube.json"));
  const ProgramResult result = run("copies", 2);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(study({"verify", path("copies")}).code, 0);
  EXPECT_EQ(report("copies").at("units").size(), 40u);
  for (const OptionTable& keys : {study_keys(), configuration_keys()})
    for (const OptionSpec& key : keys.specs())
      EXPECT_THAT(page, HasSubstr("`" + key.name + "`")) << "a key that docs/studies.md does not explain";
}

TEST(CommittedStudies, CanBeRead) {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(LCN_SOURCE_DIR "/studies")) {
    if (entry.path().extension() != ".ini") continue;
    EXPECT_NO_THROW(read_study_file(entry.path().string())) << entry.path();
    ++studies;
  }
  EXPECT_GE(studies, 4);
}

// Two units with made-up traces: every number by hand.
TEST(AnalyseStudy, TimesAreCensoredAtTheBudgetAndCurvesBeginAtTheWorstStart) {
  StudyCheck check;
  StudyManifest& m = check.manifest;
  m.baseline = "b";
  m.seeds = {1};
  Configuration budget;
  budget.time = 10;
  m.configurations = {{"a", budget, {}}, {"b", budget, {}}, {"c", budget, {}}};
  m.configurations[1].configuration.replicas = 2;
  m.configurations[2].configuration.replicas = 3;
  m.instances = {{"x", "x.json", std::string(64, 'a'), 10, 20, 1, 5}};
  m.order = run_order(m);
  for (const StudyUnit& unit : m.order) {
    UnitRecord r;
    r.unit = unit.id;
    r.status = "ok";
    if (unit.configuration == 0) {
      r.trace = {{1, 0, 12, 1, 1, 1}, {4, 9, 5, 1, 1, 1}, {8, 20, 4, 1, 1, 1}};
      r.final = {4, 1, 1, 1};
    } else if (unit.configuration == 1) {
      r.trace = {{2, 0, 20, 1, 1, 1}, {10.5, 9, 5, 1, 1, 1}};
      r.final = {5, 1, 1, 1};
    } else {
      r.status = "failed";
      r.final = {-1, -1, -1, -1};
    }
    check.records.push_back(r);
  }
  const StudyReport report = analyse_study(check);
  ASSERT_EQ(report.cells.size(), 3u);
  EXPECT_EQ(report.cells[0].reached, 1);
  EXPECT_EQ(report.cells[0].time_to_target.median, 4.0);
  EXPECT_DOUBLE_EQ(report.cells[0].area.value(), (1 * 20 + 3 * 12 + 4 * 5 + 2 * 4) / 10.0);
  EXPECT_EQ(report.cells[1].reached, 0) << "reached after the budget is not reached";
  EXPECT_FALSE(report.cells[1].time_to_target.median);
  EXPECT_DOUBLE_EQ(report.cells[1].area.value(), 20);
  EXPECT_EQ(report.cells[2].failed, 1);
  EXPECT_FALSE(report.cells[2].median_K);
  EXPECT_FALSE(report.cells[2].area) << "nothing was finished, there is no mean K";
  EXPECT_EQ(report.comparisons.at(1).area->value, 0) << "in pairs a failure stands at the worst start";
  EXPECT_EQ(report.comparisons.at(0).tuples.wins, 1);
  EXPECT_EQ(report.comparisons.at(1).tuples.losses, 1);
  for (const StudyComparison& c : report.comparisons) EXPECT_EQ(c.verdict, Verdict::insufficient_evidence);
  const std::string text = study_report_text(check, report);
  EXPECT_THAT(text, AllOf(HasSubstr("not reached"), HasSubstr("INSUFFICIENT_EVIDENCE")));
  EXPECT_THAT(text, testing::ContainsRegex("  c +1 +1 +none finished +none +none +0/1"));
  EXPECT_EQ(json::parse(study_report_json(check, report)).at("cells").at(2).at("area"), nullptr);
}

}  // namespace
}  // namespace lcn
