// The _publish extension: the run-time half of skinproof.
#include "publish_module/bind.hpp"

NB_MODULE(_publish, m) {
    m.doc() = "The compiled publisher of skinproof. Import it through skinproof._native only.";
    skinproof::publish::binding::bind_snapshot(m);
    skinproof::publish::binding::bind_candidate(m);
    skinproof::publish::binding::bind_owner(m);
}
