#include "call.hpp"

using namespace grbda::c;

extern "C" {

grbda_status grbda_data_create(const grbda_model* model, grbda_data** data) {
    return guarded("grbda_data_create", [&] {
        const grbda::Model& robot = model_of(model);
        grbda_data*& made = required(data, "data", "a pointer to a grbda_data* that receives the data");
        made = nullptr;
        made = new grbda_data(robot);
        return GRBDA_OK;
    });
}

grbda_status grbda_data_clone(const grbda_data* data, grbda_data** copy) {
    return guarded("grbda_data_clone", [&] {
        const grbda_data& from = checked(data);
        grbda_data*& made = required(copy, "copy", "a pointer to a grbda_data* that receives the copy");
        made = nullptr;
        made = new grbda_data(from);
        return GRBDA_OK;
    });
}

void grbda_data_destroy(grbda_data* data) { delete data; }

}  // extern "C"
