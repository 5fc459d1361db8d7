#pragma once
#include <string>
#include <vector>

namespace lcn {

// What only the caller knows about a job. Empty fields are left out.
struct ProvenanceInput {
  std::vector<std::string> argv;
  std::string config;  // resolved configuration, as JSON
  std::vector<std::string>
      environment;          // names of the variables that the program read; their values are looked up
  std::string mpi_library;  // version text of the MPI library
  int ranks = 1;
  std::vector<std::string> gpu_uuids;
  std::string started;  // ISO 8601; empty: now
};

// One JSON object for /provenance: build (commit, dirty flag and diff hash taken at the build, compiler,
// flags, build type), libraries, binary sha256, argv, resolved configuration, environment actually read,
// Slurm's variables (SLURM_*), host, ranks, GPU UUIDs, start time. The same for every unit of a job. Never
// throws for what cannot be found out (the field is then null).
std::string provenance_json(const ProvenanceInput& input);

std::string host_name();       // "unknown" when the system does not tell
std::string utc_time();        // now, ISO 8601: 2026-01-31T12:00:00Z
std::string cpu_model();       // "unknown" likewise
std::string program_sha256();  // hex, of the running program's file; empty when it cannot be read

}  // namespace lcn
