#include "jobs/backends.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "kernels/device/devices.hpp"
#include "kernels/layout/gradient.hpp"
#include "kernels/search/gpu_population.hpp"
#include "layout/gradient.hpp"
#include "layout/spec.hpp"
#include "search/starts.hpp"
#include "support/thread_pool.hpp"

namespace lcn {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{2} << 30;

int host_threads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 16u));
}

// Layouts of the crossing gradient on the GPU; other providers have no batched form.
std::optional<std::vector<Layout>> gpu_layouts(const std::string& text, const LayoutRequest& request,
                                               int count) {
  Spec spec = Spec::parse(text);
  if (spec.name() != "gradient") return std::nullopt;
  const GradientStartOptions options = gradient_start_options(spec);
  const auto n = static_cast<std::size_t>(request.graph.n());
  std::vector<float> positions(static_cast<std::size_t>(count) * n * 2);
  ThreadPool pool(host_threads());
  pool.for_each(count, [&](int i) {
    std::vector<float> x(n), y(n);
    LayoutRequest one = request;
    one.index += static_cast<std::uint32_t>(i);
    gradient_initial_positions(one, options.init.get(), x, y);
    for (std::size_t v = 0; v < n; ++v) {
      positions[(static_cast<std::size_t>(i) * n + v) * 2] = x[v];
      positions[(static_cast<std::size_t>(i) * n + v) * 2 + 1] = y[v];
    }
  });
  const int batch = gradient_batch_size(request.graph, count);
  const std::vector<GradientStep> schedule = gradient_schedule(options.epochs);
  for (int from = 0; from < count; from += batch) {
    request.checkpoint();
    const int size = std::min(batch, count - from);
    GradientBatch minimiser(request.graph, GradientModel::for_vertices(request.graph.n()), size);
    minimiser.minimise(schedule, std::span<float>(positions).subspan(static_cast<std::size_t>(from) * n * 2,
                                                                     static_cast<std::size_t>(size) * n * 2));
  }
  std::vector<Layout> layouts(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    layouts[i].x.resize(n);
    layouts[i].y.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      layouts[i].x[v] = positions[(i * n + v) * 2];
      layouts[i].y[v] = positions[(i * n + v) * 2 + 1];
    }
  }
  return layouts;
}

constexpr int kLeastLayouts = 4;

int layouts_within(const std::string& text, const Graph& graph, double seconds) {
  Spec spec = Spec::parse(text);
  if (spec.name() != "gradient") return kMostStarts;
  const int epochs = gradient_start_options(spec).epochs;
  return gradient_layouts_within(graph, epochs, seconds, list_devices().front().multiprocessors,
                                 host_threads());
}

// Few deep replicas beat many shallow ones (docs/decisions.md): this many per multiprocessor.
constexpr int kReplicasPerMultiprocessor = 4;
constexpr int kIslandsPerGpu = 4;
constexpr const char* kGpuSearch = "population:lower=0.2,hot=1,cold=0.02,every=3,islands=";

// A budget of steps means the same trajectory on every backend, so there the CPU's choices hold.
void choose_for_gpu(const Graph& graph, const Grid& grid, const LowerBound& bound, SolveOptions& options) {
  if (!options.time_limited) return;
  // Where not even a few layouts of the gradient fit, the CPU's start drawings are better than a late start.
  if (options.start == "auto" && !bound.planar &&
      layouts_within("gradient", graph, options.time / 6) >= kLeastLayouts)
    options.start = "gradient";
  // Ranks that share a unit have islands and replicas of their own.
  if (options.search == "auto") options.search = kGpuSearch + std::to_string(kIslandsPerGpu * options.ranks);
  if (options.replicas <= 0) {
    const int multiprocessors = gpu_population_shape(graph, grid).multiprocessors;
    options.replicas = options.ranks * std::min(default_gpu_replicas(graph, grid),
                                                kReplicasPerMultiprocessor * multiprocessors);
  }
}

SolveBackend make_gpu_backend() {
  SolveBackend backend;
  backend.name = "gpu";
  backend.host_threads = host_threads();
  backend.population = [](const Graph& graph, const Grid& grid, int replicas, int) {
    return make_gpu_population(graph, grid, replicas);
  };
  backend.layouts = gpu_layouts;
  backend.layouts_within = layouts_within;
  backend.choose = choose_for_gpu;
  return backend;
}

}  // namespace

int gradient_layouts_within(const Graph& graph, int epochs, double seconds, int multiprocessors,
                            int host_threads) {
  constexpr double kPairsPerSecond = 2.5e11 / 132, kSecondsPerVertex = 2.5e-4;
  const double m = graph.m(), n = graph.n();
  const double device = epochs * m * m / 2 / (kPairsPerSecond * std::max(multiprocessors, 1));
  const double host = kSecondsPerVertex * n / std::max(host_threads, 1);
  // The host prepares all layouts first, then the device runs them: the costs add up.
  return static_cast<int>(std::min(seconds / std::max(device + host, 1e-9), 1e6));
}

int gradient_batch_size(const Graph& graph, int wished) {
  const std::size_t one = std::max<std::size_t>(GradientBatch::device_bytes(graph, 1), 1);
  return static_cast<int>(
      std::clamp<std::size_t>(kBatchBytes / one, 1, static_cast<std::size_t>(std::max(wished, 1))));
}

const SolveBackend& backend_of(const std::string& device) {
  if (device != "gpu") return cpu_backend();
  static const SolveBackend backend = make_gpu_backend();
  return backend;
}

SolveBackend backend_for(const SolveOptions& options) {
  SolveBackend backend = backend_of(options.device);
  if (options.device == "gpu" && (options.gpu_team > 0 || options.gpu_group > 0))
    backend.population = [shape = GpuPopulationOptions{options.gpu_team, false, options.gpu_group}](
                             const Graph& graph, const Grid& grid, int replicas, int) {
      return make_gpu_population(graph, grid, replicas, shape);
    };
  return backend;
}

}  // namespace lcn
