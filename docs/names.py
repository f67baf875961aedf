"""Lists what namespace `kroton` shows its users, as clang sees it, with the sentence that the headers have for each name. docs/check compares docs/names.md
with it.

    /// Absolute value; elementwise: `kt::abs(x)`.       |  `abs`  |  Absolute value; elementwise: `kt::abs(x)`.  |  graph/ops/abs.hpp  |
    template <tensor_like X>                        ->
    constexpr mapped<ops::abs, X> abs(const X& x) {
"""
import re
from concurrent.futures import ThreadPoolExecutor

from harness import ROOT, Compiler, Problem

FOLDER = ROOT / "include/kroton"
HEADERS = ["kroton.hpp", "callable.hpp", "debug/print.hpp", "debug/stats.hpp", "debug/verify.hpp", "debug/verify_grad.hpp"]
# The namespaces of rooms: what is in them is the library's own.
ROOMS = {"arithmetic", "graph", "ops", "simd", "typed", "passes", "kernel", "runtime", "reference", "tensors", "functors", "io"}
# The namespaces that users write.
SHOWN = {"kroton": "", "kroton::init": "init::", "kroton::nn": "nn::", "kroton::optim": "optim::", "kroton::random": "random::"}
OPENED = re.compile(r"^(?:inline )?namespace ([\w:]+) \{")
CLOSED = re.compile(r"^\}  // namespace ([\w:]+)")
EXPORTED = re.compile(r"^using (\w+)::(\w+);")
TITLES = {"": "The whole library", "arithmetic": "Element types", "expr": "Expressions and models", "graph": "Operations", "nn": "Networks",
          "optim": "Optimisers", "runtime": "Sessions, functions and contexts"}
HEAD = """# Names

What is in namespace `kroton`, here `kt`, as the compiler sees it after `#include <kroton/kroton.hpp>`, `<kroton/callable.hpp>` and the headers of
`kroton/debug`. Everything else is in the namespaces of the rooms, which [namespaces.hpp](../include/kroton/namespaces.hpp) lists, and may change at any time.

This page is made of the comments in the headers; `docs/check --update` writes it anew.
"""


def exports_of(space):
    """What clang finds in one namespace, as a set of names."""
    source = "".join(f"#include <kroton/{header}>\n" for header in HEADERS)
    called = Compiler("clang").call("docs/names.md", "-fsyntax-only", "-fopenmp", "-Xclang", "-ast-dump-lookups", "-Xclang", f"-ast-dump-filter={space}",
                                    "-x", "c++", "-", input_text=source)
    first = called.output.partition("\nDumping ")[0]
    names = set(re.findall(r"^[|`]-DeclarationName '([^<'][^']*)'$", first, re.MULTILINE))
    if not names:
        raise Problem(f"clang did not list what namespace {space} has", called.output[-2000:])
    return names


def exports():
    """`init::zeros`, `abs`, `operator+`, ...: what clang finds in the namespaces that users write, without `kroton`."""
    with ThreadPoolExecutor() as pool:
        found = dict(zip(SHOWN, pool.map(exports_of, SHOWN)))
    spaces = ROOMS | {"debug"} | {space.removeprefix("kroton::") for space in SHOWN}
    return {prefix + name for space, prefix in SHOWN.items() for name in found[space]} - spaces


def sentence(comment):
    """The first sentence of a comment `/// ...`."""
    text = " ".join(line.removeprefix("///").strip() for line in comment)
    return re.match(r"(?s)(.*?(?:`[^`]*`.*?)*?[.:]?)(?:(?<=\.) (?=[A-Z`])|$)", text)[1].rstrip(":")


def declared(line):
    """The name that a line at the left margin declares, or None."""
    if re.match(r"[\s#}/\"]|namespace \S+ \{|using namespace|friend", line):
        return None
    if named := re.match(r"inline constexpr struct \w+ (?::.*)?\{\} (\w+);|namespace (\w+) = ", line):
        return named[1] or named[2]
    if named := re.match(r"(?:inline constexpr |inline |template <.*> |extern )*(?:struct|class|enum class|concept|using) (?:\[\[\w+\]\] )?(\w+)\b(?!::)", line):
        return named[1]
    plain = line
    while "<" in plain and (shorter := re.sub(r"(?<!operator)(?<!operator<)<[^<>()]*>", "", plain)) != plain:
        plain = shorter
    named = re.search(r"(operator\W+?|\b[A-Za-z_]\w*)\s*(?:\(|\{|= |;)", plain)
    return named[1].strip() if named else None


def comments():
    """The first sentence and the header of every name that a header explains: `kroton::abs` -> (sentence, header)."""
    found, sources = {}, {}
    for file in sorted(FOLDER.rglob("*.hpp")):
        header, spaces, comment = file.relative_to(FOLDER).as_posix(), [], []
        for line in file.read_text(encoding="utf-8").splitlines():
            if opened := OPENED.match(line):
                spaces.append(opened[1])
            elif CLOSED.match(line):
                spaces.pop()
            elif line.startswith("///"):
                comment.append(line)
                continue
            elif exported := EXPORTED.match(line):
                sources[f"{'::'.join(spaces)}::{exported[2]}"] = f"kroton::{exported[1]}::{exported[2]}"
            elif re.match(r"template <[^>]*>?$|template <.*>$|template <.*,$|  requires|\s+(class|auto|typename|int|bool)\b.*>$", line) and comment:
                continue
            elif comment and (name := declared(line)):
                found.setdefault(f"{'::'.join(spaces)}::{name}", (sentence(comment), header))
            if line.strip():
                comment = []
    for name, source in sources.items():
        if source in found:
            found.setdefault(name, found[source])
    return found


def page():
    """docs/names.md as it should be."""
    explained, rows, missing = comments(), {}, []
    for name in sorted(exports()):
        space = next((space for space, prefix in SHOWN.items() if prefix and name.startswith(prefix)), "kroton")
        told = explained.get(f"{space}::{name.removeprefix(SHOWN[space])}")
        if told is None:
            missing.append(name)
        else:
            rows.setdefault(told[1].split("/")[0] if "/" in told[1] else "", []).append((name, *told))
    if missing:
        raise Problem(f"the headers have no comment `///` for {', '.join(missing)}")
    return HEAD + "".join(f"\n## {TITLES[room]}\n\n| Name | What it is | Header |\n|---|---|---|\n" + "".join(
        f"| `{name}` | {told} | [{header}](../include/kroton/{header}) |\n".replace("||", "\\|\\|") for name, told, header in sorted(names))
                          for room, names in sorted(rows.items()))
