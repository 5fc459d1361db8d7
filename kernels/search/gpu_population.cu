#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geometry/predicates.hpp"
#include "kernels/device/cuda_handle.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/pinned_array.hpp"
#include "kernels/search/gpu_population.hpp"
#include "kernels/search/run_kernel.cuh"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr int kHelperLanes = 256;     // of the kernels outside a round
constexpr int kSharedReserve = 1024;  // bytes that the system takes of every block
constexpr int kWishedWarps = 14;      // resident a multiprocessor, before a larger team is taken
constexpr std::size_t kFreeReserve = std::size_t{64} << 20;  // device memory left alone
constexpr std::size_t kLoadBatch = std::size_t{1} << 24;  // staged points before a batch of loads is executed

// ---- kernels between rounds, one block an item

struct LoadItem {
  std::int32_t slot, cell;
  bool fresh;  // load, not restart: the drawing is the slot's best
};

template <class Index>
__global__ void __launch_bounds__(kHelperLanes)
    load_kernel(DirectArrays<Index> arrays, const ReplicaArrays<Index> replicas, const LoadItem* items,
                const GridPoint* drawings, Tuple* tuples) {
  __shared__ TeamMemory memory;
  const BlockTeam<TeamScope::block> team(&memory);
  const LoadItem item = items[blockIdx.x];
  const auto n = static_cast<std::size_t>(arrays.n), m = static_cast<std::size_t>(arrays.m);
  const GridPoint* const drawing = drawings + blockIdx.x * n;
  GridPoint* const best = replicas.best + static_cast<std::size_t>(item.slot) * n;
  arrays.points = replicas.points + static_cast<std::size_t>(item.cell) * n;
  arrays.counts = replicas.counts + static_cast<std::size_t>(item.cell) * m;
  team.for_each(arrays.n, [&](std::int32_t v) {
    arrays.points[v] = drawing[v];
    if (item.fresh) best[v] = drawing[v];
  });
  DirectCounter<Index, false, BlockTeam<TeamScope::block>> counter(arrays, team);
  counter.recount();
  if (team.leader()) tuples[blockIdx.x] = counter.tuple();
}

template <class Index>
__global__ void __launch_bounds__(kHelperLanes)
    energy_kernel(std::int32_t m, const ReplicaArrays<Index> replicas, const std::int32_t* cells,
                  const std::int64_t* table, std::int64_t* energies) {
  __shared__ TeamMemory memory;
  const BlockTeam<TeamScope::block> team(&memory);
  const typename Index::Count* const counts =
      replicas.counts + static_cast<std::size_t>(cells[blockIdx.x]) * static_cast<std::size_t>(m);
  const std::int64_t energy = team.sum(m, [&](std::int32_t e) { return table[counts[e]]; });
  if (team.leader()) energies[blockIdx.x] = energy;
}

struct CellCopy {
  std::int32_t from, to;
};

template <class Index>
__global__ void __launch_bounds__(kHelperLanes)
    copy_kernel(std::int32_t n, std::int32_t m, const ReplicaArrays<Index> replicas, const CellCopy* copies) {
  const BlockTeam<TeamScope::block> team(nullptr);
  const CellCopy copy = copies[blockIdx.x];
  const auto from = static_cast<std::size_t>(copy.from), to = static_cast<std::size_t>(copy.to);
  const auto points = static_cast<std::size_t>(n), edges = static_cast<std::size_t>(m);
  team.for_each(
      n, [&](std::int32_t v) { replicas.points[to * points + v] = replicas.points[from * points + v]; });
  team.for_each(m,
                [&](std::int32_t e) { replicas.counts[to * edges + e] = replicas.counts[from * edges + e]; });
}

// A replica's contents on their way to or from a state in device memory, laid out as Population::write_state
// says. The host fills in `header` to write, and finds it and `recounted` filled in after a read.
struct StateItem {
  StateHeader header;
  Tuple recounted;  // of the counts read
  void* state;      // aligned to 8 bytes
  std::int32_t cell;
};
static_assert(sizeof(StateHeader) % sizeof(std::int64_t) == 0 &&
              sizeof(GridPoint) == 2 * sizeof(std::int32_t));
