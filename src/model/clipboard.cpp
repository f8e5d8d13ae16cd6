#include "model/clipboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "base/child_process.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
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

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::filesystem::path program(const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// wl-copy reads the whole file, then serves it from its own process.
void give_to_wl_copy(const std::filesystem::path& wl_copy, const std::vector<std::uint8_t>& bytes) {
  const auto fail = [&](const std::string& why) {
    throw base::FileError(tr("no clipboard: {}: {}", wl_copy.string(), why));
  };
  // A file, not a pipe: if the reader exits early, no SIGPIPE ends this program.
  const base::TemporaryFile file = base::temporary_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) fail(base::system_error_text(errno));
  pid_t child = 0;
  const base::ChildStreams streams{.in = fileno(file.get())};
  const int error = base::start_child({wl_copy.string(), "--type", "image/png"}, streams, child);
  if (error != 0) fail(base::system_error_text(error));
  const int status = base::wait_for_child(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail(tr("it failed"));
}

}  // namespace

// Owns the CLIPBOARD selection, with its own connection and thread.
class Clipboard::X11 {
 public:
  X11();
  ~X11();
  X11(const X11&) = delete;
  X11& operator=(const X11&) = delete;

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

Clipboard::X11::X11() {
  int screen_number = 0;
  connection_ = xcb_connect(nullptr, &screen_number);
  if (xcb_connection_has_error(connection_) != 0) {
    xcb_disconnect(connection_);
    const char* display = std::getenv("DISPLAY");
    throw base::FileError(tr("no clipboard: the X server {} does not answer", display ? display : ""));
  }
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection_));
  for (int i = 0; i < screen_number && screens.rem > 1; ++i) xcb_screen_next(&screens);
  window_ = xcb_generate_id(connection_);
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screens.data->root, -10, -10, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  read_atoms();
  // A request's length is counted in 4-byte words; its header takes six of them.
  most_at_once_ = std::min(kMostAtOnce, (std::size_t{xcb_get_maximum_request_length(connection_)} - 8) * 4);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { serve(); });
}

Clipboard::X11::~X11() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  eventfd_write(wake_, 1);
  thread_.join();
  close(wake_);
  xcb_disconnect(connection_);
}

void Clipboard::X11::read_atoms() {
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
    w.cookie = xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(std::strlen(w.name)), w.name);
  }
  for (const Wanted& w : wanted) {
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection_, w.cookie, nullptr));
    if (reply) atoms_.*w.atom = reply->atom;
  }
}

void Clipboard::X11::set(Bytes bytes) {
  std::unique_lock lock(mutex_);
  wanted_ = std::move(bytes);
  eventfd_write(wake_, 1);
  const bool taken = changed_.wait_for(lock, kTakingOver, [&] { return !wanted_ || broken_; });
  if (taken && owned_ && !broken_) return;
  wanted_.reset();
  throw base::FileError(tr("no clipboard: the X server did not grant it to Lanescope"));
}

// The thread: handles the server's events and the program's requests.
void Clipboard::X11::serve() {
  std::optional<Clock::time_point> end;
  while (!end || (owned_ && !kept_ && Clock::now() < *end)) {
    while (xcb_generic_event_t* event = xcb_poll_for_event(connection_)) {
      handle(*event);
      std::free(event);
    }
    if (xcb_connection_has_error(connection_) != 0) break;
    take_over();
    {
      const std::lock_guard lock(mutex_);
      if (ending_ && !end) {
        end = Clock::now() + kKeeping;
        if (!owned_ || !ask_manager_to_keep()) break;
      }
    }
    std::erase_if(transfers_, [](const Transfer& t) { return Clock::now() - t.last > kMostSilence; });
    xcb_flush(connection_);
    if (xcb_generic_event_t* event = xcb_poll_for_queued_event(connection_)) {  // read during the flush
      handle(*event);
      std::free(event);
      continue;
    }
    std::array<pollfd, 2> sources{{{xcb_get_file_descriptor(connection_), POLLIN, 0}, {wake_, POLLIN, 0}}};
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
void Clipboard::X11::take_over() {
  const std::lock_guard lock(mutex_);
  if (!wanted_ || bytes_ == wanted_) return;
  bytes_ = wanted_;
  xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atoms_.stamp, XCB_ATOM_INTEGER, 32, 0, nullptr);
}

void Clipboard::X11::own(xcb_timestamp_t time) {
  owned_since_ = time;
  xcb_set_selection_owner(connection_, window_, atoms_.clipboard, time);
  const Reply<xcb_get_selection_owner_reply_t> owner(
      xcb_get_selection_owner_reply(connection_, xcb_get_selection_owner(connection_, atoms_.clipboard), nullptr));
  const std::lock_guard lock(mutex_);
  owned_ = owner && owner->owner == window_;
  wanted_.reset();
  changed_.notify_all();
}

void Clipboard::X11::handle(const xcb_generic_event_t& event) {
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

void Clipboard::X11::answer(const xcb_selection_request_event_t& request) {
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
  xcb_send_event(connection_, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, raw.data());
  xcb_flush(connection_);
}

bool Clipboard::X11::convert(xcb_window_t to, xcb_atom_t target, xcb_atom_t property) {
  if (target == atoms_.targets) {
    const std::array<xcb_atom_t, 5> offered{atoms_.targets, atoms_.timestamp, atoms_.multiple, atoms_.save_targets,
                                            atoms_.png};
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_ATOM, 32, offered.size(),
                        offered.data());
    return true;
  }
  if (target == atoms_.timestamp) {
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_INTEGER, 32, 1, &owned_since_);
    return true;
  }
  if (target == atoms_.save_targets) {
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, XCB_ATOM_NONE, 32, 0, nullptr);
    return true;
  }
  if (target != atoms_.png) return false;
  if (bytes_->size() <= most_at_once_) {
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.png, 8,
                        static_cast<std::uint32_t>(bytes_->size()), bytes_->data());
    return true;
  }
  const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_change_window_attributes(connection_, to, XCB_CW_EVENT_MASK, &events);
  const auto size = static_cast<std::uint32_t>(bytes_->size());
  xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.incr, 32, 1, &size);
  std::erase_if(transfers_, [&](const Transfer& t) { return t.to == to && t.property == property; });
  transfers_.push_back({to, property, bytes_, 0, Clock::now()});
  return true;
}

