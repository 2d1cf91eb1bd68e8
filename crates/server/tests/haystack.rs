//! The Haystack API from outside: formats, methods, statuses, what is packed; its lists.

#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io::{Read, Write};

use crate::web::{Page, Web};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn post(web: &Web, path: &str, headers: &str, body: &[u8]) -> Page {
    let mut http = web.connect();
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n");
    http.send([head.as_bytes(), headers.as_bytes(), b"\r\n", body].concat());
    http.hear()
}

const ZINC: &str = "Content-Type: text/zinc\r\n";
const EMPTY: &[u8] = b"ver:\"3.0\"\nempty\n";

#[test]
fn methods_paths_and_formats() {
    let web = Web::start(&[]);
    let about = "/api/demo/about";
    for (accept, kind) in [
        ("*/*", "text/zinc; charset=utf-8"),
        ("text/zinc", "text/zinc; charset=utf-8"),
        ("application/json", "application/json"),
        ("application/vnd.haystack+json;version=3", "application/vnd.haystack+json;version=3"),
        ("text/trio", "text/trio; charset=utf-8"),
        ("text/csv", "text/csv; charset=utf-8"),
    ] {
        let page = web.ask(&format!("GET {about}\nAccept: {accept}"), "");
        assert_eq!((page.status, page.header("content-type")), (200, Some(kind)), "{accept}");
        assert!(page.text().contains("Kvist"), "{}", page.text());
    }
    let status = |request: &str| web.ask(request, "").status;
    assert_eq!(status(&format!("GET {about}\nAccept: image/png")), 406);
    assert_eq!(status(&format!("HEAD {about}")), 200);
    assert_eq!(status(&format!("POST {about}")), 200);
    assert_eq!(status(&format!("PUT {about}")), 405);
    assert_eq!(status("GET /api/demo/nonsense"), 404);
    assert_eq!(status("GET /api/demo/%zz"), 400);
    assert_eq!(status("GET /api/v1/about"), 404);
    let page = web.ask("GET /api/demo/close", "");
    assert_eq!((page.status, page.header("allow")), (405, Some("POST")));
    // A project may be called by any bytes.
    assert_eq!(status("GET /api/a%2Fb%20%ff/about"), 200);
    assert_eq!(status("GET /api/demo/about\nOrigin: http://evil.example"), 403);
    assert_eq!(status(&format!("GET {about}?a=%zz")), 400);
    assert_eq!(status(&format!("GET {about}?a=1&b=x")), 200);
}

#[test]
fn bodies() {
    let web = Web::start(&["--proto-max-bulk-len", "1mb"]);
    let about = |headers: &str, body: &[u8]| post(&web, "/api/demo/about", headers, body).status;
    assert_eq!(about(ZINC, EMPTY), 200);
    assert_eq!(about("", b""), 200);
    assert_eq!(about("", EMPTY), 400);
    assert_eq!(about("Content-Type: text/html\r\n", EMPTY), 415);
    assert_eq!(about("Content-Type: text/zinc; charset=latin1\r\n", EMPTY), 415);
    assert_eq!(about(ZINC, b"no grid"), 400);
    assert_eq!(about(ZINC, b"ver:\"3.0\"\na\n\"\xff\"\n"), 400);
    let json = br#"{"_kind":"grid","meta":{"ver":"3.0"},"cols":[{"name":"empty"}],"rows":[]}"#;
    assert_eq!(about("Content-Type: application/json\r\n", json), 200);
    assert_eq!(about("Content-Type: application/json\r\n", &json[..40]), 400);
    assert_eq!(about("Content-Type: text/csv\r\n", b"a,b\n1,2\n"), 200);
    assert_eq!(about("Content-Type: text/trio\r\n", b"site\ndis: \"x\"\n"), 200);
    // Packed.
    let packed = format!("{ZINC}Content-Encoding: gzip\r\n");
    assert_eq!(about(&packed, &gzip(EMPTY)), 200);
    assert_eq!(about(&packed, EMPTY), 400);
    let whole = gzip(EMPTY);
    assert_eq!(about(&packed, &whole[..whole.len() - 9]), 400);
    assert_eq!(about(&format!("{ZINC}Content-Encoding: br\r\n"), EMPTY), 415);
    // Of a thousand times as much no more is unpacked than a body may be.
    assert_eq!(about(&packed, &gzip(&vec![b' '; 4 << 20])), 413);
    assert_eq!(about(ZINC, &vec![b' '; 2 << 20]), 413);
    let deep = format!("ver:\"3.0\"\na\n{}", "[".repeat(100_000));
    assert_eq!(about(ZINC, deep.as_bytes()), 400);
}

#[test]
fn answers_are_packed_for_those_who_take_it() {
    let web = Web::start(&[]);
    let mut client = web.server.connect();
    client.ask(&["FOLIO.OPEN", "demo"]);
    let records = vec!["{dis:\"A name that many have\" site}"; 100].join(",");
    client.ask(&["FOLIO.COMMIT", "demo", "ADD", &format!("[{records}]")]);
    let plain = web.get("/api/demo/read?filter=site");
    assert_eq!(plain.header("content-encoding"), None);
    assert!(plain.body.len() > 1024, "long enough to be packed");
    let page = web.ask("GET /api/demo/read?filter=site\nAccept-Encoding: deflate, gzip", "");
    assert_eq!(page.header("content-encoding"), Some("gzip"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&page.body[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.text());
    let page = web.ask("GET /api/demo/about\nAccept-Encoding: gzip", "");
    assert_eq!(page.header("content-encoding"), None, "it is short");
}

#[test]
fn lists() {
    let web = Web::start(&[]);
    let ops = web.get("/api/demo/ops").text();
    for op in ["about", "close", "ops", "filetypes", "formats"] {
        assert!(ops.contains(&format!("^op:{op},\"{op}\"")), "{ops}");
    }
    let types = web.get("/api/demo/filetypes").text();
    assert!(types.contains("^filetype:zinc") && types.contains("text/trio"), "{types}");
    let formats = web.get("/api/demo/formats").text();
    assert!(formats.contains("\"text/zinc\",M,M"), "{formats}");
}
