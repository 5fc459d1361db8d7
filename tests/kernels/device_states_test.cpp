// Replica states in device memory are those of host memory, byte for byte where bytes mean something.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graph/generators.hpp"
#include "kernels/search/gpu_population.hpp"
#include "layout/admission.hpp"
#include "random/stream.hpp"
#include "search/fixed_point.hpp"
#include "search/weight_table.hpp"
#include "support/error.hpp"
#include "tests/kernels/require_gpu.hpp"
#if LCN_HAVE_CUDA
#include <cuda_runtime.h>  // its typed cudaMalloc, which the buffer uses

#include "kernels/device/device_buffer.hpp"
#endif

namespace lcn {
namespace {

StreamKey key(std::uint64_t seed) {
  return derive_key({seed, {}, 1}, Purpose::test, "device-states");
}

Drawing random_drawing(const Graph& graph, const Grid& grid, std::uint64_t seed) {
  Stream stream(key(seed));
  Drawing points(static_cast<std::size_t>(graph.n()));
  for (Point& p : points) p = {stream.between(0, grid.width), stream.between(0, grid.height)};
  return admit(graph, grid, points, StreamKey{1, 2}).drawing;
}

void run_round(Population& population, const Graph& graph, std::int64_t first_step) {
  const std::vector<std::int64_t> table = linear_table(graph.m());
  PopulationRound round;
  round.key = key(9);
  round.first_step = first_step;
  round.steps = 200;
  round.table = &table;
  std::vector<std::int64_t> temperatures;
  for (int r = 0; r < population.size(); ++r) temperatures.push_back(to_fixed(0.5 * r));
  population.run(round, temperatures);
}

void prepare(Population& population, const Graph& graph, const Grid& grid, std::uint64_t seed) {
  for (int r = 0; r < population.size(); ++r)
    population.load(r, random_drawing(graph, grid, seed + static_cast<std::uint64_t>(r)));
  run_round(population, graph, 0);
}

std::string state_of(const Population& population, int slot) {
  std::string state(population.state_bytes(), '\0');
  population.write_state(slot, state.data());
  return state;
}

TEST(DeviceStates, CpuReplicasHaveNone) {
  const Graph graph = Graph::from_edges(2, {{0, 1}});
  const auto cpu = make_cpu_population(graph, {5, 5}, 1, 1);
  const std::vector<int> slots = {0};
  const std::vector<void*> states = {nullptr};
  EXPECT_THROW(cpu->write_device_states(slots, states), Error);
  EXPECT_THROW(cpu->read_device_states(slots, states), Error);
}

#if LCN_HAVE_CUDA

// All that a state says; the header's padding says nothing.
std::vector<std::int64_t> values_of(const std::string& state) {
  StateHeader header;
  std::memcpy(&header, state.data(), sizeof header);
  std::vector<std::int64_t> values = {header.tuple.K, header.tuple.n_K, header.tuple.Phi, header.tuple.C,
                                      header.family};
  for (const Bandit& bandit : {header.vertex_bandit, header.position_bandit}) {
    values.push_back(bandit.arms);
    values.insert(values.end(), bandit.weight, bandit.weight + bandit.arms);
    values.insert(values.end(), bandit.score, bandit.score + bandit.arms);
    values.insert(values.end(), bandit.tried, bandit.tried + bandit.arms);
    values.insert(values.end(), bandit.improved, bandit.improved + bandit.arms);
  }
  std::vector<std::int32_t> rest((state.size() - sizeof header) / sizeof(std::int32_t));
  std::memcpy(rest.data(), state.data() + sizeof header, rest.size() * sizeof rest[0]);
  values.insert(values.end(), rest.begin(), rest.end());
  return values;
}

std::string download(const void* device, std::size_t bytes) {
  std::string state(bytes, '\0');
  LCN_CUDA_CHECK(cudaMemcpy(state.data(), device, bytes, cudaMemcpyDeviceToHost));
  return state;
}

void upload(void* device, const std::string& state) {
  LCN_CUDA_CHECK(cudaMemcpy(device, state.data(), state.size(), cudaMemcpyHostToDevice));
}

TEST(DeviceStates, TravelBetweenHostAndDevice) {
  LCN_REQUIRE_GPU();
  const Graph graph = generate_graph("barabasi-albert", {{"n", 50}, {"m", 3}}, 3).graph;
  const Grid grid{5'000, 4'000};
  const auto source = make_cpu_population(graph, grid, 4, 1);
  prepare(*source, graph, grid, 1);
  for (const GpuPopulationOptions& options :
       {GpuPopulationOptions{32, false, 1}, GpuPopulationOptions{64, true, 1}}) {
    SCOPED_TRACE(options.global_memory ? "32-bit counts" : "16-bit counts");
    const auto twin = make_cpu_population(graph, grid, 4, 1),
               gpu = make_gpu_population(graph, grid, 4, options);
    ASSERT_EQ(gpu->state_bytes(), twin->state_bytes());
    for (Population* population : {twin.get(), gpu.get()}) {
      prepare(*population, graph, grid, 50);
      population->swap(0, 3);
      population->copy(1, 2);  // still in the queue when states are written
    }
    const std::vector<int> slots = {2, 0};
    const std::size_t stride = (gpu->state_bytes() + 7) / 8 * 8;
    DeviceBuffer<char> memory(2 * stride);
    const std::vector<void*> states = {memory.data(), memory.data() + stride};
    gpu->write_device_states(slots, states);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::string state = download(states[i], gpu->state_bytes());
      EXPECT_EQ(values_of(state), values_of(state_of(*twin, slots[i])));
      EXPECT_EQ(values_of(state), values_of(state_of(*gpu, slots[i])));
    }

    for (Population* population : {twin.get(), gpu.get()})
      population->restart(0, random_drawing(graph, grid, 90));  // still in the queue when it is replaced
    upload(states[0], state_of(*source, 3));
    upload(states[1], state_of(*source, 1));
    gpu->read_device_states(slots, states);
    twin->read_state(2, state_of(*source, 3).data());
    twin->read_state(0, state_of(*source, 1).data());
    EXPECT_EQ(values_of(state_of(*gpu, 2)), values_of(state_of(*source, 3)));
    EXPECT_EQ(to_hex(population_sha256(*gpu)), to_hex(population_sha256(*twin)));
    for (Population* population : {twin.get(), gpu.get()}) run_round(*population, graph, 200);
    EXPECT_EQ(to_hex(population_sha256(*gpu)), to_hex(population_sha256(*twin)));

    const std::string host = state_of(*source, 2);  // by way of host memory
    gpu->read_state(1, host.data());
    EXPECT_EQ(values_of(state_of(*gpu, 1)), values_of(host));
  }
}

TEST(DeviceStates, ThatContradictThemselvesAreRefused) {
  LCN_REQUIRE_GPU();
  const Graph graph = generate_graph("barabasi-albert", {{"n", 30}, {"m", 3}}, 3).graph;
  const auto gpu = make_gpu_population(graph, {500, 400}, 2);
  prepare(*gpu, graph, {500, 400}, 1);
  const std::vector<int> slots = {0};
  DeviceBuffer<char> memory(gpu->state_bytes());
  const std::vector<void*> states = {memory.data()};
  std::string state = state_of(*gpu, 1);
  ++state[state.size() - sizeof(std::int32_t)];  // one crossing more on the last edge
  upload(states[0], state);
  EXPECT_THROW(gpu->read_device_states(slots, states), Error);
  EXPECT_THROW(gpu->read_state(0, state.data()), Error);
  const std::vector<int> two = {0, 1};
  EXPECT_THROW(gpu->write_device_states(two, states), Error);
}

#endif

}  // namespace
}  // namespace lcn
