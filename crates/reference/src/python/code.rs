//! Methods as Python code: what runs.
//!
//! The code is what a person would write for speed: a call without options is one expression, and
//! words are gathered in a list only where some of them depend on the arguments. Annotations stand
//! in the stubs, so that importing the module costs little.

use super::table::{Call, Line, Method, MethodKind};
use super::template::{Branch, Piece, Template, When};
use super::{Class, Doc};

/// Columns of a line.
const COLUMNS: usize = 100;

/// The class as code.
pub(crate) fn class(class: &Class) -> String {
    let mut text = format!("class {}(Generic[S]):\n", class.name);
    text += &format!("    \"\"\"{}\"\"\"\n\n    __slots__ = ()\n\n", class.doc);
    text += "    def execute_command(self, *args, **options):\n        \
             \"\"\"Sends one command and answers its reply; clients say how.\"\"\"\n        \
             raise NotImplementedError\n";
    for (method, doc) in &class.methods {
        text.push('\n');
        text += &rendered(method, doc.as_ref());
    }
    text
}

fn rendered(method: &Method, doc: Option<&Doc>) -> String {
    let call = match &method.kind {
        MethodKind::Alias(name) => return format!("    {} = {name}\n", method.name),
        MethodKind::Call(call) => call,
    };
    let parameters = call.main.parameters.iter().map(|parameter| match &parameter.default {
        Some(default) => format!("{}={default}", parameter.name),
        None => parameter.name.clone(),
    });
    let parameters = std::iter::once("self".to_owned()).chain(parameters).collect::<Vec<_>>();
    let mut lines = wrapped(&format!("def {}(", method.name), &parameters, "):", 4);
    lines.extend(body(call, doc).into_iter().map(|line| format!("    {line}")));
    let indented = |line: String| match line.trim().is_empty() {
        true => "\n".to_owned(),
        false => format!("    {line}\n"),
    };
    lines.into_iter().map(indented).collect()
}

/// `before`, a list of items, `after`: in one line, or with an item to a line.
pub(crate) fn wrapped(before: &str, items: &[String], after: &str, indent: usize) -> Vec<String> {
    let line = format!("{before}{}{after}", items.join(", "));
    if line.chars().count() + indent <= COLUMNS {
        return vec![line];
    }
    let mut lines = vec![before.to_owned()];
    lines.extend(items.iter().map(|item| format!("    {item},")));
    lines.push(after.to_owned());
    lines
}

fn body(call: &Call, doc: Option<&Doc>) -> Vec<String> {
    let mut lines = doc.map(docstring).unwrap_or_default();
    let options = call.takes_options();
    for line in &call.lines {
        match line {
            Line::Check { condition, message, error } => {
                lines.push(format!("if {condition}:"));
                lines.push(format!("    raise {error}({message:?})"));
            }
            Line::Statement(statement) => lines.push(statement.clone()),
            Line::Quick { condition, words } => {
                lines.push(format!("if {condition}:"));
                lines.extend(sent(words, options).into_iter().map(|line| format!("    {line}")));
            }
        }
    }
    if let Some(words) = &call.words {
        lines.extend(sent(words, options));
    }
    lines
}

/// The statements that send a template's words.
fn sent(template: &Template, hands_on: bool) -> Vec<String> {
    let is_word = |piece: &&Piece| matches!(piece, Piece::Words(_));
    let lead = template.pieces.iter().take_while(is_word).count();
    let mut first = vec![format!("{:?}", template.command)];
    first.extend(template.pieces[..lead].iter().map(expression));
    let mut lines = Vec::new();
    if lead < template.pieces.len() {
        lines.extend(wrapped("words = [", &first, "]", 8));
        lines.extend(added(&template.pieces[lead..], 8));
        first = vec!["*words".to_owned()];
    }
    first.extend(template.options.iter().cloned());
    if hands_on {
        first.push("**kwargs".to_owned());
    }
    lines.extend(wrapped("return self.execute_command(", &first, ")", 8));
    lines
}