constexpr int kHeaderWords = sizeof(StateHeader) / sizeof(std::int64_t);

// nvcc 13.0 calls the tuple's defaulted comparison but leaves it undefined.
bool same(const Tuple& a, const Tuple& b) {
  return a.K == b.K && a.n_K == b.n_K && a.Phi == b.Phi && a.C == b.C;
}

struct StateParts {
  std::int64_t* header;
  GridPoint* points;
  std::int32_t* counts;

  __device__ StateParts(void* state, std::int32_t n)
      : header(static_cast<std::int64_t*>(state)),
        points(reinterpret_cast<GridPoint*>(header + kHeaderWords)),
        counts(reinterpret_cast<std::int32_t*>(points + n)) {}
};

template <class Index>
__global__ void __launch_bounds__(kHelperLanes)
    write_states_kernel(std::int32_t n, std::int32_t m, const ReplicaArrays<Index> replicas,
                        const StateItem* items) {
  const BlockTeam<TeamScope::block> team(nullptr);
  const StateItem& item = items[blockIdx.x];
  const StateParts to(item.state, n);
  const auto cell = static_cast<std::size_t>(item.cell);
  const GridPoint* const points = replicas.points + cell * static_cast<std::size_t>(n);
  const typename Index::Count* const counts = replicas.counts + cell * static_cast<std::size_t>(m);
  const auto* const header = reinterpret_cast<const std::int64_t*>(&item.header);
  team.for_each(kHeaderWords, [&](std::int32_t i) { to.header[i] = header[i]; });
  team.for_each(n, [&](std::int32_t v) { to.points[v] = points[v]; });
  team.for_each(m, [&](std::int32_t e) { to.counts[e] = counts[e]; });
}

template <class Index>
__global__ void __launch_bounds__(kHelperLanes)
    read_states_kernel(std::int32_t n, std::int32_t m, const ReplicaArrays<Index> replicas,
                       StateItem* items) {
  using Count = typename Index::Count;
  __shared__ TeamMemory memory;
  const BlockTeam<TeamScope::block> team(&memory);
  StateItem& item = items[blockIdx.x];
  const StateParts from(item.state, n);
  const auto cell = static_cast<std::size_t>(item.cell);
  GridPoint* const points = replicas.points + cell * static_cast<std::size_t>(n);
  Count* const counts = replicas.counts + cell * static_cast<std::size_t>(m);
  auto* const header = reinterpret_cast<std::int64_t*>(&item.header);
  team.for_each(kHeaderWords, [&](std::int32_t i) { header[i] = from.header[i]; });
  team.for_each(n, [&](std::int32_t v) { points[v] = from.points[v]; });
  team.for_each(m, [&](std::int32_t e) { counts[e] = static_cast<Count>(from.counts[e]); });
  const Tuple recounted = team.tuple_of(m, [&](std::int32_t e) { return from.counts[e]; });
  if (team.leader()) item.recounted = recounted;
}

// ---- choice of the kernel

template <class Index>
using RunKernel = void (*)(const ProposalGraph, DirectArrays<Index>, const ReplicaArrays<Index>,
                           const DeviceRound, int);

template <class Index>
RunKernel<Index> run_kernel_of(const GpuPopulationShape& shape);

template <bool Exact>
RunKernel<CompactIndex> compact_kernel(bool warp, bool grouped) {
  if (grouped)
    return warp ? run_kernel<CompactIndex, Exact, TeamScope::warp, true, true>
                : run_kernel<CompactIndex, Exact, TeamScope::part, true, true>;
  return warp ? run_kernel<CompactIndex, Exact, TeamScope::warp, false, true>
              : run_kernel<CompactIndex, Exact, TeamScope::block, false, true>;
}
template <>
RunKernel<CompactIndex> run_kernel_of<CompactIndex>(const GpuPopulationShape& shape) {
  const bool warp = shape.lanes == kWarpLanes, grouped = shape.group > 1;
  return shape.exact ? compact_kernel<true>(warp, grouped) : compact_kernel<false>(warp, grouped);
}
template <>
RunKernel<WideIndex> run_kernel_of<WideIndex>(const GpuPopulationShape&) {
  return run_kernel<WideIndex, false, TeamScope::block, false, false>;
}

