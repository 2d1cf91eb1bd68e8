"""Checks of the code: formatting, rules, lints, documents, builds."""

from .job import need
from .places import TARGET
from .registry import check
from .servers import program


@check("format", after=())
def check_format(job):
    """Is everything formatted as rustfmt would?"""
    job.run(["cargo", "fmt", "--all", "--check"])


@check("tidy", after=(), using=("cargo",))
def check_tidy(job):
    """Are the rules of the house kept?"""
    job.run(["cargo", "xtask", "tidy"])


@check("build", after=(), using=("cargo",))
def check_build(job):
    """Does everything build, with assertions?"""
    build(job)
    for name in ("kvist", "differential"):
        program("debug", name)


def build(job):
    """Builds what there is of this workspace but tests; what is built already is left alone."""
    # What only tests depend on asks other crates for more features. Cargo sees it where examples and
    # benchmarks are built; without them, tests would be linked with a second build of all crates.
    # The Python package is built by its own tool.
    job.run(["cargo", "build", "--locked", "--workspace", "--exclude", "kvist-python",
             "--lib", "--bins", "--examples", "--bench", "path"])


@check("release", after=())
def check_release(job):
    """Does the program that people run build?"""
    job.run(["cargo", "build", "--locked", "--release", "--bin", "kvist"])


@check("clippy", using=("cargo",))
def check_clippy(job):
    """Is clippy content?"""
    job.run(["cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])


@check("generated", using=("cargo",))
def check_generated(job):
    """Are the pages made from the commands' specs up to date?"""
    build(job)
    job.run([TARGET / "debug" / "kvist-reference", "--check"])


@check("dependencies", after=())
def check_dependencies(job):
    """Are all dependencies allowed by deny.toml?"""
    need("cargo-deny", "cargo-deny (cargo install cargo-deny)")
    job.run(["cargo", "deny", "check", "bans", "licenses", "sources"])


@check("docs", using=("cargo",))
def check_docs(job):
    """Does every page of the API documentation build, with links that lead somewhere?"""
    job.run(["cargo", "doc", "--locked", "--workspace", "--no-deps", "--document-private-items"],
            RUSTDOCFLAGS="-D warnings")
