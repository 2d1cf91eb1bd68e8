//! Records and samples as hxRedis writes them: Trio in the order and with the quotation marks that
//! Haxall gives it.

use haystack::{Cell, Dict, Value, zinc};

/// Tags that stand first, in this order.
const FIRST: [&str; 3] = ["id", "name", "dis"];
/// The tag that stands last.
const LAST: &str = "src";
/// Words that are no text without quotation marks.
const QUOTED: [&str; 7] = ["true", "false", "INF", "NA", "NaN", "R", "Zinc"];

/// A record, or a sample.
pub fn of_dict(dict: &Dict) -> String {
    let mut tags: Vec<(&str, &Value)> =
        dict.iter().map(|(tag, value)| (tag.as_str(), value)).collect();
    let place = |tag: &str| FIRST.iter().position(|first| *first == tag).unwrap_or(FIRST.len());
    tags.sort_by_key(|(tag, _)| (*tag == LAST, place(tag), *tag));
    let mut out = String::new();
    for (tag, value) in tags {
        out.push_str(tag);
        match value.cell() {
            Cell::Marker => {}
            Cell::Bool(value) => out.push_str(if value { ":true" } else { ":false" }),
            Cell::Str(text) => put_text(&mut out, text),
            cell if has_grid(&cell) => {
                out.push_str(":Zinc:\n");
                let mut text = Vec::new();
                match cell {
                    Cell::Grid(grid) => zinc::write_grid(&mut text, grid),
                    cell => zinc::write_value(&mut text, &cell),
                }
                put_lines(&mut out, String::from_utf8_lossy(&text).trim_end_matches('\n'));
                continue;
            }
            cell => {
                out.push(':');
                out.push_str(&zinc::to_text(&cell));
            }
        }
        out.push('\n');
    }
    out
}

/// Whether a value takes several lines.
fn has_grid(cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Grid(_) => true,
        Cell::List(list) => list.iter().any(|value| has_grid(&value.cell())),
        Cell::Dict(dict) => dict.iter().any(|(_, value)| has_grid(&value.cell())),
        _ => false,
    }
}

fn put_text(out: &mut String, text: &str) {
    out.push(':');
    if is_block(text) {
        out.push('\n');
        put_lines(out, text);
        // The end of the last line is that of the tag.
        out.pop();
    } else if needs_quotes(text) {
        out.push_str(&zinc::to_text(&Cell::Str(text)));
    } else {
        out.push_str(text);
    }
}

fn put_lines(out: &mut String, text: &str) {
    for line in text.split('\n') {
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    }
}

/// Whether a text reads back from lines that are indented. Haxall writes all of several lines so,
/// also those that do not read back, and are in quotation marks here.
fn is_block(text: &str) -> bool {
    let is_plain = |line: &str| !line.ends_with(char::is_whitespace) && !line.contains('\r');
    let is_kept = !text.starts_with(char::is_whitespace) && !text.ends_with('\n');
    text.contains('\n') && is_kept && text.split('\n').all(is_plain)
}

fn needs_quotes(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return true };
    if !first.is_ascii() {
        // What reads as something else, or not as itself, is in quotation marks all the same.
        return text.trim() != text || text.contains(char::is_control);
    }
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || " -_".contains(c);
    let is_word = first.is_ascii_alphabetic() && text.chars().all(is_plain);
    !is_word || QUOTED.contains(&text) || text.ends_with(char::is_whitespace) || is_literal(text)
}

/// Whether a text without quotation marks would be a value of Zinc, as `T`, `N` and `M` are.
fn is_literal(text: &str) -> bool {
    text.len() < 4 && zinc::read_value(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::of_dict;
    use haystack::{Dict, Value, trio, zinc};

    #[test]
    fn tags_stand_in_haxalls_order() {
        let text = "id:@a \"A, B\"\nname:a\ndis:\"A, B\"\narea:740m²\nb:true\nl:[1, {a}]\nmod:\
                    2026-01-27T23:10:00.123Z UTC\nsite\nt:plain text_1-2\nzone:\"T\"\nsrc:\n\
                    \x20 a\n  \n  b\n";
        let mut dict = Dict::new();
        for read in trio::read(text).iter().flatten() {
            let mut all: Vec<_> = read.iter().collect();
            all.reverse();
            all.into_iter().for_each(|(tag, value)| dict.set(tag.clone(), value.clone()));
        }
        assert_eq!(of_dict(&dict), text);
    }

    #[test]
    fn all_values_read_back() {
        let texts = [
            "",
            " ",
            "a",
            "T",
            "F",
            "N",
            "M",
            "R",
            "NA",
            "Zinc",
            "true",
            "5",
            "a.b",
            "a\nb",
            "\na",
            "a\n",
            "a\n\nb",
            "a\n b",
            "a \nb",
            "a\r\nb",
            "é",
            "é ",
            "é\nb",
            "$x",
            "a$",
            "@a",
            "\"",
            "\\",
            "a\u{1}",
            "Trio:",
            "ÄÖ: x",
            "\u{a0}a",
            "a\u{2028}b",
        ];
        let grid = "<<\nver:\"3.0\"\na,b\n1,\"x\"\n>>";
        let values = ["[1, 2]", "{a b:\"x\"}", "@r \"R\"", "`u`", "^s", "NA", "C(1,2)", grid];
        let values = values.iter().filter_map(|text| zinc::read_value(text).ok());
        let lists = values.clone().map(|value| Value::list(vec![value]));
        let all = texts.iter().map(|text| Value::from(*text)).chain(values.clone()).chain(lists);
        for value in all {
            let mut dict = Dict::new();
            assert!(dict.put("x", value).is_ok() && dict.put("y", Value::MARKER).is_ok());
            let written = of_dict(&dict);
            assert_eq!(trio::read(&written), Ok(vec![dict]), "{written}");
        }
    }
}
