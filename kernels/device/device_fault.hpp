#pragma once

namespace lcn {

// For tests of the failure paths: makes the GPU of the calling thread write to an address that does not
// exist. Does not wait for it; from then on every CUDA call of this process on that GPU fails
// (cudaErrorIllegalAddress), until the process ends. Error(environment) without a GPU, or built without CUDA.
void break_device();

// Likewise: takes all memory that is free on the GPU of the calling thread, and keeps it until the process
// ends.
void fill_device();

}  // namespace lcn
