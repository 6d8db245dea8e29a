#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace kgym {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Fd, ClosesOnceAndMoves) {
  std::array<int, 2> ends;
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd kept(ends[1]);
  {
    Fd first(ends[0]);
    Fd second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is what is tested.
    EXPECT_EQ(second.get(), ends[0]);
    EXPECT_TRUE(IsOpen(ends[0]));
  }
  EXPECT_FALSE(IsOpen(ends[0]));
  EXPECT_TRUE(IsOpen(ends[1]));
}

TEST(Fd, DuplicateIsIndependent) {
  Fd original = std::move(CreateMemfd("kgym-test")).value();
  const Fd copy = std::move(original.Duplicate()).value();
  original.reset();
  EXPECT_TRUE(WriteAll(copy.get(), "x").ok());
}

TEST(Fd, ReadAllStopsAtItsLimit) {
  const std::string bytes(200'000, 'k');
  const Fd memfd = std::move(SealedMemfd("kgym-test", bytes)).value();
  EXPECT_EQ(*ReadAll(memfd.get(), bytes.size()), bytes);
  ASSERT_EQ(lseek(memfd.get(), 0, SEEK_SET), 0);
  EXPECT_EQ(ReadAll(memfd.get(), 1000).error().message, "more than the 1000 bytes that are allowed");
}

TEST(Memfd, SealedOneCannotChange) {
  const Fd memfd = std::move(SealedMemfd("kgym-test", "source")).value();
  EXPECT_FALSE(WriteAll(memfd.get(), "x").ok());
  EXPECT_NE(ftruncate(memfd.get(), 0), 0);
  EXPECT_EQ(*ReadMemfd(memfd.get(), 100), "source");
  EXPECT_EQ(*ReadMemfd(memfd.get(), 6), "source");
  EXPECT_FALSE(ReadMemfd(memfd.get(), 5).ok());
}

TEST(Memfd, ArenaKeepsItsSizeButMayBeWritten) {
  const Fd arena = std::move(CreateArena("kgym-test", 4096)).value();
  EXPECT_NE(ftruncate(arena.get(), 100), 0);
  EXPECT_NE(ftruncate(arena.get(), 8192), 0);
  EXPECT_EQ(pwrite(arena.get(), "ab", 2, 10), 2);
  EXPECT_EQ(ReadMemfd(arena.get(), 4096)->substr(9, 4), std::string("\0ab\0", 4));
}

TEST(Memfd, IsAFileAndNothingElse) {
  for (const char* path : {"/", "/dev/null"}) {
    const Fd other(::open(path, O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(other) << path;
    EXPECT_EQ(ReadMemfd(other.get(), 4096).error().message, "not a file: a memfd is expected") << path;
  }
}

TEST(Fd, ErrorsSayWhatFailed) { EXPECT_EQ(WriteAll(-1, "x").error().message, "write: Bad file descriptor"); }

}  // namespace
}  // namespace kgym
