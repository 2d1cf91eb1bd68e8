//! How many tokens there are, and how long they are good.

use engine::{Engine, Start};

use super::*;

fn engine() -> Arc<Engine> {
    let mut settings = config::Settings::new(1);
    let nowhere =
        "dir /dev/null/nowhere\nappendonly no\nsave \"\"\nuser ada on >pw\nuser bob on >b\n";
    settings.apply_text(nowhere.as_bytes(), "a test").unwrap();
    let engine = Engine::new(Start::new(settings, [1, 2, 3, 4], 0)).unwrap();
    engine.load_users().unwrap();
    engine
}

fn login(engine: &Engine, name: &str, password: &str) -> Login {
    let account = engine.users.find(name.as_bytes()).unwrap();
    Login { account, password: Password::hash(password.as_bytes()) }
}

#[test]
fn tokens_end_with_time_and_by_word() {
    let (engine, tokens, now) = (engine(), Tokens::default(), Instant::now());
    let shown = |token: &str, at| tokens.show(token, &engine.users, at).is_some();
    tokens.give("a", login(&engine, "ada", "pw"), now);
    tokens.give("b", login(&engine, "ada", "pw"), now);
    tokens.give("c", login(&engine, "ada", "other"), now);
    assert!(shown("a", now) && shown("a", now + IDLE) && shown("a", now + 2 * IDLE));
    assert!(!shown("b", now + 2 * IDLE) && !shown("b", now), "it was idle");
    assert!(!shown("c", now), "the user has no such password");
    let mut at = now + 2 * IDLE;
    while at + IDLE <= now + OLDEST {
        at += IDLE;
        assert!(shown("a", at));
    }
    assert!(!shown("a", now + OLDEST + Duration::from_secs(1)), "it was shown often, but is old");
    tokens.give("d", login(&engine, "bob", "b"), now);
    tokens.end("d");
    assert!(!shown("d", now) && !shown("", now));
}

#[test]
fn there_are_so_many_and_no_more() {
    let (engine, tokens, now) = (engine(), Tokens::default(), Instant::now());
    tokens.give("b", login(&engine, "bob", "b"), now);
    for number in 0..=MOST_OF_USER {
        let at = now + Duration::from_millis(number as u64);
        tokens.give(&number.to_string(), login(&engine, "ada", "pw"), at);
    }
    let shown = |token: &str| tokens.show(token, &engine.users, now).is_some();
    assert_eq!(tokens.0.lock().len(), 1 + MOST_OF_USER);
    assert!(!shown("0") && shown("1") && shown("b"));
}
