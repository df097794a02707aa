#include <cstdint>
#include <string>
#include <vector>

#include <sys/inotify.h>
#include <unistd.h>

#include "io/hostile_fixture.hpp"

// No file makes loading crash, hang, or open other files: it loads, or says why not.

using namespace hostile;

namespace {

#if defined(NDEBUG) && !defined(GRBDA_SANITIZED)
constexpr int most_links = 40'000;
constexpr int most_bytes = 4'000'000;
constexpr bool quick = true;
#else
constexpr int most_links = 5'000;
constexpr int most_bytes = 300'000;
constexpr bool quick = false;
#endif
constexpr long most_allocations = 8'000'000;  // a file of most_links links needs half of it

std::string insert_before_end(const std::string& text, const std::string& what) {
    return std::string(text).insert(text.rfind("</"), what);
}

/// Work for n against 2n.
template <class Make>
void check_linear(const char* what, Make&& make, int n, bool loads) {
    constexpr long slack = 10'000;  // for what does not grow
    INFO(what);
    const Outcome once = load_texts(make(n / 2)), twice = load_texts(make(n));
    INFO(once.allocations << " allocations for " << n / 2 << ", " << twice.allocations << " for " << n << "\n"
                          << twice.text());
    CHECK(twice.loaded == loads);
    CHECK(2 * twice.allocations < 5 * once.allocations + slack);
}

/// Watches one file; anything that opens it is seen.
class Watch {
public:
    explicit Watch(const std::string& file) : queue_(inotify_init1(IN_NONBLOCK)) {
        REQUIRE(queue_ >= 0);
        REQUIRE(inotify_add_watch(queue_, file.c_str(), IN_OPEN | IN_ACCESS) >= 0);
    }
    ~Watch() { close(queue_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    bool opened() const {
        char events[4096];
        return read(queue_, events, sizeof events) > 0;
    }

private:
    int queue_;
};

}  // namespace

TEST_CASE("entities that double at each step are refused, not expanded") {
    std::string bomb = "<!DOCTYPE robot [<!ENTITY e0 \"ha\">";
    for (int i = 1; i < 40; ++i) {
        const std::string last = "&e" + std::to_string(i - 1) + ";";
        bomb += "<!ENTITY e" + std::to_string(i) + " \"" + last + last + "\">";
    }
    bomb += "]>\n";
    for (const Sample& sample : samples) {
        if (!sample.is_xml) continue;
        INFO(sample.name);
        const std::size_t place = sample.text.find("name=\"") + 6;
        const Outcome outcome =
            load_texts(sample.with(bomb + std::string(sample.text).insert(place, "&e39;")));
        CHECK(outcome.allocations < most_allocations);
    }
    const std::string robot = std::string(urdf).insert(std::string(urdf).find("arm\">"), "&e39;");
    CHECK_THAT(load_texts({bomb + robot}).text(), Catch::Contains("found &e39;"));
}

TEST_CASE("anchors that double at each step are refused, not expanded") {
    std::string bomb = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) {
        const std::string last = "*a" + std::to_string(i - 1), id = std::to_string(i);
        bomb += "a" + id + ": &a" + id + " [" + last + ", " + last + "]\n";
    }
    for (const char* const side : {extended, xrdf}) {
        const Outcome outcome = load_texts({urdf, bomb + side});
        INFO(outcome.text());
        CHECK_FALSE(outcome.loaded);
        CHECK(outcome.allocations < most_allocations);
    }
}

TEST_CASE("robots of very many links load with linear work") {
    for (const bool chain : {true, false}) {
        const char* const shape = chain ? "chain" : "star";
        INFO(shape);
        check_linear(
            "URDF", [&](int n) { return std::vector{urdf_links(n, chain)}; }, most_links, true);
        check_linear(
            "MJCF", [&](int n) { return std::vector{mjcf_links(n, chain)}; }, most_links, true);
        check_linear(
            "SDF", [&](int n) { return std::vector{sdf_links(n, chain)}; }, most_links, true);
    }
}

TEST_CASE("a cluster that is too large is refused with its size and the limit") {
    const std::string last = std::to_string(most_links);
    const std::string loop =
        "<loop name=\"huge\" type=\"spherical\"><predecessor link=\"l0\"/><successor link=\"l" + last +
        "\"/></loop>";
    const std::string connect = "<equality><connect body1=\"l" + last + "\" anchor=\"0 0 0\"/></equality>";
    const std::string ball =
        "<joint name=\"huge\" type=\"ball\"><parent>world</parent><child>l" + last + "</child></joint>";
    std::string in_model = sdf_links(most_links, true);
    in_model.insert(in_model.rfind("</model>"), ball);
    for (const std::string& text : {insert_before_end(urdf_links(most_links, true), loop),
                                    insert_before_end(mjcf_links(most_links, true), connect), in_model}) {
        const Outcome outcome = load_texts({text});
        CHECK_FALSE(outcome.loaded);
        CHECK(outcome.allocations < most_allocations);
        CHECK_THAT(outcome.text(), Catch::Contains("at most 4000 joint coordinates in one cluster") &&
                                       Catch::Contains(last + " that its loops and couplings tie together"));
    }
}

TEST_CASE("very many wrong names take linear work") {
    check_linear(
        "joints",
        [](int n) {
            std::string text = urdf_links(n / 10, false);
            for (std::size_t at = 0; (at = text.find("<parent link=\"l", at)) != std::string::npos; ++at) {
                text.insert(at + 14, "no");
            }
            return std::vector{text};
        },
        most_links, false);
}

TEST_CASE("elements in elements without end take linear work") {
    for (const Sample& sample : samples) {
        if (!sample.is_xml) continue;
        for (const char* const element : {"link", "group", "body", "default", "model", "inertial", "x"}) {
            const std::string name = element;
            check_linear(
                sample.name,
                [&](int n) {
                    const std::string deep = repeated("<" + name + ">", n) + repeated("</" + name + ">", n);
                    return sample.with(insert_before_end(sample.text, deep));
                },
                most_links / 10,
                load_texts(sample.with(insert_before_end(sample.text,
                                                         "<" + name + "><" + name + "/></" + name + ">")))
                    .loaded);
        }
    }
}

TEST_CASE("lists in lists without end are refused") {
    for (const char* const side : {extended, xrdf}) {
        for (const char* const open : {"[", "{a: ", "- ", "? ", "!!str ", "&a "}) {
            const Outcome outcome = load_texts({urdf, side + ("deep: " + repeated(open, most_links)) + "\n"});
            INFO(open << outcome.text());
            CHECK(outcome.allocations < most_allocations);
        }
        CHECK_FALSE(load_texts({urdf, side + ("deep: " + repeated("[", most_links))}).loaded);
    }
}

TEST_CASE("megabytes of one character or of any are refused with little work") {
    std::vector<std::string> texts;
    for (const char* const one :
         {"<", ">", "\"", "&", " ", "-", "[", "a", "<a ", "<!--", "<![CDATA[", "- ", ": ", "\n"}) {
        texts.push_back(repeated(one, most_bytes / static_cast<int>(std::string(one).size())));
        texts.push_back("<robot name=\"" + texts.back());
    }
    std::mt19937_64 random(1);
    std::string any(most_bytes, ' ');
    for (char& c : any) c = static_cast<char>(random());
    texts.push_back(any);
    for (const std::string& text : texts) {
        INFO(text.substr(0, 20));
        const Outcome outcome = load_texts({text});
        CHECK_FALSE(outcome.loaded);
        CHECK(outcome.allocations < most_allocations);
        CHECK(outcome.findings.size() < 100'000);
    }
}

TEST_CASE("links of very many shapes load with linear work") {
    const auto in_link = [](const std::string& robot, const std::string& end, const std::string& shape) {
        return [=](int n) {
            return std::vector{std::string(robot).insert(robot.find(end), repeated(shape, n))};
        };
    };
    const std::string urdf_shape =
        "<visual name=\"v\"><geometry><sphere radius=\"1\"/></geometry>"
        "<material name=\"m\"/></visual>";
    const std::string sdf_shape =
        "<visual name=\"v\"><pose relative_to=\"arm\"/><geometry><sphere><radius>1</radius>"
        "</sphere></geometry></visual>";
    check_linear("URDF", in_link(urdf, "</link>", urdf_shape), most_links, true);
    check_linear("URDF that is wrong",
                 in_link(urdf, "</link>", "<visual><geometry><box/></geometry></visual>"), most_links, true);
    check_linear("MJCF", in_link(mjcf, "</body>", "<geom size=\"1\" material=\"m\"/>"), most_links, true);
    check_linear("MJCF that is wrong",
                 in_link(mjcf, "</body>", "<geom size=\"-1\" type=\"mesh\" mesh=\"m\"/>"), most_links, true);
    check_linear("SDF", in_link(sdf, "</link>", sdf_shape), most_links, true);
}

TEST_CASE("very many attributes and very long names take linear work") {
    check_linear(
        "attributes",
        [](int n) {
            std::string attributes;
            for (int i = 0; i < n; ++i) attributes += " a" + std::to_string(i) + "=\"0\"";
            return std::vector{std::string(urdf).insert(6, attributes)};
        },
        most_links, true);
    for (const Sample& sample : samples) {
        check_linear(
            sample.name,
            [&](int n) {
                std::string text = sample.text;
                const std::size_t place =
                    text.rfind(sample.is_xml ? "\"j\"" : "j]") + (sample.is_xml ? 1 : 0);
                return sample.with(text.insert(place, repeated("j", n)));
            },
            // what an SRDF names in vain is left out with a warning
            10 * most_links, !sample.is_side_file || std::string(sample.name) == "SRDF");
    }
}

TEST_CASE("long names that are nearly known are refused with little work") {
    std::string text = urdf;
    const std::string name = repeated("arm", 30'000);
    text.replace(text.find("\"arm\""), 5, "\"" + name + "\"");
    text.replace(text.find("\"arm\""), 5,
                 "\"" + std::string(name).replace(50, 20'000, repeated("leg", 6'000)) + "\"");
    const Outcome outcome = load_texts({text});
    CHECK_FALSE(outcome.loaded);
    CHECK(outcome.allocations < most_allocations);
}

TEST_CASE("a zero byte anywhere is refused or loads") {
    for (const Sample& sample : samples) {
        INFO(sample.name);
        for (std::size_t place = 0; place < sample.text.size(); place += 7) {
            const Outcome outcome = load_texts(sample.with(std::string(sample.text).insert(place, 1, '\0')));
            CHECK_FALSE(outcome.loaded);
            CHECK(has_errors(outcome.findings));
        }
    }
}

TEST_CASE("a file cut anywhere is refused, or loads if the rest was not needed") {
    for (const Sample& sample : samples) {
        INFO(sample.name);
        CHECK(load_texts(sample.with(sample.text)).loaded);
        for (std::size_t size = 0; size < sample.text.size(); ++size) {
            const Outcome outcome = load_texts(sample.with(sample.text.substr(0, size)));
            CHECK((outcome.loaded || has_errors(outcome.findings)));
            if (sample.is_xml) CHECK_FALSE(outcome.loaded);
        }
    }
}

TEST_CASE("attach and replicate do not look at all of a large model again and again") {
    const auto check = [](const std::string& bodies, const std::string& more, const std::string& words) {
        const Outcome outcome =
            load_texts({"<mujoco><worldbody>" + bodies + "</worldbody>" + more + "</mujoco>"});
        INFO(outcome.allocations << " allocations\n" << outcome.text().substr(0, 1000));
        CHECK_FALSE(outcome.loaded);
        CHECK(outcome.allocations < most_allocations);
        CHECK_THAT(outcome.text(), Catch::Contains(words));
    };
    const std::string body = "<body name=\"b\"><joint name=\"j\"/><site/></body>", full = "500000 elements";
    std::string copies, replicas;
    for (int i = 0; i < 256; ++i) {
        const std::string id = std::to_string(i);
        copies += "<attach body=\"b\" prefix=\"p" + id + "\"/>";
        replicas += "<replicate count=\"2\"><body name=\"b" + id + "\"/></replicate>";
    }
    const std::string missing = repeated("<attach body=\"nope\" prefix=\"p\"/>", 256);
    if (quick) check(missing + repeated("<body/>", 600'000), "", full);
    check(missing + repeated("<body/>", 4 * most_links), "", "the name of a <body> of this model");
    const auto equalities = [](const char* second) {
        return "<equality>" +
               repeated("<joint joint1=\"x\" joint2=\"" + std::string(second) + "\"/>", most_links) +
               "</equality>";
    };
    check(body + copies, equalities("y"), "'x'");
    check(replicas, equalities("y"), "'x'");
    check(body + copies, equalities("j"), full);
    check("<replicate count=\"2\">" + body + "</replicate>", equalities("j"), "one <replicate>");
    check(repeated("<replicate count=\"1\">", 200) + body + repeated("<body name=\"c\"/>", most_links) +
              repeated("</replicate>", 200),
          "", full);
}

TEST_CASE("files that a file refers to are not opened") {
    const Folder folder;
    const std::string secret = folder.write("secret.xml", "<x/>");
    const Watch watch(secret);
    const std::string uri = "file://" + secret;
    const std::string entity = "<!DOCTYPE robot [<!ENTITY secret SYSTEM \"" + uri + "\">]>\n";
    const std::string dtd = "<!DOCTYPE robot SYSTEM \"" + uri + "\">\n";
    const std::string mesh =
        "<link name=\"m\"><visual><geometry><mesh filename=\"" + uri + "\"/></geometry></visual></link>";
    const std::string include = "<include file=\"" + secret + "\"/>",
                      asset = "<asset><mesh file=\"" + secret + "\"/></asset>";
    const std::string sdf_include = "<include><uri>" + uri + "</uri></include>";
    for (const std::string& text : {entity + std::string(urdf).insert(13, "&secret;"), dtd + urdf,
                                    insert_before_end(urdf, mesh), insert_before_end(mjcf, include),
                                    insert_before_end(mjcf, asset), insert_before_end(sdf, sdf_include)}) {
        load_texts({text});
    }
    load_texts({urdf, "closed_loop: !include " + secret + "\n"});
    CHECK_FALSE(watch.opened());
    std::ifstream(secret).get();  // the watch itself sees
    CHECK(watch.opened());
}
