#include "experiments/schema.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiments/presets.h"

namespace basin {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

// The property that a path names in the JSON Schema; null if there is none.
json property(const json& schema, const std::string& path) {
  const json* node = &schema;
  for (const std::string_view part : split(path, '.')) {
    if (part == "*") {
      node = &node->at("items");
      continue;
    }
    if (node->contains("anyOf")) {
      node = &schema.at("$defs").at("distribution");
    }
    if (!node->at("properties").contains(part)) {
      return nullptr;
    }
    node = &node->at("properties").at(std::string(part));
  }
  return *node;
}

TEST(Schema, the_json_schema_holds_every_key) {
  const json schema = json::parse(json_schema());
  for (const KeyPath& entry : all_keys()) {
    const json found = property(schema, entry.path);
    ASSERT_FALSE(found.is_null()) << entry.path;
    EXPECT_THAT(found.at("description").get<std::string>(),
                HasSubstr(std::string(entry.key->doc)))
        << entry.path;
  }
}

TEST(Schema, the_manual_holds_every_key_and_preset) {
  const std::string manual = reference_manual();
  for (const KeyPath& entry : all_keys()) {
    EXPECT_THAT(manual, HasSubstr("| `" + std::string(entry.key->name) + "` |"));
  }
  EXPECT_THAT(manual, HasSubstr("### sqs-standard"));
}

TEST(Schema, every_key_is_explained) {
  for (const KeyPath& entry : all_keys()) {
    EXPECT_FALSE(entry.key->doc.empty()) << entry.path;
    EXPECT_EQ(entry.key->table != nullptr, is_table(entry.key->type)) << entry.path;
  }
}

TEST(Schema, conditions_name_values_of_the_deciding_key) {
  for (const KeyPath& entry : all_keys()) {
    for (const std::string_view value : split(entry.key->only_for, '|')) {
      const auto decides = std::find_if(
          entry.table->keys.begin(), entry.table->keys.end(), [&](const KeyInfo& key) {
            return key.name == entry.table->decides;
          });
      ASSERT_NE(decides, entry.table->keys.end()) << entry.path;
      EXPECT_TRUE(is_one_of(value, decides->choices)) << entry.path << " " << value;
    }
  }
}

TEST(Schema, presets_say_a_value_and_a_reason_for_every_key_of_the_queue) {
  for (const Preset& preset : presets()) {
    for (const KeyPath& entry : all_keys()) {
      if (entry.path.starts_with("queue.") && entry.key->name != "broker") {
        const auto row = std::find_if(
            preset.values.begin(), preset.values.end(), [&](const PresetValue& r) {
              return r.key == entry.key->name;
            });
        ASSERT_NE(row, preset.values.end()) << preset.name << " " << entry.path;
        EXPECT_FALSE(row->value.empty() || row->reason.empty()) << entry.path;
      }
    }
  }
}

TEST(Schema, only_incidents_leave_the_control_arm_alone) {
  EXPECT_TRUE(touches_control("arrivals.rate"));
  EXPECT_TRUE(touches_control("objective.latency"));
  EXPECT_FALSE(touches_control("incident.outage.duration"));
}

TEST(Schema, a_near_word_is_found_and_a_far_one_is_not) {
  const std::vector<std::string_view> words{"timeout", "max_attempts", "backoff"};
  EXPECT_EQ(nearest("timout", words), "timeout");
  EXPECT_EQ(nearest("max_attemps", words), "max_attempts");
  EXPECT_EQ(nearest("zzzzzz", words), "");
  EXPECT_EQ(nearest(std::string(300'000, 'a'), words), "");
}

TEST(Schema, keys_complete) {
  EXPECT_THAT(keys_beginning_with("producer.ba"), Contains("producer.backoff.jitter"));
  EXPECT_THAT(keys_beginning_with("consumers.group.*.s"),
              Contains("consumers.group.*.service.mean"));
  EXPECT_TRUE(keys_beginning_with("nothing").empty());
}

}  // namespace
}  // namespace basin
