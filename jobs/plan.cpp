#include "jobs/plan.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "io/archive.hpp"
#include "io/unit_record.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

using nlohmann::json;

constexpr int kPlanSchemaVersion = 1;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

template <class T>
std::optional<T> optional_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

json to_json(const Configuration& c) {
  json j{{"algorithm_version", c.algorithm_version},
         {"backend", c.time ? json(c.backend) : json(nullptr)},
         {"replicas", c.replicas > 0 ? json(c.replicas) : json("auto")},
         {"search", c.search},
         {"start", c.start},
         {"steps", or_null(c.steps)},
         {"target", or_null(c.target_K)},
         {"time", or_null(c.time)}};
  if (c.shared && c.time) j["distribute"] = "replicas";
  return j;
}

Configuration configuration_from(const json& j) {
  Configuration c;
  c.algorithm_version = j.at("algorithm_version").get<int>();
  if (!j.at("backend").is_null()) c.backend = j.at("backend").get<std::string>();
  c.replicas = j.at("replicas").is_string() ? 0 : j.at("replicas").get<int>();
  c.search = j.at("search").get<std::string>();
  c.start = j.at("start").get<std::string>();
  c.steps = optional_from<std::int64_t>(j.at("steps"));
  c.target_K = optional_from<std::int64_t>(j.at("target"));
  c.time = optional_from<double>(j.at("time"));
  c.shared = j.contains("distribute");
  return c;
}

json to_json(const Certificate& certificate) {
  return {{"rule", certificate.rule},
          {"n", certificate.n},
          {"m", certificate.m},
          {"vertices", certificate.vertices}};
}

json to_json(const PlannedInstance& i) {
  return {{"name", i.name},
          {"path", i.path},
          {"sha256", i.sha256},
          {"n", i.n},
          {"m", i.m},
          {"width", i.grid.width},
          {"height", i.grid.height},
          {"lower_bound", i.bound.value},
          {"planar", i.bound.planar},
          {"certificate", to_json(i.bound.certificate)},
          {"resolved",
           {{"replicas", i.resolved.replicas}, {"search", i.resolved.search}, {"start", i.resolved.start}}}};
}

PlannedInstance instance_from(const json& j) {
  PlannedInstance i;
  i.name = j.at("name").get<std::string>();
  i.path = j.at("path").get<std::string>();
  i.sha256 = j.at("sha256").get<std::string>();
  i.n = j.at("n").get<std::int64_t>();
  i.m = j.at("m").get<std::int64_t>();
  i.grid = {j.at("width").get<std::int64_t>(), j.at("height").get<std::int64_t>()};
  i.bound.value = j.at("lower_bound").get<std::int64_t>();
  i.bound.planar = j.at("planar").get<bool>();
  const json& certificate = j.at("certificate");
  i.bound.certificate = {certificate.at("rule").get<std::string>(), certificate.at("n").get<std::int64_t>(),
                         certificate.at("m").get<std::int64_t>(),
                         certificate.at("vertices").get<std::vector<VertexId>>()};
  const json& resolved = j.at("resolved");
  i.resolved.replicas = resolved.at("replicas").get<int>();
  i.resolved.search = resolved.at("search").get<std::string>();
  i.resolved.start = resolved.at("start").get<std::string>();
  return i;
}

// One entry per line, so that a person can read and diff the file.
std::string lines(const std::vector<json>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += "  " + entries[i].dump() + (i + 1 < entries.size() ? ",\n" : "\n");
  return text;
}

}  // namespace

std::string Configuration::json() const {
  return to_json(*this).dump();
}

