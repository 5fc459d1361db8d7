#include <cstdint>
#include <string>
#include <utility>

#include "kernels/crossings/batch_view.cuh"
#include "kernels/crossings/move_evaluator.hpp"
#include "kernels/device/check.hpp"
#include "kernels/device/device_buffer.hpp"

namespace lcn {
namespace {

constexpr std::size_t kMaxEvaluations = std::size_t{1} << 21;  // block indices stay far from 2^31
constexpr int kSlowFp64Ratio = 8;  // FP32 rate over FP64 rate from which int64 is used instead of fp64

// A stream or event that is destroyed with its owner.
template <class Handle, cudaError_t (*destroy)(Handle)>
class CudaHandle {
 public:
  CudaHandle() = default;
  ~CudaHandle() {
    if (handle_ != nullptr) (void)destroy(handle_);  // nothing can be thrown from a destructor
  }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  Handle* address() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  LCN_CUDA_CHECK(cudaGetDevice(&device));
  LCN_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

int2 to_int2(const Point& p) {
  return make_int2(static_cast<int>(p.x), static_cast<int>(p.y));
}

std::string mebibytes(double bytes) {
  return std::to_string(static_cast<long long>(bytes / 1048576)) + " MiB";
}

// No fmt here: its constexpr functions do not pass nvcc.
void check_memory(const MoveBatch& batch) {
  const double n = batch.n(), m = batch.m(), workloads = static_cast<double>(batch.size());
  const double evaluations = static_cast<double>(batch.evaluations());
  if (batch.evaluations() > kMaxEvaluations)
    throw input_error(std::to_string(batch.evaluations()) + " evaluations in one batch (at most " +
                      std::to_string(kMaxEvaluations) + "); use several batches");
  const double needed = workloads * (12 * n + 28 * m + 52) + evaluations * (4 * m + 48);
  std::size_t free = 0, total = 0;
  LCN_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  if (needed > static_cast<double>(free))
    throw Error(ErrorKind::environment, "a batch of " + std::to_string(batch.size()) + " workloads needs " +
                                            mebibytes(needed) + " of device memory, " +
                                            mebibytes(static_cast<double>(free)) +
                                            " are free (results take 4 bytes for each edge of each "
                                            "proposal); use fewer workloads or proposals");
}

}  // namespace

struct DeviceMoveEvaluator::Implementation {
  Implementation(const MoveBatch& batch, Arithmetic arithmetic_) : arithmetic(arithmetic_) {
    if (arithmetic < batch.arithmetic())
      throw Error(ErrorKind::internal, std::string(to_string(arithmetic)) + " is not exact on a grid of " +
                                           std::to_string(batch.grid().width) + " x " +
                                           std::to_string(batch.grid().height));
    check_memory(batch);
    multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    LCN_CUDA_CHECK(cudaStreamCreateWithFlags(stream.address(), cudaStreamNonBlocking));
    LCN_CUDA_CHECK(cudaEventCreate(start.address()));
    LCN_CUDA_CHECK(cudaEventCreate(stop.address()));
    upload(batch);
    counts.resize(batch.evaluations() * static_cast<std::size_t>(batch.m()));
    tuples.resize(batch.evaluations());
    count_base();
    wait();
  }

  void upload(const MoveBatch& batch) {
    std::vector<int2> host_positions, host_edges, host_incidences;
    std::vector<int> host_offsets;
    std::vector<int4> host_moves, host_stay;
    for (const MoveWorkload& workload : batch.workloads()) {
      for (const Point& p : workload.base) host_positions.push_back(to_int2(p));
      for (const Edge& e : workload.graph.edges()) host_edges.push_back(make_int2(e.a, e.b));
      for (const Incidence& i : workload.graph.incidences())
        host_incidences.push_back(make_int2(i.neighbour, i.edge));
      host_offsets.insert(host_offsets.end(), workload.graph.offsets().begin(),
                          workload.graph.offsets().end());
      for (const MoveProposal& move : workload.proposals) {
        const int2 to = to_int2(move.to);
        host_moves.push_back(make_int4(move.vertex, to.x, to.y, 0));
      }
      const int2 home = to_int2(workload.base.front());
      host_stay.push_back(make_int4(0, home.x, home.y, 0));
    }
    positions.upload(host_positions, stream.get());
    edges.upload(host_edges, stream.get());
    incidences.upload(host_incidences, stream.get());
    offsets.upload(host_offsets, stream.get());
    moves.upload(host_moves, stream.get());
    stay.upload(host_stay, stream.get());
    base_counts.resize(host_edges.size());
    base_tuples.resize(batch.size());
    view = {batch.n(),
            batch.m(),
            static_cast<int>(batch.proposals_per_workload()),
            static_cast<int>(batch.size()),
            positions.data(),
            edges.data(),
            offsets.data(),
            incidences.data(),
            moves.data(),
            base_counts.data()};
    wait();  // the host vectors end here
  }

