#include "pipelines/options/control_groups.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <limits>
#include <string>

#include "pipelines/options/options.h"
#include "tests/support/temp_directory.h"

namespace spuna {
namespace {

constexpr const char* kVersion2 =
    "23 1 0:20 / /proc rw - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kVersion1 =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/memory rw master:3 shared:4 - cgroup cgroup rw,memory\n";
constexpr double kNone = std::numeric_limits<double>::infinity();

// The files of a system.
struct System {
  test::TempDirectory root;

  System(const std::string& groups, const std::string& mounts) {
    Write("proc/self/cgroup", groups);
    Write("proc/self/mountinfo", mounts);
  }

  void Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root.path() / name;
    std::filesystem::create_directories(path.parent_path());
    test::WriteFile(path, text);
  }

  void WriteMemory(const std::string& folder, const std::string& max, const std::string& current,
                   const std::string& inactive = "0") const {
    Write(folder + "/memory.max", max + "\n");
    Write(folder + "/memory.current", current + "\n");
    Write(folder + "/memory.stat", "anon 5\ninactive_file " + inactive + "\nactive_file 7\n");
  }

  ControlGroups Read() const { return ReadControlGroups(root.path()); }
};

BOOST_AUTO_TEST_SUITE(control_groups)

BOOST_AUTO_TEST_CASE(a_system_without_groups_sets_no_limit) {
  const test::TempDirectory empty;
  BOOST_TEST(ReadControlGroups(empty.path()).cpus == kNone);
  BOOST_TEST(ReadControlGroups(empty.path()).free_memory == kNone);
  const System system("0::/\n", kVersion2);
  BOOST_TEST(system.Read().cpus == kNone);
  BOOST_TEST(system.Read().free_memory == kNone);
}

BOOST_AUTO_TEST_CASE(the_groups_above_count_in_version_2) {
  const System system("0::/a/b/c\n", kVersion2);
  const std::string top = "sys/fs/cgroup";
  system.Write(top + "/a/b/c/cpu.max", "max 100000\n");
  system.Write(top + "/a/b/cpu.max", "150000 100000\n");
  system.Write(top + "/a/cpu.max", "800000 100000\n");
  system.Write(top + "/other/cpu.max", "10000 100000\n");
  BOOST_TEST(system.Read().cpus == 1.5);
  system.WriteMemory(top + "/a/b/c", "max", "600");
  system.WriteMemory(top + "/a/b", "5000", "1000");
  // The smallest rest is not that of the smallest limit.
  system.WriteMemory(top + "/a", "9000", "8500");
  BOOST_TEST(system.Read().free_memory == 500);
  // What the system can drop is free; it is never more than what is used.
  system.WriteMemory(top + "/a", "9000", "8500", "700");
  BOOST_TEST(system.Read().free_memory == 1200);
  system.WriteMemory(top + "/a", "9000", "8500", "8600");
  BOOST_TEST(system.Read().free_memory == 4000);
  system.Write(top + "/a/b/c/memory.high", "2000\n");
  BOOST_TEST(system.Read().free_memory == 1400);
  // More may be used than is allowed.
  system.WriteMemory(top, "100", "8500");
  BOOST_TEST(system.Read().free_memory == 0);
}

BOOST_AUTO_TEST_CASE(the_groups_above_count_in_version_1) {
  const System system("12:memory:/pod/box\n5:cpuacct,cpu:/pod\n1:name=systemd:/x\n", kVersion1);
  const std::string cpu = "sys/fs/cgroup/cpu,cpuacct";
  system.Write(cpu + "/cpu.cfs_quota_us", "-1\n");
  system.Write(cpu + "/cpu.cfs_period_us", "100000\n");
  BOOST_TEST(system.Read().cpus == kNone);
  system.Write(cpu + "/pod/cpu.cfs_quota_us", "250000\n");
  BOOST_TEST(system.Read().cpus == kNone);
  system.Write(cpu + "/pod/cpu.cfs_period_us", "100000\n");
  BOOST_TEST(system.Read().cpus == 2.5);
  const std::string memory = "sys/fs/cgroup/memory";
  for (const char* folder : {"", "/pod", "/pod/box"}) {
    system.Write(memory + folder + "/memory.limit_in_bytes", "9223372036854771712\n");
    system.Write(memory + folder + "/memory.usage_in_bytes", "3000\n");
    system.Write(memory + folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  }
  BOOST_TEST(system.Read().free_memory == kNone);
  system.Write(memory + "/pod/memory.limit_in_bytes", "4000\n");
  BOOST_TEST(system.Read().free_memory == 1500);
  system.Write(memory + "/pod/box/memory.limit_in_bytes", "3600\n");
  BOOST_TEST(system.Read().free_memory == 1100);
}

BOOST_AUTO_TEST_CASE(version_1_and_2_may_be_mixed) {
  const System system(
      "4:memory:/m\n1:cpu:/\n0::/c\n",
      std::string(kVersion1) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  system.Write("sys/fs/cgroup/unified/c/cpu.max", "300000 100000\n");
  system.Write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4000\n");
  system.Write("sys/fs/cgroup/memory/m/memory.usage_in_bytes", "1000\n");
  BOOST_TEST(system.Read().cpus == 3);
  BOOST_TEST(system.Read().free_memory == 3000);
}

BOOST_AUTO_TEST_CASE(a_container_sees_its_group_where_it_is_mounted) {
  // Named as the host has it, mounted as the container has it; a space in the path.
  const std::string mount = "30 23 0:26 /box/1f /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw\n";
  for (const std::string group : {"/box/1f", "/", "/box/2e", "/../2e", "/box"}) {
    const System system("0::" + group + "\n", mount);
    system.Write("sys/fs/my groups/cpu.max", "200000 100000\n");
    BOOST_TEST_CONTEXT(group) { BOOST_TEST(system.Read().cpus == 2); }
  }
  const System inner("0::/box/1f/inner\n", mount);
  inner.Write("sys/fs/my groups/cpu.max", "200000 100000\n");
  inner.Write("sys/fs/my groups/inner/cpu.max", "50000 100000\n");
  BOOST_TEST(inner.Read().cpus == 0.5);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_sets_no_limit) {
  const System system("0::/a\n\n:\nx\n7:cpu\n", std::string("\n- - -\nx - cgroup2\n") + kVersion2);
  for (const std::string text :
       {"", "max", "max max", "-1 100000", "0 100000", "100000 0", "a b", "1x 2", "nan 1", "1"}) {
    system.Write("sys/fs/cgroup/a/cpu.max", text);
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(system.Read().cpus == kNone); }
  }
  for (const std::string text : {"", "max", "-5", "many", "nan", "12 13"}) {
    system.WriteMemory("sys/fs/cgroup/a", text, "100");
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(system.Read().free_memory == kNone); }
    system.WriteMemory("sys/fs/cgroup/a", "1000", text);
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(system.Read().free_memory == kNone); }
    system.WriteMemory("sys/fs/cgroup/a", "1000", "100", text);
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(system.Read().free_memory == 900); }
  }
}

BOOST_AUTO_TEST_CASE(threads_are_no_more_than_cpus_quota_and_64) {
  BOOST_TEST(DefaultThreads(8, kNone) == 8);
  BOOST_TEST(DefaultThreads(8, 2.5) == 3);
  BOOST_TEST(DefaultThreads(8, 2) == 2);
  BOOST_TEST(DefaultThreads(2, 16) == 2);
  BOOST_TEST(DefaultThreads(8, 0.1) == 1);
  BOOST_TEST(DefaultThreads(0, kNone) == 1);
  BOOST_TEST(DefaultThreads(500, kNone) == 64);
  BOOST_TEST(DefaultThreads() >= 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace spuna
