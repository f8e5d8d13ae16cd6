// The search for cuBLAS, and the calls made to it.
#include "cuda_backend/cublas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "gpu/op_case.h"
#include "gpu/scratch.h"

namespace lanescope::cuda_backend {
namespace {

using device::cuda::Api;
using gpu_test::OpCase;
using gpu_test::Scratch;
using gpu_test::Values;
using ops::OpKind;
using testing::HasSubstr;
using testing::MatchesRegex;

// cublasSgemm as its manual says, on the host: column after column, C = alpha op(A) op(B) + beta C.
int host_sgemm(CublasTable::Handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
               const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  const auto at = [](const float* matrix, int leading, int row, int column) {
    return matrix[std::ptrdiff_t{column} * leading + row];
  };
  if (lda < (transpose_a ? k : m) || ldb < (transpose_b ? n : k) || ldc < m) return 7;  // CUBLAS_STATUS_INVALID_VALUE
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int d = 0; d < k; ++d) {
        sum +=
            (transpose_a ? at(a, lda, d, i) : at(a, lda, i, d)) * (transpose_b ? at(b, ldb, j, d) : at(b, ldb, d, j));
      }
      float& result = c[std::ptrdiff_t{j} * ldc + i];
      result = *alpha * sum + (*beta == 0 ? 0 : *beta * result);  // with beta 0, C is not read
    }
  }
  return 0;
}

TEST(Cublas, IsAskedForTheProductsOfTheOps) {
  CublasTable table;
  table.sgemm = host_sgemm;
  int cases = 0;
  for (const ops::Op& op : gpu_test::shapes_to_test(300'000)) {
    if (!ops::is_gemm(op.kind)) continue;
    const OpCase c = gpu_test::make_case(op, static_cast<std::uint32_t>(++cases));
    std::vector<Values> after = c.before;
    if (op.kind == OpKind::LinearForward) {
      for (std::size_t i = 0; i < after[3].size(); ++i) after[3][i] = after[2][i % after[2].size()];
    }
    std::vector<Api::Arg> args;
    for (Values& values : after) args.push_back({values.data(), values.size()});
    EXPECT_EQ(start_product(table, nullptr, op, args), 0);
    EXPECT_EQ(gpu_test::disagreement(c, after), "");
  }
  EXPECT_GE(cases, 30);
}

TEST(FindCublas, TakesOnlyWhatTheVariableNames) {
  const Scratch scratch;
  {
    const gpu_test::Variable off("LANESCOPE_CUBLAS", "off");
    EXPECT_EQ(find_cublas().problem, "LANESCOPE_CUBLAS is off");
  }
  const std::string missing = scratch.folder() / "libcublas.so.13";
  const gpu_test::Variable named("LANESCOPE_CUBLAS", missing);
  EXPECT_EQ(find_cublas().problem, "LANESCOPE_CUBLAS names " + missing + ": the file does not exist");
  scratch.write("libcublas.so.13", "This is not a library.\n");
  const CublasTable bad = find_cublas();
  EXPECT_THAT(bad.problem, HasSubstr("LANESCOPE_CUBLAS names " + missing + ": "));
  EXPECT_THAT(bad.problem, HasSubstr("file too short"));
  EXPECT_EQ(bad.sgemm, nullptr);
}

TEST(FindCublas, RefusesALibraryWithoutItsFunctions) {
  const gpu_test::Variable named("LANESCOPE_CUBLAS", LANESCOPE_NO_CUBLAS);
  EXPECT_EQ(find_cublas().problem, "cuBLAS lacks functions that are needed; allowed: versions 12 and 13");
}

TEST(FindCublas, FindsTheOneOfTheToolkit) {
  const CublasTable table = find_cublas();
  if (!table.problem.empty()) GTEST_SKIP() << table.problem;
  EXPECT_THAT(table.version, MatchesRegex("1[23]\\.[0-9]+"));
  EXPECT_NE(table.sgemm, nullptr);
}

TEST(Cublas, SaysWhyItIsNotUsed) {
  const gpu_test::Variable off("LANESCOPE_CUBLAS", "off");
  Cublas cublas(0);
  device::cuda::Status status = -1;
  Values values(4, 1);
  const std::vector<Api::Arg> args(4, {values.data(), 4});
  EXPECT_EQ(cublas.multiply({OpKind::LinearForward, 2, 2, 2}, args, nullptr, status), Cublas::Outcome::Unusable);
  EXPECT_STREQ(cublas.provider(), "own kernel (LANESCOPE_CUBLAS is off)");
  EXPECT_EQ(cublas.multiply({OpKind::Fill, 2, 2}, args, nullptr, status), Cublas::Outcome::Unusable) << "no product";
}

}  // namespace
}  // namespace lanescope::cuda_backend
