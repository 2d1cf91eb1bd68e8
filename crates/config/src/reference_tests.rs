//! The reference is complete, current, and reads back as the defaults.

use super::{reference, reference_markdown};
use crate::{AREAS, Settings};

#[test]
fn kvist_conf_in_the_repository_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kvist.conf");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == reference(),
        "kvist.conf is out of date: cargo run -p kvist-config --example reference > kvist.conf"
    );
}

#[test]
fn its_settings_read_back_as_the_defaults() {
    let text = reference();
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')));
    let live: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .filter(|line| !line.is_empty() && !line.starts_with(' '))
        .collect();
    let mut settings = Settings::new(3);
    settings.apply_text(live.join("\n").as_bytes(), "kvist.conf").unwrap();
    assert!(settings.slots.iter().all(|slot| slot.value == slot.default));
    let listed = settings.slots.iter().filter(|slot| !slot.directive.hidden).count();
    // io-threads and query-threads have no number to stand for their defaults.
    assert_eq!(live.len(), listed - 2);

    settings = Settings::new(3);
    settings.apply_text(text.as_bytes(), "kvist.conf").unwrap();
    assert!(settings.slots.iter().all(|slot| slot.source.is_none()));
}

#[test]
fn lines_are_short_enough_to_read() {
    for line in reference().lines().filter(|line| line.starts_with("# ")) {
        assert!(line.len() <= super::WIDTH + 20, "{line}");
    }
}

#[test]
fn the_page_has_a_row_for_every_directive() {
    let page = reference_markdown();
    for directive in AREAS.iter().flat_map(crate::Area::directives) {
        let row = format!("\n| `{}` |", directive.name);
        assert_eq!(page.contains(&row), !directive.hidden, "{}", directive.name);
    }
}
