// Changes of a program that a replay of its recording can answer for (replay.h), as they are written on the command
// line: "no-wait:train.py:41".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lanescope::analysis {

enum class EditKind : std::uint8_t {
  NoWait,       ///< nothing is waited for at this place
  ReadEvery,    ///< the read there is made each `value`-th time
  ReadLate,     ///< it is waited for one iteration later
  Pinned,       ///< copies to the GPU come from pinned memory
  NonBlocking,  ///< and are not waited for
  CopyStream,   ///< they run on a stream of their own, an iteration ahead
  Loader,       ///< data is never waited for
  Workers,      ///< the loader has `value` times as many workers
  Graph,        ///< the launches of a step are one graph
  Faster,       ///< an operator or a kernel takes 1/`value` of its time
  NoStraggler,  ///< the GPU that the others wait for arrives when the last but one does; with no other change
};

struct Edit {
  EditKind kind = EditKind::NoWait;
  double value = 0;
  /// The range ("item()"), its beginning ("train.py:41"), or what is faster: a kernel, or a range; empty: everywhere.
  std::string place;

  bool operator==(const Edit&) const = default;
};

/// Of "KIND[=VALUE][:PLACE]". Throws base::UsageError, which says what is allowed.
Edit parse_edit(std::string_view text);
/// What parse_edit() makes the same edit of.
std::string text_of(const Edit& edit);
/// Of several: "pinned, non-blocking".
std::string texts_of(std::span<const Edit> edits);
/// All that parse_edit() accepts, for help: "no-wait[:PLACE], read-every=N[:PLACE], ...".
std::string edit_syntax();

/// The rate of copies from pinned memory to the GPU, in 1e9 bytes per second; 0: not known.
struct Link {
  double h2d_gb_per_s = 0;
  bool assumed = false;  ///< that of the GPU's model with all lanes: half of it is as likely
};
/// By the GPU's name ("NVIDIA H200"): what copies reach on its PCI Express with 16 lanes, 0.85 of the rate that PCI-SIG
/// states for the generation (15.75, 31.5 and 63.0 GB/s for 3.0, 4.0 and 5.0). Not known: an unknown name.
Link link_of(std::string_view gpu);

}  // namespace lanescope::analysis
