// Which card a device means, by what CUDA_VISIBLE_DEVICES says, on machines that are not there.
#include "judge/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/fake_nvml.h"

namespace kgym::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Three cards, the second cut into two instances where a test says so.
class NvmlTest : public testing::Test {
 protected:
  NvmlTest() {
    for (const char* uuid : {"GPU-aaaa-1", "GPU-aabb-2", "GPU-cccc-3"}) nvml_.Add(uuid);
  }
  void CutTheSecond() {
    nvml_.cards[1]->Cut("MIG-1111", 7, 10ULL << 30);
    nvml_.cards[1]->Cut("MIG-2222", 9, 20ULL << 30);
  }
  std::vector<std::string> Uuids(const std::optional<std::string>& visible) {
    const Result<std::vector<Card>> cards = FindCards(nvml_.library, visible);
    std::vector<std::string> uuids;
    for (const Card& card : cards.value()) uuids.push_back(card.uuid);
    return uuids;
  }
  std::string Sentence(const std::string& device, const std::optional<std::string>& visible) {
    return FindCard(device, nvml_.library, visible).error().message;
  }

  FakeNvml nvml_;
};

TEST_F(NvmlTest, WithoutAWordAllCardsAreThere) {
  EXPECT_THAT(Uuids(std::nullopt), ElementsAre("GPU-aaaa-1", "GPU-aabb-2", "GPU-cccc-3"));
  EXPECT_EQ(FindCard("cuda", nvml_.library, std::nullopt)->uuid, "GPU-aaaa-1");
  EXPECT_EQ(FindCard("cuda:2", nvml_.library, std::nullopt)->uuid, "GPU-cccc-3");
}

TEST_F(NvmlTest, ThePlaceIsThatAmongTheVisible) {
  EXPECT_EQ(FindCard("cuda:0", nvml_.library, "2,0")->uuid, "GPU-cccc-3");
  EXPECT_EQ(FindCard("cuda:1", nvml_.library, " 2 , 0 ")->uuid, "GPU-aaaa-1");
  EXPECT_EQ(FindCard("cuda:1", nvml_.library, "GPU-cccc-3,GPU-aabb-2")->uuid, "GPU-aabb-2");
  EXPECT_EQ(FindCard("cuda:1", nvml_.library, "GPU-cccc-3,GPU-aabb-2")->index, 1);
}

TEST_F(NvmlTest, TheBeginningOfAUuidIsEnoughWhereItIsThatOfOne) {
  EXPECT_THAT(Uuids("GPU-c,GPU-aab"), ElementsAre("GPU-cccc-3", "GPU-aabb-2"));
  EXPECT_THAT(Uuids("GPU-aa"), IsEmpty());
}

TEST_F(NvmlTest, WhatNamesNothingHidesWhatFollows) {
  EXPECT_THAT(Uuids("1,GPU-dead,0"), ElementsAre("GPU-aabb-2"));
  EXPECT_THAT(Uuids("0,-1,2"), ElementsAre("GPU-aaaa-1"));
  EXPECT_THAT(Uuids(""), IsEmpty());
  EXPECT_THAT(Uuids("0,0"), IsEmpty());
}

TEST_F(NvmlTest, AnInstanceIsACardOfItsOwn) {
  CutTheSecond();
  const Result<Card> card = FindCard("cuda:1", nvml_.library, "MIG-1111,MIG-2222");
  EXPECT_EQ(card->uuid, "MIG-2222");
  EXPECT_EQ(card->parent, "GPU-aabb-2");
  EXPECT_EQ(card->memory_bytes, std::int64_t{20} << 30);
  EXPECT_EQ(card->arch(), "90");
}

TEST_F(NvmlTest, ACardThatIsCutUpStandsForItsInstances) {
  CutTheSecond();
  EXPECT_THAT(Uuids(std::nullopt), ElementsAre("GPU-aaaa-1", "MIG-1111", "MIG-2222", "GPU-cccc-3"));
  EXPECT_THAT(Uuids("1,0"), ElementsAre("MIG-1111", "MIG-2222", "GPU-aaaa-1"));
  EXPECT_THAT(Uuids("GPU-aabb-2"), ElementsAre("MIG-1111", "MIG-2222"));
}

TEST_F(NvmlTest, AnInstanceHasItsOwnMemoryAndItsParentsClocks) {
  CutTheSecond();
  nvml_.cards[1]->mhz = 1410;
  const Result<Card> card = FindCard("cuda", nvml_.library, "MIG-2222");
  const Result<CardState> state = StateOf(*card, nvml_.library);
  EXPECT_EQ(state->sm_mhz, 1410);
  EXPECT_EQ(state->used_bytes, std::int64_t{5} << 30);
}

TEST_F(NvmlTest, AnImpossibleDeviceIsOneSentence) {
  EXPECT_EQ(Sentence("cuda:3", std::nullopt),
            "config: judge.device is 'cuda:3'; cuda:0 to cuda:2 are visible on this machine. `nvidia-smi -L` lists the "
            "machine's cards");
  EXPECT_THAT(Sentence("cuda:1", "2"),
              HasSubstr("cuda:0 is the only card that is visible: CUDA_VISIBLE_DEVICES is '2'"));
  EXPECT_THAT(Sentence("cuda", ""), HasSubstr("no card is visible: CUDA_VISIBLE_DEVICES is ''"));
  EXPECT_THAT(Sentence("cuda:1", "0,MIG-9,1"), HasSubstr("its entry 'MIG-9' names no card of this machine"));
  EXPECT_THAT(Sentence("cuda", "1,1"), HasSubstr("names '1' twice"));
  for (const char* device : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cudaX1", "cuda: 1"})
    EXPECT_THAT(Sentence(device, std::nullopt), HasSubstr("cpu, cuda or cuda:N is expected")) << device;
}

TEST_F(NvmlTest, ACardThatIsCutUpIntoNothingSaysSo) {
  nvml_.cards[0]->mig = true;
  EXPECT_THAT(Sentence("cuda", "0"), HasSubstr("card '0' is in MIG mode and has no instance"));
}

TEST_F(NvmlTest, AnOldDriverKnowsNoInstances) {
  nvml_.library.MigMode = nullptr;
  nvml_.library.MigParent = nullptr;
  EXPECT_THAT(Uuids("0,1"), ElementsAre("GPU-aaaa-1", "GPU-aabb-2"));
}

TEST_F(NvmlTest, WithoutADriverThatIsTheSentence) {
  nvml_.library.error = "there is no NVIDIA driver on this machine";
  EXPECT_EQ(Sentence("cuda", std::nullopt), nvml_.library.error);
  EXPECT_FALSE(StateOf(Card{}, nvml_.library).ok());
}

}  // namespace
}  // namespace kgym::judge