Configuration configuration_from_json(const std::string& text) {
  try {
    return configuration_from(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& e) {
    throw input_error(fmt::format("configuration of a unit cannot be read ({})", e.what()));
  }
}

std::string unit_id(const Configuration& c, const std::string& instance_sha256, std::int64_t repetition) {
  return unit_id_of(instance_sha256, c.root_seed, repetition, c.json());
}

std::string certificate_json(const Certificate& certificate) {
  return to_json(certificate).dump();
}

std::optional<std::size_t> Plan::find_instance(const std::string& sha256) const {
  for (std::size_t i = 0; i < instances.size(); ++i)
    if (instances[i].sha256 == sha256) return i;
  return std::nullopt;
}

std::vector<std::size_t> Plan::add(const std::vector<std::size_t>& chosen,
                                   const std::vector<std::int64_t>& repetitions) {
  std::map<std::string, std::size_t> place;
  for (std::size_t u = 0; u < units.size(); ++u) place.emplace(units[u].id, u);
  std::vector<std::size_t> asked;
  for (const std::int64_t repetition : repetitions)
    for (const std::size_t i : chosen) {
      const std::string id = unit_id(configuration, instances[i].sha256, repetition);
      const auto [found, is_new] = place.emplace(id, units.size());
      if (is_new) units.push_back({id, i, repetition});
      asked.push_back(found->second);
    }
  return asked;
}

std::string plan_json(const Plan& plan) {
  std::vector<json> instances, units;
  for (const PlannedInstance& instance : plan.instances) instances.push_back(to_json(instance));
  for (const PlannedUnit& unit : plan.units)
    units.push_back({{"unit", unit.id},
                     {"instance", plan.instances[unit.instance].name},
                     {"instance_sha256", plan.instances[unit.instance].sha256},
                     {"repetition", unit.repetition}});
  return fmt::format(
      "{{\n\"schema_version\": {},\n\"kind\": \"plan\",\n\"root_seed\": {},\n\"config\": {},\n"
      "\"instances\": [\n{}],\n\"units\": [\n{}]\n}}\n",
      kPlanSchemaVersion, plan.configuration.root_seed, plan.configuration.json(), lines(instances),
      lines(units));
}

Plan parse_plan(const std::string& text, const std::string& place) {
  try {
    const json j = json::parse(text);
    const int version = j.at("schema_version").get<int>();
    if (version != kPlanSchemaVersion)
      throw input_error(
          fmt::format("{}: schema_version is {} (this program reads and writes {}) use another --out", place,
                      version, kPlanSchemaVersion));
    Plan plan;
    plan.configuration = configuration_from(j.at("config"));
    plan.configuration.root_seed = j.at("root_seed").get<std::uint64_t>();
    for (const json& instance : j.at("instances")) plan.instances.push_back(instance_from(instance));
    std::map<std::string, std::size_t> place_of;
    for (std::size_t i = 0; i < plan.instances.size(); ++i) place_of.emplace(plan.instances[i].sha256, i);
    for (const json& unit : j.at("units")) {
      const auto sha256 = unit.at("instance_sha256").get<std::string>();
      const auto instance = place_of.find(sha256);
      if (instance == place_of.end())
        throw damaged_plan(place, fmt::format("units: instance {} is not among the instances", sha256));
      PlannedUnit planned{unit.at("unit").get<std::string>(), instance->second,
                          unit.at("repetition").get<std::int64_t>()};
      if (planned.id != unit_id(plan.configuration, sha256, planned.repetition))
        throw damaged_plan(place, fmt::format("unit {} is not the hash of what it consists of", planned.id));
      plan.units.push_back(std::move(planned));
    }
    return plan;
  } catch (const json::exception& e) {
    throw damaged_plan(place, e.what());
  }
}

void require_same(const Configuration& stored, const Configuration& asked, const std::string& folder) {
  json before = to_json(stored), now = to_json(asked);
  for (json* j : {&before, &now})
    if (!j->contains("distribute")) (*j)["distribute"] = nullptr;
  before["root-seed"] = stored.root_seed;
  now["root-seed"] = asked.root_seed;
  // the backend last: with and without a time limit it differs as a consequence
  for (const char* field : {"algorithm_version", "time", "steps", "replicas", "search", "start", "target",
                            "root-seed", "distribute", "backend"})
    if (now.at(field) != before.at(field))
      throw usage_error(
          fmt::format("--out {}: {} is {} in its plan and {} now (a run has one configuration; a study "
                      "keeps one run per configuration) use another folder, or the old value",
                      folder, field, before.at(field).dump(), now.at(field).dump()));
}

}  // namespace lcn
