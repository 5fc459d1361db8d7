#include "jobs/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "jobs/inject.hpp"
#include "jobs/protocol.hpp"
#include "jobs/unit_thread.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr double kClaimInterval = 1;  // seconds until units in work elsewhere are asked for again

void set_from_environment(double& value, const char* name) {
  const char* text = std::getenv(name);
  if (!text) return;
  char* end = nullptr;
  const double given = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(given > 0) || given > 1e9)
    throw usage_error(fmt::format("{}: '{}' is not a positive number of seconds", name, text));
  value = given;
}

class Coordinator {
 public:
  Coordinator(Communicator world, const Job& job, ResultStore& store, Progress& progress,
              const Machinery& machinery, const RunSettings& settings,
              const std::function<bool()>& stop_requested)
      : world_(std::move(world)),
        job_(job),
        progress_(progress),
        settings_(settings),
        stop_requested_(stop_requested),
        seats_(static_cast<std::size_t>(world_.size())),
        verifier_(store),
        mail_(std::make_shared<ReplicaMail>(world_.rank(), world_.size(), world_.host())),
        computing_(machinery.solve, machinery.join, mail_, world_.host()) {
    for (std::size_t unit = 0; unit < job_.units; ++unit) waiting_.push_back(unit);
  }

  RunSummary run() {
    send_to_others(kTagWatch, "on");
    while (!finished()) {
      step();
      mail_->pause(kPollInterval);
    }
    send_to_others(kTagWatch, "off");
    if (!computing_.busy()) computing_.leave();  // as the others do then
    progress_.finish();
    if (failure_) throw *failure_;
    return summary_;
  }

 private:
  // Where one rank stands.
  struct Seat {
    bool busy = false, halted = false;
    std::shared_ptr<const Instance> instance;  // of the unit that was handed out last,
    UnitRecord unit;                           // its identity,
    double since = 0;                          // and when that was
    double heard = 0;                          // last sign of life
    std::string host = "unknown";
    std::set<std::string> instances;  // what the rank holds
  };

  void step() {
    const double now = clock_.seconds();
    try {
      receive_messages(now);
      send_letters(world_, *mail_);
      collect_own();
      collect_verified();
      if (!halting_ && stop_requested_()) halt(now);
      if (halting_ && now - halted_at_ > settings_.stop_deadline) verifier_.give_up();
      hand_out(now);
      store_best(now);
      watch(now);
      report(now);
    } catch (...) {
      fail(current_error(), now);
    }
    // outside the try block: the last resort is no failure to recover from
    if (failure_ && now - halted_at_ > settings_.stop_deadline) give_up_on_the_deaf();
    last_step_ = now;
  }

  bool finished() {
    if (computing_.busy()) return false;
    for (int rank = 1; rank < world_.size(); ++rank) {
      const Seat& seat = seats_[static_cast<std::size_t>(rank)];
      if (halting_ ? !seat.halted : seat.busy) return false;
    }
    if (failure_ && clock_.seconds() - halted_at_ > settings_.stop_deadline) return true;
    return (halting_ || waiting_.empty()) && verifier_.idle();
  }

  void receive_messages(double now) {
    while (std::optional<Message> message = world_.receive()) {
      Seat& seat = seats_[static_cast<std::size_t>(message->from)];
      seat.heard = now;
      switch (message->tag) {
        case kTagOutcome:
          seat.busy = false;
          // of a unit that ranks share, rank 0 has the outcome
          if (!job_.shared) verifier_.add_outcome(seat.instance, outcome_from_bytes(message->bytes));
          break;
        case kTagLetter:
          mail_->deliver(message->from, std::move(message->bytes));
          break;
        case kTagBest:
          if (seat.busy) verifier_.add_best(seat.instance, seat.unit, drawing_from_bytes(message->bytes));
          break;
        case kTagFailure:
          fail(error_from_bytes(message->bytes), now);
          break;
        case kTagSignalled:
          if (!halting_) halt(now);
          break;
        case kTagHalted:
          seat.halted = true;
          break;
        case kTagAlive:
          seat.host = message->bytes;
          break;
        default:
          throw Error(ErrorKind::internal,
                      fmt::format("rank {} sent an unknown message {}", message->from, message->tag));
      }
    }
  }

