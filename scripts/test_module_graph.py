"""What `module-graph` makes of small crates, and what it says of ours.

    python3 -m unittest discover --start-directory scripts
"""

import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "module-graph"

loader = importlib.machinery.SourceFileLoader("module_graph", str(SCRIPT))
module_graph = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(module_graph)


class Graphs(unittest.TestCase):
    """Crates of a few lines."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="test-module-graph-"))
        self.addCleanup(shutil.rmtree, self.root)

    def crate(self, files):
        sources = self.root / "crates/small/src"
        for name, text in files.items():
            path = sources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.root / "crates/small/Cargo.toml").touch()

    def edges(self, **files):
        """Files are named as modules; `a__b` is the module `b` in a directory `a`."""
        self.crate({f"{name.replace('__', '/')}.rs": text for name, text in files.items()})
        [graph] = module_graph.graphs(["small"], self.root)
        self.assertEqual(graph.unknown, [])
        return [f"{one} {other}" for one, other in sorted(graph.edges)]

    def of_a(self, text, root="mod a; mod b; mod c;", **more):
        """The edges if the module `a` has this text, beside two modules that use nothing."""
        files = {"b": "pub struct B; pub fn f() {} pub mod deep {}", "c": "pub struct C; pub fn g() {}"}
        return self.edges(lib=root, a=text, **{**files, **more})

    def test_use_declarations_count(self):
        self.assertEqual(self.of_a("use crate::b::B;"), ["a b"])
        self.assertEqual(self.of_a("use super::b::B;"), ["a b"])
        self.assertEqual(self.of_a("use crate::b;"), ["a b"])
        self.assertEqual(self.of_a("use crate::b::*;"), ["a b"])
        self.assertEqual(self.of_a("pub(crate) use crate::b::B as Other;"), ["a b"])
        self.assertEqual(self.of_a("fn f() { use crate::b::B; }"), ["a b"])

    def test_groups_are_taken_apart(self):
        self.assertEqual(self.of_a("use crate::{b::B, c::{C, g}};"), ["a b", "a c"])
        self.assertEqual(self.of_a("use crate::{b::{self, deep::{}}, c as other};"), ["a b", "a c"])
        self.assertEqual(self.of_a("use {std::fmt, crate::c::{self as other, C}};"), ["a c"])

    def test_paths_in_code_count(self):
        self.assertEqual(self.of_a("fn x() { crate::b::f(); }"), ["a b"])
        self.assertEqual(self.of_a("fn x(_: &crate::c::C) -> super::b::B { todo!() }"), ["a b", "a c"])
        self.assertEqual(self.of_a("fn x() { println!(\"{}\", crate::b::f()); }"), ["a b"])
        self.assertEqual(self.of_a("impl<T> crate::b::B<T> where T: From<crate::c::C> {}"), ["a b", "a c"])

    def test_super_is_counted_from_where_it_stands(self):
        self.crate({"a/inner.rs": "use super::super::b::B; use super::Own; fn f() { super::own() }"})
        self.assertEqual(self.of_a("mod inner; struct Own; fn own() {}"), ["a b"])
        self.crate({"a/inner.rs": "use super::b::B;"})
        self.assertEqual(self.of_a("mod inner; mod b { pub struct B; }"), [])
        self.assertEqual(self.of_a("mod x { mod y { use super::super::super::c::g; } }"), ["a c"])

    def test_a_local_module_hides_none_of_the_root(self):
        self.assertEqual(self.of_a("mod c { pub fn g() {} } fn f() { c::g(); self::c::g() }"), [])
        self.assertEqual(self.of_a("fn f() { b::f(); other::b::f() }"), [])

    def test_names_of_the_root_count_as_where_they_come_from(self):
        root = "mod a; mod b; mod c; pub use b::B; pub use crate::c::{C as D, g};"
        self.assertEqual(self.of_a("use crate::B;", root), ["a b"])
        self.assertEqual(self.of_a("use crate::{D, g};", root), ["a c"])
        self.assertEqual(self.of_a("fn f() { crate::g(); super::B }", root), ["a b", "a c"])

    def test_names_that_a_glob_hands_on_count_as_where_they_come_from(self):
        root = "mod a; mod b; mod c; pub use b::*; pub use c::*;"
        self.assertEqual(self.of_a("use crate::B;", root), ["a b"])
        self.crate({"b/inner.rs": "pub enum Inner {}", "b/open.rs": "pub const OPEN: u8 = 1;"})
        b = "mod inner; mod open; pub use inner::Inner; pub use open::*;"
        self.assertEqual(self.of_a("use crate::Inner;", root, b=b), ["a b"])
        self.assertEqual(self.of_a("use crate::OPEN;", root, b=b), ["a b"])

    def test_of_everything_in_the_root_counts_what_is_named(self):
        root = "mod a; mod b; mod c; use b::B; pub use c::C; pub struct Own; use std::fmt;"
        self.assertEqual(self.of_a("use super::*; fn f(_: C) {}", root), ["a c", "lib b"])
        self.assertEqual(self.of_a("use crate::*; fn f(_: Own) { b::f(); fmt::f(); }", root), ["a b", "a lib", "lib b"])

    def test_the_root_is_a_module_like_any_other(self):
        root = "mod a; mod b; mod c; pub struct Own; fn f() { b::f(); }"
        self.assertEqual(self.of_a("use crate::Own;", root), ["a lib", "lib b"])
        self.assertEqual(self.of_a("", "mod a; mod b; mod c; use crate::c::C;"), ["lib c"])
        self.assertEqual(self.of_a("", "mod a; mod b; mod c; pub use crate::c::C; pub(crate) use b::B;"), [])

    def test_the_root_may_use_what_it_exports(self):
        root = "mod a; mod b; mod c; pub use b::f; pub use c::C;"
        self.assertEqual(self.of_a("", root + "fn x() -> C { f() }"), ["lib b", "lib c"])
        self.assertEqual(self.of_a("", root + "fn x(f: u8) { let C { .. } = y.C(); }"), ["lib c"])
        self.assertEqual(self.of_a("", root + "mod d { fn f(it: &D) { it.f } }"), [])

    def test_other_crates_do_not_count(self):
        root = "mod a; mod b; mod c; pub use other::Use;"
        self.assertEqual(self.of_a("use other::b::B; use crate::Use; use ::b::B;", root), [])

    def test_tests_do_not_count(self):
        self.assertEqual(self.of_a("#[cfg(test)] mod tests { use crate::b::B; } use crate::c::C;"), ["a c"])
        self.assertEqual(self.of_a("#[cfg(test)] mod tests; fn f() {}"), [])
        self.assertEqual(self.of_a("#[cfg(test)] use crate::{b::B, c::C}; fn f() {}"), [])
        self.assertEqual(self.of_a("#[cfg(test)] #[inline] pub fn x() -> u8 { crate::b::f() }"), [])
        self.assertEqual(self.of_a("#[cfg(test)] const X: B = crate::b::B { x: 1 }; fn f() {}"), [])
        self.assertEqual(self.of_a("struct X { #[cfg(test)] b: crate::b::B, c: crate::c::C }"), ["a c"])
        self.assertEqual(self.of_a("#[cfg(not(test))] use crate::b::B;"), ["a b"])

    def test_text_and_comments_do_not_count(self):
        self.assertEqual(self.of_a('const X: &str = "crate::b::f()\\" crate::b";'), [])
        self.assertEqual(self.of_a('const X: &str = r##"crate::b "# crate::b"##;'), [])
        self.assertEqual(self.of_a("// crate::b::B\n/* crate::b /* */ crate::c */ fn f() {}"), [])
        self.assertEqual(self.of_a("/// [`crate::b::B`]\nfn f<'a>(x: &'a u8) -> char { '\"' }"), [])
        # A quote that begins no text, then a path.
        self.assertEqual(self.of_a("fn f() { let _ = ('\"', b'\\'', '\\u{22}'); crate::b::f() }"), ["a b"])

    def test_what_an_impl_captures_is_no_declaration(self):
        self.assertEqual(self.of_a("fn f<'a>() -> impl Sized + use<'a> { crate::b::f() }"), ["a b"])

    def test_a_name_that_nobody_knows_is_told(self):
        self.crate({"lib.rs": "mod a;", "a.rs": "use crate::missing::X;"})
        [graph] = module_graph.graphs(["small"], self.root)
        self.assertEqual(graph.unknown, ["crates/small/src/a.rs:1: crate::missing::X"])

    def run_script(self, *words):
        command = [sys.executable, str(SCRIPT), "--root", str(self.root), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_cycles_are_told_and_fail(self):
        self.crate({
            "lib.rs": "mod a; mod b; mod c; mod d;",
            "a.rs": "use crate::b::B;\n\nuse crate::b::X;",
            "b.rs": "use crate::c::C;",
            "c.rs": "use crate::{a::A, d::D};",
            "d.rs": "",
        })
        done = self.run_script()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, """\
