// Aggregates any stretch of a growing list from summaries of 16, 256, 4,096... items: a query costs the logarithm of
// the length.
#pragma once

#include <cstddef>
#include <vector>

namespace lanescope::ui {

/// `Node` is a value with `join(const Node&)`; a default-constructed one is empty.
template <class Node>
class BlockTree {
 public:
  static constexpr std::size_t kFan = 16;

  std::size_t size() const { return levels_.empty() ? 0 : levels_[0].size(); }
  const Node& leaf(std::size_t i) const { return levels_[0][i]; }
  void clear() { levels_.clear(); }

  void push(const Node& leaf) {
    Node node = leaf;
    for (std::size_t level = 0;; ++level) {
      if (level == levels_.size()) levels_.emplace_back();
      std::vector<Node>& nodes = levels_[level];
      nodes.push_back(node);
      if (nodes.size() % kFan != 0) return;
      node = {};
      for (std::size_t i = nodes.size() - kFan; i < nodes.size(); ++i) node.join(nodes[i]);
    }
  }

  /// Removes all items from this one on.
  void truncate(std::size_t count) {
    for (std::vector<Node>& nodes : levels_) {
      if (count < nodes.size()) nodes.resize(count);
      count /= kFan;
    }
  }

  /// The aggregate of the items [begin, end), which must exist.
  Node over(std::size_t begin, std::size_t end) const {
    Node result;
    for (std::size_t level = 0; begin < end; ++level) {
      const std::vector<Node>& nodes = levels_[level];
      while (begin < end && begin % kFan != 0) result.join(nodes[begin++]);
      while (begin < end && end % kFan != 0) result.join(nodes[--end]);
      begin /= kFan;
      end /= kFan;
    }
    return result;
  }

 private:
  std::vector<std::vector<Node>> levels_;
};

}  // namespace lanescope::ui