const void* run_function(const GpuPopulationShape& shape) {
  return shape.compact ? reinterpret_cast<const void*>(run_kernel_of<CompactIndex>(shape))
                       : reinterpret_cast<const void*>(run_kernel_of<WideIndex>(shape));
}

int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  LCN_CUDA_CHECK(cudaGetDevice(&device));
  LCN_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

struct DeviceMemory {
  std::size_t free = 0, total = 0;
};

DeviceMemory device_memory() {
  DeviceMemory memory;
  LCN_CUDA_CHECK(cudaMemGetInfo(&memory.free, &memory.total));
  return memory;
}

std::size_t replica_bytes(const Graph& graph, bool compact) {
  const auto n = static_cast<std::size_t>(graph.n()), m = static_cast<std::size_t>(graph.m());
  return 16 * n + (compact ? 2 * m : 8 * m) + sizeof(SlotState);
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (std::size_t{1} << 20) - 1) >> 20) + " MiB";
}

// The smallest team with which enough warps are resident; a small team wastes less on what every warp
// computes for itself.
int choose_lanes(const Graph& graph, int shared_limit, int multiprocessor_shared) {
  int chosen = 0;
  for (int lanes = kWarpLanes; lanes <= kMaxTeamLanes; lanes *= 2) {
    const int bytes = BlockLayout::of(graph.n(), graph.m(), lanes / kWarpLanes, 1, true).bytes;
    if (bytes > shared_limit) break;
    chosen = lanes;
    if (multiprocessor_shared / (bytes + kSharedReserve) * (lanes / kWarpLanes) >= kWishedWarps) break;
  }
  return chosen;
}

// The widest team that was measured; wider ones leave fewer replicas resident.
constexpr int kWidestChosenTeam = 256;

// Before anything is allocated, on the host too. What would not fit into an empty device is the unit's fault.
void check_memory(const Graph& graph, int replicas, bool compact) {
  const std::size_t needed = static_cast<std::size_t>(replicas) * replica_bytes(graph, compact);
  const DeviceMemory memory = device_memory();
  if (needed + kFreeReserve <= memory.free) return;
  throw Error(
      needed + kFreeReserve > memory.total ? ErrorKind::unit : ErrorKind::environment,
      "GPU: " + std::to_string(replicas) + " replicas need " + mebibytes(needed) + " of device memory, but " +
          mebibytes(memory.free) + " of " + mebibytes(memory.total) +
          " are free (the drawings and counts of all replicas live on the device) use fewer --replicas");
}

// Loads, restarts and copies wait in one of two queues until a call needs their effect; the queues are never
// filled at the same time, and a queue holds no two entries that touch the same cell in conflict.
template <class Index>
class GpuPopulation : public Population {
 public:
  using Count = typename Index::Count;

