//! Methods as stubs: what type checkers and editors read.
//!
//! Three kinds of class have the same methods and differ in what a call gives: the reply, a
//! coroutine of the reply, or the pipeline itself, for chaining. redis-py has one set of
//! annotations for all of them, and so one cannot tell which it is; here each has its own.

use super::Class;
use super::code::wrapped;
use super::table::{MethodKind, Parameter, Signature};

/// What a call of a method gives.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gives {
    Reply,
    Coroutine,
    Pipeline,
}

/// What a pipeline has methods of its own for.
const OF_PIPELINES: &[&str] = &["reset"];

/// The class as a stub, under `name`.
pub(crate) fn class(class: &Class, name: &str, gives: Gives) -> String {
    let mut text = format!("class {name}(Generic[S]):\n");
    let define = if gives == Gives::Coroutine { "async def" } else { "def" };
    text += &format!(
        "    {define} execute_command(self, *args: EncodableT, **options: Any) -> Any: ...\n"
    );
    for (method, _) in &class.methods {
        if gives == Gives::Pipeline && OF_PIPELINES.contains(&method.name.as_str()) {
            continue;
        }
        match &method.kind {
            MethodKind::Alias(of) => text += &format!("    {} = {of}\n", method.name),
            MethodKind::Call(call) if gives == Gives::Pipeline || call.over.is_empty() => {
                text += &signature(&method.name, &call.main, gives);
            }
            MethodKind::Call(call) => {
                for narrow in call.over.iter().chain([&call.main]) {
                    text += "    @overload\n";
                    text += &signature(&method.name, narrow, gives);
                }
            }
        }
    }
    text
}

fn signature(name: &str, signature: &Signature, gives: Gives) -> String {
    let define = if gives == Gives::Coroutine { "async def" } else { "def" };
    let reply = match gives {
        Gives::Pipeline if signature.reply != "None" => "Self".to_owned(),
        _ => outside(&signature.reply),
    };
    let parameters = std::iter::once("self".to_owned());
    let parameters = parameters.chain(signature.parameters.iter().map(parameter));
    let parameters: Vec<String> = parameters.collect();
    let end = format!(") -> {reply}: ...");
    let lines = wrapped(&format!("{define} {name}("), &parameters, &end, 4);
    lines.into_iter().map(|line| format!("    {line}\n")).collect()
}

fn parameter(parameter: &Parameter) -> String {
    let mut text = parameter.name.clone();
    if let Some(of) = &parameter.of {
        text += &format!(": {}", outside(of));
    }
    if let Some(default) = &parameter.default {
        let equals = if parameter.of.is_some() { " = " } else { "=" };
        text += &format!("{equals}{default}");
    }
    text
}

/// A type as it must be written where a method is called `set`.
fn outside(of: &str) -> String {
    match of.strip_prefix("set[") {
        Some(rest) => format!("builtins.set[{rest}"),
        None => of.replace(" set[", " builtins.set["),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Doc, table};
    use super::*;

    #[test]
    fn three_kinds_of_class() {
        let text = "f(a: int = 1) -> set[S]\n  over (a: str) -> None\n  F a\n";
        let methods = table::read(text).unwrap().methods;
        let methods = methods.into_iter().map(|method| (method, None::<Doc>)).collect();
        let commands = Class { name: "C", doc: "", methods };
        let line = |gives, n: usize| {
            class(&commands, "C", gives).lines().nth(n).unwrap_or_default().to_owned()
        };
        assert_eq!(line(Gives::Reply, 3), "    def f(self, a: str) -> None: ...");
        assert_eq!(line(Gives::Reply, 5), "    def f(self, a: int = 1) -> builtins.set[S]: ...");
        assert_eq!(line(Gives::Coroutine, 3), "    async def f(self, a: str) -> None: ...");
        assert_eq!(line(Gives::Pipeline, 2), "    def f(self, a: int = 1) -> Self: ...");
    }
}
