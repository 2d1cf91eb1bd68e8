//! Rules and decisions. That both are those of Redis is tested against it in `engine`.

use proptest::prelude::*;

use super::*;
use base::KeyFlag;

fn vocabulary() -> Vocabulary {
    Vocabulary::new([
        ("get", vec!["read", "string", "fast"]),
        ("set", vec!["write", "string", "slow"]),
        ("config", vec!["slow"]),
        ("config|get", vec!["admin", "slow", "dangerous"]),
        ("config|set", vec!["admin", "slow", "dangerous"]),
        ("client|own", vec!["slow", "connection"]),
        ("debug", vec!["admin", "slow", "dangerous"]),
    ])
}

fn user(words: &Vocabulary, rules: &str) -> User {
    let terms = Terms { vocabulary: words, all_channels: false };
    let mut user = User::new(terms);
    for rule in merge_selectors(&rules.split(' ').map(str::as_bytes).collect::<Vec<_>>()).unwrap() {
        user.apply(terms, &rule).unwrap_or_else(|e| panic!("{}: {e}", rule.escape_ascii()));
    }
    user
}

fn line(words: &Vocabulary, rules: &str) -> String {
    String::from_utf8(user(words, rules).line(words, b"u")).unwrap()
}

struct Asked<'a> {
    command: usize,
    words: Vec<&'a [u8]>,
    keys: Vec<(usize, Permission)>,
    channels: Vec<usize>,
    patterns: bool,
}

impl Request for Asked<'_> {
    fn command(&self) -> usize {
        self.command
    }
    fn is_for_everybody(&self) -> bool {
        false
    }
    fn first_argument(&self) -> Option<&[u8]> {
        self.words.get(1).copied()
    }
    fn keys(&self) -> &[(usize, Permission)] {
        &self.keys
    }
    fn channels(&self) -> &[usize] {
        &self.channels
    }
    fn takes_patterns(&self) -> bool {
        self.patterns
    }
    fn word(&self, at: usize) -> &[u8] {
        self.words[at]
    }
}

const READ: Permission = Permission { read: true, write: false };
const WRITE: Permission = Permission { read: false, write: true };

fn asked<'a>(words: &Vocabulary, text: &'a str, needed: Permission) -> Asked<'a> {
    let argv: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
    let keys = (1..argv.len()).map(|at| (at, needed)).collect();
    let command = words.find(argv[0]).unwrap();
    Asked { command, words: argv, keys, channels: Vec::new(), patterns: false }
}

#[test]
fn a_new_user_may_do_nothing_and_the_default_one_everything() {
    let words = vocabulary();
    assert_eq!(line(&words, ""), "user u off resetchannels -@all");
    let terms = Terms { vocabulary: &words, all_channels: false };
    let free = User::default_user(terms);
    assert_eq!(free.line(&words, b"default"), b"user default on nopass ~* &* +@all");
    assert!(free.is_free() && free.lets_in(b"anything") && free.is_pristine(terms));
    assert!(!user(&words, "+@all ~*").is_free());
}

#[test]
fn commands_that_redis_has_and_this_server_has_not_stay_in_rules() {
    let words = vocabulary();
    assert_eq!(line(&words, "+eval"), "user u off resetchannels -@all +eval");
    assert_eq!(line(&words, "+@scripting"), "user u off resetchannels -@all +@scripting");
    let more = line(&words, "+@all -debug +debug|object");
    assert_eq!(more, "user u off resetchannels +@all -debug +debug|object");
}

#[test]
fn a_key_needs_a_pattern_with_all_that_is_done_to_it() {
    let words = vocabulary();
    let user = user(&words, "+@all ~both %R~in* %W~out*");
    let check = |text, needed| user.check(&asked(&words, text, needed));
    assert_eq!(check("get both", Permission::ALL), Ok(()));
    assert_eq!(check("get in1", READ), Ok(()));
    assert_eq!(check("get in1", Permission::default()), Ok(()));
    assert_eq!(check("get in1", WRITE), Err(Denied::Key(1)));
    assert_eq!(check("set out1", WRITE), Ok(()));
    assert_eq!(check("set both out1", READ), Err(Denied::Key(2)));
    assert_eq!(check("get other", Permission::default()), Err(Denied::Key(1)));
}

