// A picture is copied here and pasted by another client of the X server.
#include "base/platform/clipboard.h"

#include <X11/keysym.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <xcb/xcb.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "window/desk.h"
#include "window/hands.h"

namespace lanescope::ui_test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using base::Clipboard;

Bytes picture(std::size_t size, int seed = 1) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>((i * 2654435761u + seed) >> 7);
  return bytes;
}

// Somebody who pastes.
class Client {
 public:
  Client() : connection_(xcb_connect(nullptr, nullptr)), window_(xcb_generate_id(connection_)) {
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_,
                      xcb_setup_roots_iterator(xcb_get_setup(connection_)).data->root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
  }
  ~Client() { xcb_disconnect(connection_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  xcb_atom_t atom(const char* name) {
    auto* reply = xcb_intern_atom_reply(
        connection_, xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(std::strlen(name)), name), nullptr);
    const xcb_atom_t found = reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
    std::free(reply);
    return found;
  }

  /// None when it is refused. `pieces`: how many it came in, 0 for one that came whole.
  std::optional<Bytes> paste(const char* target, int* pieces = nullptr) {
    const xcb_atom_t here = atom("HERE");
    xcb_convert_selection(connection_, window_, atom("CLIPBOARD"), atom(target), here, XCB_CURRENT_TIME);
    xcb_flush(connection_);
    const auto answer = wait([](const xcb_generic_event_t& e) { return kind(e) == XCB_SELECTION_NOTIFY; });
    if (!answer) return std::nullopt;
    xcb_selection_notify_event_t notify;
    std::memcpy(&notify, &*answer, sizeof notify);
    if (notify.property == XCB_ATOM_NONE) return std::nullopt;
    xcb_atom_t type = 0;
    Bytes bytes = take(here, &type);
    if (pieces) *pieces = 0;
    if (type != atom("INCR")) return bytes;
    bytes.clear();
    for (int piece = 0;; ++piece) {
      const bool came = wait([&](const xcb_generic_event_t& e) {
                          const auto& p = reinterpret_cast<const xcb_property_notify_event_t&>(e);
                          return kind(e) == XCB_PROPERTY_NOTIFY && p.atom == here && p.state == XCB_PROPERTY_NEW_VALUE;
                        }).has_value();
      if (!came) return std::nullopt;
      const Bytes part = take(here, &type);
      if (pieces) *pieces = piece;
      if (part.empty()) return bytes;
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
  }

  /// Another one's copy, or a clipboard manager.
  void own(const char* selection = "CLIPBOARD") {
    xcb_set_selection_owner(connection_, window_, atom(selection), XCB_CURRENT_TIME);
    std::free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
  }
  /// As a clipboard manager does: waits until it is asked to keep what there is, takes it, and says so.
  std::optional<Bytes> keep() {
    const auto event = wait([](const xcb_generic_event_t& e) { return kind(e) == XCB_SELECTION_REQUEST; });
    if (!event) return std::nullopt;
    xcb_selection_request_event_t request;
    std::memcpy(&request, &*event, sizeof request);
    if (request.target != atom("SAVE_TARGETS")) return std::nullopt;
    auto kept = paste("image/png");
    xcb_selection_notify_event_t done{};
    done.response_type = XCB_SELECTION_NOTIFY;
    done.requestor = request.requestor;
    done.selection = request.selection;
    done.target = request.target;
    done.property = request.property;
    std::array<char, 32> raw{};
    std::memcpy(raw.data(), &done, sizeof done);
    xcb_send_event(connection_, 0, request.requestor, XCB_EVENT_MASK_NO_EVENT, raw.data());
    xcb_flush(connection_);
    return kept;
  }
  /// Pairs of target and property in one request; true for each that was given.
  std::vector<bool> paste_several(const std::vector<const char*>& targets) {
    std::vector<xcb_atom_t> pairs;
    for (const char* target : targets) pairs.insert(pairs.end(), {atom(target), atom(target)});
    const xcb_atom_t here = atom("HERE");
    xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, here, atom("ATOM_PAIR"), 32,
                        static_cast<std::uint32_t>(pairs.size()), pairs.data());
    xcb_convert_selection(connection_, window_, atom("CLIPBOARD"), atom("MULTIPLE"), here, XCB_CURRENT_TIME);
    xcb_flush(connection_);
    wait([](const xcb_generic_event_t& e) { return kind(e) == XCB_SELECTION_NOTIFY; });
    const Bytes answer = take(here, nullptr);
    std::vector<bool> given;
    for (std::size_t i = 0; i + 4 <= answer.size(); i += 8) {
      given.push_back(answer[i] != 0 || answer[i + 1] != 0 || answer[i + 2] != 0 || answer[i + 3] != 0);
    }
    return given;
  }

 private:
  static int kind(const xcb_generic_event_t& e) { return e.response_type & 0x7f; }

  std::optional<xcb_generic_event_t> wait(const auto& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      while (xcb_generic_event_t* event = xcb_poll_for_event(connection_)) {
        const xcb_generic_event_t copy = *event;
        std::free(event);
        if (wanted(copy)) return copy;
      }
      pollfd source{xcb_get_file_descriptor(connection_), POLLIN, 0};
      poll(&source, 1, 100);
    }
    return std::nullopt;
  }
  Bytes take(xcb_atom_t property, xcb_atom_t* type) {
    auto* reply = xcb_get_property_reply(
        connection_, xcb_get_property(connection_, 1, window_, property, XCB_ATOM_ANY, 0, 1u << 24), nullptr);
    if (!reply) return {};
    const auto* first = static_cast<const std::uint8_t*>(xcb_get_property_value(reply));
    Bytes bytes(first, first + xcb_get_property_value_length(reply));
    if (type) *type = reply->type;
    std::free(reply);
    return bytes;
  }

