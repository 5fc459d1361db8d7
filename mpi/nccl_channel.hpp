#pragma once
#include <memory>

#include "mpi/replica_mail.hpp"
#include "search/replica_channel.hpp"

namespace lcn {

// Whether this program contains NCCL.
bool built_with_nccl();

// A channel for replicas on GPUs, made by all ranks of `mail` at the same time and used by several units if
// wished: all_gather and transfer go through NCCL, states are in the memory of the GPU that was current here
// and has to be current in every call; broadcast, gather and failures are letters. Every wait ends after
// `deadline` seconds (0: never), when another rank tells its failure, or when NCCL reports an error; the
// communicator is then aborted, once, and the error names the ranks that were missing where that can be found
// out. An abort that does not return either is left behind with what it may still use.
// All ranks destroy it at about the same time: NCCL ends a communicator together.
// Error(environment): no GPU, two ranks on one GPU (NCCL cannot), built without NCCL; the other ranks are
// told.
std::unique_ptr<ReplicaChannel> make_nccl_channel(std::shared_ptr<ReplicaMail> mail, double deadline);

}  // namespace lcn
