//! The example of RFC 7677, and which passwords keys are derived of.

use super::*;
use crate::{Terms, User, Vocabulary};

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

/// Section 3 of RFC 7677 has 4096 rounds; what follows from the salted password is the same.
#[test]
fn the_example_of_the_standard() {
    // W22ZaJ0SNY7soEsUEjb6gQ==
    let salt = unhex("5b6d99689d12358eeca04b141236fa81");
    let mut salted = [0; KEY];
    pbkdf2::pbkdf2_hmac::<Sha256>(b"pencil", &salt, 4096, &mut salted);
    let keys = ScramKeys {
        password: Password::hash(b"pencil"),
        stored: Sha256::digest(code(&salted, b"Client Key")).into(),
        server: code(&salted, b"Server Key"),
    };
    let messages = "n=user,r=rOprNGfwEbeRWgbNEkqO,\
        r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,\
        c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    // dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=
    let proof = unhex("747cdb65aa56224e2352137e52d7bdcad6a0f738df30782caa69a2cfb0277554");
    let proof: Key = proof.try_into().unwrap();
    assert!(keys.are_proven(messages.as_bytes(), &proof));
    // 6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=
    let signature = unhex("eabae24d1062db75a9451ff0b6ea7e98c8546549ff741e672d3251b2397de46e");
    assert_eq!(keys.signature(messages.as_bytes()).to_vec(), signature);
    for at in 0..KEY {
        let mut wrong = proof;
        wrong[at] ^= 1;
        assert!(!keys.are_proven(messages.as_bytes(), &wrong));
    }
    assert!(!keys.are_proven(&messages.as_bytes()[1..], &proof));
}

fn plain(rules: &[&str]) -> Vec<Password> {
    let words = Vocabulary::new([("get", vec!["read"])]);
    let terms = Terms { vocabulary: &words, all_channels: false };
    let mut user = User::new(terms);
    rules.iter().for_each(|rule| user.apply(terms, rule.as_bytes()).unwrap());
    let plain = user.take_plain_passwords();
    assert!(user.take_plain_passwords().is_empty());
    assert!(!format!("{plain:?}").contains("secret"));
    plain.iter().map(|plain| plain.hash().clone()).collect()
}

#[test]
fn passwords_are_known_in_plain_as_long_as_they_are_the_users() {
    let hash = |text: &str| Password::hash(text.as_bytes());
    assert_eq!(plain(&[">secret", ">other"]), [hash("secret"), hash("other")]);
    assert_eq!(plain(&[">secret", ">other", "<secret"]), [hash("other")]);
    assert_eq!(plain(&[">secret", ">secret"]), [hash("secret")]);
    for rules in [[">secret", "nopass"], [">secret", "resetpass"], [">secret", "reset"]] {
        assert!(plain(&rules).is_empty(), "{rules:?}");
    }
    let hashed = format!("#{}", String::from_utf8_lossy(hash("secret").as_bytes()));
    assert!(plain(&[&hashed]).is_empty());
    // A password that is there as a hash and is said in plain.
    assert_eq!(plain(&[&hashed, ">secret"]), [hash("secret")]);
    let many: Vec<String> = (0..MOST_KEYS + 5).map(|n| format!(">{n}")).collect();
    let kept = plain(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((kept.len(), &kept[0]), (MOST_KEYS, &hash("5")));
}
