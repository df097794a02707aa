#include "xml_text.hpp"

#include "description/number_text.hpp"
#include "xml_source.hpp"

namespace grbda::xml {

namespace {

/// Escapes text for attributes or between tags. White space other than
/// blanks is written by number: a parser would replace it by blanks.
std::string escaped(std::string_view text) {
    std::string utf8;
    if (!is_utf8(text)) {
        utf8 = latin1_to_utf8(text);
        text = utf8;
    }
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&apos;"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20U) {
                    out += "&#" + std::to_string(static_cast<int>(c)) + ";";
                } else {
                    out += c;
                }
        }
    }
    return out;
}

}  // namespace

std::string exact(double value) { return shortest_text(value == 0 ? 0.0 : value); }

Text::Text() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

void Text::end_tag() {
    if (!in_tag_) return;
    text_ += ">\n";
    in_tag_ = false;
}

void Text::new_line() {
    end_tag();
    text_.append(2 * open_.size(), ' ');
}

Text& Text::open(const char* element) {
    new_line();
    text_ += std::string("<") + element;
    open_.push_back(element);
    in_tag_ = true;
    return *this;
}

Text& Text::attribute(const char* name, std::string_view value) {
    text_ += std::string(" ") + name + "=\"" + escaped(value) + "\"";
    return *this;
}

Text& Text::attribute(const char* name, double value) { return attribute(name, exact(value)); }

Text& Text::attribute(const char* name, const Eigen::Vector3d& value) {
    return attribute(name, exact(value.x()) + " " + exact(value.y()) + " " + exact(value.z()));
}

Text& Text::attribute(const char* name, const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : " ") + exact(value);
    return attribute(name, list);
}

Text& Text::close() {
    const std::string element = open_.back();
    open_.pop_back();
    if (in_tag_) {
        text_ += "/>\n";
        in_tag_ = false;
    } else {
        new_line();
        text_ += "</" + element + ">\n";
    }
    return *this;
}

Text& Text::close(std::string_view content) {
    text_ += ">" + escaped(content) + "</" + open_.back() + ">\n";
    open_.pop_back();
    in_tag_ = false;
    return *this;
}

Text& Text::leaf(const char* element, std::string_view content) { return open(element).close(content); }

}  // namespace grbda::xml
