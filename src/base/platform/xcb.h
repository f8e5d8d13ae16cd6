// The functions of libxcb, which is opened at run time: the program also starts where there is none.
#pragma once

#include <xcb/xcb.h>

#include <string>

namespace lanescope::base {

struct Xcb {
  decltype(&::xcb_change_property) change_property = nullptr;
  decltype(&::xcb_change_window_attributes) change_window_attributes = nullptr;
  decltype(&::xcb_connect) connect = nullptr;
  decltype(&::xcb_connection_has_error) connection_has_error = nullptr;
  decltype(&::xcb_convert_selection) convert_selection = nullptr;
  decltype(&::xcb_create_window) create_window = nullptr;
  decltype(&::xcb_disconnect) disconnect = nullptr;
  decltype(&::xcb_flush) flush = nullptr;
  decltype(&::xcb_generate_id) generate_id = nullptr;
  decltype(&::xcb_get_file_descriptor) get_file_descriptor = nullptr;
  decltype(&::xcb_get_maximum_request_length) get_maximum_request_length = nullptr;
  decltype(&::xcb_get_property) get_property = nullptr;
  decltype(&::xcb_get_property_reply) get_property_reply = nullptr;
  decltype(&::xcb_get_property_value) get_property_value = nullptr;
  decltype(&::xcb_get_selection_owner) get_selection_owner = nullptr;
  decltype(&::xcb_get_selection_owner_reply) get_selection_owner_reply = nullptr;
  decltype(&::xcb_get_setup) get_setup = nullptr;
  decltype(&::xcb_intern_atom) intern_atom = nullptr;
  decltype(&::xcb_intern_atom_reply) intern_atom_reply = nullptr;
  decltype(&::xcb_poll_for_event) poll_for_event = nullptr;
  decltype(&::xcb_poll_for_queued_event) poll_for_queued_event = nullptr;
  decltype(&::xcb_screen_next) screen_next = nullptr;
  decltype(&::xcb_send_event) send_event = nullptr;
  decltype(&::xcb_set_selection_owner) set_selection_owner = nullptr;
  decltype(&::xcb_setup_roots_iterator) setup_roots_iterator = nullptr;
};
/// Null, and why, if it is not here.
const Xcb* xcb(std::string& why);

}  // namespace lanescope::base