  void collect_own() {
    if (std::optional<UnitOutcome> outcome = computing_.take_outcome())
      verifier_.add_outcome(computing_.instance(), std::move(*outcome));
  }

  void collect_verified() {
    while (const std::optional<UnitRecord> record = verifier_.take_verified()) {
      if (record->status == "interrupted")
        ++summary_.interrupted;
      else if (record->status == "failed" || record->status == "rejected")
        ++summary_.failed;
      else
        ++summary_.done;
      progress_.unit(*record);
    }
  }

  void hand_out(double now) {
    if (halting_) return;
    if (job_.shared) {
      if (!all_free()) return;
      const std::optional<std::size_t> unit = next_unit(now);
      if (!unit) return;
      UnitTask task = job_.task(*unit);
      task.shared = true;
      task.number = static_cast<std::int64_t>(*unit);
      for (int rank = world_.size() - 1; rank >= 0; --rank) give(rank, *unit, task, now);
      return;
    }
    for (int rank = 0; rank < world_.size(); ++rank) {
      if (busy(rank)) continue;
      const std::optional<std::size_t> unit = next_unit(now);
      if (!unit) return;
      give(rank, *unit, job_.task(*unit), now);
    }
  }

  bool busy(int rank) const {
    return rank == 0 ? computing_.busy() : seats_[static_cast<std::size_t>(rank)].busy;
  }

  bool all_free() const {
    return !computing_.busy() &&
           std::none_of(seats_.begin(), seats_.end(), [](const Seat& s) { return s.busy; });
  }

  // The first unit that no other job has finished or in work.
  std::optional<std::size_t> next_unit(double now) {
    if (waiting_.empty() && (all_free() || now - asked_at_ >= kClaimInterval)) {
      waiting_.swap(elsewhere_);  // the other job may have stopped or died
      asked_at_ = now;
    }
    while (!waiting_.empty()) {
      const std::size_t unit = waiting_.front();
      waiting_.pop_front();
      const Claim claim = job_.claim ? job_.claim(unit) : Claim::taken;
      if (claim == Claim::taken) return unit;
      if (claim == Claim::elsewhere) elsewhere_.push_back(unit);
      if (claim == Claim::finished) progress_.finished_elsewhere();
    }
    return std::nullopt;
  }

  void give(int rank, std::size_t unit, UnitTask task, double now) {
    Seat& seat = seats_[static_cast<std::size_t>(rank)];
    seat.instance = job_.instance(unit);
    seat.unit = record_of(task, *seat.instance);
    seat.since = now;
    const bool is_new = seat.instances.insert(task.instance_sha256).second;
    if (rank == 0) {
      if (is_new) inject_failure("load", 0);
      computing_.start(std::move(task), seat.instance);
      best_at_ = now;
      return;
    }
    if (is_new) world_.send(rank, kTagInstance, to_bytes(*seat.instance));
    world_.send(rank, kTagUnit, to_bytes(task));
    seat.busy = true;
  }

  void store_best(double now) {
    if (!computing_.busy() || now - best_at_ < settings_.best_interval) return;
    best_at_ = now;
    if (std::optional<Drawing> best = computing_.take_best())
      verifier_.add_best(seats_[0].instance, seats_[0].unit, std::move(*best));
  }

  void watch(double now) {
    if (now - alive_at_ >= kAliveInterval) {
      alive_at_ = now;
      send_to_others(kTagAlive, world_.host());
    }
    // after a pause of this very process (SIGSTOP, a suspended job) the others' silence says nothing
    if (now - last_step_ > kAliveInterval)
      for (Seat& seat : seats_) seat.heard = now;
    for (int rank = 1; rank < world_.size(); ++rank) {
      const Seat& seat = seats_[static_cast<std::size_t>(rank)];
      if (now - seat.heard > settings_.silence)
        lost_.emplace(fmt::format("rank {} on host {} was not heard of for {} s (it has died or hangs)", rank,
                                  seat.host, settings_.silence));
    }
    if (lost_) last_resort(world_, *lost_);
  }

