#include "command_table.hpp"

#include "words.hpp"

namespace grbda::tool {
namespace {

using Takes = OptionFacts::Takes;

/// The words in a type's name such as NAME:{aba,rnea}; empty if it lists none.
std::vector<std::string> words_of(const std::string& type) {
    const std::size_t open = type.rfind('{'), close = type.rfind('}');
    if (open == std::string::npos || close != type.size() - 1) return {};
    return split_words(type.substr(open + 1, close - open - 1), ',');
}

Takes takes_of(const CLI::Option& option, const OptionFacts& facts) {
    if (facts.type.empty()) return Takes::nothing;
    if (!facts.words.empty()) return Takes::words;
    if (option.get_positional()) return Takes::model;
    for (const std::string& word : split_words(facts.type, '|')) {
        if (word == "FILE" || word == "FOLDER/NAME") return Takes::file;
        if (word == "FOLDER") return Takes::folder;
    }
    return Takes::text;
}

OptionFacts facts_of(const CLI::Option& option) {
    OptionFacts facts;
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
    facts.is_argument = option.get_positional();
    if (facts.is_argument) facts.names.push_back(option.get_name(true));
    facts.help = option.get_description();
    facts.is_required = option.get_required();
    if (option.get_type_size() != 0) {
        const std::string type = option.get_type_name();
        facts.words = words_of(type);
        facts.type = type.substr(0, type.find(':'));  // words or a range follow
        facts.standard = option.get_default_str();
    }
    facts.is_list = facts.type.find(",…") != std::string::npos;
    facts.takes = takes_of(option, facts);
    facts.repeats = option.get_expected_max() >= CLI::detail::expected_max_vector_size ||
                    option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    return facts;
}

CommandFacts facts_of(const CLI::App& app) {
    CommandFacts facts{app.get_name(), app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
        facts.options.push_back(facts_of(*option));
    return facts;
}

}  // namespace

std::vector<CommandFacts> command_table(const CLI::App& app) {
    std::vector<CommandFacts> table{facts_of(app)};
    table.front().name.clear();
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        table.push_back(facts_of(*command));
    return table;
}

const std::vector<std::string> model_endings = {"urdf", "xml",  "mjcf", "sdf", "world",
                                                "srdf", "xrdf", "yaml", "yml"};

}  // namespace grbda::tool
