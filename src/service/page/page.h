// The page at `/`: one HTML file, carried in the binary, that shows what GET /v1/events tells.
//
// It holds no data, so it needs no token; what it asks for does. Nothing on it comes from elsewhere.
//
// Threads: that which fills the routes.
#pragma once

#include <string_view>

#include "service/http/route.h"

namespace kgym::service {

std::string_view PageHtml();

void AddPage(http::Routes& routes);

}  // namespace kgym::service
