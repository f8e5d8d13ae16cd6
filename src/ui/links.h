// Which API call caused which GPU operation, and what a wait waited for.
#pragma once

#include <optional>

#include "ui/event_ref.h"

namespace lanescope::ui {

/// The GPU operation of an API call, by correlation. Looks at most `limit` operations past the call's start.
std::optional<EventRef> gpu_operation_of(const trace::Trace& trace, const trace::Event& call, std::size_t limit = 5000);
/// The API call that issued a GPU operation.
std::optional<EventRef> call_of(const trace::Trace& trace, const trace::Event& operation, std::size_t limit = 20000);
/// The last GPU operation that a blocking call waited for: the one that ends last within the call.
std::optional<EventRef> waited_for(const trace::Trace& trace, const trace::Event& call);

}  // namespace lanescope::ui
