// The patches of the user's own lines, by golden text; and what they do, run as Python by run_fixes.py.
#include "analysis/fix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lanescope::analysis_test {
namespace {

using analysis::Card;
using analysis::fix_for;
using analysis::Remedy;
using analysis::Rule;
using analysis::Weight;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<Remedy> kUpload{Remedy::PinMemory, Remedy::NonBlocking}, kPinned{Remedy::NonBlocking},
    kRead{Remedy::ReadLessOften, Remedy::LessCpuWork}, kReads{Remedy::ReadOnce, Remedy::ReadLessOften},
    kDecide{Remedy::DecideOnGpu, Remedy::ReadLessOften}, kWorkers{Remedy::MoreWorkers},
    kLaunches{Remedy::FewerLaunches};

std::string fix(const std::vector<Remedy>& remedies, const std::string& line,
                const std::string& call = "cudaStreamSynchronize") {
  Card card;
  card.rule = remedies == kLaunches ? Rule::LaunchBound : Rule::SyncBubble;
  card.range = "train.py:41  " + line;
  card.call = call;
  card.remedies = remedies;
  return fix_for(card);
}

/// What replaces the line, without the pattern below it.
std::string changed(const std::vector<Remedy>& remedies, const std::string& line,
                    const std::string& call = "cudaStreamSynchronize") {
  const std::string begin = "train.py:41\n- " + line + '\n', text = fix(remedies, line, call);
  if (!text.starts_with(begin)) return {};
  std::string all;
  for (std::size_t at = begin.size(); text.compare(at, 2, "+ ") == 0;) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    all += text.substr(at + 2, end - at - 2);
    at = end;
    if (at >= text.size()) break;
  }
  if (all.ends_with('\n')) all.pop_back();
  return all;
}

TEST(Fix, ReadsAreCollectedOrMadeRare) {
  EXPECT_EQ(fix(kRead, "losses.append(loss.item())"),
            "train.py:41\n"
            "- losses.append(loss.item())\n"
            "+ losses.append(loss.detach())  # torch.stack(losses).tolist() once, after the loop");
  EXPECT_EQ(changed(kRead, "total += loss.item() * x.size(0)"),
            "total += loss.detach() * x.size(0)  # total.item() once, after the loop");
  EXPECT_EQ(fix(kRead, "print(f\"loss {loss.item():.3f}\")"),
            "train.py:41\n"
            "- print(f\"loss {loss.item():.3f}\")\n"
            "+ if step % 50 == 0:  # step: the loop's counter\n"
            "+     print(f\"loss {loss.item():.3f}\")");
  EXPECT_EQ(changed(kReads, "value = loss.item()"),
            "if step % 50 == 0:  # step: the loop's counter\n"
            "    value = loss.item()  # old in between: what uses it belongs here, too");
  EXPECT_THAT(changed(kRead, "value = float(l)", "waiting for a result"), StartsWith("if step % 50 == 0:"));
  EXPECT_THAT(fix({}, "losses.append(float(l))", "waiting for a result"), HasSubstr("[float(v) for v in losses]"));
  EXPECT_EQ(fix({}, "torch.cuda.synchronize()"), "");
  EXPECT_THAT(changed(kRead, "writer.add_scalar('loss', loss.item(), step)"), StartsWith("if step % 50 == 0:"));
}

TEST(Fix, CopiesDoNotBlock) {
  EXPECT_EQ(fix(kUpload, "x = x.to(\"cuda\")", ""),
            "train.py:41\n"
            "- x = x.to(\"cuda\")\n"
            "+ x = x.to(\"cuda\", non_blocking=True)\n"
            "# non_blocking needs pinned memory. Pin once, not in the loop: pinning costs more than a copy.\n"
            "loader = DataLoader(data, batch_size=64, pin_memory=True)\n"
            "# or, without a loader:\n"
            "batches = [(x.pin_memory(), y.pin_memory()) for x, y in batches]");
  EXPECT_EQ(changed(kPinned, "x, y = x.to(device), y.cuda()"),
            "x, y = x.to(device, non_blocking=True), y.cuda(non_blocking=True)");
  EXPECT_EQ(changed(kPinned, "x = x.to(self.device, dtype=torch.half)"),
            "x = x.to(self.device, dtype=torch.half, non_blocking=True)");
  const std::string already = fix(kUpload, "x = x.to(\"cuda\", non_blocking=True)", "");
  EXPECT_THAT(already, StartsWith("train.py:41\n# non_blocking needs pinned memory."));
  EXPECT_EQ(fix(kPinned, "x = x.to(\"cuda\", non_blocking=True)"), "");
}

TEST(Fix, MasksAndLoaders) {
  EXPECT_EQ(changed(kDecide, "loss = each[mask].mean()"),
            "loss = torch.where(mask, each, 0).sum() / mask.sum()  # both of one shape");
  EXPECT_EQ(changed(kReads, "loss = F.cross_entropy(logits[mask], targets[mask])"),
            "loss = F.cross_entropy(logits.flatten(0, -2), torch.where(mask, targets, -100).flatten())"
            "  # -100 is ignored");
  EXPECT_EQ(changed(kWorkers, "for x, y in DataLoader(data, batch_size=32):", ""),
            "for x, y in DataLoader(data, batch_size=32, num_workers=4, pin_memory=True, persistent_workers=True):");
  EXPECT_EQ(fix(kWorkers, "for x, y in loader:", ""),
            "train.py:41\n"
            "# where the loader is made\n"
            "loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)");
  EXPECT_THAT(fix(kLaunches, "loss.backward()", "cudaLaunchKernel"), HasSubstr("fused=True"));
}

