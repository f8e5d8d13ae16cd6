#if __has_include(<xcb/xcb.h>)
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/platform/clipboard.h"
#include "base/platform/paths.h"
#include "base/platform/xcb.h"
#include "base/translate.h"

namespace lanescope::base {
namespace {

using Bytes = std::shared_ptr<const std::vector<std::uint8_t>>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAtOnce = 256 * 1024;   // larger ones go in pieces (INCR)
constexpr std::chrono::seconds kMostSilence{30};  // without a request from a client fetching pieces: it is assumed gone
constexpr std::chrono::seconds kKeeping{1};       // for the clipboard manager, when the program ends
constexpr std::chrono::seconds kTakingOver{2};

template <typename T>
struct Release {
  void operator()(T* pointer) const { std::free(pointer); }
};
template <typename T>
using Reply = std::unique_ptr<T, Release<T>>;

// wl-copy reads the whole file, then serves it from its own process.
void give_to_wl_copy(const std::filesystem::path& wl_copy, const std::vector<std::uint8_t>& bytes) {
  const auto fail = [&](const std::string& why) { throw FileError(tr("no clipboard: {}: {}", wl_copy.string(), why)); };
  const ProgramRun run = run_program({wl_copy.string(), "--type", "image/png"},
                                     {.in = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  if (run.error != 0) fail(system_error_text(run.error));
  if (!run.well()) fail(tr("it failed"));
}

const Xcb& functions() {
  std::string why;
  if (const Xcb* const found = xcb(why)) return *found;
  throw FileError(tr("no clipboard: {}", why));
}

}  // namespace

// Owns the CLIPBOARD selection, with its own connection and thread.
class Clipboard::Owner {
 public:
  Owner();
  ~Owner();
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void set(Bytes bytes);
  bool owned() const { return owned_; }
  bool broken() const { return broken_; }

 private:
  struct Atoms {
    xcb_atom_t clipboard, targets, timestamp, multiple, incr, png, manager, save_targets, atom_pair, stamp;
  };
  // A large picture being sent to a client, piece by piece.
  struct Transfer {
    xcb_window_t to;
    xcb_atom_t property;
    Bytes bytes;
    std::size_t sent = 0;
    Clock::time_point last{};
  };

  void read_atoms();
  void serve();
  void handle(const xcb_generic_event_t& event);
  void take_over();
  void own(xcb_timestamp_t time);
  void answer(const xcb_selection_request_event_t& request);
  bool convert(xcb_window_t to, xcb_atom_t target, xcb_atom_t property);
  bool convert_several(xcb_window_t to, xcb_atom_t property);
  void go_on(const xcb_property_notify_event_t& event);
  void drop_transfers(xcb_window_t of);
  bool ask_manager_to_keep();

  const Xcb& x_;
  xcb_connection_t* connection_ = nullptr;
  xcb_window_t window_ = 0;
  Atoms atoms_{};
  int wake_ = -1;
  std::size_t most_at_once_ = kMostAtOnce;
  xcb_timestamp_t owned_since_ = 0;
  Bytes bytes_;  // used only by the thread
  std::vector<Transfer> transfers_;
  bool asked_manager_ = false, kept_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  Bytes wanted_;  // to be put on the clipboard
  bool ending_ = false;
  std::atomic<bool> owned_ = false, broken_ = false;
  std::thread thread_;
};

Clipboard::Owner::Owner() : x_(functions()) {
  int screen_number = 0;
  connection_ = x_.connect(nullptr, &screen_number);
  if (x_.connection_has_error(connection_) != 0) {
    x_.disconnect(connection_);
    throw FileError(tr("no clipboard: the X server {} does not answer", environment("DISPLAY")));
  }
  xcb_screen_iterator_t screens = x_.setup_roots_iterator(x_.get_setup(connection_));
  for (int i = 0; i < screen_number && screens.rem > 1; ++i) x_.screen_next(&screens);
  window_ = x_.generate_id(connection_);
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  x_.create_window(connection_, XCB_COPY_FROM_PARENT, window_, screens.data->root, -10, -10, 1, 1, 0,
                   XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  read_atoms();
  // A request's length is counted in 4-byte words; its header takes six of them.
  most_at_once_ = std::min(kMostAtOnce, (std::size_t{x_.get_maximum_request_length(connection_)} - 8) * 4);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { serve(); });
}

Clipboard::Owner::~Owner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
  x_.disconnect(connection_);
}

void Clipboard::Owner::read_atoms() {
  struct Wanted {
    const char* name;
    xcb_atom_t Atoms::*atom;
    xcb_intern_atom_cookie_t cookie{};
  };
  std::array<Wanted, 10> wanted{{{"CLIPBOARD", &Atoms::clipboard},
                                 {"TARGETS", &Atoms::targets},
                                 {"TIMESTAMP", &Atoms::timestamp},
                                 {"MULTIPLE", &Atoms::multiple},
                                 {"INCR", &Atoms::incr},
                                 {"image/png", &Atoms::png},
                                 {"CLIPBOARD_MANAGER", &Atoms::manager},
                                 {"SAVE_TARGETS", &Atoms::save_targets},
                                 {"ATOM_PAIR", &Atoms::atom_pair},
                                 {"LANESCOPE_TIME", &Atoms::stamp}}};
  for (Wanted& w : wanted) {
    w.cookie = x_.intern_atom(connection_, 0, static_cast<std::uint16_t>(std::strlen(w.name)), w.name);
  }
  for (const Wanted& w : wanted) {
    const Reply<xcb_intern_atom_reply_t> reply(x_.intern_atom_reply(connection_, w.cookie, nullptr));
    if (reply) atoms_.*w.atom = reply->atom;
  }
}

void Clipboard::Owner::set(Bytes bytes) {
  std::unique_lock lock(mutex_);
  wanted_ = std::move(bytes);
  eventfd_write(wake_, 1);
  const bool taken = changed_.wait_for(lock, kTakingOver, [&] { return !wanted_ || broken_; });
  if (taken && owned_ && !broken_) return;
  wanted_.reset();
  throw FileError(tr("no clipboard: the X server did not grant it to Lanescope"));
}

// The thread: handles the server's events and the program's requests.
void Clipboard::Owner::serve() {
  std::optional<Clock::time_point> end;
  while (!end || (owned_ && !kept_ && Clock::now() < *end)) {
    while (xcb_generic_event_t* event = x_.poll_for_event(connection_)) {
      handle(*event);
      std::free(event);
    }
    if (x_.connection_has_error(connection_) != 0) break;
    take_over();
    {
      const std::lock_guard lock(mutex_);
      if (ending_ && !end) {
        end = Clock::now() + kKeeping;
        if (!owned_ || !ask_manager_to_keep()) break;
      }
    }
    std::erase_if(transfers_, [](const Transfer& t) { return Clock::now() - t.last > kMostSilence; });
    x_.flush(connection_);
    if (xcb_generic_event_t* event = x_.poll_for_queued_event(connection_)) {  // read during the flush
      handle(*event);
      std::free(event);
      continue;
    }
    std::array<pollfd, 2> sources{{{x_.get_file_descriptor(connection_), POLLIN, 0}, {wake_, POLLIN, 0}}};
    poll(sources.data(), sources.size(), end ? 20 : transfers_.empty() ? -1 : 1000);
    eventfd_t count = 0;
    if ((sources[1].revents & POLLIN) != 0) eventfd_read(wake_, &count);
  }
  const std::lock_guard lock(mutex_);
  broken_ = true;
  owned_ = false;
  changed_.notify_all();
}

// Owning a selection needs a server timestamp, and a property change delivers one.
void Clipboard::Owner::take_over() {
  const std::lock_guard lock(mutex_);
  if (!wanted_ || bytes_ == wanted_) return;
  bytes_ = wanted_;
  x_.change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atoms_.stamp, XCB_ATOM_INTEGER, 32, 0, nullptr);
}

void Clipboard::Owner::own(xcb_timestamp_t time) {
  owned_since_ = time;
  x_.set_selection_owner(connection_, window_, atoms_.clipboard, time);
  const Reply<xcb_get_selection_owner_reply_t> owner(
      x_.get_selection_owner_reply(connection_, x_.get_selection_owner(connection_, atoms_.clipboard), nullptr));
  const std::lock_guard lock(mutex_);
  owned_ = owner && owner->owner == window_;
  wanted_.reset();
  changed_.notify_all();
}

void Clipboard::Owner::handle(const xcb_generic_event_t& event) {
  switch (event.response_type & 0x7f) {
    case XCB_SELECTION_REQUEST:
      answer(reinterpret_cast<const xcb_selection_request_event_t&>(event));
      break;
    case XCB_SELECTION_CLEAR: {
      const auto& clear = reinterpret_cast<const xcb_selection_clear_event_t&>(event);
      if (clear.selection != atoms_.clipboard || clear.time < owned_since_) break;
      const std::lock_guard lock(mutex_);
      owned_ = false;
      if (!wanted_) bytes_.reset();
      break;
    }
    case XCB_PROPERTY_NOTIFY: {
      const auto& notify = reinterpret_cast<const xcb_property_notify_event_t&>(event);
      if (notify.window == window_ && notify.atom == atoms_.stamp) own(notify.time);
      if (notify.state == XCB_PROPERTY_DELETE) go_on(notify);
      break;
    }
    case XCB_DESTROY_NOTIFY:
      drop_transfers(reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window);
      break;
    case XCB_SELECTION_NOTIFY:  // the clipboard manager has the data, or refuses it
      if (asked_manager_) kept_ = true;
      break;
    default:  // errors too: from windows that have closed since
      break;
  }
}

void Clipboard::Owner::answer(const xcb_selection_request_event_t& request) {
  xcb_selection_notify_event_t reply{};
  reply.response_type = XCB_SELECTION_NOTIFY;
  reply.time = request.time;
  reply.requestor = request.requestor;
  reply.selection = request.selection;
  reply.target = request.target;
  // Old clients leave the property empty and mean the target.
  const xcb_atom_t property = request.property == XCB_ATOM_NONE ? request.target : request.property;
  const bool ours = request.selection == atoms_.clipboard && bytes_ &&
                    (request.time == XCB_CURRENT_TIME || request.time >= owned_since_);
  const bool done = ours && (request.target == atoms_.multiple ? convert_several(request.requestor, property)
                                                               : convert(request.requestor, request.target, property));
  reply.property = done ? property : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
  // xcb_send_event always takes 32 bytes.
  std::array<char, 32> raw{};
  std::memcpy(raw.data(), &reply, sizeof reply);
  x_.send_event(connection_, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, raw.data());
  x_.flush(connection_);
}

bool Clipboard::Owner::convert(xcb_window_t to, xcb_atom_t target, xcb_atom_t property) {
  if (target == atoms_.targets) {
    const std::array<xcb_atom_t, 5> offered{atoms_.targets, atoms_.timestamp, atoms_.multiple, atoms_.save_targets,
                                            atoms_.png};
    x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_ATOM, 32, offered.size(),
                       offered.data());
    return true;
  }
  if (target == atoms_.timestamp) {
    x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_INTEGER, 32, 1, &owned_since_);
    return true;
  }
  if (target == atoms_.save_targets) {
    x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_NONE, 32, 0, nullptr);
    return true;
  }
  if (target != atoms_.png) return false;
  if (bytes_->size() <= most_at_once_) {
    x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.png, 8,
                       static_cast<std::uint32_t>(bytes_->size()), bytes_->data());
    return true;
  }
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  x_.change_window_attributes(connection_, to, XCB_CW_EVENT_MASK, &events);
  const auto size = static_cast<std::uint32_t>(bytes_->size());
  x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.incr, 32, 1, &size);
  std::erase_if(transfers_, [&](const Transfer& t) { return t.to == to && t.property == property; });
  transfers_.push_back({to, property, bytes_, 0, Clock::now()});
  return true;
}

