// SPDX-License-Identifier: Apache-2.0
// What a fuzz target and loaded_calls, the process in which the libraries are loaded, say to each other over a socket:
// one request, one reply. Both are of one build. Pure functions of a descriptor, thread-compatible.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fuzz/driver_calls.h"

namespace svmsim {

struct LoadedRequest {
  DriverCall call;
  std::uint64_t address = 0;
};
struct LoadedReply {
  std::int32_t code = 0;
  std::uint32_t bytes = 0;  // that follow
  std::uint64_t result = 0;
  std::uint64_t now_ns = 0;
};
static_assert(std::is_trivially_copyable_v<LoadedRequest> && std::is_trivially_copyable_v<LoadedReply>);

// False when the other side is gone.
[[nodiscard]] inline bool send_all(int socket, const void* data, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t count = send(socket, static_cast<const char*>(data) + sent, size - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

[[nodiscard]] inline bool receive_all(int socket, void* data, std::size_t size) {
  for (std::size_t received = 0; received < size;) {
    const ssize_t count = recv(socket, static_cast<char*>(data) + received, size - received, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    received += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace svmsim
