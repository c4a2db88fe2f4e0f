// The harness itself, with the fault that its first argument names.
#include <string_view>

#include "check.hpp"

int main(int argc, char** argv) {
    const std::string_view fault = argc > 1 ? argv[1] : "";
    if (fault == "no_check") return check::result();
    CHECK(fault != "false_check");
    CHECK_NEAR(1e9 + 1, 1e9, 2e-9);
    return check::result();
}