// Converts pairs of target and property; a target that is not available becomes None.
bool Clipboard::Owner::convert_several(xcb_window_t to, xcb_atom_t property) {
  constexpr std::uint32_t kMostPairs = 64;
  const Reply<xcb_get_property_reply_t> reply(x_.get_property_reply(
      connection_, x_.get_property(connection_, 0, to, property, XCB_ATOM_ANY, 0, 2 * kMostPairs), nullptr));
  if (!reply || reply->format != 32) return false;
  const auto* first = static_cast<const xcb_atom_t*>(x_.get_property_value(reply.get()));
  std::vector<xcb_atom_t> pairs(first, first + reply->value_len / 2 * 2);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] == atoms_.multiple || pairs[i + 1] == XCB_ATOM_NONE || !convert(to, pairs[i], pairs[i + 1])) {
      pairs[i] = XCB_ATOM_NONE;
    }
  }
  x_.change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.atom_pair, 32,
                     static_cast<std::uint32_t>(pairs.size()), pairs.data());
  return true;
}

// The client has fetched the previous piece: sends the next. An empty piece ends the transfer.
void Clipboard::Owner::go_on(const xcb_property_notify_event_t& event) {
  const auto t = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
    return transfer.to == event.window && transfer.property == event.atom;
  });
  if (t == transfers_.end()) return;
  const std::size_t piece = std::min(most_at_once_, t->bytes->size() - t->sent);
  x_.change_property(connection_, XCB_PROP_MODE_REPLACE, t->to, t->property, atoms_.png, 8,
                     static_cast<std::uint32_t>(piece), t->bytes->data() + t->sent);
  t->sent += piece;
  t->last = Clock::now();
  if (piece == 0) transfers_.erase(t);
}