  void report(double now) {
    std::vector<RunningUnit> running;
    for (int rank = 0; rank < world_.size(); ++rank) {
      const Seat& seat = seats_[static_cast<std::size_t>(rank)];
      if (!busy(rank)) continue;
      running.push_back({seat.unit.instance, seat.unit.repetition, rank, now - seat.since});
    }
    progress_.tick(now, running);
  }

  void halt(double now) {
    halting_ = true;
    halted_at_ = now;
    summary_.stopped = true;
    computing_.stop();
    if (failure_) mail_->cancel(*failure_);
    send_to_others(kTagHalt, failure_ ? "failure" : "signal");
  }

  void fail(Error error, double now) {
    if (failure_) return;
    error = placed(std::move(error), world_);
    Error named(error.kind(),
                fmt::format("rank {} on host {}: {} (the job ends, finished units are safe) run the same "
                            "command again to go on",
                            error.rank, error.host, error.what()));
    named.rank = error.rank;
    named.host = error.host;
    failure_ = named;
    halt(now);
  }

  // Past the deadline after a failure.
  void give_up_on_the_deaf() {
    std::string deaf;
    if (computing_.busy()) deaf = "0";
    for (int rank = 1; rank < world_.size(); ++rank)
      if (!seats_[static_cast<std::size_t>(rank)].halted)
        deaf += fmt::format("{}{}", deaf.empty() ? "" : ", ", rank);
    if (deaf.empty()) return;
    last_resort(world_, fmt::format("{}; rank {} did not stop within {} s", failure_->what(), deaf,
                                    settings_.stop_deadline));
  }

  void send_to_others(int tag, const std::string& text) {
    for (int rank = 1; rank < world_.size(); ++rank) world_.send(rank, tag, text);
  }

  Communicator world_;
  const Job& job_;
  Progress& progress_;
  RunSettings settings_;
  const std::function<bool()>& stop_requested_;
  StopWatch clock_;
  std::vector<Seat> seats_;
  std::deque<std::size_t> waiting_;    // units to hand out, in order
  std::deque<std::size_t> elsewhere_;  // units that another job has in work
  double best_at_ = 0, alive_at_ = 0, asked_at_ = 0, halted_at_ = 0, last_step_ = 0;
  bool halting_ = false;
  std::optional<Error> failure_;
  std::optional<std::string> lost_;
  RunSummary summary_;
  Verifier verifier_;
  std::shared_ptr<ReplicaMail> mail_;
  UnitThread computing_;
};

// A rank other than 0.
class Server {
 public:
  Server(Communicator world, const Machinery& machinery, const RunSettings& settings,
         const std::function<bool()>& stop_requested)
      : world_(std::move(world)),
        settings_(settings),
        stop_requested_(stop_requested),
        mail_(std::make_shared<ReplicaMail>(world_.rank(), world_.size(), world_.host())),
        computing_(machinery.solve, machinery.join, mail_, world_.host()) {}

  int run() {
    while (!dismissed_) {
      const double now = clock_.seconds();
      try {
        step(now);
      } catch (...) {
        computing_.stop();
        world_.send(0, kTagFailure, to_bytes(placed(current_error(), world_)));
      }
      if (deadline_ && computing_.busy() && now > *deadline_)
        last_resort(world_, fmt::format("rank {} on host {} did not stop its unit within {} s", world_.rank(),
                                        world_.host(), settings_.stop_deadline));
      if (watching_ && now - heard_ > settings_.silence)
        last_resort(world_, fmt::format("rank {} on host {} did not hear of rank 0 for {} s", world_.rank(),
                                        world_.host(), settings_.silence));
      last_step_ = now;
      mail_->pause(kPollInterval);
    }
    return *dismissed_;
  }

