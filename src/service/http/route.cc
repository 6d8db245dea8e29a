#include "service/http/route.h"

#include <algorithm>

#include "base/text.h"

namespace kgym::http {
namespace {

bool IsParameter(const std::string& segment) { return segment.starts_with('{') && segment.ends_with('}'); }

std::vector<std::string> SegmentsOf(const std::string& path) {
  return path == "/" ? std::vector<std::string>{""} : Split(std::string_view(path).substr(1), '/');
}

/// How well a path fits: the number of segments that are the same word, -1 where it does not. A word goes before a
/// parameter.
int Fit(const std::vector<std::string>& wanted, const std::vector<std::string>& segments) {
  if (wanted.size() != segments.size()) return -1;
  int same = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == segments[i]) {
      ++same;
    } else if (!IsParameter(wanted[i]) || segments[i].empty()) {
      return -1;
    }
  }
  return same;
}

}  // namespace

void Routes::Add(Route route) {
  for (const auto& other : all_) {
    KGYM_CHECK(other->method != route.method || other->path != route.path) << route.method << " " << route.path;
    KGYM_CHECK(other->id != route.id) << route.id;
  }
  const auto described = [&](const std::string& segment) {
    const std::string name = segment.substr(1, segment.size() - 2);
    return std::ranges::any_of(route.in_path, [&](const Parameter& one) { return one.name == name; });
  };
  for (const std::string& segment : SegmentsOf(route.path)) {
    KGYM_CHECK(!IsParameter(segment) || described(segment)) << route.path << ": " << segment;
  }
  segments_.push_back(SegmentsOf(route.path));
  all_.push_back(std::make_unique<Route>(std::move(route)));
}

std::optional<Routes::Found> Routes::Find(std::string_view method, const std::vector<std::string>& segments) const {
  int best = -1;
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (const int fit = Fit(segments_[i], segments); fit > best) {
      best = fit;
      nearest = i;
    }
  }
  if (best < 0) return std::nullopt;
  const std::string& path = all_[nearest]->path;
  Found found;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const auto& route : all_) {
    if (route->path != path) continue;
    found.allowed.push_back(route->method);
    if (route->method == "GET") found.allowed.push_back("HEAD");
    if (route->method == wanted) found.route = route.get();
  }
  found.allowed.push_back("OPTIONS");
  const std::vector<std::string>& words = segments_[nearest];
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsParameter(words[i])) found.in_path[words[i].substr(1, words[i].size() - 2)] = segments[i];
  }
  return found;
}

std::string Routes::Nearest(const std::string& path) const {
  std::vector<std::string> paths;
  for (const auto& route : all_) paths.push_back(route->path);
  return kgym::Nearest(path, paths).value_or("");
}

}  // namespace kgym::http
