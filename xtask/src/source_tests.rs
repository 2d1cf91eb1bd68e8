//! What the scanner must not take for code, and what it must.

use super::Source;

#[test]
fn comments_are_blank_and_strings_are_not() {
    let source =
        Source::new("//! doc\n\nlet a = \"unsafe // {\n more\"; // unsafe\n/* x\n/* y */ z */\n");
    assert_eq!(source.lines_of_code(0, 10), 2);
    assert!(source.lines_with_word("unsafe").is_empty());
    assert!(source.code[2].contains("let a = "));
}

#[test]
fn raw_strings_and_characters() {
    let source = Source::new("a(br#\"unsafe \" {\"#, '\"', '\\'', 'x', b'{');\nunsafe {}\n");
    assert_eq!(source.lines_with_word("unsafe"), [1]);
    let source = Source::new("fn f<'a>(x: &'a str) -> &'a str { x }\nfor x in y {}\n");
    assert_eq!(source.functions(), [("f".to_owned(), 0, 0)]);
}

#[test]
fn names_that_contain_the_word_are_other_words() {
    let source = Source::new("#![forbid(unsafe_code)]\nlet not_unsafe = 1;\n");
    assert!(source.lines_with_word("unsafe").is_empty());
}

#[test]
fn functions_have_first_and_last_lines() {
    let text = "trait T {\n    fn declared(&self);\n}\ntype F = fn(u8) -> u8;\n\
                fn long(\n    x: [u8; 3],\n) -> [u8; { 1 + 2 }] {\n    { x }\n}\n";
    assert_eq!(Source::new(text).functions(), [("long".to_owned(), 4, 8)]);
}

#[test]
fn tests_do_not_count() {
    let text = "fn f() {}\n\n#[cfg(test)]\n#[path = \"x_tests.rs\"]\nmod tests;\n\
                #[cfg(all(test, unix))]\nmod more {\n    fn g() {}\n}\nfn h() {}\n";
    let source = Source::new(text);
    assert_eq!(source.lines_of_code(0, 100), 2);
    assert_eq!(source.is_test.iter().filter(|is| **is).count(), 7);
}

#[test]
fn unfinished_text_does_not_panic() {
    for text in ["", "\"", "'", "'\\", "r#", "r#\"", "/*", "fn", "fn x", "#[cfg(test)]", "b'"] {
        let source = Source::new(text);
        source.functions();
        source.lines_with_word("fn");
    }
}
