#include <catch2/catch.hpp>

#include <regex>
#include <set>

#include "cli/cli_fixture.hpp"
#include "grbda/batch/batch_data.hpp"

// The completion script names what --help names, and --version says how the tool was built.

using cli::Run;

namespace {

using Names = std::set<std::string>;

/// All that the first group of the pattern finds.
Names found(const std::string& text, const std::string& pattern) {
    Names names;
    const std::regex regex(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
        names.insert((*at)[1]);
    return names;
}

Names commands() {
    const std::string help = cli::run("--help").out;
    const std::size_t begin = help.find("Subcommands:\n"), end = help.find("\n\n", begin);
    return found(help.substr(begin, end - begin), "\n  ([a-z]+) ");
}

/// Options that the help of a command lists.
Names options(const std::string& command) {
    const std::string help = cli::run(command + " --help").out;
    std::string list;
    for (const char* head : {"\nOptions:\n", "\nOptions of loading:\n"})
        if (const std::size_t begin = help.find(head); begin != std::string::npos)
            list += help.substr(begin, help.find("\n\n", begin) - begin);
    Names names = found(list, "\n  (-[a-z]),--");
    names.merge(found(list, "\n  (?:-[a-z],)?(--[a-z0-9-]+)"));
    return names;
}

/// Completions by bash for these words, the last of which is being typed, by the tool's own function.
Names completed(const std::string& words, const std::string& folder = cli::folder().string()) {
    const std::string script = cli::folder() / "grbda.bash";
    std::ofstream(script) << cli::run("completion bash").out;
    const Run run =
        cli::shell("PATH=$(dirname '" GRBDA_TOOL "'):$PATH; cd '" + folder + "' && bash -c '. \"" + script +
                   "\"; COMP_WORDS=(" + words +
                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _grbda; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
    INFO(words << "\n" << run.err);
    CHECK(run.exit == 0);
    CHECK(run.err.empty());
    return found(run.out, "([^\n]+)\n");
}

}  // namespace

TEST_CASE("bash completes commands, options, words and files") {
    CHECK(commands().size() > 10);
    CHECK(completed("grbda con") == Names{"convert"});
    CHECK(completed("grbda \"\"") == commands());
    CHECK(completed("grbda --ver") == Names{"--version"});
    CHECK(completed("grbda -") == options(""));
    for (const std::string& command : commands()) {
        INFO(command);
        CHECK(completed("grbda " + command + " -") == options(command));
    }
    CHECK(completed("grbda compute --method p") == Names{"projection", "proximal"});
    CHECK(completed("grbda compute --method = d") == Names{"dense_kkt"});  // as bash takes --method=d apart
    CHECK(completed("grbda generate --algorithms aba,rnea_") == Names{"aba,rnea_derivatives"});
    CHECK(completed("grbda info --form t") == Names{"tree"});
    CHECK(completed("grbda freeze --joint \"\"").empty());  // a name of a robot that is not on the line
    const std::string robot = " \"" + cli::robot("slider_crank") + "\" ";
    CHECK(completed("grbda freeze" + robot + "--joint \"\"") ==
          Names{"crank_joint", "rod_joint", "slider_joint"});
    CHECK(completed("grbda compute" + robot + "--q cr") == Names{"crank_joint="});
    CHECK(completed("grbda mount" + robot + "--frame sl") == Names{"slider"});

    const std::filesystem::path folder = cli::folder() / "completed";
    std::filesystem::create_directories(folder / "arms");
    for (const char* file : {"arm one.urdf", "arm.yaml", "arm.txt"}) std::ofstream(folder / file) << '\n';
    CHECK(completed("grbda info a", folder) == Names{"arms", "arm one.urdf", "arm.yaml"});
    CHECK(completed("grbda info arm.t", folder) == Names{"arm.txt"});  // where there is no other
    CHECK(completed("grbda info --path a", folder) == Names{"arms"});
    CHECK(completed("grbda convert -o arm.", folder) == Names{"arm.yaml", "arm.txt"});
}

TEST_CASE("the version says how the tool was built and which instructions of this machine it uses") {
    const std::string text = cli::run("--version").out;
    const auto line = [&](const std::string& name) {
        const std::size_t begin = text.find("\n" + name + "  ");
        INFO(text << name);
        REQUIRE(begin != std::string::npos);
        const std::size_t end = text.find('\n', begin + 1);
        return text.substr(begin + 1, end - begin - 1);
    };
#ifdef __clang__
    CHECK(line("compiler").find("Clang " + std::to_string(__clang_major__) + ".") != std::string::npos);
#else
    CHECK(line("compiler").find("GNU " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__)) !=
          std::string::npos);
#endif
#ifdef __AVX512F__
    CHECK(line("instruction set").find("AVX-512") != std::string::npos);
#endif
#ifndef __AVX__
    CHECK(line("instruction set").find("AVX") == std::string::npos);
#endif
    for (const grbda::Simd simd :
         {grbda::Simd::scalar, grbda::Simd::portable, grbda::Simd::avx2, grbda::Simd::avx512}) {
        const std::regex name("batch engines .*\\b" + std::string(to_string(simd)) + "\\b.*; takes.*");
        CHECK(std::regex_match(line("batch engines"), name) == grbda::runs_here(simd));
    }
    CHECK(line("batch engines").ends_with("; takes " + std::string(to_string(grbda::widest_simd()))));
    CHECK(line("options").find(GRBDA_TOOL_OPTIONS) != std::string::npos);
#ifdef GRBDA_SANITIZED
    CHECK(line("options").find("sanitizers address") != std::string::npos);
#else
    CHECK(line("options").ends_with("sanitizers none"));
#endif
}