  GpuPopulation(const Graph& graph, const Grid& grid, int replicas, const GpuPopulationShape& shape)
      : graph_(graph),
        shape_(shape),
        kernel_(run_kernel_of<Index>(shape)),
        replicas_(replicas),
        data_(graph, grid),
        mirror_(count(replicas)),
        loading_(count(replicas)),
        cell_read_(count(replicas)),
        cell_written_(count(replicas)) {
    const auto n = static_cast<std::size_t>(graph.n()), m = static_cast<std::size_t>(graph.m());
    slots_.resize(count(replicas));
    points_.resize(count(replicas) * n);
    best_.resize(count(replicas) * n);
    counts_.resize(count(replicas) * m);
    if (!shape.compact) pending_.resize(count(replicas) * m);
    offsets_.upload(graph.offsets(), stream_.get());
    incidences_.upload(graph.incidences(), stream_.get());
    edges_.upload(graph.edges(), stream_.get());
    ends_.upload(direct_edges<Index>(graph), stream_.get());
    std::vector<std::int32_t> isolated;
    for (VertexId v = 0; v < graph.n(); ++v)
      if (graph.degree(v) == 0) isolated.push_back(v);
    isolated_.upload(isolated, stream_.get());
    const ProposalGraph& host = data_.view();
    movable_.upload(std::span<const std::int32_t>(host.movable, static_cast<std::size_t>(host.movable_count)),
                    stream_.get());
    neg_log_.upload(std::span<const std::uint32_t>(neg_log_table().entries), stream_.get());
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));

    proposals_ = host;
    proposals_.edges = edges_.data();
    proposals_.offsets = offsets_.data();
    proposals_.incidences = incidences_.data();
    proposals_.movable = movable_.data();
    arrays_.n = graph.n();
    arrays_.m = graph.m();
    arrays_.edges = ends_.data();
    arrays_.offsets = offsets_.data();
    arrays_.incidences = incidences_.data();
    arrays_.isolated = isolated_.data();
    arrays_.isolated_count = static_cast<std::int32_t>(isolated.size());
    arrays_.width = grid.width;
    arrays_.height = grid.height;
    for (int r = 0; r < replicas; ++r) mirror_[r].cell = r;
  }

  int size() const override { return replicas_; }
  const char* backend() const override { return "gpu"; }

  void load(int slot, const Drawing& drawing) override { enqueue_load(slot, drawing, true); }
  void restart(int slot, const Drawing& drawing) override { enqueue_load(slot, drawing, false); }

  void run(const PopulationRound& round, std::span<const std::int64_t> temperatures) override {
    flush();
    if (graph_.m() == 0 || round.steps <= 0) return;
    for (int r = 0; r < replicas_; ++r) mirror_[r].temperature = temperatures[static_cast<std::size_t>(r)];
    upload_table(*round.table);
    slots_.upload(mirror_.span(), stream_.get());
    const DeviceRound device{round.key,           round.first_step, round.steps,   round.ends,
                             round.first_replica, round.energy,     table_.data(), neg_log_.data()};
    kernel_<<<static_cast<unsigned>(replicas_), static_cast<unsigned>(shape_.lanes * shape_.group),
              static_cast<std::size_t>(shape_.shared_bytes), stream_.get()>>>(
        proposals_, arrays_, replica_arrays(), device, shape_.group);
    LCN_CUDA_CHECK(cudaGetLastError());
    slots_.download(mirror_.span(), stream_.get());
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  const Tuple& tuple(int slot) const override {
    flush_loads();
    return mirror_[slot].tuple;
  }
  const ChainScalars& scalars(int slot) const override {
    flush_loads();
    return mirror_[slot].scalars;
  }
  ChainScalars& scalars(int slot) override {
    flush_loads();
    return mirror_[slot].scalars;
  }

  std::vector<std::int64_t> energies(const std::vector<std::int64_t>& table) override {
    flush();
    upload_table(table);
    std::vector<std::int32_t> cells;
    for (int r = 0; r < replicas_; ++r) cells.push_back(mirror_[r].cell);
    cells_.upload(cells, stream_.get());
    energies_.resize(count(replicas_));
    energy_kernel<Index><<<static_cast<unsigned>(replicas_), kHelperLanes, 0, stream_.get()>>>(
        graph_.m(), replica_arrays(), cells_.data(), table_.data(), energies_.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    return energies_.to_host(stream_.get());
  }

  void copy(int from, int to) override {
    if (from == to) return;
    flush_loads();
    SlotState &source = mirror_[from], &target = mirror_[to];
    if (cell_written_[count(source.cell)] || cell_written_[count(target.cell)] ||
        cell_read_[count(target.cell)])
      flush_copies();
    cell_read_[count(source.cell)] = cell_written_[count(target.cell)] = 1;
    copies_.push_back({source.cell, target.cell});
    target.tuple = source.tuple;
    target.scalars.vertex_bandit = source.scalars.vertex_bandit;
    target.scalars.position_bandit = source.scalars.position_bandit;
    target.scalars.family = source.scalars.family;
  }

  // Cells travel with what belongs to the contents; queued copies name cells, so they stay right.
  void swap(int a, int b) override {
    flush_loads();
    SlotState &s = mirror_[a], &t = mirror_[b];
    std::swap(s.cell, t.cell);
    std::swap(s.tuple, t.tuple);
    std::swap(s.scalars.vertex_bandit, t.scalars.vertex_bandit);
    std::swap(s.scalars.position_bandit, t.scalars.position_bandit);
    std::swap(s.scalars.family, t.scalars.family);
  }

  std::size_t state_bytes() const override {
    return sizeof(StateHeader) + (2 * count(graph_.n()) + count(graph_.m())) * sizeof(std::int32_t);
  }

  void write_device_states(std::span<const int> slots, std::span<void* const> states) override {
    if (slots.empty()) return;
    flush();
    std::vector<StateItem> items = state_items(slots, states);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const SlotState& slot = mirror_[slots[i]];
      items[i].header = {slot.tuple, slot.scalars.vertex_bandit, slot.scalars.position_bandit,
                         slot.scalars.family};
    }
    state_items_.upload(items, stream_.get());
    write_states_kernel<Index><<<static_cast<unsigned>(items.size()), kHelperLanes, 0, stream_.get()>>>(
        graph_.n(), graph_.m(), replica_arrays(), state_items_.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
  }

  void read_device_states(std::span<const int> slots, std::span<void* const> states) override {
    if (slots.empty()) return;
    flush();
    std::vector<StateItem> items = state_items(slots, states);
    state_items_.upload(items, stream_.get());
    read_states_kernel<Index><<<static_cast<unsigned>(slots.size()), kHelperLanes, 0, stream_.get()>>>(
        graph_.n(), graph_.m(), replica_arrays(), state_items_.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    items = state_items_.to_host(stream_.get());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const StateHeader& header = items[i].header;
      if (!same(items[i].recounted, header.tuple))
        throw Error(ErrorKind::internal,
                    "a replica's state from another rank: its counts do not have the tuple that it names");
      SlotState& slot = mirror_[slots[i]];
      slot.tuple = header.tuple;
      slot.scalars.vertex_bandit = header.vertex_bandit;
      slot.scalars.position_bandit = header.position_bandit;
      slot.scalars.family = header.family;
    }
  }

  Drawing drawing(int slot) const override {
    flush();
    return fetch_points(points_.data() + count(mirror_[slot].cell) * count(graph_.n()));
  }
  Drawing best_drawing(int slot) const override {
    flush();
    return fetch_points(best_.data() + count(slot) * count(graph_.n()));
  }
  std::vector<std::int32_t> counts(int slot) const override {
    flush();
    const std::vector<Count> values =
        fetch(counts_.data() + count(mirror_[slot].cell) * count(graph_.m()), count(graph_.m()));
    return {values.begin(), values.end()};
  }

 private:
  static std::size_t count(int value) { return static_cast<std::size_t>(value); }

  ReplicaArrays<Index> replica_arrays() const {
    return {slots_.data(), points_.data(), counts_.data(), pending_.data(), best_.data()};
  }

  std::vector<StateItem> state_items(std::span<const int> slots, std::span<void* const> states) const {
    if (slots.size() != states.size())
      throw Error(ErrorKind::internal, "states of replicas: a slot without memory, or memory without a slot");
    std::vector<StateItem> items(slots.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].state = states[i];
      items[i].cell = mirror_[slots[i]].cell;
    }
    return items;
  }

  void enqueue_load(int slot, const Drawing& drawing, bool fresh) {
    flush_copies();
    if (loading_[count(slot)]) flush_loads();
    if (load_points_.size() >= kLoadBatch) flush_loads();
    loading_[count(slot)] = 1;
    loads_.push_back({slot, mirror_[slot].cell, fresh});
    for (const Point& p : drawing)
      load_points_.push_back({static_cast<std::int32_t>(p.x), static_cast<std::int32_t>(p.y)});
  }

  void flush() const {
    flush_loads();
    flush_copies();
  }

  void flush_loads() const {
    if (loads_.empty()) return;
    load_items_.upload(loads_, stream_.get());
    load_drawings_.upload(load_points_, stream_.get());
    load_tuples_.resize(loads_.size());
    load_kernel<Index><<<static_cast<unsigned>(loads_.size()), kHelperLanes, 0, stream_.get()>>>(
        arrays_, replica_arrays(), load_items_.data(), load_drawings_.data(), load_tuples_.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    const std::vector<Tuple> tuples = load_tuples_.to_host(stream_.get());
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      SlotState& state = mirror_[loads_[i].slot];
      state.tuple = tuples[i];
      loading_[count(loads_[i].slot)] = 0;
      if (!loads_[i].fresh) continue;
      state.scalars = ChainScalars{};
      state.scalars.vertex_bandit.reset(kVertexArms);
      state.scalars.position_bandit.reset(kPositionArms);
      state.scalars.best = tuples[i];
      state.scalars.family = loads_[i].slot;
    }
    loads_.clear();
    load_points_.clear();
  }

  void flush_copies() const {
    if (copies_.empty()) return;
    copy_items_.upload(copies_, stream_.get());
    copy_kernel<Index><<<static_cast<unsigned>(copies_.size()), kHelperLanes, 0, stream_.get()>>>(
        graph_.n(), graph_.m(), replica_arrays(), copy_items_.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));  // the queue's memory is used again
    for (const CellCopy& copy : copies_) cell_read_[count(copy.from)] = cell_written_[count(copy.to)] = 0;
    copies_.clear();
  }

  void upload_table(const std::vector<std::int64_t>& table) {
    if (table == host_table_) return;
    host_table_ = table;
    table_.upload(host_table_, stream_.get());
  }

  template <class T>
  std::vector<T> fetch(const T* device, std::size_t size) const {
    std::vector<T> host(size);
    if (size > 0)
      LCN_CUDA_CHECK(
          cudaMemcpyAsync(host.data(), device, size * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()));
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return host;
  }
  Drawing fetch_points(const GridPoint* device) const {
    Drawing drawing;
    for (const GridPoint& p : fetch(device, count(graph_.n()))) drawing.push_back({p.x, p.y});
    return drawing;
  }

  const Graph& graph_;
  GpuPopulationShape shape_;
  RunKernel<Index> kernel_;
  int replicas_;
  ProposalGraphData data_;
  CudaStream stream_;
  PinnedArray<SlotState> mirror_;
  ProposalGraph proposals_;     // device pointers
  DirectArrays<Index> arrays_;  // likewise
  DeviceBuffer<std::int32_t> offsets_, isolated_, movable_, cells_;
  DeviceBuffer<Incidence> incidences_;
  DeviceBuffer<Edge> edges_;
  DeviceBuffer<typename Index::Ends> ends_;
  DeviceBuffer<std::uint32_t> neg_log_;
  std::vector<std::int64_t> host_table_;
  DeviceBuffer<std::int64_t> table_, energies_;
  mutable DeviceBuffer<SlotState> slots_;
  mutable DeviceBuffer<GridPoint> points_, best_;
  mutable DeviceBuffer<Count> counts_, pending_;
  // Queues, executed by const members too: what a caller sees is as if they had been executed at once.
  mutable std::vector<LoadItem> loads_;
  mutable std::vector<GridPoint> load_points_;
  mutable std::vector<char> loading_;  // a slot
  mutable std::vector<CellCopy> copies_;
  mutable std::vector<char> cell_read_, cell_written_;  // a cell, by the queued copies
  mutable DeviceBuffer<LoadItem> load_items_;
  mutable DeviceBuffer<GridPoint> load_drawings_;
  mutable DeviceBuffer<Tuple> load_tuples_;
  mutable DeviceBuffer<CellCopy> copy_items_;
  DeviceBuffer<StateItem> state_items_;
};

}  // namespace