fn expression(piece: &Piece) -> String {
    match piece {
        Piece::Words(text) => text.clone(),
        Piece::Group(_) => String::new(),
    }
}

/// The statements that add words to the list.
fn added(pieces: &[Piece], indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut run: Vec<String> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Words(text) => run.push(text.clone()),
            Piece::Group(branches) => {
                lines.extend(flushed(&mut run, indent));
                lines.extend(group(branches, indent));
            }
        }
    }
    lines.extend(flushed(&mut run, indent));
    lines
}

fn flushed(run: &mut Vec<String>, indent: usize) -> Vec<String> {
    let items = std::mem::take(run);
    match items.as_slice() {
        [] => Vec::new(),
        [one] => match one.strip_prefix('*') {
            Some(several) => vec![format!("words += {several}")],
            None => vec![format!("words.append({one})")],
        },
        _ => wrapped("words += (", &items, ")", indent),
    }
}

fn group(branches: &[Branch], indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (n, branch) in branches.iter().enumerate() {
        lines.push(match (&branch.when, n) {
            (When::If(condition), 0) => format!("if {condition}:"),
            (When::If(condition), _) => format!("elif {condition}:"),
            (When::For(each), _) => format!("{each}:"),
            (When::Otherwise, _) => "else:".to_owned(),
        });
        let inner = added(&branch.pieces, indent + 4);
        lines.extend(inner.into_iter().map(|line| format!("    {line}")));
    }
    lines
}

fn docstring(doc: &Doc) -> Vec<String> {
    let mut lines = folded(&doc.summary, COLUMNS - 11);
    if !doc.more.is_empty() {
        lines.push(String::new());
        lines.extend(folded(&doc.more, COLUMNS - 8));
    }
    let single = lines.len() == 1;
    lines[0] = format!("\"\"\"{}", lines[0]);
    match single {
        true => lines[0] += "\"\"\"",
        false => lines.push("\"\"\"".to_owned()),
    }
    lines
}

/// A text in lines of at most so many columns.
fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.replace('\\', "\\\\").replace("\"\"\"", "'''").split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty()
            && lines[last].chars().count() + 1 + word.chars().count() > columns
        {
            lines.push(word.to_owned());
            continue;
        }
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{table, template};
    use super::*;

    #[test]
    fn words_without_conditions_are_one_call() {
        let template = template::read("GET name").unwrap();
        assert_eq!(sent(&template, false), ["return self.execute_command(\"GET\", name)"]);
        let template = template::read("\"ACL CAT\" *names @x=1").unwrap();
        let call = "return self.execute_command(\"ACL CAT\", *names, x=1, **kwargs)";
        assert_eq!(sent(&template, true), [call]);
    }

    #[test]
    fn conditions_gather_words() {
        let text = "X a [nx: NX | b?: B b | : C] d *e [for p in q: P p]";
        let lines = [
            "words = [\"X\", a]",
            "if nx:",
            "    words.append(\"NX\")",
            "elif b is not None:",
            "    words += (\"B\", b)",
            "else:",
            "    words.append(\"C\")",
            "words += (d, *e)",
            "for p in q:",
            "    words += (\"P\", p)",
            "return self.execute_command(*words)",
        ];
        assert_eq!(sent(&template::read(text).unwrap(), false), lines);
    }

    #[test]
    fn checks_and_statements_come_first() {
        let text = "f(a: int = 1) -> S\n  ! a < 0 : too \"few\"\n  = a = 2\n  F a\n";
        let table = table::read(text).unwrap();
        let lines = [
            "    def f(self, a=1):",
            "        if a < 0:",
            "            raise DataError(\"too \\\"few\\\"\")",
            "        a = 2",
            "        return self.execute_command(\"F\", a)",
            "",
        ];
        assert_eq!(rendered(&table.methods[0], None), lines.join("\n"));
    }
}