// Converts pairs of target and property; a target that is not available becomes None.
bool Clipboard::X11::convert_several(xcb_window_t to, xcb_atom_t property) {
  constexpr std::uint32_t kMostPairs = 64;
  const Reply<xcb_get_property_reply_t> reply(xcb_get_property_reply(
      connection_, xcb_get_property(connection_, 0, to, property, XCB_ATOM_ANY, 0, 2 * kMostPairs), nullptr));
  if (!reply || reply->format != 32) return false;
  const auto* first = static_cast<const xcb_atom_t*>(xcb_get_property_value(reply.get()));
  std::vector<xcb_atom_t> pairs(first, first + reply->value_len / 2 * 2);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] == atoms_.multiple || pairs[i + 1] == XCB_ATOM_NONE || !convert(to, pairs[i], pairs[i + 1])) {
      pairs[i] = XCB_ATOM_NONE;
    }
  }
  xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, to, property, atoms_.atom_pair, 32,
                      static_cast<std::uint32_t>(pairs.size()), pairs.data());
  return true;
}

// The client has fetched the previous piece: sends the next. An empty piece ends the transfer.
void Clipboard::X11::go_on(const xcb_property_notify_event_t& event) {
  const auto t = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
    return transfer.to == event.window && transfer.property == event.atom;
  });
  if (t == transfers_.end()) return;
  const std::size_t piece = std::min(most_at_once_, t->bytes->size() - t->sent);
  xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, t->to, t->property, atoms_.png, 8,
                      static_cast<std::uint32_t>(piece), t->bytes->data() + t->sent);
  t->sent += piece;
  t->last = Clock::now();
  if (piece == 0) transfers_.erase(t);
}

void Clipboard::X11::drop_transfers(xcb_window_t of) {
  std::erase_if(transfers_, [&](const Transfer& t) { return t.to == of; });
}

bool Clipboard::X11::ask_manager_to_keep() {
  const Reply<xcb_get_selection_owner_reply_t> manager(
      xcb_get_selection_owner_reply(connection_, xcb_get_selection_owner(connection_, atoms_.manager), nullptr));
  if (!manager || manager->owner == XCB_WINDOW_NONE) return false;
  xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atoms_.save_targets, XCB_ATOM_ATOM, 32, 1,
                      &atoms_.png);
  xcb_convert_selection(connection_, window_, atoms_.manager, atoms_.save_targets, atoms_.save_targets, owned_since_);
  asked_manager_ = true;
  return true;
}

Clipboard::Clipboard() = default;
Clipboard::~Clipboard() = default;

void Clipboard::set_png(std::vector<std::uint8_t> bytes) {
  const bool wayland = is_set("WAYLAND_DISPLAY");
  if (const std::filesystem::path wl_copy = wayland ? program("wl-copy") : std::filesystem::path(); !wl_copy.empty()) {
    return give_to_wl_copy(wl_copy, bytes);
  }
  if (!is_set("DISPLAY")) {
    throw base::FileError(wayland ? tr("no clipboard: Wayland needs wl-copy (package wl-clipboard)")
                                  : tr("no clipboard: there is no display"));
  }
  if (x11_ && x11_->broken()) x11_.reset();
  if (!x11_) x11_ = std::make_unique<X11>();
  x11_->set(std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)));
}

bool Clipboard::owned() const { return x11_ && x11_->owned(); }

}  // namespace lanescope::ui
