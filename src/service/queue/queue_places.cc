#include "service/queue/queue_places.h"

#include <utility>

#include "base/files.h"
#include "service/queue/redis_queue.h"
#include "service/queue/redis_server.h"
#include "service/queue/sqlite_queue.h"

namespace kgym::service {
namespace {

class SqlitePlace final : public Place {
 public:
  explicit SqlitePlace(TempDir folder) : folder_(std::move(folder)) {}

  static Result<std::unique_ptr<Place>> Make() {
    KGYM_TRY(TempDir folder, TempDir::Create("kgym-queue-"));
    return std::unique_ptr<Place>(std::make_unique<SqlitePlace>(std::move(folder)));
  }

  Result<std::unique_ptr<Queue>> Open(const Clock& clock, Bounds bounds) override {
    return OpenSqliteQueue({.path = folder_.path() / "queue.db", .bounds = bounds, .clock = &clock});
  }

 private:
  TempDir folder_;
};

class RedisPlace final : public Place {
 public:
  explicit RedisPlace(std::unique_ptr<RedisServer> server) : server_(std::move(server)) {}

  static Result<std::unique_ptr<Place>> Make() {
    KGYM_TRY(std::unique_ptr<RedisServer> server, RedisServer::Start());
    return std::unique_ptr<Place>(std::make_unique<RedisPlace>(std::move(server)));
  }

  Result<std::unique_ptr<Queue>> Open(const Clock& clock, Bounds bounds) override {
    return OpenRedisQueue({.address = server_->address(), .bounds = bounds, .clock = &clock});
  }

 private:
  std::unique_ptr<RedisServer> server_;
};

}  // namespace

std::vector<PlaceMaker> PlaceMakers() { return {{"Sqlite", SqlitePlace::Make}, {"Redis", RedisPlace::Make}}; }

}  // namespace kgym::service