  xcb_connection_t* connection_;
  xcb_window_t window_;
};

class ClipboardTest : public testing::Test {
 protected:
  void SetUp() override {
    static const Hands stays;  // the server starts anew, and refuses connections meanwhile, when its last client goes
    unsetenv("WAYLAND_DISPLAY");
  }
};

TEST_F(ClipboardTest, ASmallPictureComesWhole) {
  Clipboard clipboard;
  EXPECT_FALSE(clipboard.owned());
  const Bytes sent = picture(5000);
  clipboard.set_png(sent);
  EXPECT_TRUE(clipboard.owned());
  Client client;
  int pieces = -1;
  EXPECT_EQ(client.paste("image/png", &pieces), sent);
  EXPECT_EQ(pieces, 0);
  EXPECT_FALSE(client.paste("UTF8_STRING").has_value());
  const auto targets = client.paste("TARGETS");
  ASSERT_TRUE(targets.has_value());
  std::vector<xcb_atom_t> offered(targets->size() / 4);
  std::memcpy(offered.data(), targets->data(), offered.size() * 4);
  EXPECT_THAT(offered, testing::IsSupersetOf({client.atom("TARGETS"), client.atom("image/png")}));
  EXPECT_EQ(client.paste("TIMESTAMP")->size(), 4u);
  EXPECT_EQ(client.paste_several({"image/png", "UTF8_STRING", "TIMESTAMP"}), (std::vector<bool>{true, false, true}));
}

// 1,000,000 bytes in pieces of at most 262,144 are four.
TEST_F(ClipboardTest, ALargePictureComesInPieces) {
  Clipboard clipboard;
  const Bytes sent = picture(1'000'000);
  clipboard.set_png(sent);
  Client client;
  int pieces = 0;
  EXPECT_EQ(client.paste("image/png", &pieces), sent);
  EXPECT_EQ(pieces, 4);
  EXPECT_EQ(client.paste("image/png"), sent) << "and once more";
}

TEST_F(ClipboardTest, TheNewestIsPasted) {
  Clipboard clipboard;
  Client client;
  for (int seed = 1; seed < 4; ++seed) {
    clipboard.set_png(picture(400'000, seed));
    EXPECT_EQ(client.paste("image/png"), picture(400'000, seed));
  }
}

TEST_F(ClipboardTest, WhatAnotherCopiesTakesItsPlace) {
  Clipboard clipboard;
  clipboard.set_png(picture(100));
  Client other;
  other.own();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (clipboard.owned() && std::chrono::steady_clock::now() < end) poll(nullptr, 0, 5);
  EXPECT_FALSE(clipboard.owned());
  clipboard.set_png(picture(200));
  EXPECT_TRUE(clipboard.owned());
  Client client;
  EXPECT_EQ(client.paste("image/png"), picture(200));
}

// The program ends, and what was copied in it can still be pasted, where the desktop has somebody for that.
TEST_F(ClipboardTest, AClipboardManagerIsAskedToKeepIt) {
  Client manager;
  manager.own("CLIPBOARD_MANAGER");
  auto clipboard = std::make_unique<Clipboard>();
  const Bytes sent = picture(600'000);
  clipboard->set_png(sent);
  auto kept = std::async(std::launch::async, [&] { return manager.keep(); });
  clipboard.reset();
  EXPECT_EQ(kept.get(), sent);
}

// Who goes in the middle of a paste keeps nobody from the next, nor the program from ending.
TEST_F(ClipboardTest, AClientThatGoesDoesNoHarm) {
  Clipboard clipboard;
  const Bytes sent = picture(3'000'000);
  clipboard.set_png(sent);
  {
    auto* gone = xcb_connect(nullptr, nullptr);
    const xcb_window_t window = xcb_generate_id(gone);
    xcb_create_window(gone, XCB_COPY_FROM_PARENT, window, xcb_setup_roots_iterator(xcb_get_setup(gone)).data->root, 0,
                      0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, nullptr);
    Client names;
    xcb_convert_selection(gone, window, names.atom("CLIPBOARD"), names.atom("image/png"), names.atom("HERE"),
                          XCB_CURRENT_TIME);
    xcb_flush(gone);
    std::free(xcb_wait_for_event(gone));  // its first answer
    xcb_disconnect(gone);
  }
  Client client;
  EXPECT_EQ(client.paste("image/png"), sent);
}

class CopyTest : public WindowTest {};

TEST_F(CopyTest, AKeyAndAButtonGiveTheClipboardAPicture) {
  ASSERT_FALSE(state().pictures.clipboard.owned());
  desk().tap(XK_c, kControl | kAlt);
  EXPECT_TRUE(desk().until([&] { return state().pictures.clipboard.owned(); }));
  hold_still();
  state().toast.reset();
  desk().tap(XK_s, kControl);
  desk().click("picture.copy");
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_THAT(state().toast->text, testing::HasSubstr("3200 x "));
  EXPECT_TRUE(state().pictures.clipboard.owned());
  EXPECT_TRUE(desk().saved().empty());
}

}  // namespace
}  // namespace lanescope::ui_test
