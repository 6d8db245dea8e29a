#include "service/api/build_store.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "judge/build_bundle.h"

namespace kgym::service {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

}  // namespace

BuildStore::BuildStore(fs::path folder, std::int64_t most_bytes) : folder_(std::move(folder)), most_bytes_(most_bytes) {
  if (const Status made = MakeFolders(folder_); !made.ok()) LogWarning("builds: " + made.error().message);
  Index();
}

BuildStore::~BuildStore() { thread_.join(); }

Awaitable<Result<std::optional<std::string>>> BuildStore::Fetch(std::string key) {
  Result<std::optional<std::string>> found = std::nullopt;
  auto work = Find(std::move(key), found);
  co_await asio::co_spawn(thread_, std::move(work), asio::use_awaitable);
  co_return found;
}

Awaitable<Status> BuildStore::Keep(std::string key, std::string bundle) {
  Status kept;
  auto work = Take(std::move(key), std::move(bundle), kept);
  co_await asio::co_spawn(thread_, std::move(work), asio::use_awaitable);
  co_return kept;
}

BuildStoreCounts BuildStore::counts() const {
  return {.builds = builds_, .bytes = bytes_, .hits = hits_, .misses = misses_, .taken = taken_, .dropped = dropped_};
}

Awaitable<void> BuildStore::Find(std::string key, Result<std::optional<std::string>>& found) {
  found = Read(key);
  co_return;
}

Awaitable<void> BuildStore::Take(std::string key, std::string bundle, Status& kept) {
  kept = Write(key, bundle);
  co_return;
}

Result<std::optional<std::string>> BuildStore::Read(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++misses_;
    return std::nullopt;
  }
  const fs::path file = folder_ / key;
  Result<std::string> bundle = ReadFile(file, judge::kMostBundleBytes);
  if (!bundle.ok()) {  // Somebody else has removed it.
    Drop(found->second);
    ++misses_;
    return std::nullopt;
  }
  kept_.splice(kept_.begin(), kept_, found->second);
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // For the order after a restart.
  ++hits_;
  return std::optional<std::string>(*std::move(bundle));
}

Status BuildStore::Write(const std::string& key, const std::string& bundle) {
  KGYM_TRY_VOID(judge::CheckBundle(bundle));
  const auto size = static_cast<std::int64_t>(bundle.size());
  if (size > most_bytes_ || by_key_.contains(key)) return Ok();  // The first one stays: it may be in use.
  MakeRoom(size);
  KGYM_TRY_VOID(WriteFileAtomic(folder_ / key, bundle));
  kept_.push_front({key, size});
  by_key_[key] = kept_.begin();
  ++builds_, ++taken_, bytes_ += size;
  return Ok();
}

/// What an earlier server left, the latest first.
void BuildStore::Index() {
  std::vector<std::pair<fs::file_time_type, Kept>> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!judge::IsArtefactKey(name) || !entry.is_regular_file(error)) continue;
    found.push_back({entry.last_write_time(error), {name, static_cast<std::int64_t>(entry.file_size(error))}});
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [time, kept] : found) {
    ++builds_, bytes_ += kept.bytes;
    kept_.push_back(std::move(kept));
    by_key_[kept_.back().key] = std::prev(kept_.end());
  }
  MakeRoom(0);
}

void BuildStore::MakeRoom(std::int64_t bytes) {
  while (!kept_.empty() && bytes_ + bytes > most_bytes_) Drop(std::prev(kept_.end()));
}

void BuildStore::Drop(std::list<Kept>::iterator one) {
  std::error_code ignored;
  fs::remove(folder_ / one->key, ignored);
  bytes_ -= one->bytes;
  --builds_, ++dropped_;
  by_key_.erase(one->key);
  kept_.erase(one);
}

}  // namespace kgym::service
