#include "jobs/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr double kBarInterval = 0.2;  // seconds
constexpr std::size_t kBarWidth = 24;

}  // namespace

bool output_is_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  if (!std::getenv("OMPI_COMM_WORLD_RANK") && !std::getenv("PMI_RANK") && !std::getenv("PMIX_RANK"))
    return true;
  std::array<char, 256> target{};
  const std::string link = fmt::format("/proc/{}/fd/1", getppid());
  const ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
  if (length <= 0) return false;
  const std::string_view name(target.data(), static_cast<std::size_t>(length));
  return name.starts_with("/dev/pts/") || name.starts_with("/dev/tty");
}

Progress::Progress(std::FILE* out, bool terminal, std::size_t total, std::size_t done, double heartbeat)
    : out_(out), terminal_(terminal), total_(total), done_(done), heartbeat_(heartbeat) {}

void Progress::clear_bar() {
  if (bar_shown_) fmt::print(out_, "\r\033[K");
  bar_shown_ = false;
}

void Progress::line(const std::string& text) {
  clear_bar();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

std::string Progress::unit_text(const UnitRecord& r) {
  const std::string head = fmt::format("{} seed {}: ", r.instance, r.repetition);
  if (r.final.K < 0) return fmt::format("{}{}: {}", head, r.status, r.error);
  return fmt::format("{}{} -> {}, bound {}, gap {}, {}, {:.1f} s", head, to_string(r.initial),
                     to_string(r.final), r.lower_bound, r.final.K - r.lower_bound, r.status, r.wall_time);
}

void Progress::unit(const UnitRecord& record) {
  if (record.status != "interrupted") ++done_;
  const std::string total = fmt::format("{}", total_);
  line(fmt::format("[{:>{}}/{}] {}{}", done_, total.size(), total, label_ ? label_(record) + " " : "",
                   unit_text(record)));
}

void Progress::tick(double now, const std::vector<RunningUnit>& running) {
  if (now - last_ < (terminal_ ? kBarInterval : heartbeat_)) return;
  last_ = now;
  std::string units;
  for (const RunningUnit& unit : running) {
    if (units.size() > 60) {
      units += ", ...";
      break;
    }
    units += fmt::format("{}{} seed {} on rank {} for {:.0f} s", units.empty() ? "" : ", ", unit.instance,
                         unit.repetition, unit.rank, unit.seconds);
  }
  if (!terminal_) {
    line(fmt::format("after {:.0f} s: {} of {} done; running: {}", now, done_, plural(total_, "unit"),
                     units.empty() ? "none" : units));
    return;
  }
  const std::size_t filled = total_ == 0 ? 0 : kBarWidth * done_ / total_;
  std::string bar = fmt::format("[{}{}] {}/{}  {:.0f} s  {}", std::string(filled, '#'),
                                std::string(kBarWidth - filled, '.'), done_, total_, now, units);
  bar.resize(std::min<std::size_t>(bar.size(), 100));
  fmt::print(out_, "\r\033[K{}", bar);
  std::fflush(out_);
  bar_shown_ = true;
}

void Progress::finish() {
  clear_bar();
  std::fflush(out_);
}

}  // namespace lcn
