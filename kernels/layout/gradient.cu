#include <algorithm>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>
#include <string>
#include <vector>

#include "kernels/device/cuda_handle.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/layout/gradient.hpp"
#include "kernels/layout/gradient_kernels.cuh"

namespace lcn {
namespace {

using gradient::Shape;

// Epochs between two sorts along the curve: positions move little from one epoch to the next.
constexpr std::size_t kSortEvery = 8;

unsigned blocks_for(std::size_t items, std::size_t per_block) {
  const std::size_t blocks = (items + per_block - 1) / per_block;
  if (blocks > 0x7fffffff)
    throw Error(ErrorKind::environment,
                "crossing gradient on the GPU: the batch needs more than 2^31 blocks (use fewer layouts)");
  return static_cast<unsigned>(blocks);
}

Shape shape_of(const Graph& graph, int layouts) {
  Shape shape{layouts, graph.n(), graph.m(), 0, 0};
  shape.tiles = (shape.m + gradient::kTile - 1) / gradient::kTile;
  shape.splits = std::max(1, (shape.tiles + gradient::kSplitTiles - 1) / gradient::kSplitTiles);
  return shape;
}

std::size_t entries(const Shape& shape, int each) {
  return static_cast<std::size_t>(shape.layouts) * static_cast<std::size_t>(each);
}

// Bits that differ between keys of the sort: the curve's, and as many as the layout's number needs.
int key_bits(const Shape& shape) {
  int bits = gradient::kCurveBits;
  while ((1LL << (bits - gradient::kCurveBits)) < shape.layouts) ++bits;
  return bits;
}

std::size_t sort_bytes(const Shape& shape) {
  std::size_t bytes = 0;
  LCN_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(
      nullptr, bytes, static_cast<const std::uint64_t*>(nullptr), static_cast<std::uint64_t*>(nullptr),
      static_cast<const int*>(nullptr), static_cast<int*>(nullptr),
      static_cast<std::int64_t>(entries(shape, shape.m)), 0, key_bits(shape)));
  return bytes;
}

void check_size(std::size_t actual, std::size_t expected, const char* what) {
  if (actual != expected)
    throw Error(ErrorKind::internal, std::string("crossing gradient on the GPU: ") + what + " has " +
                                         std::to_string(actual) + " entries, not " +
                                         std::to_string(expected));
}

}  // namespace

struct GradientBatch::State {
  State(const Graph& graph, const GradientModel& model, int layouts);

  void sort_edges();
  void queue_gradient(float sharpness);
  void queue_adam(const gradient::AdamStep& step);

  Shape shape;
  gradient::Forces forces;
  float minimum_sine;
  CudaStream stream;
  CudaEvent begin, end;
  bool timed = false;

  DeviceBuffer<int2> edges, links;
  DeviceBuffer<int> offsets;
  DeviceBuffer<float2> positions, gradients;
  DeviceBuffer<float4> moments;
  DeviceBuffer<float> weights;
  DeviceBuffer<std::uint64_t> keys, sorted_keys;
  DeviceBuffer<int> values, order;
  DeviceBuffer<char> sort_space;
  DeviceBuffer<float4> lines, traits, partial;
  DeviceBuffer<gradient::Box> boxes;
  DeviceBuffer<float> count, total_count;
};

GradientBatch::State::State(const Graph& graph, const GradientModel& model, int layouts)
    : shape(shape_of(graph, layouts)),
      forces{static_cast<float>(model.spring_length), static_cast<float>(model.spring_weight),
             static_cast<float>(model.repulsion_radius), static_cast<float>(model.repulsion_weight)},
      minimum_sine(static_cast<float>(model.minimum_sine)) {
  std::size_t available = 0, total = 0;
  LCN_CUDA_CHECK(cudaMemGetInfo(&available, &total));
  const std::size_t needed = device_bytes(graph, layouts);
  if (needed > available)
    throw Error(ErrorKind::environment, "crossing gradient on the GPU: " + std::to_string(layouts) +
                                            " layouts need " + std::to_string(needed >> 20) + " MiB, " +
                                            std::to_string(available >> 20) +
                                            " MiB are free (use fewer layouts)");
  std::vector<int2> host_edges, host_links;
  for (const Edge& edge : graph.edges()) host_edges.push_back(make_int2(edge.a, edge.b));
  for (VertexId v = 0; v < graph.n(); ++v)
    for (const Incidence& incidence : graph.incident(v))
      host_links.push_back(
          make_int2(incidence.neighbour, 2 * incidence.edge + (graph.edge(incidence.edge).b == v ? 1 : 0)));
  edges.upload(host_edges, stream.get());
  links.upload(host_links, stream.get());
  offsets.upload(graph.offsets(), stream.get());

  const std::size_t vertices = entries(shape, shape.n), all_edges = entries(shape, shape.m);
  const std::size_t tiles = entries(shape, shape.tiles), places = tiles * gradient::kTile;
  const std::size_t sums = all_edges * static_cast<std::size_t>(shape.splits);
  positions.resize(vertices);
  gradients.resize(vertices);
  moments.resize(vertices);
  weights.resize(all_edges);
  keys.resize(all_edges);
  sorted_keys.resize(all_edges);
  values.resize(all_edges);
  order.resize(all_edges);
  sort_space.resize(sort_bytes(shape));
  lines.resize(places);
  traits.resize(places);
  boxes.resize(tiles);
  partial.resize(sums);
  count.resize(sums);
  total_count.resize(all_edges);
  LCN_CUDA_CHECK(cudaStreamSynchronize(stream.get()));  // the host vectors end here
}

