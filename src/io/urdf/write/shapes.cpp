#include "parts.hpp"

// Other readers of URDF reject a robot with a shape unknown to them:
// shapes that URDF cannot express are in <shape>, which they ignore.

namespace grbda::urdf {

namespace {

bool is_of_urdf(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::sphere:
        case ShapeKind::cylinder:
        case ShapeKind::box:
        case ShapeKind::mesh: return true;
        case ShapeKind::capsule:
        case ShapeKind::ellipsoid:
        case ShapeKind::plane: break;
    }
    return false;
}

void write_geometry(const Shape& shape, xml::Text& text) {
    text.open("geometry").open(to_string(shape.kind));
    switch (shape.kind) {
        case ShapeKind::sphere: text.attribute("radius", shape.size.x()); break;
        case ShapeKind::capsule:
        case ShapeKind::cylinder:
            text.attribute("radius", shape.size.x()).attribute("length", shape.size.y());
            break;
        case ShapeKind::box: text.attribute("size", shape.size); break;
        case ShapeKind::ellipsoid: text.attribute("radii", shape.size); break;
        case ShapeKind::plane: break;
        case ShapeKind::mesh:
            text.attribute("filename", shape.mesh);
            if (shape.size != Eigen::Vector3d::Ones()) text.attribute("scale", shape.size);
            break;
    }
    text.close().close();
}

/// Other readers require a name, and one colour per name.
void write_material(const Eigen::Vector4d& color, xml::Text& text) {
    std::string rgba;
    for (const double part : color) rgba += (rgba.empty() ? "" : " ") + xml::exact(part);
    text.open("material").attribute("name", "rgba " + rgba);
    text.open("color").attribute("rgba", rgba).close();
    text.close();
}

class ShapeWriter {
public:
    ShapeWriter(const ShapeDescription& shape, const Pose& origin, xml::Text& text)
        : shape_(shape), origin_(origin), text_(text) {}

    void write() {
        const bool both = shape_.visual && shape_.collision;
        if (!is_of_urdf(shape_.shape.kind) || !(shape_.visual || shape_.collision)) {
            open("shape").attribute("visual", shape_.visual ? "true" : "false");
            text_.attribute("collision", shape_.collision ? "true" : "false");
            close(true, true);
            return;
        }
        if (shape_.visual) {
            open("visual");
            close(true, !both);
        }
        if (shape_.collision) {
            open("collision");
            if (both) text_.attribute("visual", "true");
            close(!both, true);
        }
    }

private:
    xml::Text& open(const char* element) {
        text_.open(element);
        if (!shape_.name.empty()) text_.attribute("name", shape_.name);
        return text_;
    }

    void close(bool with_color, bool with_surface) {
        write_origin(origin_, text_);
        write_geometry(shape_.shape, text_);
        if (with_color && shape_.color) write_material(*shape_.color, text_);
        if (with_surface && shape_.surface)
            text_.open("friction").attribute("value", shape_.surface->friction).close();
        if (with_surface) write_mask();
        text_.close();
    }

    void write_mask() {
        const TouchMask usual;
        if (shape_.mask.type == usual.type && shape_.mask.affinity == usual.affinity) return;
        text_.open("touch").attribute("contype", shape_.mask.type);
        text_.attribute("conaffinity", shape_.mask.affinity).close();
    }

    const ShapeDescription& shape_;
    const Pose& origin_;
    xml::Text& text_;
};

}  // namespace

void write_shapes(const std::vector<PlacedShape>& shapes, xml::Text& text) {
    for (const auto& [shape, origin] : shapes) ShapeWriter(*shape, origin, text).write();
}

}  // namespace grbda::urdf