#[test]
fn selectors_are_not_mixed() {
    let words = vocabulary();
    let user = user(&words, "+get ~a (+set ~b)");
    let check = |text| user.check(&asked(&words, text, READ));
    assert_eq!(check("get a"), Ok(()));
    assert_eq!(check("set b"), Ok(()));
    assert_eq!(check("get b"), Err(Denied::Key(1)));
    assert_eq!(check("set a"), Err(Denied::Key(1)));
    assert_eq!(check("debug a"), Err(Denied::Command));
}

#[test]
fn patterns_of_channels_are_compared_word_for_word() {
    let words = vocabulary();
    let user = user(&words, "&news.* &x");
    assert!(user.may_listen(b"news.1", false) && user.may_listen(b"news.*", true));
    assert!(!user.may_listen(b"news.1", true) && !user.may_listen(b"*", true));
    assert!(!user.may_listen(b"y", false));
}

#[test]
fn first_arguments_and_subcommands() {
    let words = vocabulary();
    let user = user(&words, "~* +debug|Object +config|get");
    let check = |name: &str, text| {
        let mut request = asked(&words, text, READ);
        request.command = words.find(name.as_bytes()).unwrap();
        user.check(&request).is_ok()
    };
    assert!(check("debug", "debug object x") && !check("debug", "debug sleep 1"));
    assert!(!check("debug", "debug"));
    assert!(check("config|get", "config get x") && !check("config|set", "config set x"));
}

#[test]
fn rules_that_cannot_be_are_told_and_change_nothing() {
    let words = vocabulary();
    let terms = Terms { vocabulary: &words, all_channels: false };
    let mut user = user(&words, "allkeys allchannels");
    let before = user.line(&words, b"u");
    let cases: [(&[u8], RuleError); 14] = [
        (b"+nope", RuleError::Unknown),
        (b"-get|x", RuleError::Unknown),
        (b"+get|x|y", RuleError::Unknown),
        (b"+config|", RuleError::Syntax),
        (b"+config|get|x", RuleError::ArgumentOfSubcommand),
        (b"~x", RuleError::KeysAfterAll),
        (b"&x", RuleError::ChannelsAfterAll),
        (b"%~x", RuleError::KeysAfterAll),
        (b"<x", RuleError::NoSuchPassword),
        (b"!x", RuleError::BadHash),
        (b"(on)", RuleError::Syntax),
        (b"(+get +nope)", RuleError::Unknown),
        (b"bad", RuleError::Syntax),
        (b"+\xff", RuleError::Unknown),
    ];
    for (rule, error) in cases {
        assert_eq!(user.apply(terms, rule), Err(error), "{}", rule.escape_ascii());
    }
    assert_eq!(user.line(&words, b"u"), before);
    user.apply(terms, b"resetkeys").unwrap();
    for rule in [&b"%~x"[..], b"%RR~x", b"%X~x", b"~a b", b"~a\0", b"~a\x0bb"] {
        assert_eq!(user.apply(terms, rule), Err(RuleError::Syntax), "{}", rule.escape_ascii());
    }
}

#[test]
fn passwords_let_in_only_who_is_on() {
    let words = vocabulary();
    let mut someone = user(&words, "on >a >b");
    assert!(someone.lets_in(b"a") && someone.lets_in(b"b") && !someone.lets_in(b"c"));
    let terms = Terms { vocabulary: &words, all_channels: false };
    someone.apply(terms, b"<a").unwrap();
    assert!(!someone.lets_in(b"a") && someone.lets_in(b"b"));
    someone.apply(terms, b"OFF").unwrap();
    assert!(!someone.lets_in(b"b"));
    assert!(user(&words, "on nopass").lets_in(b""));
    assert!(!user(&words, "on").lets_in(b""));
}

#[test]
fn what_a_key_flag_needs() {
    let needed = Permission::needed;
    assert_eq!(needed(&[KeyFlag::ReadOnly]), Permission::default());
    assert_eq!(needed(&[KeyFlag::ReadOnly, KeyFlag::Access]), READ);
    assert_eq!(needed(&[KeyFlag::Overwrite, KeyFlag::Update]), WRITE);
    assert_eq!(needed(&[KeyFlag::ReadWrite, KeyFlag::Access, KeyFlag::Delete]), Permission::ALL);
}

