//! The five documents of RedisJSON's report, or some that look like them.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use json::path::{Budget, Path as JsonPath};
use json::{Registry, Value};

/// A document.
pub(crate) struct Document {
    /// Its name in the report.
    name: &'static str,
    /// Its text, as it comes.
    pub text: String,
    /// Its text, as servers answer with it.
    pub canonical: String,
    /// Paths to scalars in it.
    pub scalars: &'static [&'static str],
    /// Bytes of the first of these scalars.
    pub scalar_size: usize,
    /// The path to a container in it, and what stands there.
    pub container: Option<(&'static str, String)>,
}

impl Document {
    /// Its name and size.
    pub fn title(&self) -> String {
        format!("{} {} B", self.name, self.text.len())
    }

    /// What stands at a path.
    ///
    /// # Errors
    /// Nothing does.
    pub fn at(&self, path: &str) -> Result<String, String> {
        let parsed = Value::parse(self.text.as_bytes(), &mut Registry::new());
        at(&parsed.map_err(|error| error.to_string())?, path)
    }
}

/// What is known of a document before it is read.
struct About {
    name: &'static str,
    scalars: &'static [&'static str],
    container: Option<&'static str>,
    look_alike: fn() -> String,
}

const ALL: &[About] = &[
    About {
        name: "pass-100",
        scalars: &["sclr", "sub_doc.sclr", "array_of_docs[1].sclr"],
        container: None,
        look_alike: small,
    },
    About {
        name: "pass-jsonsl-1",
        scalars: &["[7]", "[8].zero"],
        container: None,
        look_alike: mixed,
    },
    About {
        name: "pass-json-parser-0000",
        scalars: &["[\"web-app\"].servlet[0][\"servlet-name\"]"],
        container: Some("web-app.servlet"),
        look_alike: servlets,
    },
    About {
        name: "pass-jsonsl-yahoo2",
        scalars: &["ResultSet.totalResultsAvailable"],
        container: None,
        look_alike: images,
    },
    About {
        name: "pass-jsonsl-yelp",
        scalars: &["message.code"],
        container: None,
        look_alike: businesses,
    },
];

/// Reads the documents in a folder; those that are not there are made up.
pub(crate) fn load_all(folder: &Path) -> io::Result<Vec<Document>> {
    ALL.iter()
        .map(|about| {
            let file = folder.join(format!("{}.json", about.name));
            let text = match std::fs::read_to_string(&file) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    println!("{} is not there: one that looks like it is used", file.display());
                    (about.look_alike)()
                }
                Err(error) => {
                    return Err(io::Error::other(format!("{}: {error}", file.display())));
                }
            };
            prepare(about, text).map_err(|what| io::Error::other(format!("{}: {what}", about.name)))
        })
        .collect()
}

fn prepare(about: &About, text: String) -> Result<Document, String> {
    let value = Value::parse(text.as_bytes(), &mut Registry::new()).map_err(|e| e.to_string())?;
    let mut canonical = Vec::new();
    value.root().write(&mut canonical);
    let canonical = String::from_utf8(canonical).map_err(|error| error.to_string())?;
    let mut sizes = Vec::new();
    for scalar in about.scalars {
        sizes.push(at(&value, scalar)?.len());
    }
    let container = match about.container {
        Some(path) => Some((path, at(&value, path)?)),
        None => None,
    };
    Ok(Document {
        name: about.name,
        text,
        canonical,
        scalars: about.scalars,
        scalar_size: sizes.first().copied().unwrap_or(0),
        container,
    })
}

/// What stands at a path.
pub(super) fn at(value: &Value, path: &str) -> Result<String, String> {
    let compiled = JsonPath::compile(path).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let take = |node: json::Node<'_>| {
        node.write(&mut found);
        std::ops::ControlFlow::Break(())
    };
    let done = compiled.for_each(value.root(), &mut Budget::default(), take);
    done.map_err(|error| error.to_string())?;
    if found.is_empty() {
        return Err(format!("there is nothing at {path}"));
    }
    String::from_utf8(found).map_err(|error| error.to_string())
}