  // The base drawings are counted as one proposal each that moves vertex 0 to where it is.
  void count_base() {
    BatchView base = view;
    base.proposals = 1;
    base.moves = stay.data();
    launch_full(base, {base_counts.data(), base_tuples.data()}, arithmetic, multiprocessors, stream.get());
  }

  void launch(MoveMethod method) {
    const ResultView result{counts.data(), tuples.data()};
    switch (method) {
      case MoveMethod::full:
        return launch_full(view, result, arithmetic, multiprocessors, stream.get());
      case MoveMethod::incremental_with_base:
        count_base();
        [[fallthrough]];
      case MoveMethod::incremental:
        return launch_incremental(view, result, arithmetic, multiprocessors, stream.get());
      case MoveMethod::naive_full:
        return launch_naive_full(view, result, arithmetic, stream.get());
      case MoveMethod::naive_incremental:
        return launch_naive_incremental(view, result, arithmetic, stream.get());
    }
  }

  void wait() const { LCN_CUDA_CHECK(cudaStreamSynchronize(stream.get())); }

  Arithmetic arithmetic;
  int multiprocessors = 0;
  CudaHandle<cudaStream_t, cudaStreamDestroy> stream;
  CudaHandle<cudaEvent_t, cudaEventDestroy> start, stop;
  DeviceBuffer<int2> positions, edges, incidences;
  DeviceBuffer<int> offsets, base_counts, counts;
  DeviceBuffer<int4> moves, stay;
  DeviceBuffer<Tuple> base_tuples, tuples;
  BatchView view{};
};

Arithmetic choose_device_arithmetic(const Grid& grid) {
  const Arithmetic arithmetic = choose_arithmetic(grid);
  if (arithmetic != Arithmetic::fp64) return arithmetic;
  const int ratio = device_attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  return ratio > kSlowFp64Ratio ? Arithmetic::int64 : Arithmetic::fp64;
}

DeviceMoveEvaluator::DeviceMoveEvaluator(const MoveBatch& batch, Arithmetic arithmetic)
    : implementation_(std::make_unique<Implementation>(batch, arithmetic)) {}
DeviceMoveEvaluator::~DeviceMoveEvaluator() = default;
DeviceMoveEvaluator::DeviceMoveEvaluator(DeviceMoveEvaluator&&) noexcept = default;
DeviceMoveEvaluator& DeviceMoveEvaluator::operator=(DeviceMoveEvaluator&&) noexcept = default;

void DeviceMoveEvaluator::evaluate(MoveMethod method) {
  implementation_->launch(method);
  implementation_->wait();
}

double DeviceMoveEvaluator::time_ms(MoveMethod method, int launches) {
  Implementation& self = *implementation_;
  LCN_CUDA_CHECK(cudaEventRecord(self.start.get(), self.stream.get()));
  for (int i = 0; i < launches; ++i) self.launch(method);
  LCN_CUDA_CHECK(cudaEventRecord(self.stop.get(), self.stream.get()));
  LCN_CUDA_CHECK(cudaEventSynchronize(self.stop.get()));
  float elapsed = 0;
  LCN_CUDA_CHECK(cudaEventElapsedTime(&elapsed, self.start.get(), self.stop.get()));
  return static_cast<double>(elapsed) / launches;
}

MoveCounts DeviceMoveEvaluator::fetch() const {
  const Implementation& self = *implementation_;
  MoveCounts result;
  result.m = self.view.m;
  result.counts = self.counts.to_host(self.stream.get());
  result.tuples = self.tuples.to_host(self.stream.get());
  return result;
}

void DeviceMoveEvaluator::poison() {
  implementation_->counts.fill_bytes(0xa5, implementation_->stream.get());
  implementation_->tuples.fill_bytes(0xa5, implementation_->stream.get());
  implementation_->wait();
}

std::vector<std::int32_t> DeviceMoveEvaluator::base_counts() const {
  return implementation_->base_counts.to_host(implementation_->stream.get());
}

std::string DeviceMoveEvaluator::launch_shape(MoveMethod method) const {
  const Implementation& self = *implementation_;
  LaunchShape shape = naive_shape(self.view);
  if (method == MoveMethod::full) shape = full_shape(self.view, self.multiprocessors);
  if (method == MoveMethod::incremental || method == MoveMethod::incremental_with_base)
    shape = incremental_shape(self.view, self.multiprocessors);
  return std::to_string(shape.blocks) + " blocks of " + std::to_string(shape.threads) + " threads";
}

}  // namespace lcn
