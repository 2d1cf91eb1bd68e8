//! Files as OpenSSL writes them.

use testkit::folder::Folder;

use super::*;

/// A 256-bit key on P-256 made for these tests, and the same under the passphrase `secret` (PBKDF2
/// with SHA-256, AES-256-CBC), as `openssl pkcs8 -topk8` has written it.
const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxgV/eWp9hE90FFKn
1W9GO3T/VAsX86APCL4s/yM/kOuhRANCAAQSei9865DvGVI1GBi6rB43e7aXVLXz
ylKagSvtzF4AlKL53yOFtIvUWv5hQnNC0DLa8vunZwFEOxwvQ4ZLDaf1
-----END PRIVATE KEY-----
";
const UNDER_PASSPHRASE: &str = "\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh5U/cAnL1lQQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBmgBmKL3lQBM1oi4FKtamsEgZAX
miD4pUl87iLylgTAEA+cK5KO79Kw0oSZdAB/wolEQ9UnERKPsnshGr3RR/ES6L54
DABZQkgz1U8uDwni01/1qhuSEO7hXiPBEs258mUH/EDn896AAX+tjLXn7/659//j
dlOkRw07iX4zptCbVjAo/5KG8hisrirb7WWtwuRckGq7SsVyjzskdPW5bhYr1xA=
-----END ENCRYPTED PRIVATE KEY-----
";
/// The same as `openssl ec -aes256` writes it.
const OLD_FORM: &str = "\
-----BEGIN EC PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-256-CBC,1214D7108C2EA35CCDB4C609C66B5570

FTb9MUSiwYGfgEg27oeN5dmcOz5E2Ym9d+V1m8cQRPgsPfuaObsVFRCsiGIUQ4P0
hYQLQxp5dcPvodohbvt01MtweZdMsHjh5v4FcdwFfextyLCF3/h4YPRzDkYXYkDt
U/bVplcc3J7fBkBeknF+9RLetuoVY/8pzrdqlNIqsT4=
-----END EC PRIVATE KEY-----
";

/// Writes a file; where.
fn file(folder: &Folder, name: &str, text: &str) -> String {
    std::fs::write(folder.join(name), text).unwrap();
    folder.at(name)
}

fn certificate() -> String {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem()
}

#[test]
fn keys_open_with_their_passphrase() {
    let folder = Folder::new("keys");
    let plain = private_key(&file(&folder, "plain", KEY), Some(b"not needed")).unwrap();
    let path = file(&folder, "under", &format!("Some words before it\n{UNDER_PASSPHRASE}"));
    assert_eq!(private_key(&path, Some(b"secret")).unwrap().secret_der(), plain.secret_der());
    let reason = private_key(&path, None).unwrap_err();
    assert_eq!(reason, "it is encrypted, and there is no passphrase");
    assert!(private_key(&path, Some(b"other")).unwrap_err().contains("does not open"));
    let broken = UNDER_PASSPHRASE.replacen("\nM", "\nN", 1);
    assert!(private_key(&file(&folder, "broken", &broken), Some(b"secret")).is_err());
    let cut = &UNDER_PASSPHRASE[..200];
    assert!(private_key(&file(&folder, "cut", cut), Some(b"secret")).is_err());
    let old = private_key(&file(&folder, "old", OLD_FORM), Some(b"secret")).unwrap_err();
    assert!(old.contains("openssl pkcs8 -topk8"), "{old}");
}

#[test]
fn what_is_no_key_is_told() {
    let folder = Folder::new("none");
    let none = private_key(&file(&folder, "cert", &certificate()), None).unwrap_err();
    assert_eq!(none, "no private key is in it");
    let missing = folder.join("missing").display().to_string();
    assert_eq!(private_key(&missing, None).unwrap_err(), "No such file or directory");
    assert_eq!(certificates(&missing).unwrap_err(), "No such file or directory");
    assert_eq!(certificates(&file(&folder, "key", KEY)).unwrap_err(), "no certificate is in it");
}

#[test]
fn authorities_come_from_files_and_directories() {
    let folder = Folder::new("authorities");
    let one = file(&folder, "one.pem", &(certificate() + &certificate()));
    file(&folder, "a1b2c3d4.0", &certificate());
    file(&folder, "notes.txt", "not a certificate");
    file(&folder, "broken.pem", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    std::fs::create_dir_all(folder.join("below")).unwrap();
    let dir = folder.path().display().to_string();
    assert_eq!(authorities(Some(&one), None).unwrap().len(), 2);
    // Those of the file are in the directory, too, and count once.
    assert_eq!(authorities(Some(&one), Some(&dir)).unwrap().len(), 3);
    let empty = folder.join("below").display().to_string();
    assert!(
        authorities(None, Some(&empty)).unwrap_err().contains("no certificate of an authority")
    );
    let reason = authorities(None, Some("/nonexistent")).unwrap_err();
    assert_eq!(reason, "/nonexistent: No such file or directory");
}
