//! Words, stems and groups.

use super::{Stemmer, StopWords, Synonyms, lower, tokens};
use crate::schema::LANGUAGES;
use crate::schema::Language;

fn words(text: &[u8]) -> Vec<(String, u32, String)> {
    let stop_words = StopWords::default();
    let tokens = tokens(text, &stop_words);
    let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    tokens.map(|it| (text_of(&it.word), it.position, text_of(&text[it.range]))).collect()
}

fn bare(text: &[u8]) -> Vec<String> {
    words(text).into_iter().map(|(word, ..)| word).collect()
}

#[test]
fn text_is_divided_at_punctuation() {
    assert_eq!(bare(b"foo-bar baz_qux, x.y 3.14!"), ["foo", "bar", "baz_qux", "x", "y", "3", "14"]);
    assert_eq!(bare(b"  "), [""; 0]);
    assert_eq!(bare(b""), [""; 0]);
    assert_eq!(bare("Bücher ÄÖ".as_bytes()), ["bücher", "äö"]);
}

#[test]
fn backslashes_keep_separators() {
    let found = words(b"a hello\\-World\\ x \\y end\\");
    let ranges: Vec<_> = found.iter().map(|(word, at, range)| (&**word, *at, &**range)).collect();
    assert_eq!(
        ranges,
        [("hello-world x", 0, "hello\\-World\\ x"), ("y", 1, "y"), ("end", 2, "end")]
    );
    assert_eq!(bare(b"\\\\"), ["\\"]);
}

#[test]
fn stop_words_take_no_position() {
    let found = words(b"Hello THE world");
    let found: Vec<_> = found.iter().map(|(word, at, _)| (&**word, *at)).collect();
    assert_eq!(found, [("hello", 0), ("world", 1)]);
    let none = StopWords::new(Some(&[]));
    assert_eq!(tokens(b"the end", &none).count(), 2);
    let own = StopWords::new(Some(&[b"End".to_vec()]));
    assert_eq!(tokens(b"the end", &own).count(), 1);
}

#[test]
fn bytes_that_are_no_text_stay() {
    assert_eq!(&*lower(b"A\xffB\xc3"), b"a\xffb\xc3");
    let stop_words = StopWords::none();
    let found: Vec<_> = tokens(b"A\xff\0B c", &stop_words).map(|it| it.word.into_owned()).collect();
    assert_eq!(found, [b"a\xff\0b".to_vec(), b"c".to_vec()]);
}

#[test]
fn words_have_stems() {
    let english = Stemmer::new(&Language::parse(b"English").unwrap());
    assert_eq!(english.stem(b"running"), Some(b"run".to_vec()));
    assert_eq!(english.stem(b"hello"), None);
    assert_eq!(english.stem(b"runs"), Some(b"run".to_vec()));
    assert_eq!(english.stem(b"its"), None);
    assert_eq!(english.stem(b"\xffrunning"), None);
    assert!(Language::parse(b"klingon").is_none());
    assert!(LANGUAGES.is_sorted());
    let german = Stemmer::new(&Language::parse(b"german").unwrap());
    assert_eq!(german.stem("bücher".as_bytes()), Some(b"buch".to_vec()));
}

#[test]
fn no_word_makes_a_stemmer_fail() {
    let mut rng = testkit::seed::rng();
    let letters: Vec<char> = "abcdeilnrsty'йаеиуяάέςσλقالميةுகத்öäßéèçşığ".chars().collect();
    for name in LANGUAGES {
        let stemmer = Stemmer::new(&Language::parse(name.as_bytes()).unwrap());
        for _ in 0..3000 {
            let long = rng.below(12) + 1;
            let word: String = (0..long).map(|_| letters[rng.below(letters.len())]).collect();
            stemmer.stem(word.as_bytes());
        }
    }
}

#[test]
fn groups_of_synonyms() {
    let mut synonyms = Synonyms::default();
    synonyms.update(b"1", [b"Boy".as_slice(), b"child"]);
    synonyms.update(b"2", [b"child".as_slice(), b"baby"]);
    synonyms.update(b"1", [b"lad".as_slice()]);
    assert_eq!(synonyms.of(b"child"), [b"baby".as_slice(), b"boy", b"lad"]);
    assert_eq!(synonyms.of(b"boy"), [b"child".as_slice(), b"lad"]);
    assert!(synonyms.of(b"man").is_empty());
    let dump: Vec<(&[u8], Vec<&[u8]>)> =
        synonyms.dump().map(|(word, groups)| (word, groups.collect())).collect();
    assert_eq!(dump[2], (b"child".as_slice(), vec![b"1".as_slice(), b"2"]));
}
