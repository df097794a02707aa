#include <algorithm>

#include "grbda/io/file.hpp"
#include "xml.hpp"

// Parses files into elements: encoding, syntax, and errors in both.

namespace grbda::xml {

namespace {

/// True for the name of an attribute directly after the value of another.
bool follows_quote(std::string_view text, std::size_t place) {
    return place > 0 && place < text.size() && (text[place - 1] == '"' || text[place - 1] == '\'');
}

/// The problem, and a remedy, for a reader who has only the file.
std::pair<const char*, const char*> syntax_error(const pugi::xml_parse_result& result, std::string_view text,
                                                 std::size_t place) {
    switch (result.status) {
        case pugi::status_no_document_element: return {"no XML element", ""};
        case pugi::status_unrecognized_tag:
            return {"a '<' that begins no element", "write &lt; for the character"};
        case pugi::status_bad_pi: return {"a <?…?> that does not end here", "end it with ?>"};
        case pugi::status_bad_comment: return {"a comment that does not end", "end it with -->"};
        case pugi::status_bad_cdata: return {"a <![CDATA[ that does not end", "end it with ]]>"};
        case pugi::status_bad_doctype: return {"a <!DOCTYPE that does not end", "end it with >"};
        case pugi::status_bad_start_element:
            return {"a start of an element that does not end", "end it with >"};
        case pugi::status_bad_end_element: return {"an end of an element that does not end", "end it with >"};
        case pugi::status_bad_attribute:
            if (follows_quote(text, place))
                return {"an attribute right after the quote of another: a space is missing",
                        "put a space between them"};
            return {"an attribute that is not name=\"value\"", "put the value in quotes"};
        default: return {result.description(), ""};
    }
}

/// An element that marks where the parser keeps an included text.
constexpr std::string_view leading_mark = "<_/>";

/// The text after that element. A large text never has more than two copies at a time.
std::string marked(std::string text) {  // NOLINT(performance-unnecessary-value-param): is freed at the end
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    std::string_view rest = text;
    if (rest.substr(0, byte_order_mark.size()) == byte_order_mark) rest.remove_prefix(byte_order_mark.size());
    std::string bytes;
    bytes.reserve(leading_mark.size() + rest.size());
    bytes += leading_mark;
    bytes += rest;
    return bytes;
}

}  // namespace

Document::Document(std::string text, std::string file, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    Source& source = sources_.emplace_back();
    source.file = std::move(file);
    source.bytes = std::move(text);
    if (!decode(source, 0) || !parse(source)) return;
    root_ = document_.document_element();
    check_one_root(root_);
    check_attributes_occur_once(root_);
}

pugi::xml_node Document::include(std::string text, std::string file, pugi::xml_node holder) {
    Source& source = sources_.emplace_back();
    source.file = std::move(file);
    source.bytes = marked(std::move(text));
    if (!decode(source, leading_mark.size()) || !parse_into(source, holder)) return {};
    const pugi::xml_node root = holder.first_child();
    check_one_root(root);
    check_attributes_occur_once(root);
    return root;
}

bool Document::make_room(std::size_t elements, pugi::xml_node reason) {
    has_copies_ = true;
    if (count_elements(elements, most_elements_with_copies)) return true;
    is_full_ = true;
    error(Code::too_large, reason,
          "at most " + std::to_string(most_elements_with_copies) +
              " elements and attributes in all, with copies",
          "more");
    return false;
}

bool Document::count_elements(std::size_t elements, std::size_t most) {
    if (elements_ > most || elements > most - elements_) return false;
    elements_ += elements;
    return true;
}

/// The file's text begins at this offset of the bytes.
bool Document::decode(Source& source, std::size_t begin) {
    const bool utf8 = is_utf8(source.bytes);
    const std::size_t zero = std::string_view(source.bytes).substr(begin).find('\0');
    if (zero == std::string_view::npos && !utf8) source.bytes = latin1_to_utf8(source.bytes);
    source.text = std::string_view(source.bytes).substr(begin);
    source.lines.emplace(source.text);
    if (source.text.size() > largest_xml_file) {
        report_at(Code::too_large, source, 0,
                  "text of at most " + size_in_words(largest_xml_file) + " in UTF-8", "more", "");
        return false;
    }
    if (zero != std::string_view::npos) {
        report_at(Code::syntax, source, zero, "text in UTF-8", "a zero byte", "save the file as UTF-8");
        return false;
    }
    if (!utf8) {
        diagnostics_.push_back({Severity::note,
                                Code::assumed,
                                {source.file, 1, 1},
                                {"file", source.file, "file"},
                                "bytes that are not UTF-8 were read as Latin-1",
                                "",
                                "save the file as UTF-8"});
    }
    const std::size_t most = source.text.size() > small_file ? most_elements : most_elements_of_small_file;
    if (count_elements(count_markup(source.text), most)) return true;
    report_at(Code::too_large, source, 0,
              "at most " + std::to_string(most) + " elements and attributes in all", "more", "");
    return false;
}

bool Document::parse(Source& source) {
    source.buffer.assign(source.text.begin(), source.text.end());
    source.begin = source.buffer.data();
    begins_[source.begin] = sources_.size() - 1;
    // In place, so that every name is a pointer into the buffer: this locates elements.
    const pugi::xml_parse_result result = document_.load_buffer_inplace(
        source.buffer.data(), source.buffer.size(), pugi::parse_default, pugi::encoding_utf8);
    if (result) return true;
    report_syntax(source, result, result.offset < 0 ? 0 : static_cast<std::size_t>(result.offset));
    return false;
}

/// The parser makes a private copy of such a text. The mark in front of it shows where.
bool Document::parse_into(Source& source, pugi::xml_node holder) {
    const pugi::xml_parse_result result = holder.append_buffer(source.bytes.data(), source.bytes.size(),
                                                               pugi::parse_default, pugi::encoding_utf8);
    const pugi::xml_node marker = holder.first_child();
    const std::size_t place = result.offset < 0 ? 0 : static_cast<std::size_t>(result.offset);
    if (!result) {
        report_syntax(source, result, place > leading_mark.size() ? place - leading_mark.size() : 0);
        return false;
    }
    source.begin = marker.name() - 1 + leading_mark.size();
    begins_[source.begin] = sources_.size() - 1;
    holder.remove_child(marker);
    while (holder.first_child() && holder.first_child().type() != pugi::node_element) {
        holder.remove_child(holder.first_child());
    }
    if (holder.first_child()) return true;
    report_at(Code::syntax, source, 0, "well-formed XML", "no XML element", "");
    return false;
}

void Document::check_one_root(pugi::xml_node root) {
    for (pugi::xml_node other = root.next_sibling(); other; other = other.next_sibling()) {
        if (other.type() != pugi::node_element) continue;
        error(Code::syntax, other, "one outermost element",
              tag(other.name()) + " after the end of " + tag(root.name()));
    }
}

void Document::report_syntax(const Source& source, const pugi::xml_parse_result& result, std::size_t place) {
    const std::string_view text = source.text;
    if (result.status != pugi::status_end_element_mismatch) {
        const bool is_cut = place > 0 && trim(text.substr(std::min(place, text.size()))).empty();
        const auto [found, hint] = syntax_error(result, text, place);
        report_at(Code::syntax, source, result.status == pugi::status_no_document_element ? 0 : place,
                  "well-formed XML", std::string(found) + (is_cut ? ", at the end of the file" : ""),
                  is_cut ? "is the file cut off here?" : hint);
        return;
    }
    // The parser stops after the '</' of an element's end, or at the end of the file.
    const bool at_end_tag = place >= 2 && text.compare(place - 2, 2, "</") == 0;
    const std::size_t begin = at_end_tag ? place - 2 : text.size();
    const std::string name(text.substr(place, text.find_first_of("> \t\r\n", place) - place));
    const std::string found = at_end_tag ? "</" + name + ">" : "the end of the file";
    const std::optional<OpenElement> open = open_element(text, begin);
    if (!open) {
        report_at(Code::syntax, source, begin, "well-formed XML", found + " with no element open", "");
        return;
    }
    const std::string line = std::to_string(source.lines->at(open->offset).line);
    report_at(Code::syntax, source, begin,
              "</" + std::string(open->name) + "> for the <" + std::string(open->name) + "> of line " + line,
              found, "end that element with </" + std::string(open->name) + ">, or with /> where it begins");
}

void Document::check_attributes_occur_once(pugi::xml_node root) {
    for (pugi::xml_node element = root; element; element = next_element(element, root)) {
        std::set<std::string_view> names;
        for (const pugi::xml_attribute attribute : element.attributes()) {
            if (names.insert(attribute.name()).second) continue;
            error(Code::syntax, element, "each attribute once",
                  "attribute " + quoted(attribute.name()) + " twice");
        }
    }
}

void Document::report_at(Code code, const Source& source, std::size_t offset, std::string expected,
                         std::string found, std::string hint) {
    const LineAndColumn place = source.lines->at(offset);
    diagnostics_.push_back({Severity::error,
                            code,
                            {source.file, place.line, place.column},
                            {"file", source.file, "file"},
                            std::move(expected),
                            std::move(found),
                            std::move(hint)});
}

}  // namespace grbda::xml
