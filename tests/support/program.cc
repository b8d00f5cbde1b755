#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "tests/support/temp_directory.h"

namespace spuna::test {
namespace {

void Redirect(const std::string& path, int to) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, to);
  close(file);
}

}  // namespace

ProgramResult RunSpuna(const std::vector<std::string>& arguments, const ProgramSettings& settings) {
  return RunProgram(SPUNA_PROGRAM, arguments, settings);
}

ProgramResult RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                         const ProgramSettings& settings) {
  const TempDirectory outputs;
  const std::string out_path = outputs / "out";
  const std::string err_path = outputs / "err";
  std::vector<std::string> texts = {program};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);

  WriteFile(err_path, "");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) {
    if (!settings.input.empty()) {
      const int file = open(settings.input.c_str(), O_RDONLY);
      dup2(file, STDIN_FILENO);
      close(file);
    }
    Redirect(out_path, STDOUT_FILENO);
    Redirect(err_path, STDERR_FILENO);
    if (settings.max_file_bytes > 0) {
      const rlimit limit = {settings.max_file_bytes, settings.max_file_bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (settings.ignored_signal != 0) signal(settings.ignored_signal, SIG_IGN);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (settings.signal != 0) {
    while (ReadFile(err_path).find(settings.signal_after) == std::string::npos) {
      if (waitpid(pid, &status, WNOHANG) == pid) {
        throw std::runtime_error("the program ended before it said '" + settings.signal_after +
                                 "'");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(pid, settings.signal);
  }
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), ReadFile(out_path),
          ReadFile(err_path)};
}

}  // namespace spuna::test
