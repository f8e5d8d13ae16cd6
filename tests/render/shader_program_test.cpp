#include "render/shader_program.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "render/canvas.h"
#include "render/span_renderer.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

class ShaderProgramTest : public CanvasTest {
 protected:
  ShaderProgramTest() : folder_(fs::temp_directory_path() / ("lanescope-shaders-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    fs::copy(fs::path(LANESCOPE_SOURCE_DIR) / "shaders", folder_, fs::copy_options::recursive);
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(log_)));
    spdlog::set_pattern("%v");
    start(16, 16);
    batch_.solid(0, 0, 16, 16, kRed, 1);  // square ones have another shader
  }
  ~ShaderProgramTest() override {
    set_shader_directory({});
    spdlog::set_default_logger(before_);
    fs::remove_all(folder_);
  }

  /// Writes a shader as if a second had passed since the last time.
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() + std::chrono::seconds(++writes_));
  }
  Pixel drawn(SpanRenderer& renderer) {
    clear();
    renderer.draw(batch_, whole(), target_);
    return pixel_at(image(), 8, 8);
  }

  fs::path folder_;
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  SpanBatch batch_;
  int writes_ = 0;
};

const std::string kGreenShader = "#version 330 core\nout vec4 result;\nvoid main() { result = vec4(0, 1, 0, 1); }\n";

TEST_F(ShaderProgramTest, AChangedFileIsSeenAtTheNextDraw) {
  SpanRenderer renderer;
  EXPECT_EQ(drawn(renderer), kRedPixel);
  write("span.frag", kGreenShader);
  EXPECT_EQ(drawn(renderer), kRedPixel);  // not requested yet
  set_shader_directory(folder_);
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  write("span.frag", "#version 330 core\nout vec4 result;\nvoid main() { result = vec4(0, 0, 1, 1); }\n");
  EXPECT_EQ(drawn(renderer), kBluePixel);
  set_shader_directory({});
  EXPECT_EQ(drawn(renderer), kRedPixel);
  EXPECT_EQ(log_.str(), "");
}

TEST_F(ShaderProgramTest, ABrokenOneIsReportedInOneLineAndTheLastGoodOneStays) {
  set_shader_directory(folder_);
  SpanRenderer renderer;
  write("span.frag", kGreenShader);
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  write("span.frag", "#version 330 core\nnonsense\nmore nonsense\n");
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  const std::string log = log_.str();
  EXPECT_NE(log.find("span.frag"), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  write("span.frag", kGreenShader);
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  fs::remove(folder_ / "span.vert");
  EXPECT_EQ(drawn(renderer), kGreenPixel);
  EXPECT_NE(log_.str().find("span.vert: cannot be read"), std::string::npos) << log_.str();
}

TEST_F(ShaderProgramTest, CountsItsVersions) {
  ShaderProgram program("plot");
  EXPECT_EQ(program.version(), 1u);
  program.get();
  EXPECT_EQ(program.version(), 1u);
  set_shader_directory(folder_);
  program.get();
  EXPECT_EQ(program.version(), 2u);
  program.get();
  EXPECT_EQ(program.version(), 2u);
  EXPECT_GE(program.uniform("framebuffer"), 0);
  EXPECT_EQ(program.uniform("no such thing"), -1);
}

}  // namespace
}  // namespace lanescope::ui
