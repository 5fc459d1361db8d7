#include "io/provenance.hpp"

#include <hdf5.h>
#include <openssl/opensslv.h>
#include <unistd.h>

#include <algorithm>
#include <boost/version.hpp>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "build_info.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

extern char** environ;

namespace lcn {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json build_json() {
  const std::string_view dirty = LCN_GIT_DIRTY;
  ordered_json build;
  build["version"] = LCN_VERSION;
  build["commit"] = LCN_GIT_COMMIT;
  build["dirty"] = dirty == "true"    ? ordered_json(true)
                   : dirty == "false" ? ordered_json(false)
                                      : ordered_json(nullptr);
  build["diff_sha256"] = text_or_null(LCN_GIT_DIFF_SHA256);
  build["compiler"] = LCN_COMPILER;
  build["flags"] = LCN_COMPILER_FLAGS;
  build["build_type"] = LCN_BUILD_TYPE;
  build["sanitizers"] = text_or_null(LCN_SANITIZERS);
  build["cuda"] = text_or_null(LCN_CUDA_COMPILER);
  build["cuda_architectures"] = text_or_null(LCN_CUDA_ARCHITECTURES);
  return build;
}

ordered_json libraries_json(const ProvenanceInput& input) {
  unsigned major = 0, minor = 0, release = 0;
  ordered_json libraries;
  libraries["hdf5"] =
      H5get_libversion(&major, &minor, &release) < 0
          ? ordered_json(nullptr)
          : ordered_json(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release));
  libraries["boost"] = BOOST_LIB_VERSION;
  libraries["openssl"] = OPENSSL_VERSION_TEXT;
  libraries["mpi"] = text_or_null(input.mpi_library);
  return libraries;
}

ordered_json environment_json(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  ordered_json values = ordered_json::object();
  for (const std::string& name : names) {
    const char* value = std::getenv(name.c_str());
    values[name] = value ? ordered_json(value) : ordered_json(nullptr);
  }
  return values;
}

std::vector<std::string> slurm_names() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (text.substr(0, 6) == "SLURM_") names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "unknown";
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (!::gmtime_r(&now, &parts)) return "unknown";
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "unknown";
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "unknown";
}

std::string program_sha256() {
  try {
    return to_hex(sha256_file("/proc/self/exe"));
  } catch (const Error&) {
    return {};
  }
}

std::string provenance_json(const ProvenanceInput& input) {
  ordered_json document;
  document["started"] = input.started.empty() ? utc_time() : input.started;
  document["build"] = build_json();
  document["libraries"] = libraries_json(input);
  document["binary_sha256"] = text_or_null(program_sha256());
  document["argv"] = input.argv;
  const ordered_json config = ordered_json::parse(input.config, nullptr, false);
  document["config"] = input.config.empty()    ? ordered_json(nullptr)
                       : config.is_discarded() ? ordered_json(input.config)
                                               : config;
  document["environment"] = environment_json(input.environment);
  document["slurm"] = environment_json(slurm_names());
  document["host"] = host_name();
  document["ranks"] = input.ranks;
  document["gpu_uuids"] = input.gpu_uuids;
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lcn