TEST(Fix, ALineInDoubtIsNotChanged) {
  for (const char* line :
       {"losses.append(loss.item()); step += 1", "losses.append(loss.item()...", "losses.append(loss.item()",
        "value = train_step(x, y).item()", "print(train_step(x, y).item())", "print(loss.item()) if x else f(loss)",
        "value = loss.item(),", "value = loss.item() if x else 0", "best = min(best, loss.item()) + f(\")\")",
        "losses.append(float(loss))", "return loss.item()", "if loss.item() < best:", "loss=loss.item()",
        "losses.append(f(loss).item())", "y = y.cpu()", "total += loss.item() if x else 0", "self.add(loss.item())"}) {
    const std::string text = fix(kRead, line);
    EXPECT_THAT(text, StartsWith("train.py:41\n# ")) << line;
    EXPECT_THAT(text, Not(HasSubstr("\n- "))) << line;
    EXPECT_THAT(text, Not(HasSubstr("\n+ "))) << line;
  }
  for (const char* line :
       {"x = x.to(\"cuda\"); y = y.to(\"cuda\")", "x = x.to(device); y...", "x, y = x.to(device), y.to(\"cpu\")",
        "x = x.to(torch.float16)", "x = x.pin_memory().to(\"cuda\")", "x = x.to(device, torch.half, False)",
        "x, y = x.to(device), y.cpu()", "x = f(x"}) {
    EXPECT_THAT(fix(kUpload, line), Not(HasSubstr("\n- "))) << line;
  }
  for (const char* line : {"loss = each[index].mean()", "loss = F.cross_entropy(logits[mask], targets[other_mask])",
                           "loss = F.cross_entropy(logits[mask], targets[mask], weight=w)", "if error.item() < 1:"}) {
    EXPECT_THAT(fix(kDecide, line), Not(HasSubstr("\n- "))) << line;
  }
  EXPECT_THAT(fix(kWorkers, "for x in DataLoader(data, num_workers=1):", ""), Not(HasSubstr("\n- ")));
  // Nothing is detached of JAX.
  EXPECT_THAT(fix(kRead, "losses.append(l.item())", "waiting for a result"), Not(HasSubstr("detach")));
}

TEST(Fix, NoneWithoutALineOrACost) {
  Card card;
  card.remedies = kRead;
  card.call = "cudaStreamSynchronize";
  for (const char* range : {"", "item()", "stopwatch", "main.cpp:41  read()"}) {
    card.range = range;
    EXPECT_EQ(fix_for(card), "") << range;
  }
  card.range = "train.py:41  value = loss.item()";
  EXPECT_NE(fix_for(card), "");
  card.weight = Weight::Harmless;
  EXPECT_EQ(fix_for(card), "");
  EXPECT_EQ(fix(kWorkers, "x = batches.get()", ""), "");
  EXPECT_EQ(fix(kRead, "print(" + std::string(1'000'000, 'x') + ".item())"), "");
}

TEST(Fix, DoesWhatItSaysInPython) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "lanescope-fixes-test.txt";
  {
    std::ofstream file(path);
    const auto add = [&](const char* check, const std::string& text) {
      file << "=== " << check << '\n' << text << '\n';
    };
    add("read", fix(kRead, "losses.append(loss.item())"));
    add("read", fix(kRead, "total += loss.item()"));
    add("read", fix(kRead, "print(loss.item())"));
    add("read", fix(kRead, "value = loss.item()"));
    add("read", fix(kRead, "value = float(loss)", "waiting for a result"));
    add("copy", fix(kUpload, "x = x.to(\"cuda\")", ""));
    add("copy", fix(kPinned, "x, y = x.to(device), y.cuda()"));
    add("mask", fix(kDecide, "loss = y[mask].mean()"));
    add("mask", fix(kReads, "loss = cross_entropy(logits[mask], targets[mask])"));
    add("workers", fix(kWorkers, "for x, y in DataLoader(data, batch_size=32):", ""));
    add("pattern pin", fix(kUpload, "x = x.to(\"cuda\", non_blocking=True)", ""));
    add("pattern copy", fix(kPinned, "x = x..."));
    add("pattern side", fix({Remedy::CopyStream}, "x = x..."));
    add("pattern workers", fix(kWorkers, "for x, y in loader:", ""));
    add("pattern keep", fix({Remedy::KeepWorkers}, "for x, y in loader:", ""));
    add("pattern launches", fix(kLaunches, "loss.backward()", "cudaLaunchKernel"));
    add("pattern read", fix(kRead, "return loss.item()"));
    add("pattern read", fix(kReads, "return loss.item()"));
    add("pattern read", fix(kRead, "losses.append(float(l))", "waiting for a result"));
    add("pattern back", fix(kRead, "y = y.cpu()"));
    add("pattern mask", fix(kReads, "return torch.nn.functional.cross_entropy(logi..."));
    add("pattern decide", fix(kDecide, "if error.item() < 1:"));
  }
  const std::string run =
      std::string(LANESCOPE_PYTHON) + " " LANESCOPE_SOURCE_DIR "/tests/analysis/run_fixes.py " + path.string();
  EXPECT_EQ(std::system(run.c_str()), 0) << "see what it printed";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lanescope::analysis_test
