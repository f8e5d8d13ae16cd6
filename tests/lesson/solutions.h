// What solves the tasks of the lessons, for tests: by lesson and step, the settings to turn.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lanescope::lesson {

inline const std::map<std::string, std::vector<std::string>> kSolutions = {
    {"why-the-gpu-waits/task", {"feed=resident", "log_interval=100"}},
    {"one-line/task", {"log_interval=100"}},
    {"when-a-sync-is-free/task", {"cuda_graph=true"}},
    {"feeding-the-gpu/task", {"num_workers=8"}},
    {"lab/reads", {"method=fstring"}},
    {"lab/chatty", {"feed=resident", "log_interval=100"}},
    {"lab/small", {"batch_size=4096"}},
    {"lab/copies", {"copy_stream=side"}},
    {"lab/loader", {"storage=cached"}},
};

}  // namespace lanescope::lesson
