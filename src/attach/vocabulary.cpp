#include "attach/vocabulary.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "capture/assembly/operation_names.h"

namespace lanescope::attach {
namespace {

constexpr std::uint32_t kMostIds = 1 << 20;
constexpr std::size_t kMostCalls = 1 << 16;

}  // namespace

Vocabulary::Vocabulary(trace::Trace& trace, trace::EventSink& sink)
    : trace_(trace), sink_(sink), no_name_(sink.name("(no name)")) {}

void Vocabulary::learn(const Message& message) {
  switch (message.kind) {
    case wire::Kind::Text:
      return learn_text(message);
    case wire::Kind::Frame:
      return learn_frame(message);
    case wire::Kind::Stack:
      return learn_stack(message);
    case wire::Kind::Shape:
      return learn_shape(message);
    default:
      return;
  }
}

base::NameId Vocabulary::name(std::string_view text) {
  try {
    return sink_.name(text);
  } catch (const std::exception&) {  // a program that sends a million names
    return no_name_;
  }
}

template <typename T>
static T* place_for(std::vector<T>& table, std::uint32_t id) {
  if (id == 0 || id >= kMostIds) return nullptr;
  if (id >= table.size()) table.resize(id + 1);
  return &table[id];
}

void Vocabulary::learn_text(const Message& message) {
  const auto head = message.as<wire::TextMessage>();
  const auto bytes = message.after<wire::TextMessage>();
  if (!head || head->bytes > bytes.size() || head->bytes > wire::kMostText) return;
  if (std::string* place = place_for(texts_, message.id)) {
    *place = clean_text({reinterpret_cast<const char*>(bytes.data()), head->bytes}, wire::kMostText);
  }
}

void Vocabulary::learn_frame(const Message& message) {
  const auto sent = message.as<wire::FrameMessage>();
  Frame* place = sent ? place_for(frames_, message.id) : nullptr;
  if (!place) return;
  const std::string& file = text(sent->file);
  place->place.file = name(file);
  place->place.function = name(text(sent->function));
  place->place.line = sent->line;
  place->loop_place = {sent->code, sent->offset, message.id};
  place->library = trace::is_library_file(file);
  place->loop_place.own = !place->library;
}

void Vocabulary::learn_stack(const Message& message) {
  const auto head = message.as<wire::StackMessage>();
  const auto bytes = message.after<wire::StackMessage>();
  if (!head || head->frames > wire::kMostFrames || head->frames * sizeof(std::uint32_t) > bytes.size()) return;
  Stack* place = place_for(stacks_, message.id);
  if (!place) return;
  Stack stack;
  stack.frames.resize(head->frames);
  if (head->frames != 0) std::memcpy(stack.frames.data(), bytes.data(), head->frames * sizeof(std::uint32_t));
  std::vector<trace::Frame> frames;
  stack.own = stack.frames.size();
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    const Frame* known = frame(stack.frames[i]);
    if (!known) return;  // the frame was lost
    if (!known->library && stack.own == stack.frames.size()) stack.own = i;
    frames.push_back(known->place);
  }
  stack.site = trace_.sites().intern(frames, stack.own);
  *place = std::move(stack);
}

void Vocabulary::learn_shape(const Message& message) {
  const auto sent = message.as<wire::ShapeMessage>();
  if (!sent || message.id == 0 || message.id >= kMostIds || shapes_.size() >= kMostIds) return;
  trace::LaunchShape shape;
  std::copy(std::begin(sent->grid), std::end(sent->grid), shape.grid.begin());
  std::copy(std::begin(sent->block), std::end(sent->block), shape.block.begin());
  shape.registers_per_thread = sent->registers;
  shape.static_shared_bytes = sent->static_bytes;
  shape.dynamic_shared_bytes = sent->dynamic_bytes;
  shape.shared_bytes = sent->static_bytes + sent->dynamic_bytes;
  shapes_[message.id] = sink_.launch(shape);
}

Vocabulary::Call Vocabulary::call(const wire::CallMessage& sent) {
  Call& call = calls_.size() < kMostCalls || calls_.contains(sent.api) ? calls_[sent.api] : calls_[0];
  if (!call.known) {
    constexpr std::uint32_t kDriverDomain = 1;  // CUPTI_CB_DOMAIN_DRIVER_API
    const std::string& raw = text(sent.name);
    const capture::ApiFacts facts = capture::api_facts(raw, sent.api >> 16 == kDriverDomain);
    call.name = name(facts.name);
    call.nature = facts.nature;
    call.traits = facts.traits;
    call.launches = facts.name.find("Launch") != std::string_view::npos;
    call.launches_graph = trace::is_graph_launch(facts.name);
    call.known = !raw.empty();
  }
  return call;
}

base::NameId Vocabulary::kernel(std::uint32_t id) {
  base::NameId& known = kernels_[id < texts_.size() ? id : 0];
  if (known == 0) known = text(id).empty() ? no_name_ : name(capture::kernel_name(text(id)));
  return known;
}

std::uint32_t Vocabulary::shape(std::uint32_t id) const {
  const auto known = shapes_.find(id);
  return known == shapes_.end() ? trace::LaunchTable::kNone : known->second;
}

}  // namespace lanescope::attach