void GradientBatch::State::sort_edges() {
  const std::size_t size = entries(shape, shape.m);
  if (size == 0) return;
  gradient::curve_keys<<<blocks_for(size, gradient::kThreads), gradient::kThreads, 0, stream.get()>>>(
      shape, edges.data(), positions.data(), keys.data(), values.data());
  LCN_CUDA_CHECK(cudaGetLastError());
  std::size_t bytes = sort_space.size();
  LCN_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(
      sort_space.data(), bytes, static_cast<const std::uint64_t*>(keys.data()), sorted_keys.data(),
      static_cast<const int*>(values.data()), order.data(), static_cast<std::int64_t>(size), 0,
      key_bits(shape), stream.get()));
}

void GradientBatch::State::queue_gradient(float sharpness) {
  const float reach = 1 + 2 * gradient::kNegligibleExponent / sharpness, extension = (reach - 1) / 2;
  if (entries(shape, shape.m) > 0) {
    const std::size_t tiles = entries(shape, shape.tiles);
    gradient::gather_edges<<<blocks_for(tiles * gradient::kTile, gradient::kThreads), gradient::kThreads, 0,
                             stream.get()>>>(shape, edges.data(), order.data(), positions.data(),
                                             weights.data(), sharpness, extension,
                                             {lines.data(), traits.data(), boxes.data()});
    LCN_CUDA_CHECK(cudaGetLastError());
    const gradient::PairStep step{sharpness * 1.44269504f, std::exp(-sharpness), reach, extension,
                                  minimum_sine};
    const int groups = (shape.tiles + gradient::kWarps - 1) / gradient::kWarps;
    const std::size_t rows = entries(shape, shape.splits);
    gradient::sum_pairs<<<blocks_for(rows * static_cast<std::size_t>(groups), 1),
                          gradient::kWarps * gradient::kTile, 0, stream.get()>>>(
        shape, groups, lines.data(), traits.data(), boxes.data(), order.data(), step, partial.data(),
        count.data());
    LCN_CUDA_CHECK(cudaGetLastError());
  }
  if (entries(shape, shape.n) == 0) return;
  const int groups = (shape.n + gradient::kThreads - 1) / gradient::kThreads;
  gradient::sum_vertices<<<blocks_for(entries(shape, groups), 1), gradient::kThreads, 0, stream.get()>>>(
      shape, groups, offsets.data(), links.data(), positions.data(), partial.data(), forces,
      gradients.data());
  LCN_CUDA_CHECK(cudaGetLastError());
}

void GradientBatch::State::queue_adam(const gradient::AdamStep& step) {
  gradient::move_vertices<<<blocks_for(positions.size(), gradient::kThreads), gradient::kThreads, 0,
                            stream.get()>>>(positions.size(), gradients.data(), step, positions.data(),
                                            moments.data());
  LCN_CUDA_CHECK(cudaGetLastError());
}

GradientBatch::GradientBatch(const Graph& graph, const GradientModel& model, int layouts) {
  if (layouts < 1) throw Error(ErrorKind::internal, "crossing gradient on the GPU: a batch of no layouts");
  state_ = std::make_unique<State>(graph, model, layouts);
}

GradientBatch::~GradientBatch() = default;
GradientBatch::GradientBatch(GradientBatch&&) noexcept = default;
GradientBatch& GradientBatch::operator=(GradientBatch&&) noexcept = default;

