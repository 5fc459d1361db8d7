#include "jobs/study_manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "io/provenance.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr int kManifestSchemaVersion = 1;

using ManifestJson = nlohmann::ordered_json;

ManifestJson instance_entry(const StudyInstance& i) {
  return {{"name", i.name},
          {"path", i.path},
          {"sha256", i.sha256},
          {"n", i.n},
          {"m", i.m},
          {"lower_bound", i.lower_bound},
          {"target", i.target ? ManifestJson(*i.target) : ManifestJson(nullptr)}};
}

ManifestJson configuration_entry(const StudyManifest& manifest, const ManifestConfiguration& c) {
  ManifestJson resolved = ManifestJson::array();
  for (std::size_t i = 0; i < c.resolved.size(); ++i) {
    resolved.push_back({{"instance", manifest.instances[i].name},
                        {"start", c.resolved[i].start},
                        {"search", c.resolved[i].search},
                        {"replicas", c.resolved[i].replicas}});
    if (!c.resolved[i].start_sha256.empty()) resolved.back()["start_sha256"] = c.resolved[i].start_sha256;
  }
  return {{"name", c.name},
          {"config", ManifestJson::parse(c.configuration.json())},
          {"resolved", std::move(resolved)}};
}

ManifestJson order_entry(const StudyManifest& manifest, const StudyUnit& unit) {
  return {{"pair", unit.pair},
          {"configuration", manifest.configurations[unit.configuration].name},
          {"instance", manifest.instances[unit.instance].name},
          {"repetition", unit.repetition},
          {"unit", unit.id}};
}

StudyInstance instance_of(const ManifestJson& j) {
  StudyInstance i{j.at("name"), j.at("path"), j.at("sha256"), j.at("n"), j.at("m"), j.at("lower_bound"), {}};
  if (!j.at("target").is_null()) i.target = j.at("target").get<std::int64_t>();
  return i;
}

StudyManifest manifest_of(const ManifestJson& j, const std::string& place) {
  StudyManifest m;
  const ManifestJson& study = j.at("study");
  m.name = study.at("name");
  m.question = study.at("question");
  m.hypothesis = study.at("hypothesis");
  m.baseline = study.at("baseline");
  const ManifestJson& rule = j.at("rule");
  m.rule = {rule.at("alpha"), rule.at("min_pairs"), rule.at("min_effect")};
  m.threads = j.at("budget").at("threads");
  m.device = j.at("budget").at("device");
  m.seeds = j.at("seeds").get<std::vector<std::int64_t>>();
  for (const ManifestJson& i : j.at("instances")) m.instances.push_back(instance_of(i));
  for (const ManifestJson& c : j.at("configurations")) {
    ManifestConfiguration configuration{c.at("name"), configuration_from_json(c.at("config").dump()), {}};
    configuration.configuration.root_seed = j.at("root_seed");
    for (const ManifestJson& r : c.at("resolved"))
      configuration.resolved.push_back(
          {r.at("start"), r.at("search"), r.at("replicas"), r.value("start_sha256", "")});
    m.configurations.push_back(std::move(configuration));
  }
  m.binary_sha256 = j.at("binary_sha256");
  if (m.seeds.empty() || m.instances.empty() || m.configurations.empty())
    throw Error(ErrorKind::rejected, place + ": it has no seeds, instances or configurations");
  for (const ManifestConfiguration& c : m.configurations)
    if (c.resolved.size() != m.instances.size())
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: configuration {} is resolved for {} of {}", place, c.name,
                              c.resolved.size(), plural(m.instances.size(), "instance")));
  m.order = run_order(m);
  return m;
}

// The first place in which two documents differ, with both values; empty when they are equal.
std::string first_difference(const nlohmann::json& before, const nlohmann::json& now,
                             const std::string& place) {
  if (before == now) return {};
  const auto text = [](const nlohmann::json* value) { return value ? value->dump() : "absent"; };
  if (before.is_object() && now.is_object())
    for (const auto& [key, value] : before.items())
      if (now.contains(key))
        if (std::string found = first_difference(value, now.at(key), place + "/" + key); !found.empty())
          return found;
  if (before.is_array() && now.is_array())
    for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
      const nlohmann::json* const old_item = i < before.size() ? &before[i] : nullptr;
      const nlohmann::json* const new_item = i < now.size() ? &now[i] : nullptr;
      const std::string here = fmt::format("{}/{}", place, i);
      if (!old_item || !new_item)
        return fmt::format("{} is {} in its manifest and {} now", here, text(old_item), text(new_item));
      if (std::string found = first_difference(*old_item, *new_item, here); !found.empty()) return found;
    }
  return fmt::format("{} is {} in its manifest and {} now", place, before.dump(), now.dump());
}

}  // namespace