GpuPopulationShape gpu_population_shape(const Graph& graph, const Grid& grid,
                                        const GpuPopulationOptions& options) {
  (void)choose_arithmetic(grid);  // refuses grids that are too large
  check_gpu_population_options(options);
  const int lanes = options.lanes == 0 && options.group > 1 ? kWarpLanes : options.lanes;
  const int shared_limit = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  GpuPopulationShape shape;
  shape.multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  shape.exact = std::max(grid.width, grid.height) <= kMaxDifferenceFp32;
  if (fits_compact_index(graph) && !options.global_memory) {
    shape.group = std::max(options.group, 1);
    shape.lanes = lanes != 0 ? lanes
                             : choose_lanes(graph, shared_limit,
                                            device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    shape.shared_bytes =
        shape.lanes > 0
            ? BlockLayout::of(graph.n(), graph.m(), shape.lanes / kWarpLanes, shape.group, true).bytes
            : 0;
    shape.compact = shape.lanes > 0 && shape.shared_bytes <= shared_limit;
  }
  if (!shape.compact) {
    if (options.group > 1)
      throw usage_error(
          "GPU: a group of " + std::to_string(options.group) +
          " needs its replica in shared memory (the graph is too large, or --group too) use --group 1");
    shape.lanes = lanes != 0 ? lanes : 256;
    shape.exact = false;  // one kernel for all grids
    shape.shared_bytes = BlockLayout::of(graph.n(), graph.m(), shape.lanes / kWarpLanes, 1, false).bytes;
  }
  const void* const function = run_function(shape);
  // The limit belongs to the kernel, not to a launch: another population's replicas may be larger.
  LCN_CUDA_CHECK(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit));
  if (shape.compact)
    LCN_CUDA_CHECK(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
  LCN_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&shape.teams_per_multiprocessor, function,
                                                               shape.lanes * shape.group,
                                                               static_cast<std::size_t>(shape.shared_bytes)));
  cudaFuncAttributes attributes{};
  LCN_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  shape.registers = attributes.numRegs;
  shape.local_bytes = static_cast<int>(attributes.localSizeBytes);
  if (shape.teams_per_multiprocessor < 1)
    throw Error(ErrorKind::environment, "GPU: no block of " + std::to_string(shape.lanes * shape.group) +
                                            " threads and " + std::to_string(shape.shared_bytes) +
                                            " bytes of shared memory fits on a multiprocessor (its registers "
                                            "or shared memory are too small) use --device cpu");
  return shape;
}

