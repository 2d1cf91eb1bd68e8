//! Dates, times, instants, zones.

use super::*;

fn ts(iso: &str, zone: &str) -> DateTime {
    DateTime::parse(iso, Some(zone)).unwrap()
}

#[test]
fn dates_and_times_read_back() {
    for text in ["0000-01-01", "1969-12-31", "2024-02-29", "9999-12-31"] {
        assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
    }
    for bad in ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "2024-01-01 ", "", "2024-00-10"]
    {
        assert!(bad.parse::<Date>().is_err(), "{bad}");
    }
    let times = [
        ("8:30", "08:30:00"),
        ("08:30:05.5", "08:30:05.500"),
        ("23:59:59.000001", "23:59:59.000001"),
        ("00:00:00.1234567891", "00:00:00.123456789"),
    ];
    for (text, shown) in times {
        assert_eq!(text.parse::<Time>().unwrap().to_string(), shown);
    }
    for bad in ["24:00:00", "1:60", "12", "12:3", "12:30:", "12:30:1", "12:30:00.", "-1:00"] {
        assert!(bad.parse::<Time>().is_err(), "{bad}");
    }
}

#[test]
fn instants_keep_their_zone_and_compare_without_it() {
    let york = ts("2024-07-01T08:00:00-04:00", "New_York");
    let utc = ts("2024-07-01T12:00:00Z", "UTC");
    assert_eq!(york, utc);
    assert_eq!(york.to_string(), "2024-07-01T08:00:00-04:00 New_York");
    assert_eq!(utc.to_zone(york.zone()).to_string(), york.to_string());
    assert_eq!((york.date().to_string(), york.time().to_string()), {
        ("2024-07-01".to_owned(), "08:00:00".to_owned())
    });
    assert_eq!(ts("2024-01-01T00:00:00Z", "London").to_string(), "2024-01-01T00:00:00Z London");
}

#[test]
fn the_offset_says_which_instant_it_is() {
    // Clocks were put back: this hour came twice.
    let first = ts("2024-11-03T01:30:00-04:00", "New_York");
    let second = ts("2024-11-03T01:30:00-05:00", "New_York");
    assert_eq!(second.nanos() - first.nanos(), 3_600 * NANOS);
    for each in [first, second] {
        let text = each.to_string();
        let (iso, zone) = text.split_once(' ').unwrap();
        assert_eq!(ts(iso, zone).nanos(), each.nanos());
    }
}

#[test]
fn mean_local_times_keep_their_instant() {
    let old = DateTime::from_nanos(-4_000_000_000 * NANOS, Zone::named("New_York").unwrap());
    assert_ne!(old.offset() % 60, 0);
    assert_eq!(ts(&old.iso(), "New_York").nanos(), old.nanos());
    let seconds = ts("1850-01-01T00:00:00-04:56:02", "New_York");
    assert_eq!(seconds, ts("1850-01-01T04:56:02Z", "UTC"));
}

#[test]
fn instants_beyond_the_range_are_refused() {
    assert!(DateTime::parse("9999-12-31T00:00:00Z", None).is_err());
    assert!(DateTime::parse("1600-12-31T00:00:00Z", None).is_err());
    for nanos in [i64::MIN, i64::MAX] {
        for zone in [Zone::UTC, Zone::named("Kiritimati").unwrap()] {
            let text = DateTime::from_nanos(nanos, zone).iso();
            assert_eq!(ts(&text, zone.city()).nanos(), nanos);
        }
    }
    for bad in ["2024-07-01T08:00:00", "2024-07-01", "2024-07-01T08:00:00+4", "", "2024-07-01T"] {
        assert!(DateTime::parse(bad, Some("UTC")).is_err(), "{bad}");
    }
    assert!(DateTime::parse("2024-07-01T08:00:00+02:00", None).is_err());
}

#[test]
fn cities_name_zones() {
    let all: Vec<Zone> = Zone::all().collect();
    assert!(all.len() > 400, "{}", all.len());
    for zone in &all {
        assert_eq!(Zone::named(zone.city()).unwrap(), *zone);
        assert_eq!(Zone::named(zone.full()).unwrap(), *zone, "{}", zone.full());
    }
    let cases = [
        ("Stockholm", "Europe/Stockholm"),
        ("UTC", "UTC"),
        ("GMT+5", "Etc/GMT+5"),
        ("Indianapolis", "America/Indianapolis"),
        ("Port-au-Prince", "America/Port-au-Prince"),
    ];
    for (city, full) in cases {
        let zone = Zone::named(city).unwrap();
        assert!(zone.full().ends_with(full.rsplit('/').next().unwrap()), "{}", zone.full());
        assert_eq!(Zone::named(full).unwrap(), zone);
    }
    assert_eq!(Zone::named("West").unwrap().full(), "Australia/West");
    assert_eq!(Zone::fixed(7_200).unwrap().city(), "GMT-2");
    assert_eq!(Zone::fixed(1_800), None);
    assert!(Zone::named("new_york").is_err() && Zone::named("").is_err());
}

#[test]
fn clocks_that_skip_and_repeat() {
    let zone = Zone::named("Berlin").unwrap();
    let at = |date: &str, time: &str| {
        let (date, time) = (date.parse().unwrap(), time.parse().unwrap());
        DateTime::in_zone(date, time, zone).unwrap().iso()
    };
    assert_eq!(at("2024-10-27", "02:30:00"), "2024-10-27T02:30:00+02:00");
    assert_eq!(at("2024-03-31", "02:30:00"), "2024-03-31T03:30:00+02:00");
    assert_eq!(at("2024-01-01", "00:00:00"), "2024-01-01T00:00:00+01:00");
}