#[test]
fn a_file_is_read_whole_or_not_at_all() {
    let words = vocabulary();
    let terms = Terms { vocabulary: &words, all_channels: false };
    let users = parse_file(terms, b"user a on +get ~x\r\n\n  user b (+set ~y) \n", "f").unwrap();
    assert_eq!(users.keys().collect::<Vec<_>>(), [b"a", b"b"]);
    assert_eq!(users[&b"a"[..]].line(&words, b"a"), b"user a on ~x resetchannels -@all +get");
    let text = b"user a +nope\nuser a\nx\nuser b (+get\nuser c\tc on\nuser d bad\n# note\n";
    let errors = parse_file(terms, text, "f").unwrap_err();
    let expected = format!(
        "f:1: Error in applying operation '+nope': Unknown command or category name in ACL. \
         WARNING: Duplicate user 'a' found on line 2. \
         f:3 should start with user keyword followed by the username. \
         f:4: Unmatched parenthesis in selector definition.\
         'f:5: username 'c\tc' contains invalid characters. f:6: Syntax error. \
         f:7 should start with user keyword followed by the username. {ACL_LOAD_FAILED}"
    );
    assert_eq!(String::from_utf8(errors).unwrap(), expected);
}

fn rule() -> impl Strategy<Value = String> {
    let names: Vec<String> = vocabulary().words().iter().map(|w| w.name.to_string()).collect();
    let sign = prop_oneof![Just("+"), Just("-")];
    prop_oneof![
        6 => (sign.clone(), proptest::sample::select(names)).prop_map(|(s, n)| format!("{s}{n}")),
        6 => (sign, proptest::sample::select(CATEGORIES.to_vec()))
            .prop_map(|(s, n)| format!("{s}@{n}")),
        1 => Just("+@all".to_owned()),
        1 => Just("-@all".to_owned()),
        1 => Just("+debug|object".to_owned()),
        1 => "[a-c*?]{0,3}".prop_map(|p| format!("%R~{p}")),
        1 => "[a-c*?]{0,3}".prop_map(|p| format!("%W~{p}")),
    ]
}

#[test]
fn a_pattern_for_every_key_is_no_word_for_all_keys() {
    let words = vocabulary();
    let terms = Terms { vocabulary: &words, all_channels: false };
    let line = user(&words, "%W~* %R~x %R~*").line(&words, b"u");
    assert_eq!(line, b"user u off %RW~* %R~x resetchannels -@all");
    assert_eq!(parse_file(terms, &line, "f").unwrap()[&b"u"[..]].line(&words, b"u"), line);
}

proptest! {
    /// What is written describes exactly what was given, and is described as it is.
    #[test]
    fn a_description_gives_the_same_permissions(rules in proptest::collection::vec(rule(), 0..12)) {
        let words = vocabulary();
        let first = user(&words, &rules.join(" "));
        let told = String::from_utf8(first.selectors()[0].commands(&words)).unwrap();
        let again = user(&words, &told);
        let (a, b) = (&first.selectors()[0], &again.selectors()[0]);
        prop_assert_eq!(&a.commands, &b.commands, "{:?} became {}", rules, told);
        prop_assert_eq!(a.future, b.future);
        for command in 0..words.len() {
            let shown = |s: &Selector| s.first_arguments_of(command).to_vec();
            if !a.commands.has(command) {
                prop_assert_eq!(shown(a), shown(b));
            }
        }
        let line = first.line(&words, b"u");
        let terms = Terms { vocabulary: &words, all_channels: false };
        let read = parse_file(terms, &line, "f").unwrap();
        prop_assert_eq!(read[&b"u"[..]].line(&words, b"u"), line);
    }

    /// No rule, however broken, does more than be refused.
    #[test]
    fn any_bytes_are_a_rule_or_refused(rule in proptest::collection::vec(any::<u8>(), 0..20)) {
        let words = vocabulary();
        let terms = Terms { vocabulary: &words, all_channels: false };
        let mut user = User::new(terms);
        let before = user.line(&words, b"u");
        if user.apply(terms, &rule).is_err() {
            prop_assert_eq!(user.line(&words, b"u"), before);
        }
    }
}
