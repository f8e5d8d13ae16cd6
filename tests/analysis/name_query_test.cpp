#include "analysis/name_query.h"

#include <gmock/gmock.h>

namespace lanescope::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NameQuery, EveryWordIsInTheNameWhateverItsCase) {
  EXPECT_TRUE(NameQuery("MEMCPY").matches("cudaMemcpyAsync"));
  EXPECT_TRUE(NameQuery("async  mem").matches("cudaMemcpyAsync"));
  EXPECT_FALSE(NameQuery("async linear").matches("cudaMemcpyAsync"));
  EXPECT_TRUE(NameQuery("µs Ü").matches("Ü 3 µs"));
}

TEST(NameQuery, QuotesAreTheWholeNameAndMinusExcludes) {
  EXPECT_TRUE(NameQuery("\"item()\"").matches("item()"));
  EXPECT_FALSE(NameQuery("\"item()\"").matches("item() wait"));
  EXPECT_FALSE(NameQuery("\"Item()\"").matches("item()"));
  EXPECT_TRUE(NameQuery("linear -backward").matches("linear_forward"));
  EXPECT_FALSE(NameQuery("linear -backward").matches("linear_Backward"));
  EXPECT_FALSE(NameQuery("-\"kernel a\"").matches("kernel a"));
  EXPECT_TRUE(NameQuery("-\"kernel a\"").matches("kernel ab"));
  // While it is being typed.
  EXPECT_TRUE(NameQuery("\"copy ho").matches("Copy Host to device"));
  EXPECT_TRUE(NameQuery("linear -").matches("linear_forward"));
}

TEST(NameQuery, NothingAskedForIsEmpty) {
  EXPECT_TRUE(NameQuery("").empty());
  EXPECT_TRUE(NameQuery("  - \"\" \"").empty());
  EXPECT_FALSE(NameQuery("-a").empty());
  EXPECT_EQ(quoted_name("a b"), "\"a b\"");
}

TEST(NameQuery, NamesNearToAWrongOne) {
  base::NameTable names;
  for (const char* name : {"cudaStreamSynchronize", "cudaLaunchKernel", "linear_forward", "log 1 → 100", "mse"}) {
    names.intern(name);
  }
  EXPECT_THAT(near_names(names, "linaer"), ElementsAre("linear_forward"));              // two letters swapped
  EXPECT_THAT(near_names(names, "sinchronize"), ElementsAre("cudaStreamSynchronize"));  // one changed, within the name
  EXPECT_THAT(near_names(names, "cudalaunchkernal"), ElementsAre("cudaLaunchKernel"));
  EXPECT_THAT(near_names(names, "zzzzzz"), IsEmpty());
  EXPECT_THAT(near_names(names, "x"), IsEmpty());
  EXPECT_THAT(near_names(names, "log 1 → 10"), ElementsAre("log 1 → 100"));
  EXPECT_THAT(near_names(names, "log 1 → 10", {names.find("log 1 → 100")}), IsEmpty());
}

TEST(NameFilter, RemembersNamesAndLooksAtNewOnes) {
  base::NameTable names;
  const base::NameId one = names.intern("kernel one"), two = names.intern("copy two");
  NameFilter filter(NameQuery("kernel -two"));
  EXPECT_TRUE(filter.passes(names, one));
  EXPECT_FALSE(filter.passes(names, two));
  NameFilter later(NameQuery("kernel two"));
  EXPECT_FALSE(later.any(names));
  names.intern("kernel two");
  EXPECT_TRUE(later.any(names));
  NameFilter only({}, two);
  EXPECT_TRUE(only.passes(names, two));
  EXPECT_FALSE(only.passes(names, one));
  EXPECT_TRUE(NameFilter(NameQuery("")).passes(names, one)) << "nothing asked for leaves all";
}

}  // namespace
}  // namespace lanescope::analysis
