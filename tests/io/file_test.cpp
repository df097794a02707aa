#include <sys/stat.h>

#include "grbda/io/file.hpp"
#include "io/folder_fixture.hpp"

// Paths that are no files, and files that are too large, are refused by name, before they are read.

using namespace folder_test;

namespace {

std::string loading(const std::string& file) {
    try {
        grbda::load(file);
    } catch (const grbda::LoadError& error) {
        return error.what();
    }
    return "";
}

/// Makes a file of that size, without writing anything to the disk.
void make_sparse(const std::string& file, std::size_t size) { std::filesystem::resize_file(file, size); }

}  // namespace

TEST_CASE("pipes, devices, folders and files that are not there are refused by name, without waiting") {
    const Folder folder;
    REQUIRE(mkfifo(folder.at("pipe").c_str(), 0600) == 0);
    std::filesystem::create_symlink(folder.at("pipe"), folder.at("link"));
    std::filesystem::create_symlink(folder.at("circle"), folder.at("circle"));
    const std::pair<std::string, std::string> cases[] = {{folder.at("pipe"), "a pipe"},
                                                         {folder.at("link"), "a pipe"},
                                                         {"/dev/zero", "a device"},
                                                         {"/dev/tty", "a device"},
                                                         {folder.at(""), "a folder"},
                                                         {folder.at("none"), "none at this path"},
                                                         {folder.at("none/x"), "none at this path"},
                                                         {folder.at("circle"), "cannot be read"}};
    for (const auto& [file, found] : cases) {
        INFO(file);
        const std::string words = loading(file);
        CHECK(contains(words, file));
        CHECK(contains(words, found));
    }
}

TEST_CASE("files above the stated size are refused, YAML above a smaller one") {
    const Folder folder;
    const std::string robot = folder.write("robot.urdf", "<robot name=\"r\"/>");
    make_sparse(robot, grbda::largest_xml_file + 1);
    CHECK(contains(loading(robot), "one of more than 512 MiB"));
    const std::string side = folder.write("side.yaml", "closed_loop: []\n");
    make_sparse(side, grbda::largest_yaml_file + 1);
    CHECK(contains(loading(side), "YAML of more than 16 MiB"));
}

TEST_CASE("a file is read completely, whatever size it reports") {
    const Folder folder;
    std::string found, text(200'000, 'x');
    const std::string file = folder.write("file", text);
    CHECK(grbda::read_file(file, text.size(), found) == text);
    CHECK_FALSE(grbda::read_file(file, text.size() - 1, found).has_value());
    CHECK(grbda::read_file(folder.write("empty", ""), 0, found) == "");
    const auto endless = grbda::read_file("/proc/self/status", 1 << 20, found);  // says that it has no bytes
    REQUIRE(endless.has_value());
    CHECK_FALSE(endless->empty());
    CHECK_FALSE(grbda::read_file("/proc/self/status", 10, found).has_value());
}

TEST_CASE("more elements than any robot has are refused before memory is spent on them") {
    const Folder folder;
    std::string text = "<robot name=\"r\">";
    for (int i = 0; i < 4'000'001; ++i) text += "<link name=\"l\"/>";
    const std::string file = folder.write("robot.urdf", text + "</robot>");
    CHECK(contains(loading(file), "8000000 elements and attributes"));
}