/// Elements, until the whole is as long as it should be.
fn fill(head: &str, tail: &str, size: usize, element: fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    let mut number = 0;
    loop {
        let next = element(number);
        if number > 0 && text.len() + next.len() + tail.len() + 2 > size {
            return text + tail;
        }
        let separator = if number > 0 { ", " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{next}");
        number += 1;
    }
}

/// A nested object of 380 bytes.
fn small() -> String {
    let head = "{\n\t\"sclr\": 0,\n\t\"str\": \"b\",\n\t\"sub_doc\": {\n\t\t\"sclr\": 10,\n\t\t\
                \"str\": \"c\",\n\t\t\"arr\": [1, 2, 3, 4]\n\t},\n\t\"array_of_docs\": [\n";
    let element = |n| {
        format!(
            "\t\t{{\n\t\t\t\"sclr\": {n},\n\t\t\t\"str\": \"d{n}\",\n\t\t\t\"arr\": [5, 6]\n\t\t}}"
        )
    };
    fill(head, "\n\t]\n}", 381, element)
}

/// An array of one value of each kind, 1.4 kB.
fn mixed() -> String {
    let head = "[\"A pattern of tests\", {\"object with 1 member\": [\"array with 1 element\"]}, \
                {}, [], -42, true, false, null, {\"integer\": 1234567890, \"real\": \
                -9876.543210, \"e\": 0.123456789e-12, \"E\": 1.23456789e34, \"zero\": 0, \"one\": \
                1, \"space\": \" \", \"quote\": \"\\\"\", \"slash\": \"/ & \\/\", \"controls\": \
                \"\\b\\f\\n\\r\\t\", \"alpha\": \"abcdefghijklmnopqrstuvwyz\", \"hex\": \
                \"\\u0123\\u4567\\u89AB\\uCDEF\", \"url\": \"http://www.example.org/\"}, 0.5, ";
    // The eighth element is a scalar, the ninth the object.
    let element = |n| format!("{{\"number {n}\": [1e1, {n}, \"rosebud\"], \"compact\": [1,2,3]}}");
    fill(head, "]", 1441, element)
}

/// The settings of a server, 3.5 kB.
fn servlets() -> String {
    let head = "{\"web-app\": {\n  \"servlet\": [\n";
    let element = |n| {
        format!(
            "    {{\n      \"servlet-name\": \"servlet{n}\",\n      \"servlet-class\": \
             \"org.example.cds.Servlet{n}\",\n      \"init-param\": {{\n        \
             \"configGlossary:installationAt\": \"Philadelphia, PA\",\n        \
             \"templatePath\": \"templates/{n}\",\n        \"useJSP\": false,\n        \
             \"cachePackageTagsTrack\": {},\n        \"dataStoreClass\": \
             \"org.example.SqlDataStore\",\n        \"maxUrlLength\": 500}}}}",
            200 + n
        )
    };
    let tail = "],\n  \"servlet-mapping\": {\"servlet0\": \"/\", \"servlet1\": \"/mail/*\"},\n  \
                \"taglib\": {\"taglib-uri\": \"example.tld\", \"taglib-location\": \
                \"/WEB-INF/tlds/example.tld\"}}}";
    fill(head, tail, 3468, element)
}

/// The answer of a search for images, 18 kB.
fn images() -> String {
    let head = "{\"ResultSet\":{\"totalResultsAvailable\":\"1827221\",\"totalResultsReturned\":2,\
                \"firstResultPosition\":1,\"Result\":[";
    let element = |n| {
        format!(
            "{{\"Title\":\"image{n}.jpg\",\"Summary\":\"A picture of number {n}, taken where \
             nobody had been before\",\"Url\":\"http:\\/\\/www.example.org\\/static\\/{n}.jpg\",\
             \"ClickUrl\":\"http:\\/\\/www.example.org\\/click\\/{n}\",\"RefererUrl\":\
             \"http:\\/\\/www.example.org\\/\",\"FileSize\":{},\"FileFormat\":\"jpeg\",\"Height\":\
             \"{}\",\"Width\":\"{}\",\"Thumbnail\":{{\"Url\":\"http:\\/\\/thumbs.example.org\\/\
             {n}\",\"Height\":\"125\",\"Width\":\"100\"}}}}",
            63_522 + n * 17,
            1000 + n,
            800 + n
        )
    };
    fill(head, "]}}", 18_446, element)
}

/// The answer of a search for places to eat, 40 kB.
fn businesses() -> String {
    let head = "{\"message\": {\"text\": \"OK\", \"code\": 0, \"version\": \"1.1.1\"}, \
                \"businesses\": [";
    let element = |n: usize| {
        let more = n as f64 / 997.0;
        format!(
            "{{\"rating_img_url\": \"http://media.example.org/stars_4.png\", \"country_code\": \
             \"US\", \"id\": \"G1aLDAl{n}\", \"is_closed\": false, \"city\": \"San Francisco\", \
             \"mobile_url\": \"http://m.example.org/biz/{n}\", \"review_count\": {}, \"zip\": \
             \"94105\", \"state\": \"CA\", \"latitude\": {}, \"address1\": \"{n} Market St\", \
             \"address2\": \"\", \"phone\": \"41500{n:05}\", \"state_code\": \"CA\", \
             \"categories\": [{{\"category_filter\": \"bars\", \"search_url\": \
             \"http://example.org/search?find={n}\", \"name\": \"Bars\"}}], \"photo_url\": \
             \"http://static.example.org/photo/{n}\", \"distance\": {}, \"name\": \"Number {n}\", \
             \"neighborhoods\": [{{\"url\": \"http://example.org/search?near={n}\", \"name\": \
             \"SoMa\"}}], \"longitude\": {}, \"avg_rating\": 4.5, \"reviews\": \
             [{{\"user_name\": \"Rob {n}\", \"rating\": 5, \"date\": \"2010-01-{:02}\", \
             \"text_excerpt\": \"A place for a small lunch\"}}]}}",
            3 + n * 7,
            37.787_5 + more,
            1.876_2 + more,
            -122.397_9 - more,
            1 + n % 28
        )
    };
    fill(head, "]}", 39_491, element)
}

/// The documents that stand for those of the report.
#[cfg(test)]
pub(super) fn look_alikes() -> Vec<Document> {
    ALL.iter().map(|about| prepare(about, (about.look_alike)()).expect(about.name)).collect()
}
