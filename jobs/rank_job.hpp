#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobs/gpu_binding.hpp"
#include "jobs/runner.hpp"
#include "mpi/communicator.hpp"

namespace lcn {

// Rank 0's part of a job; returns the exit code of all ranks.
using LeadFunction = std::function<int(const Communicator& world, const GpuBinding& binding)>;

// Starts MPI, binds GPUs, lets rank 0 lead and the others compute the units that it hands out (jobs/runner),
// and ends MPI on all ranks, also after an error, which rank 0 prints then.
int run_rank_job(const LeadFunction& lead);

// Starts MPI, binds GPUs, runs `body` in a thread of every rank while the main thread carries its letters,
// and ends MPI. An error on one rank ends the others' waiting for letters; the lowest failed rank's is
// printed by rank 0, and all return its exit code. 0 when all ranks succeed.
using MailFunction = std::function<void(const GpuBinding& binding, const std::shared_ptr<ReplicaMail>& mail)>;
int run_with_mail(const MailFunction& body);

// Makes this rank's GPU current for the calling thread.
void use_gpu_of(const GpuBinding& binding);

// "cpu" or "gpu" for auto, cpu or gpu: auto takes the GPUs when every rank has one of its own, and warns when
// there are some that cannot be used. Error(environment) for gpu without.
std::string resolve_device(const std::string& wish, bool sharing, const GpuBinding& binding);

// "nccl" or "mpi" for auto, nccl or mpi, on what resolve_device() gave: NCCL refuses two ranks on one GPU,
// and knows no CPUs. Error(environment) for nccl where it cannot be.
std::string resolve_channel(const std::string& wish, const std::string& backend, const GpuBinding& binding);

// Computes units on this rank's processor or GPU, as their options say.
Machinery machinery_on(const GpuBinding& binding);

// Text for /provenance of the units of a job: `config` is its resolved configuration as JSON.
std::string job_provenance(const Communicator& world, const std::vector<std::string>& argv,
                           const std::string& config);

}  // namespace lcn
