#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

// Writes XML, element by element, indented; every number in the shortest form that reads back exactly.

namespace grbda::xml {

/// The shortest decimal number that reads back as this one; zero without a sign.
std::string exact(double value);

class Text {
public:
    Text();
    Text& open(const char* element);
    Text& attribute(const char* name, std::string_view value);
    Text& attribute(const char* name, const char* value) { return attribute(name, std::string_view(value)); }
    Text& attribute(const char* name, double value);
    Text& attribute(const char* name, const Eigen::Vector3d& value);
    Text& attribute(const char* name, const std::vector<double>& values);
    Text& close();
    /// Closes an element that contains only this text.
    Text& close(std::string_view content);
    /// Writes an element that contains only text.
    Text& leaf(const char* element, std::string_view content);

    /// The whole text, after every element is closed.
    const std::string& str() const { return text_; }

private:
    void end_tag();
    void new_line();

    std::string text_;
    std::vector<const char*> open_;
    bool in_tag_ = false;
};

}  // namespace grbda::xml
