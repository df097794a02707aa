#include <string>

#include <catch2/catch.hpp>

#include "io/text/yaml.hpp"

using grbda::Diagnostic;
using grbda::Diagnostics;
using grbda::Severity;
using grbda::yaml::Document;
using grbda::yaml::Kind;
using grbda::yaml::Node;

namespace {

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The text has exactly one error, at this place, with these words.
void check_error(const std::string& text, int line, int column, const std::string& words) {
    INFO(text.substr(0, 200));
    Diagnostics diagnostics;
    const Document document(text, "side.yaml", diagnostics);
    REQUIRE(diagnostics.size() == 1);
    INFO(to_string(diagnostics[0]));
    CHECK(diagnostics[0].severity == Severity::error);
    CHECK(diagnostics[0].where.file == "side.yaml");
    CHECK(diagnostics[0].where.line == line);
    CHECK(diagnostics[0].where.column == column);
    CHECK(contains(to_string(diagnostics[0]), words));
}

void check_place(const Node* node, int line, int column, const std::string& path) {
    REQUIRE(node != nullptr);
    CHECK(node->line == line);
    CHECK(node->column == column);
    CHECK(node->path == path);
}

/// Checks the result of number() for `a: <scalar>`, or the words of its one error if there is no result.
void check_number(const std::string& scalar, std::optional<double> expected, const std::string& words = "") {
    INFO(scalar);
    Diagnostics diagnostics;
    Document document("a: " + scalar, "side.yaml", diagnostics);
    REQUIRE(document.root().find("a") != nullptr);
    CHECK(document.number(*document.root().find("a")) == expected);
    REQUIRE(diagnostics.size() == (expected ? 0U : 1U));
    if (!expected) CHECK(contains(to_string(diagnostics[0]), words));
}

}  // namespace

TEST_CASE("every YAML node knows its line, column and path") {
    Diagnostics diagnostics;
    const Document document("a: 1\nlist:\n  - {x: [7, é, 8]}\n  - 'two'\nempty:\nlast: ~\n", "f",
                            diagnostics);
    CHECK(diagnostics.empty());
    const Node& root = document.root();
    check_place(&root, 1, 1, "");
    check_place(root.find("a"), 1, 4, "a");
    const Node* const list = root.find("list");
    check_place(list, 3, 3, "list");
    REQUIRE(list->items.size() == 2);
    const Node* const x = list->items[0].find("x");
    check_place(x, 3, 9, "list[0].x");
    REQUIRE(x->items.size() == 3);
    check_place(&x->items[2], 3, 16, "list[0].x[2]");
    CHECK(list->items[1].quoted);
    CHECK(list->items[1].scalar == "two");
    check_place(root.find("empty"), 5, 1, "empty");
    CHECK(root.find("empty")->kind == Kind::null);
    CHECK(root.find("last")->kind == Kind::null);
    CHECK(root.find("lost") == nullptr);
}

TEST_CASE("YAML of any editor reads the same") {
    const std::string plain = "a:\n  - x\n  - 2\nb: {c: 'd'}\n";
    std::string windows;
    for (const char c : plain) windows += c == '\n' ? "\r\n" : std::string(1, c);
    for (const std::string& text :
         {plain, windows, "\xEF\xBB\xBF" + plain, "%YAML 1.2\n---\n" + plain + "...\n"}) {
        Diagnostics diagnostics;
        const Document document(text, "f", diagnostics);
        CHECK(diagnostics.empty());
        REQUIRE(document.root().find("a") != nullptr);
        REQUIRE(document.root().find("a")->items.size() == 2);
        CHECK(document.root().find("a")->items[0].scalar == "x");
        CHECK(document.root().find("a")->items[0].column == 5);
        CHECK(document.root().find("b")->find("c")->scalar == "d");
    }
}

TEST_CASE("bytes that are not UTF-8 are read as Latin-1, with a note") {
    Diagnostics diagnostics;
    const Document document("a: caf\xE9\nb: \"\xFF\"\n", "f", diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].severity == Severity::note);
    CHECK(document.root().find("a")->scalar == "caf\xC3\xA9");
}

TEST_CASE("a key twice in one YAML mapping is an error that names both lines") {
    check_error("a: 1\nb: 2\na: 3\n", 3, 1, "'a' again, first in line 1");
    check_error("m:\n  x: 1\n  x: 1\n", 3, 3, "key 'm'");
    check_error("[{x: 1, x: 2}]", 1, 9, "'x' again, first in line 1");
    Diagnostics diagnostics;
    const Document document("a: {x: 1}\nb: {x: 2}\n", "f", diagnostics);
    CHECK(diagnostics.empty());
}

TEST_CASE("what YAML allows but no robot file needs is refused with its place") {
    check_error("a: 1\n---\nb: 2\n", 2, 1, "one YAML document");
    check_error("base: &b {x: 1}\nc:\n  <<: *b\n", 3, 3, "merge key");
    check_error("? [a, b]\n: 1\n", 1, 3, "a name as key");
    check_error("~: 1\n", 1, 1, "a name as key");
    check_error("a: !degrees 90\n", 1, 4, "without a tag");
    check_error(std::string("a: b\0c\n", 7), 1, 5, "a zero byte");
    check_error("a: 1\n\x04 b: 2\n", 2, 1, "control character 4");
}

