//! Which paths lead to files, and which do not.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use base::CmdError;
use testkit::folder::Folder;

use super::open;

fn read(folder: &Folder, path: &str) -> Result<String, CmdError> {
    let mut text = String::new();
    let mut file = open(Some(&folder.path().join("in")), path)?;
    file.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn only_plain_files_of_the_folder_are_opened() {
    let folder = Folder::new("import-folder");
    let inside = folder.path().join("in");
    fs::create_dir_all(inside.join("deep")).unwrap();
    fs::write(inside.join("a.csv"), "a").unwrap();
    fs::write(inside.join("deep/b.csv"), "b").unwrap();
    fs::write(folder.path().join("secret"), "s").unwrap();
    symlink(folder.path().join("secret"), inside.join("out")).unwrap();
    symlink(folder.path(), inside.join("up")).unwrap();
    symlink(inside.join("a.csv"), inside.join("same")).unwrap();
    for (path, text) in [("a.csv", "a"), ("deep/b.csv", "b"), ("deep/../a.csv", "a"), ("same", "a")]
    {
        assert_eq!(read(&folder, path).as_deref(), Ok(text), "{path}");
    }
    let secret = folder.path().join("secret");
    for path in [
        "",
        "deep",
        "none",
        "out",
        "up/secret",
        "../secret",
        "deep/../../secret",
        "/etc/passwd",
        "a\0b",
        secret.to_str().unwrap(),
    ] {
        let refused = read(&folder, path).unwrap_err().to_string();
        assert_eq!(refused, "ERR there is no such file in graph-import-folder", "{path}");
    }
    assert!(open(None, "a.csv").is_err_and(|error| error.to_string().contains("is not set")));
}

/// While links come and go where files were, nothing outside is ever read.
#[test]
fn a_link_that_comes_meanwhile_leads_nowhere() {
    let folder = Folder::new("import-links");
    let inside = folder.path().join("in");
    for name in ["in/deep", "in/kept", "out"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("a.csv"), if name == "out" { "s" } else { "a" })
            .unwrap();
    }
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (deep, kept) = (inside.join("deep"), inside.join("kept"));
            while !ended.load(Ordering::Relaxed) {
                // The folder becomes a link, and the file in it, by turns.
                fs::rename(&deep, inside.join("away")).unwrap();
                symlink(folder.path().join("out"), &deep).unwrap();
                fs::remove_file(&deep).unwrap();
                fs::rename(inside.join("away"), &deep).unwrap();
                symlink(folder.path().join("out/a.csv"), kept.join("new")).unwrap();
                fs::rename(kept.join("new"), kept.join("a.csv")).unwrap();
                fs::write(kept.join("new"), "a").unwrap();
                fs::rename(kept.join("new"), kept.join("a.csv")).unwrap();
            }
        });
        for _ in 0..20_000 {
            for path in ["deep/a.csv", "kept/a.csv"] {
                let found = read(&folder, path);
                ended.fetch_or(found.as_deref() == Ok("s"), Ordering::Relaxed);
                if ended.load(Ordering::Relaxed) {
                    panic!("{path} led out of the folder");
                }
            }
        }
        ended.store(true, Ordering::Relaxed);
    });
}
