//! Projects of records from and to files.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::fs;
use std::path::Path;

use testkit::folder::Folder;

use crate::compared::{kvist, stop};
use crate::server::{Client, Server, text};

/// Runs an import into a project.
fn import(server: &Server, project: &str, paths: &[&str]) -> (bool, String) {
    let to = format!("127.0.0.1:{}", server.port);
    kvist(&[&["import", "folio", &to, project], paths].concat())
}

fn zinc(client: &mut Client, project: &str, filter: &str) -> String {
    text(&client.ask(&["FOLIO.READALL", project, filter, "FORMAT", "zinc"]))
}

/// All files of a folder, by name, with what is in them.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    all.sort();
    all
}

const RECORDS: &str = "id: @p:demo:r:s\ndis: \"Main, Street\"\nsite\narea: 740m²\n\
    geoCoord: C(37.5,-77.4)\n\
    doc:\n  two\n  lines\nmod: 2026-01-27T23:10:00.123Z UTC\n---\nid: @t\ndis: Temp\npoint\nhis\n\
    kind: Number\nunit: °C\ntz: New_York\nsiteRef: @p:demo:r:s \"Main\"\ncurVal: 5°C\nhisSize: 9\n\
    ---\nid: @b\npoint\nhis\nkind: Bool\ntz: UTC\ntrash\n---\ndis: No id\n";

fn samples(count: u64) -> String {
    let mut text = "ver:\"3.0\" id:@t\nts,val\n".to_owned();
    for minute in 0..count {
        let (hour, minute) = (minute / 60, minute % 60);
        let (day, hour) = (hour / 24 + 1, hour % 24);
        text += &format!("2025-01-{day:02}T{hour:02}:{minute:02}:00-05:00 New_York,{minute}.5°C\n");
    }
    text
}

#[test]
fn files_become_a_project_and_come_back() {
    let (server, folder) = (Server::start(&[]), Folder::new("files"));
    let from = folder.join("from");
    fs::create_dir_all(from.join("his")).unwrap();
    fs::write(from.join("a.trio"), RECORDS).unwrap();
    fs::write(from.join("c.csv"), "id,dis,equip,n,siteRef\n@e,AHU,✓,5kW,@p:demo:r:s Main\n")
        .unwrap();
    let json = r#"[{"id":{"_kind":"ref","val":"j"},"dis":"Jay"}]"#;
    fs::write(from.join("d.json"), json).unwrap();
    fs::write(from.join("z.zinc"), "ver:\"3.0\"\nid,dis\n@z,\"Zed\"\n").unwrap();
    fs::write(from.join("notes.txt"), "nothing").unwrap();
    fs::write(from.join("his/any.zinc"), samples(10_000)).unwrap();
    fs::write(from.join("his/b.csv"), "ts,val\n2025-01-01T00:00:00Z UTC,true\n").unwrap();
    let (done, told) = import(&server, "p", &[&from.display().to_string()]);
    assert!(done && told.contains("7 records, 10001 samples of 2 histories into p"), "{told}");
    for what in
        ["1 files in folders are of no format", "1 records had no id", "1 tags are transient"]
    {
        assert!(told.contains(what), "{what} in {told}");
    }
    let mut client = server.connect();
    let all = zinc(&mut client, "p", "id");
    assert!(all.contains("\"two\\nlines\"") && all.contains("2026-01-27T23:10:00.123Z"), "{all}");
    let under = zinc(&mut client, "p", "siteRef->area == 740m²");
    assert!(under.contains("@e \"AHU\"") && under.contains("hisSize"), "{under}");
    let words = ["FOLIO.HIS.READ", "p", "t", "LIMIT", "1", "FORMAT", "zinc"];
    let first = text(&client.ask(&words));
    assert!(first.contains("00:00:00-05:00 New_York,0.5°C"), "{first}");

    for format in ["trio", "zinc", "json"] {
        let (one, two) = (folder.at(&format!("{format}1")), folder.at(&format!("{format}2")));
        let at = format!("127.0.0.1:{}", server.port);
        let (done, told) = kvist(&["export", "folio", &at, "p", &one, "--format", format]);
        assert!(done && told.contains("7 records, 10001 samples of 2 histories"), "{told}");
        let (done, told) = import(&server, format, &[&one]);
        assert!(done, "{told}");
        let (done, told) = kvist(&["export", "folio", &at, format, &two, "--format", format]);
        assert!(done, "{told}");
        let (one, two) = (files(Path::new(&one)), files(Path::new(&two)));
        assert_eq!(one.len(), 3);
        for (one, two) in one.iter().zip(&two) {
            assert!(one.1 == two.1, "{}", one.0);
        }
        let (done, told) = kvist(&["export", "folio", &at, "p", &folder.at("trio1")]);
        assert!(!done && told.contains("something in it already"), "{told}");
    }
    // CSV has no kinds, but what people read comes back.
    let at = format!("127.0.0.1:{}", server.port);
    let csv = folder.at("csv");
    assert!(kvist(&["export", "folio", &at, "p", &csv, "--format", "csv"]).0);
    let (done, told) = import(&server, "csv", &[&csv]);
    assert!(done && told.contains("7 records, 10001 samples"), "{told}");
    let under = zinc(&mut client, "csv", "siteRef->area == 740m² and equip and n == 5kW");
    assert!(under.contains("@e \"AHU\""), "{under}");
    stop(server);
}