TEST_CASE("broken YAML is one error at its place") {
    check_error("a: [1, 2\n", 2, 1, "is the bracket in line 1, column 4 closed?");
    check_error("a:\n\t- b\n", 2, 2, "tabs");
    check_error("a: *b\n", 1, 4, "anchor");
    check_error("a: &x [1, *x]\n", 1, 11, "alias");
    check_error("a: b: c\n", 1, 5, "well-formed YAML");
}

TEST_CASE("an alias is a copy with the path of its own place") {
    Diagnostics diagnostics;
    const Document document("a: &p [1, {k: 2}]\nb: *p\nc: &s word\n*s : 3\n", "f", diagnostics);
    CHECK(diagnostics.empty());
    const Node* const b = document.root().find("b");
    REQUIRE(b != nullptr);
    REQUIRE(b->items.size() == 2);
    check_place(b->items[1].find("k"), 1, 15, "b[1].k");
    CHECK(document.root().find("word") != nullptr);
}

TEST_CASE("deep or multiplied YAML ends in one error, soon") {
    for (const std::string bracket : {"[", "{", "{a: ", "- ", "? ", "[{a: "}) {
        Diagnostics diagnostics;
        const Document document(repeated(bracket, 100'000), "f", diagnostics);
        INFO(bracket);
        CHECK(diagnostics.size() == 1);
        CHECK(has_errors(diagnostics));
        CHECK(document.root().kind == Kind::null);
    }
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string name = std::to_string(i), before = "*a" + std::to_string(i - 1);
        bomb += "a" + name + ": &a" + name + " [" + repeated(before + ", ", 9) + before + "]\n";
    }
    Diagnostics nodes;
    const Document many(bomb, "f", nodes);
    REQUIRE(nodes.size() == 1);
    CHECK(contains(to_string(nodes[0]), "aliases written out"));
    Diagnostics characters;
    const Document large("a: &a " + repeated("x", 100'000) + "\nb: [" + repeated("*a, ", 10'000) + "*a]\n",
                         "f", characters);
    REQUIRE(characters.size() == 1);
    CHECK(contains(to_string(characters[0]), "characters"));
    Diagnostics keys;
    const Document long_paths("? " + repeated("k", 100'000) + "\n: [" + repeated("1, ", 100'000) + "2]\n",
                              "f", keys);
    CHECK(keys.empty());
    REQUIRE(long_paths.root().entries.size() == 1);
    CHECK(long_paths.root().entries[0].second.items[5].path.size() < 300);
}

TEST_CASE("YAML numbers are those of YAML 1.2 in decimals, and finite") {
    check_number("1e-04", 1e-4);
    check_number("-.5", -0.5);
    check_number("+12.", 12.0);
    check_number("0123", 123.0);
    check_number("!!float 3", 3.0);
    check_number("1e-999", 0.0);
    check_number(".inf", std::nullopt, "'.inf'");
    check_number(".nan", std::nullopt, "finite");
    check_number("inf", std::nullopt, "finite");
    check_number("1e999", std::nullopt, "finite");
    check_number("0x10", std::nullopt, "decimals");
    check_number("-0o7", std::nullopt, "decimals");
    check_number("'1'", std::nullopt, "without quotes");
    check_number("!!str 1", std::nullopt, "without quotes");
    check_number("1,5", std::nullopt, "decimal point");
    check_number("1_000", std::nullopt, "'1_000'");
    check_number("", std::nullopt, "nothing");
    check_number("[1]", std::nullopt, "a list");
    check_number("yes", std::nullopt, "'yes'");
}

TEST_CASE("YAML values of another kind are named in the error") {
    Diagnostics diagnostics;
    Document document("n: [1, b, 3]\nt: [x, [y]]\nm: {}\ns: word\ne: ''\n", "f", diagnostics);
    const auto words = [&](const std::string& part) {
        REQUIRE_FALSE(diagnostics.empty());
        INFO(to_string(diagnostics.back()));
        CHECK(contains(to_string(diagnostics.back()), part));
    };
    const Node& root = document.root();
    CHECK_FALSE(document.numbers(*root.find("n"), 3));
    words("key 'n[1]': expected a finite number, found 'b'");
    CHECK_FALSE(document.numbers(*root.find("n"), 4));
    words("a list of 4 numbers, found 3");
    CHECK_FALSE(document.texts(*root.find("t")));
    words("key 't[1]': expected text, found a list");
    CHECK_FALSE(document.texts(*root.find("s")));
    words("write ['word']");
    CHECK_FALSE(document.text(*root.find("e")));
    words("an empty one");
    CHECK_FALSE(document.is_mapping(*root.find("s")));
    words("a mapping, found 'word'");
    CHECK(document.required(*root.find("m"), "key") == nullptr);
    words("the key 'key', found none");
    CHECK(document.required(root, "nn") == nullptr);
    words("did you mean 'n'");
    CHECK(document.required(root, "m") == root.find("m"));
}

TEST_CASE("ignored YAML keys are one note") {
    Diagnostics diagnostics;
    Document document("a: 1\nb: {z: 1}\nc: {z: 2}\n", "f", diagnostics);
    document.report_ignored();
    CHECK(diagnostics.empty());
    document.ignore_keys_except(document.root(), {"b", "c"});
    for (const char* key : {"b", "c"}) document.ignore_keys_except(*document.root().find(key), {});
    document.report_ignored();
    REQUIRE(diagnostics.size() == 1);
    CHECK(to_string(diagnostics[0]) == "f:1:4: note: file: ignored keys: 'a', 'z' (2 times)");
}