std::unique_ptr<Population> make_gpu_population(const Graph& graph, const Grid& grid, int replicas,
                                                const GpuPopulationOptions& options) {
  const bool chosen = options.lanes == 0 && options.group == 0 && !options.global_memory;
  const GpuPopulationShape shape =
      gpu_population_shape(graph, grid, chosen ? options_for(graph, grid, replicas) : options);
  check_memory(graph, replicas, shape.compact);
  if (shape.compact) return std::make_unique<GpuPopulation<CompactIndex>>(graph, grid, replicas, shape);
  return std::make_unique<GpuPopulation<WideIndex>>(graph, grid, replicas, shape);
}

GpuPopulationOptions options_for(const Graph& graph, const Grid& grid, int replicas) {
  GpuPopulationOptions best;
  best.group = 1;
  if (!fits_compact_index(graph)) return best;
  const int shared_limit = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  for (int lanes = kWarpLanes; lanes <= kWidestChosenTeam; lanes *= 2) {
    if (BlockLayout::of(graph.n(), graph.m(), lanes / kWarpLanes, 1, true).bytes > shared_limit) break;
    GpuPopulationOptions options;
    options.lanes = lanes;
    options.group = 1;
    const GpuPopulationShape shape = gpu_population_shape(graph, grid, options);
    if (std::int64_t{shape.teams_per_multiprocessor} * shape.multiprocessors < replicas) break;
    best = options;
  }
  return best;
}

int default_gpu_replicas(const Graph& graph, const Grid& grid) {
  const GpuPopulationShape shape = gpu_population_shape(graph, grid);
  const std::size_t fitting = device_memory().free / 2 / replica_bytes(graph, shape.compact);
  const auto resident = static_cast<std::size_t>(shape.teams_per_multiprocessor) *
                        static_cast<std::size_t>(shape.multiprocessors);
  return static_cast<int>(std::max<std::size_t>(1, std::min(resident, fitting)));
}

}  // namespace lcn
