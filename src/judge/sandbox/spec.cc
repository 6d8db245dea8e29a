#include "judge/sandbox/spec.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace kgym::judge::sandbox {
namespace {

using Json = nlohmann::json;
using Reader = std::function<std::string(const Json&)>;  // Returns what was expected; empty where the value fits.

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;  // Keeps every product with 2^20 inside 64 bits.

Reader Flag(bool& to) {
  return [&to](const Json& value) -> std::string {
    if (!value.is_boolean()) return "true or false";
    to = value.get<bool>();
    return "";
  };
}

template <typename Number>
Reader Whole(Number& to, std::uint64_t most = kMaxCount) {
  return [&to, most](const Json& value) -> std::string {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
      return "a whole number from 0 to " + std::to_string(most);
    }
    to = static_cast<Number>(value.get<std::uint64_t>());
    return "";
  };
}

Reader Text(std::string& to) {
  return [&to](const Json& value) -> std::string {
    if (!value.is_string()) return "a string";
    to = value.get<std::string>();
    return "";
  };
}

bool IsPlainPath(const std::string& path) {
  return path.size() > 1 && path[0] == '/' && path.find("/../") == std::string::npos && !path.ends_with("/..") &&
         path.find('\0') == std::string::npos;
}

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Reader Paths(std::vector<std::string>& to) {
  return [&to](const Json& value) -> std::string {
    const std::string expected = "a list of absolute paths without '..'";
    if (!value.is_array()) return expected;
    to.clear();
    for (const Json& item : value) {
      if (!item.is_string() || !IsPlainPath(item.get<std::string>())) return expected;
      to.push_back(WithoutTrailingSlash(item.get<std::string>()));
    }
    return "";
  };
}

Reader Path(std::string& to) {
  return [&to](const Json& value) -> std::string {
    if (!value.is_string() || !IsPlainPath(value.get<std::string>())) return "an absolute path without '..'";
    to = WithoutTrailingSlash(value.get<std::string>());
    return "";
  };
}

Reader Descriptors(std::vector<int>& to) {
  return [&to](const Json& value) -> std::string {
    const std::string expected = "a list of descriptors";
    if (!value.is_array()) return expected;
    to.clear();
    for (const Json& item : value) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() > INT32_MAX) return expected;
      to.push_back(item.get<int>());
    }
    return "";
  };
}

Reader Namespaces(std::vector<std::string>& to) {
  return [&to](const Json& value) -> std::string {
    const std::vector<std::string> known = SandboxSpec().namespaces;
    const std::string expected = "a list out of user, pid, mount, net, ipc, uts";
    if (!value.is_array()) return expected;
    to.clear();
    for (const Json& item : value) {
      if (!item.is_string()) return expected;
      const std::string name = item.get<std::string>();
      if (std::find(known.begin(), known.end(), name) == known.end()) return expected;
      to.push_back(name);
    }
    return "";
  };
}

Reader Memory(MemoryKind& to) {
  return [&to](const Json& value) -> std::string {
    if (value != "data" && value != "address_space") return "\"data\" or \"address_space\"";
    to = value == "data" ? MemoryKind::kData : MemoryKind::kAddressSpace;
    return "";
  };
}

std::map<std::string, Reader> ReadersOf(SandboxSpec& spec) {
  return {
      {"strict", Flag(spec.strict)},
      {"name", Text(spec.name)},
      {"namespaces", Namespaces(spec.namespaces)},
      {"root", Path(spec.root)},
      {"read_only", Paths(spec.read_only)},
      {"devices", Paths(spec.devices)},
      {"tmp_mb", Whole(spec.tmp_mb)},
      {"shm_mb", Whole(spec.shm_mb)},
      {"cgroups", Paths(spec.cgroups)},
      {"keep_fds", Descriptors(spec.keep_fds)},
      {"uid", Whole(spec.uid, UINT32_MAX - 1)},
      {"gid", Whole(spec.gid, UINT32_MAX - 1)},
      {"outside_uid", Whole(spec.outside_uid, UINT32_MAX - 1)},
      {"memory_mb", Whole(spec.memory_mb)},
      {"memory_kind", Memory(spec.memory_kind)},
      {"files", Whole(spec.files)},
      {"file_mb", Whole(spec.file_mb)},
      {"processes", Whole(spec.processes)},
      {"seccomp_hex", Text(spec.seccomp_hex)},
      {"seccomp_fd", Whole(spec.seccomp_fd, INT32_MAX)},
  };
}

}  // namespace

bool SandboxSpec::Wants(std::string_view ns) const {
  return std::find(namespaces.begin(), namespaces.end(), ns) != namespaces.end();
}

std::optional<SandboxSpec> ParseSpec(std::string_view json, std::string& error) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    error = "sandbox: the specification is not a JSON object.";
    return std::nullopt;
  }
  SandboxSpec spec;
  const std::map<std::string, Reader> readers = ReadersOf(spec);
  for (const auto& [key, value] : object.items()) {
    const auto reader = readers.find(key);
    if (reader == readers.end()) {
      error = "sandbox: unknown key '" + key + "'.";
      return std::nullopt;
    }
    const std::string expected = reader->second(value);
    if (expected.empty()) continue;
    error = "sandbox: '" + key + "' is " + value.dump(-1, ' ', true, Json::error_handler_t::replace) + "; " + expected +
            " is expected.";
    return std::nullopt;
  }
  return spec;
}

}  // namespace kgym::judge::sandbox
