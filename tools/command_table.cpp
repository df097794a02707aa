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

Takes takes_of(const CLI::Option& option, const std::string& type) {
    if (option.get_positional()) return Takes::model;
    for (const std::string& word : split_words(type, '|')) {
        if (word == "FILE" || word == "FOLDER/NAME") return Takes::file;
        if (word == "FOLDER") return Takes::folder;
    }
    return Takes::text;
}

/// Sets the kind of names that an option takes, if it takes names of the robot: JOINT, FRAME=x,y,z, and so
/// on.
void find_names(const std::string& type, OptionFacts& facts) {
    const std::pair<const char*, const char*> kinds[] = {
        {"JOINT", "joint"}, {"FRAME", "frame"}, {"LINK", "frame"}, {"STATE", "state"}};
    for (const auto& [word, kind] : kinds) {
        const std::string name = word;
        if (type.rfind(name, 0) != 0) continue;
        facts.takes = Takes::name;
        facts.kind = kind;
        facts.has_value = type.size() > name.size() && type[name.size()] == '=';
    }
}

OptionFacts facts_of(const CLI::Option& option) {
    OptionFacts facts;
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
    facts.is_argument = option.get_positional();
    if (option.get_type_size() == 0) return facts;  // a flag
    const std::string type = option.get_type_name();
    facts.words = words_of(type);
    // words or a range follow the name of the type
    facts.takes = facts.words.empty() ? takes_of(option, type.substr(0, type.find(':'))) : Takes::words;
    if (facts.takes == Takes::text) find_names(type, facts);
    return facts;
}

CommandFacts facts_of(const CLI::App& app) {
    CommandFacts facts{app.get_name(), {}};
    for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
        facts.options.push_back(facts_of(*option));
    return facts;
}

}  // namespace

std::vector<CommandFacts> command_table(const CLI::App& app) {
    std::vector<CommandFacts> table{facts_of(app)};
    table.front().name.clear();
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) table.push_back(facts_of(*command));
    return table;
}

const std::vector<std::string> model_endings = {"urdf", "xml",  "mjcf", "sdf", "world",
                                                "srdf", "xrdf", "yaml", "yml"};

}  // namespace grbda::tool
