//! An expression as calls, each on what the one before answers.

/// Calls of an expression, and arguments of a call, at most.
const MOST: usize = 16;

/// A call.
#[derive(Debug, PartialEq, Eq)]
pub struct Step<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its arguments, as they stand.
    pub args: Vec<&'t str>,
}

/// The calls of an expression: `a(x).b.c(y, z)`. `None` if it is anything else.
pub fn steps(text: &str) -> Option<Vec<Step<'_>>> {
    let (mut steps, mut rest) = (Vec::new(), text.trim());
    loop {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let (args, behind) = match behind.strip_prefix('(') {
            Some(inner) => arguments(inner)?,
            None => (Vec::new(), behind),
        };
        if name.is_empty() || steps.len() == MOST {
            return None;
        }
        steps.push(Step { name, args });
        rest = match behind.trim_start() {
            "" => return Some(steps),
            behind => behind.strip_prefix('.')?.trim_start(),
        };
    }
}

/// The arguments up to the closing parenthesis, and what stands behind it.
fn arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut args, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' | b'`' => loop {
                match bytes.next()?.1 {
                    b'\\' => drop(bytes.next()),
                    end if end == byte => break,
                    _ => {}
                }
            },
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                let last = text.get(start..at)?.trim();
                if !last.is_empty() || !args.is_empty() {
                    args.push(last);
                }
                return Some((args, text.get(at + 1..)?));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                args.push(text.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
        if args.len() == MOST {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let steps = steps(text)?;
        let shown = steps.iter().map(|step| format!("{}[{}]", step.name, step.args.join("|")));
        Some(shown.collect::<Vec<_>>().join("."))
    }

    #[test]
    fn expressions_are_calls() {
        let cases = [
            ("read(a)", "read[a]"),
            (
                " readAll( (a or b) and dis==\"x),(\" ) .toRecList",
                "readAll[(a or b) and dis==\"x),(\"].toRecList[]",
            ),
            (
                "diff(null, {dis:\"a, b\", x}, {add}).commit()",
                "diff[null|{dis:\"a, b\", x}|{add}].commit[]",
            ),
            ("a(b(c, d), `x)`)", "a[b(c, d)|`x)`]"),
            ("a(\"\\\")\")", "a[\"\\\")\"]"),
            ("a(é)", "a[é]"),
        ];
        for (text, told) in cases {
            assert_eq!(shown(text).as_deref(), Some(told), "{text}");
        }
        for wrong in ["", "a(", "a(\"", "a)", "a(b", "a(b}", "a..b", "a b", "1+1", "a().", "a(\"\\"]
        {
            assert_eq!(shown(wrong), None, "{wrong}");
        }
        assert_eq!(shown(&format!("a{}", ".a".repeat(MOST))), None);
        assert_eq!(shown(&format!("a({})", "x,".repeat(MOST))), None);
    }
}