void GradientBatch::evaluate(std::span<const float> positions, std::span<const float> edge_weights,
                             float sharpness, std::span<float> gradient, std::span<float> soft_counts) {
  State& s = *state_;
  const std::size_t vertices = entries(s.shape, s.shape.n), all_edges = entries(s.shape, s.shape.m);
  check_size(positions.size(), 2 * vertices, "positions");
  check_size(edge_weights.size(), all_edges, "edge_weights");
  check_size(gradient.size(), 2 * vertices, "gradient");
  check_size(soft_counts.size(), all_edges, "soft_counts");
  const cudaStream_t stream = s.stream.get();
  s.positions.upload({reinterpret_cast<const float2*>(positions.data()), vertices}, stream);
  s.weights.upload(edge_weights, stream);
  LCN_CUDA_CHECK(cudaEventRecord(s.begin.get(), stream));
  s.sort_edges();
  s.queue_gradient(sharpness);
  if (all_edges > 0) {
    gradient::total_counts<<<blocks_for(all_edges, gradient::kThreads), gradient::kThreads, 0, stream>>>(
        s.shape, s.count.data(), s.total_count.data());
    LCN_CUDA_CHECK(cudaGetLastError());
  }
  LCN_CUDA_CHECK(cudaEventRecord(s.end.get(), stream));
  s.timed = true;
  s.gradients.download({reinterpret_cast<float2*>(gradient.data()), vertices}, stream);
  s.total_count.download(soft_counts, stream);
  LCN_CUDA_CHECK(cudaStreamSynchronize(stream));
}

void GradientBatch::minimise(std::span<const GradientStep> schedule, std::span<float> positions) {
  State& s = *state_;
  const std::size_t vertices = entries(s.shape, s.shape.n), all_edges = entries(s.shape, s.shape.m);
  check_size(positions.size(), 2 * vertices, "positions");
  if (all_edges == 0) return;  // as on the CPU: nothing crosses
  const cudaStream_t stream = s.stream.get();
  s.positions.upload({reinterpret_cast<const float2*>(positions.data()), vertices}, stream);
  const std::vector<float> ones(all_edges, 1.0f);
  s.weights.upload(ones, stream);
  s.moments.fill_bytes(0, stream);
  LCN_CUDA_CHECK(cudaEventRecord(s.begin.get(), stream));
  double bias1 = 1, bias2 = 1;
  for (std::size_t epoch = 0; epoch < schedule.size(); ++epoch) {
    const GradientStep& step = schedule[epoch];
    if (epoch % kSortEvery == 0) s.sort_edges();
    s.queue_gradient(step.sharpness);
    bias1 *= kAdamDecay1;
    bias2 *= kAdamDecay2;
    s.queue_adam({static_cast<float>(step.rate / (1 - bias1)), static_cast<float>(1 / (1 - bias2))});
    if (step.balanced) {
      gradient::
          balance_weights<<<static_cast<unsigned>(s.shape.layouts), gradient::kReduceThreads, 0, stream>>>(
              s.shape, s.count.data(), s.total_count.data(), s.weights.data());
      LCN_CUDA_CHECK(cudaGetLastError());
    }
  }
  LCN_CUDA_CHECK(cudaEventRecord(s.end.get(), stream));
  s.timed = true;
  s.positions.download({reinterpret_cast<float2*>(positions.data()), vertices}, stream);
  LCN_CUDA_CHECK(cudaStreamSynchronize(stream));
}

double GradientBatch::kernel_seconds() const {
  if (!state_->timed) return 0;
  float milliseconds = 0;
  LCN_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, state_->begin.get(), state_->end.get()));
  return milliseconds * 1e-3;
}

std::size_t GradientBatch::device_bytes(const Graph& graph, int layouts) {
  const Shape shape = shape_of(graph, layouts);
  const std::size_t vertices = entries(shape, shape.n), all_edges = entries(shape, shape.m);
  const std::size_t tiles = entries(shape, shape.tiles), splits = static_cast<std::size_t>(shape.splits);
  return vertices * (2 * sizeof(float2) + sizeof(float4)) + tiles * sizeof(gradient::Box) +
         tiles * gradient::kTile * 2 * sizeof(float4) +
         all_edges * splits * (sizeof(float4) + sizeof(float)) +
         all_edges * (2 * sizeof(float) + 2 * sizeof(std::uint64_t) + 2 * sizeof(int)) + sort_bytes(shape) +
         static_cast<std::size_t>(shape.m) * 3 * sizeof(int2) +
         static_cast<std::size_t>(shape.n) * sizeof(int);
}

}  // namespace lcn
