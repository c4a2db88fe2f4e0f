skinproof._publish.__prefix__:
    from numpy.typing import NDArray

    from skinproof.publish.copies import PoseCopy
    from skinproof.publish.revision import Revision
    from skinproof.publish.topology import Topology

