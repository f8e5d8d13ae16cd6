#if __has_include(<xcb/xcb.h>)
#include "base/platform/xcb.h"

#include "base/platform/library.h"

namespace lanescope::base {
namespace {

struct Opened {
  Xcb functions;
  std::string problem;
};

Opened open_xcb() {
  constexpr const char* kLibrary = "libxcb.so.1";
  Opened opened;
  void* const library = open_library(kLibrary, opened.problem);
  if (library == nullptr) {
    opened.problem = std::string(kLibrary) + ": " + opened.problem;
    return opened;
  }
  Xcb& x = opened.functions;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find_symbol(library, name));
    if (function == nullptr) opened.problem = std::string(kLibrary) + ": " + name;
  };
  find(x.change_property, "xcb_change_property");
  find(x.change_window_attributes, "xcb_change_window_attributes");
  find(x.connect, "xcb_connect");
  find(x.connection_has_error, "xcb_connection_has_error");
  find(x.convert_selection, "xcb_convert_selection");
  find(x.create_window, "xcb_create_window");
  find(x.disconnect, "xcb_disconnect");
  find(x.flush, "xcb_flush");
  find(x.generate_id, "xcb_generate_id");
  find(x.get_file_descriptor, "xcb_get_file_descriptor");
  find(x.get_maximum_request_length, "xcb_get_maximum_request_length");
  find(x.get_property, "xcb_get_property");
  find(x.get_property_reply, "xcb_get_property_reply");
  find(x.get_property_value, "xcb_get_property_value");
  find(x.get_selection_owner, "xcb_get_selection_owner");
  find(x.get_selection_owner_reply, "xcb_get_selection_owner_reply");
  find(x.get_setup, "xcb_get_setup");
  find(x.intern_atom, "xcb_intern_atom");
  find(x.intern_atom_reply, "xcb_intern_atom_reply");
  find(x.poll_for_event, "xcb_poll_for_event");
  find(x.poll_for_queued_event, "xcb_poll_for_queued_event");
  find(x.screen_next, "xcb_screen_next");
  find(x.send_event, "xcb_send_event");
  find(x.set_selection_owner, "xcb_set_selection_owner");
  find(x.setup_roots_iterator, "xcb_setup_roots_iterator");
  return opened;
}

}  // namespace

const Xcb* xcb(std::string& why) {
  static const Opened opened = open_xcb();
  why = opened.problem;
  return why.empty() ? &opened.functions : nullptr;
}

}  // namespace lanescope::base
#endif