void Clipboard::Owner::drop_transfers(xcb_window_t of) {
  std::erase_if(transfers_, [&](const Transfer& t) { return t.to == of; });
}

bool Clipboard::Owner::ask_manager_to_keep() {
  const Reply<xcb_get_selection_owner_reply_t> manager(
      x_.get_selection_owner_reply(connection_, x_.get_selection_owner(connection_, atoms_.manager), nullptr));
  if (!manager || manager->owner == XCB_WINDOW_NONE) return false;
  x_.change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atoms_.save_targets, XCB_ATOM_ATOM, 32, 1,
                     &atoms_.png);
  x_.convert_selection(connection_, window_, atoms_.manager, atoms_.save_targets, atoms_.save_targets, owned_since_);
  asked_manager_ = true;
  return true;
}

Clipboard::Clipboard() = default;
Clipboard::~Clipboard() = default;

void Clipboard::set_png(std::vector<std::uint8_t> bytes) {
  const bool wayland = !environment("WAYLAND_DISPLAY").empty();
  if (const std::filesystem::path wl_copy = wayland ? find_program("wl-copy") : std::filesystem::path();
      !wl_copy.empty()) {
    return give_to_wl_copy(wl_copy, bytes);
  }
  if (environment("DISPLAY").empty()) {
    throw FileError(wayland ? tr("no clipboard: Wayland needs wl-copy (package wl-clipboard)")
                            : tr("no clipboard: there is no display"));
  }
  if (owner_ && owner_->broken()) owner_.reset();
  if (!owner_) owner_ = std::make_unique<Owner>();
  owner_->set(std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)));
}

bool Clipboard::owned() const { return owner_ && owner_->owned(); }

}  // namespace lanescope::base

#else
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::base {

class Clipboard::Owner {};

Clipboard::Clipboard() = default;
Clipboard::~Clipboard() = default;

void Clipboard::set_png(std::vector<std::uint8_t>) {
  throw FileError(tr("no clipboard: {}", tr("this build has none for pictures")));
}

bool Clipboard::owned() const { return false; }

}  // namespace lanescope::base
#endif