#[test]
fn what_is_damaged_is_told_by_file_and_line() {
    let (server, folder) = (Server::start(&[]), Folder::new("damaged"));
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "a.trio",
        "id: @a\nx: 1\n---\nid: @b\ny: \"no end\n---\nid: @a\n---\nid: 5\n---\nid: @c\nna: NA\n",
    );
    write("b.zinc", "ver:\"3.0\"\nid,n\n@d,1\n@e,\"\n@f,2\n");
    write("c.csv", "id,n\n@g,1\n@h,1,2\n");
    write("d.json", "[1]");
    write("e.csv", "ts,val\n2025-01-01T00:00:00Z UTC,1\n");
    write("a.csv", "ts,val\n2025-01-01T00:00:00Z UTC,1\n");
    write("h.trio", "id: @h\npoint\nhis\nkind: Number\ntz: UTC\n");
    write("h.csv", "ts,val\n2025-01-01T00:00:00Z UTC,1\nsoon,2\n2025-01-01T00:00:01Z UTC,true\n");
    let path = folder.text().to_owned();
    let (done, told) = import(&server, "p", &[&path]);
    assert!(!done && told.contains("11 things are damaged"), "{told}");
    for what in [
        "a.trio: line 5: String without an end",
        "a.trio: line 7: there is a record 'a' already",
        "a.trio: line 9: its id is no Ref",
        "a.trio: line 11: InvalidTagValErr: na: NA cannot be stored",
        "b.zinc: line 4: ",
        "c.csv: line 3: More than 2 fields",
        "d.json: a list of something else",
        "e.csv: there is no record 'e'",
        "a.csv: HisConfigErr: Rec missing 'point' tag",
        "h.csv: line 3: it is no sample",
        "h.csv: line 4: HisWriteErr: Mismatched value type",
    ] {
        assert!(told.contains(what), "{what} in {told}");
    }
    let mut client = server.connect();
    assert_eq!(client.ask(&["DBSIZE"]).as_i64(), Some(0));
    let (done, told) = import(&server, "p", &[&path, "--skip-damaged"]);
    assert!(done && told.contains("4 records, 1 samples of 1 histories"), "{told}");
    assert_eq!(client.ask(&["FOLIO.COUNT", "p", "id"]).as_i64(), Some(4));
    let trio = folder.at("h.trio");
    let (done, told) = import(&server, "p", &[&trio]);
    assert!(!done && told.contains("--replace"), "{told}");
    let (done, told) = import(&server, "p", &[&trio, "--replace"]);
    assert!(done && told.contains("1 records"), "{told}");
    for wrong in [&[][..], &["/nowhere.trio"], &["/dev/null"], &[trio.as_str(), "--what"]] {
        assert!(!import(&server, "q", wrong).0, "{wrong:?}");
    }
    assert_eq!(client.ask(&["DBSIZE"]).as_i64(), Some(1));
    stop(server);
}