 private:
  void step(double now) {
    if (now - last_step_ > kAliveInterval) heard_ = now;  // this very process was paused
    while (std::optional<Message> message = world_.receive()) receive(*message, now);
    send_letters(world_, *mail_);
    if (const std::optional<UnitOutcome> outcome = computing_.take_outcome())
      world_.send(0, kTagOutcome, computing_.task().shared ? "" : to_bytes(*outcome));
    if (computing_.busy() && now - best_at_ >= settings_.best_interval) {
      best_at_ = now;
      if (const std::optional<Drawing> best = computing_.take_best())
        world_.send(0, kTagBest, to_bytes(*best));
    }
    if (!signalled_ && stop_requested_()) {
      signalled_ = true;
      world_.send(0, kTagSignalled);
    }
    if (halting_ && !halted_ && !computing_.busy()) {
      halted_ = true;
      world_.send(0, kTagHalted);
    }
    if (watching_ && now - alive_at_ >= kAliveInterval) {
      alive_at_ = now;
      world_.send(0, kTagAlive, world_.host());
    }
  }

  void receive(Message& message, double now) {
    if (message.from == 0) heard_ = now;
    switch (message.tag) {
      case kTagInstance:
        inject_failure("load", world_.rank());
        {
          auto instance = std::make_shared<const Instance>(instance_from_bytes(message.bytes));
          const std::string hash = to_hex(instance->hash);
          instances_[hash] = std::move(instance);
        }
        break;
      case kTagUnit: {
        if (halting_) break;
        UnitTask task = task_from_bytes(message.bytes);
        const auto instance = instances_.find(task.instance_sha256);
        if (instance == instances_.end())
          throw Error(ErrorKind::internal, fmt::format("unit {} came before its instance", task.unit));
        computing_.start(std::move(task), instance->second);
        best_at_ = now;
        break;
      }
      case kTagHalt:
        halting_ = true;
        computing_.stop();
        if (message.bytes == "failure") {
          deadline_ = now + settings_.stop_deadline;
          mail_->cancel(Error(ErrorKind::environment, "the job ends after a failure"));
        }
        break;
      case kTagLetter:
        mail_->deliver(message.from, std::move(message.bytes));
        break;
      case kTagWatch:
        watching_ = message.bytes == "on";
        if (!watching_ && !computing_.busy()) computing_.leave();
        break;
      case kTagAlive:
        break;
      case kTagDismiss:
        dismissed_ = std::atoi(message.bytes.c_str());
        break;
      default:
        throw Error(ErrorKind::internal, fmt::format("rank 0 sent an unknown message {}", message.tag));
    }
  }

  Communicator world_;
  RunSettings settings_;
  const std::function<bool()>& stop_requested_;
  StopWatch clock_;
  std::map<std::string, std::shared_ptr<const Instance>> instances_;
  bool watching_ = false, halting_ = false, halted_ = false, signalled_ = false;
  double heard_ = 0, best_at_ = 0, last_step_ = 0;
  double alive_at_ = -kAliveInterval;  // the first sign of life tells the host's name
  std::optional<double> deadline_;
  std::optional<int> dismissed_;
  std::shared_ptr<ReplicaMail> mail_;
  UnitThread computing_;
};

}  // namespace

RunSettings run_settings_from_environment() {
  RunSettings settings;
  set_from_environment(settings.best_interval, "LCN_BEST_INTERVAL");
  set_from_environment(settings.heartbeat, "LCN_HEARTBEAT");
  set_from_environment(settings.silence, "LCN_SILENCE");
  set_from_environment(settings.stop_deadline, "LCN_STOP_DEADLINE");
  return settings;
}

RunSummary run_units(Communicator world, const Job& job, ResultStore& store, Progress& progress,
                     const Machinery& machinery, const RunSettings& settings,
                     const std::function<bool()>& stop_requested) {
  return Coordinator(std::move(world), job, store, progress, machinery, settings, stop_requested).run();
}

int serve_units(Communicator world, const Machinery& machinery, const RunSettings& settings,
                const std::function<bool()>& stop_requested) {
  return Server(std::move(world), machinery, settings, stop_requested).run();
}

void dismiss_ranks(Communicator world, int exit_code) {
  for (int rank = 1; rank < world.size(); ++rank) world.send(rank, kTagDismiss, fmt::format("{}", exit_code));
}

}  // namespace lcn
