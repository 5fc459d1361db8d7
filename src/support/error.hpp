#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace lcn {

// What went wrong decides what ends: an input error changes nothing on disk, a unit error fails one unit,
// an environment error ends the job. The exit codes are those of docs/cli.md.
enum class ErrorKind { usage, input, unit, rejected, insufficient, environment, internal };

// Exit code of a kind: usage and input 2, unit 3, environment 4, rejected 5, insufficient 6, internal 1.
int exit_code(ErrorKind kind);
const char* to_string(ErrorKind kind);

// The one exception type of lcn. `what()` reads "problem (why) suggestion" and is complete for a person;
// the fields serve logs and the archive. Library calls fill library, call and code.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message,
        std::source_location where = std::source_location::current());
  // For a failed library call; `reason` is the message for a person: "reason [MPI_Bcast code 5]".
  Error(ErrorKind kind, const std::string& library, const std::string& call, long code,
        const std::string& reason, std::source_location where = std::source_location::current());

  ErrorKind kind() const { return kind_; }
  const std::string& library() const { return library_; }
  const std::string& call() const { return call_; }
  long code() const { return code_; }
  const char* file() const { return where_.file_name(); }
  unsigned line() const { return where_.line(); }
  int rank = -1;     // set where the rank is known
  std::string host;  // likewise

  // One line with every field that is set, for logs.
  std::string describe() const;

 private:
  ErrorKind kind_;
  std::string library_, call_;
  long code_ = 0;
  std::source_location where_;
};

inline Error input_error(const std::string& m, std::source_location w = std::source_location::current()) {
  return Error(ErrorKind::input, m, w);
}
inline Error usage_error(const std::string& m, std::source_location w = std::source_location::current()) {
  return Error(ErrorKind::usage, m, w);
}

}  // namespace lcn