std::vector<StudyUnit> run_order(const StudyManifest& manifest) {
  struct Pair {
    std::size_t instance;
    std::int64_t repetition;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < manifest.instances.size(); ++i)
    for (const std::int64_t repetition : manifest.seeds) pairs.push_back({i, repetition});
  // one stream after the other decides: the first the pairs, then each pair's own its configurations
  Stream of_pairs(derive_key({manifest.budget().root_seed, {}, 0}, Purpose::run_order));
  of_pairs.shuffle(pairs);
  std::vector<StudyUnit> order;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto& [i, repetition] = pairs[p];
    const std::string& sha256_text = manifest.instances[i].sha256;
    Stream of_pair(
        derive_key({manifest.budget().root_seed, sha256(sha256_text), static_cast<std::uint64_t>(repetition)},
                   Purpose::run_order));
    std::vector<std::size_t> configurations(manifest.configurations.size());
    for (std::size_t c = 0; c < configurations.size(); ++c) configurations[c] = c;
    of_pair.shuffle(configurations);
    for (const std::size_t c : configurations)
      order.push_back(
          {p, c, i, repetition, unit_id(manifest.configurations[c].configuration, sha256_text, repetition)});
  }
  return order;
}

std::string manifest_json(const StudyManifest& m, const std::string& provenance) {
  const Configuration& budget = m.budget();
  ManifestJson j{
      {"schema_version", kManifestSchemaVersion},
      {"kind", "study"},
      {"study",
       {{"name", m.name}, {"question", m.question}, {"hypothesis", m.hypothesis}, {"baseline", m.baseline}}},
      {"rule",
       {{"alpha", m.rule.alpha}, {"min_pairs", m.rule.minimum_pairs}, {"min_effect", m.rule.minimum_effect}}},
      {"budget",
       {{"time", budget.time ? ManifestJson(*budget.time) : ManifestJson(nullptr)},
        {"steps", budget.steps ? ManifestJson(*budget.steps) : ManifestJson(nullptr)},
        {"threads", m.threads},
        {"device", m.device}}},
      {"root_seed", budget.root_seed},
      {"seeds", m.seeds},
      {"instances", ManifestJson::array()},
      {"configurations", ManifestJson::array()},
      {"binary_sha256", m.binary_sha256},
      {"order", ManifestJson::array()}};
  for (const StudyInstance& i : m.instances) j["instances"].push_back(instance_entry(i));
  for (const ManifestConfiguration& c : m.configurations)
    j["configurations"].push_back(configuration_entry(m, c));
  for (const StudyUnit& unit : m.order) j["order"].push_back(order_entry(m, unit));
  j["machine"] = {{"cpu", cpu_model()}, {"cores", std::thread::hardware_concurrency()}};
  j["provenance"] = ManifestJson::parse(provenance);
  return j.dump(1) + "\n";
}

StudyManifest parse_manifest(const std::string& text, const std::string& place) {
  try {
    const ManifestJson j = ManifestJson::parse(text);
    if (const int version = j.at("schema_version"); version != kManifestSchemaVersion)
      throw Error(ErrorKind::rejected, fmt::format("{}: schema_version is {} (this program reads {})", place,
                                                   version, kManifestSchemaVersion));
    StudyManifest manifest = manifest_of(j, place);
    ManifestJson order = ManifestJson::array();
    for (const StudyUnit& unit : manifest.order) order.push_back(order_entry(manifest, unit));
    if (order != j.at("order"))
      throw Error(
          ErrorKind::rejected,
          fmt::format("{}: order is not that of its instances, seeds and configurations (the file was "
                      "edited?)",
                      place));
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::rejected, fmt::format("{}: not a study's manifest ({})", place, error.what()));
  }
}

std::string manifest_difference(const std::string& stored, const std::string& now) {
  const auto comparable = [](const std::string& text) {
    nlohmann::json j = nlohmann::json::parse(text);
    for (nlohmann::json& instance : j["instances"]) instance.erase("path");
    return j;
  };
  const nlohmann::json before = comparable(stored), after = comparable(now);
  for (const char* field : {"study", "rule", "budget", "root_seed", "seeds", "instances", "configurations",
                            "binary_sha256", "order"}) {
    if (const std::string difference =
            first_difference(before.at(field), after.at(field), fmt::format("/{}", field));
        !difference.empty())
      return difference;
  }
  return {};
}

}  // namespace lcn
