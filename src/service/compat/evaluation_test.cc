#include "service/compat/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/compat/cases.h"

namespace kgym::service::kernelgym {
namespace {

using testing::HasSubstr;
using testing::Not;

Json Body() {
  return {{"task_id", "t1"},
          {"reference_code", "class Model(nn.Module): pass"},
          {"kernel_code", "class ModelNew(nn.Module): pass"}};
}

/// What drkernel's client posts.
Json ClientBody() {
  Json body = Body();
  body.update(Json{{"backend", "triton"},
                   {"num_correct_trials", 5},
                   {"num_perf_trials", 100},
                   {"timeout", 600},
                   {"priority", "normal"},
                   {"entry_point", "Model"},
                   {"is_valid", false},
                   {"verbose_errors", true},
                   {"enable_profiling", true},
                   {"detect_decoy_kernel", true},
                   {"reference_backend", nullptr}});
  return body;
}

TEST(ReadEvaluation, DefaultsAreThoseOfTheOriginal) {
  const Evaluation evaluation = ReadEvaluation(Body()).value();
  EXPECT_EQ(evaluation.backend, "triton");
  EXPECT_EQ(evaluation.num_correct_trials, 5);
  EXPECT_EQ(evaluation.num_perf_trials, 100);
  EXPECT_EQ(evaluation.num_warmup, 3);
  EXPECT_EQ(evaluation.timeout_s, 300);
  EXPECT_EQ(evaluation.priority, "normal");
  EXPECT_EQ(evaluation.entry_point, "Model");
  EXPECT_FALSE(evaluation.force_refresh);
  EXPECT_TRUE(evaluation.profiling);
  EXPECT_EQ(Fault(evaluation), "");
}

TEST(ReadEvaluation, TheClientsBodyIsRead) {
  const Evaluation evaluation = ReadEvaluation(ClientBody()).value();
  EXPECT_EQ(evaluation.timeout_s, 600);
  EXPECT_TRUE(evaluation.detect_decoy);
  EXPECT_EQ(evaluation.reference_backend, "");
}

TEST(ReadEvaluation, BoundsAreThoseOfTheOriginal) {
  const std::vector<std::pair<const char*, Json>> wrong = {{"num_correct_trials", 0},
                                                           {"num_correct_trials", 21},
                                                           {"num_perf_trials", 1001},
                                                           {"num_warmup", 101},
                                                           {"timeout", 9},
                                                           {"timeout", 3601},
                                                           {"priority", "urgent"},
                                                           {"backend", "tilelang"},
                                                           {"is_valid", nullptr},
                                                           {"toolkit", "other"},
                                                           {"task_id", ""},
                                                           {"task_id", std::string(101, 'x')},
                                                           {"kernel_code", "  short  "},
                                                           {"kernel_code", std::string(100'001, 'x')},
                                                           {"reference_code", "short"}};
  for (const auto& [name, value] : wrong) {
    Json body = Body();
    body[name] = value;
    const Result<Evaluation> evaluation = ReadEvaluation(body);
    ASSERT_FALSE(evaluation.ok()) << name;
    EXPECT_THAT(evaluation.error().message, HasSubstr(name));
  }
}

TEST(ReadEvaluation, AReferenceIsNeededForKernelbenchOnly) {
  Json body = Body();
  body.erase("reference_code");
  EXPECT_FALSE(ReadEvaluation(body).ok());
  body["workflow"] = " Kernel_Simple ";
  EXPECT_EQ(ReadEvaluation(body).value().workflow, Workflow::kKernelSimple);
}

TEST(ReadEvaluation, OfTwoNamesTheFirstDecides) {
  Json body = Body();
  body["run_performance"] = true;
  body["measure_performance"] = false;
  body["enable_triton_detection"] = false;
  const Evaluation evaluation = ReadEvaluation(body).value();
  EXPECT_TRUE(evaluation.run_performance);
  EXPECT_FALSE(evaluation.detect_decoy);
}

TEST(ReadPayload, HasNoBoundsAndNamesWhatIsMissing) {
  EXPECT_EQ(ReadPayload(Workflow::kKernelBench, "t", {{"reference_code", "r"}, {"kernel_code", "k"}, {"timeout", 5000}})
                .value()
                .timeout_s,
            5000);
  const auto missing = ReadPayload(Workflow::kKernelBench, "t", {{"kernel_code", "k"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("reference_code"));
  EXPECT_TRUE(ReadPayload(Workflow::kKernelSimple, "t", {{"kernel_code", "k"}}).ok());
}

TEST(Fault, SaysWhatTheOriginalSays) {
  Evaluation evaluation = ReadEvaluation(Body()).value();
  evaluation.entry_point = "Net";
  EXPECT_EQ(Fault(evaluation), "Reference code validation failed: Code must contain a 'Net' class");
  evaluation.reference_code = "class Net: pass";
  EXPECT_EQ(Fault(evaluation), "Kernel code validation failed: Code must contain a 'NetNew' class");
  evaluation.entry_point = "os.system";
  EXPECT_THAT(Fault(evaluation), HasSubstr("not the name of a class"));
  evaluation = ReadEvaluation(Body()).value();
  evaluation.use_reference_cache = true;
  EXPECT_THAT(Fault(evaluation), HasSubstr("uuid"));
  evaluation.uuid = "u";
  EXPECT_EQ(Fault(evaluation), "");
  evaluation.gpus = 0;
  EXPECT_THAT(Fault(evaluation), HasSubstr("resources.gpus"));
}

TEST(KernelClass, IsNamedByTheWorkflow) {
  Evaluation evaluation;
  evaluation.kernel_code = "class ModelNew: pass";
  EXPECT_EQ(KernelClass(evaluation), "ModelNew");
  evaluation.workflow = Workflow::kKernelSimple;
  EXPECT_EQ(KernelClass(evaluation), "ModelNew");
  evaluation.kernel_code = "class Model: pass";
  EXPECT_EQ(KernelClass(evaluation), "Model");
  evaluation.entry_point = "Fast";
  EXPECT_EQ(KernelClass(evaluation), "Fast");
}

Evaluation Simple(Json cases, std::string cases_code, std::string kernel_code) {
  Evaluation evaluation;
  evaluation.workflow = Workflow::kKernelSimple;
  evaluation.cases = std::move(cases);
  evaluation.cases_code = std::move(cases_code);
  evaluation.kernel_code = std::move(kernel_code);
  return evaluation;
}

TEST(ProblemOfCases, TheFirstThatHasCasesGives) {
  const std::string code = "def get_cases(): return []", kernel = "class ModelNew: pass\ndef get_inputs(): return []";
  const CasesProblem request = ProblemOfCases(Simple({{{"inputs", {1}}, {"outputs", 2}}}, code, kernel)).value();
  EXPECT_EQ(request.from, CasesFrom::kRequest);
  EXPECT_TRUE(request.checked);
  EXPECT_THAT(request.source, HasSubstr("_JSON = \"[{"));
  EXPECT_THAT(request.source, Not(HasSubstr("ModelNew: pass")));  // Nothing of the kernel is needed.
  const CasesProblem cases = ProblemOfCases(Simple(nullptr, code, kernel)).value();
  EXPECT_EQ(cases.from, CasesFrom::kCasesCode);
  EXPECT_THAT(cases.source, HasSubstr("_JSON = None"));
  const CasesProblem own = ProblemOfCases(Simple(nullptr, "", kernel)).value();
  EXPECT_EQ(own.from, CasesFrom::kKernelCode);
  EXPECT_FALSE(own.checked);  // Inputs without outputs.
  EXPECT_THAT(own.source, HasSubstr("class ModelNew: pass"));
  EXPECT_EQ(ProblemOfCases(Simple(nullptr, "", "class ModelNew: pass")).error().message, "No cases or inputs provided");
}

TEST(ProblemOfCases, IsNotCheckedWhereNobodyWantsIt) {
  Evaluation evaluation = Simple({{{"inputs", {1}}, {"outputs", 2}}}, "", "class ModelNew: pass");
  evaluation.run_correctness = false;
  EXPECT_FALSE(ProblemOfCases(evaluation).value().checked);
}

}  // namespace
}  // namespace kgym::service::kernelgym
