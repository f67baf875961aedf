"""What random programs compute with: extents and values, each with the bounds of its numbers."""
from dataclasses import dataclass, field

INF = float("inf")
CPP = {"f": "float", "d": "double", "i": "int", "l": "std::int64_t", "b": "bool"}
MAX_ELEMENTS = 4000


@dataclass(frozen=True)
class Dim:
    """An extent: what its type says (a number, a name, or None for kt::any), and its value in each call."""
    code: object
    sizes: tuple

    @property
    def text(self):
        return "kt::any" if self.code is None else str(self.code)


@dataclass
class Value:
    name: str
    dtype: str
    dims: list
    lo: float = -INF
    hi: float = INF
    paths: frozenset = frozenset()   # floating values that it depends on differentiably
    index: bool = False              # integers that may be used as indices
    needs: set = field(default_factory=set)
    source: str = ""

    @property
    def rank(self):
        return len(self.dims)

    @property
    def floating(self):
        return self.dtype in "fd"

    @property
    def integral(self):
        return self.dtype in "il"

    @property
    def bound(self):
        return max(abs(self.lo), abs(self.hi))


class Mismatch(Exception):
    """The drawn operation does not fit what there is; draw another."""


def unify(a, b):
    if a.sizes != b.sizes or (a.code != b.code and a.code is not None and b.code is not None):
        raise Mismatch
    return b if a.code is None else a


def broadcast(a, b):
    big, small = (a, b) if len(a) >= len(b) else (b, a)
    result = list(big)
    for i, y in enumerate(small):
        at = len(big) - len(small) + i
        x = big[at]
        if y.code == 1 or x == y:
            continue
        result[at] = y if x.code == 1 else unify(x, y) if len(a) >= len(b) else unify(y, x)
    return result