small: a -> b  (2, crates/small/src/a.rs:1)
small: b -> c  (1, crates/small/src/b.rs:1)
small: c -> a  (1, crates/small/src/c.rs:1)
small: c -> d  (1, crates/small/src/c.rs:1)

cycle in small: a, b, c
    a -> b -> c -> a
    small: a -> b  (2, crates/small/src/a.rs:1)
    small: b -> c  (1, crates/small/src/b.rs:1)
    small: c -> a  (1, crates/small/src/c.rs:1)
""")
        self.assertIn('"small::c" -> "small::d";', self.run_script("--dot", "small").stdout)

    def test_without_a_cycle_it_succeeds(self):
        self.crate({"main.rs": "mod a; fn main() { a::f() }", "a.rs": "pub fn f() {}"})
        done = self.run_script("small")
        self.assertEqual((done.returncode, done.stdout), (0, "small: main -> a  (1, crates/small/src/main.rs:1)\n"))


class Ours(unittest.TestCase):
    """The crates of this tree."""

    def test_modules_of_a_crate_do_not_use_each_other_in_a_cycle(self):
        for crate in module_graph.all_crates():
            for graph in module_graph.graphs([crate]):
                with self.subTest(crate=crate):
                    self.assertEqual(graph.unknown, [])
                    self.assertEqual(graph.cycles(), [], f"see scripts/module-graph {crate}")


if __name__ == "__main__":
    unittest.main()
