//! DEBUG PROTOCOL, ERROR: replies of every shape, for tests of a client's parser.

use base::{CmdError, Protocol, Reply};
use wire::RespWriter;

use super::Subcommand;
use crate::control::Control;

pub(super) const LIST: &[Subcommand] = &[
    Subcommand {
        name: "PROTOCOL",
        arguments: "<type>",
        help: &[
            "Answer a sample of a type: string, integer, double, bignum, null, array, set, map,",
            "attrib, push, verbatim, true, false.",
        ],
        words: (1, 1),
        run: sample,
    },
    Subcommand {
        name: "ERROR",
        arguments: "<string>",
        help: &["Answer <string> as an error."],
        words: (1, 1),
        run: |_, words, _| Err(CmdError::from_bytes(words[0].to_vec())),
    },
];

#[allow(clippy::approx_constant)] // Redis's sample; it is not meant to be π
const SAMPLE_DOUBLE: f64 = 3.141;

fn sample(_: &mut Control<'_>, words: &[&[u8]], out: &mut RespWriter<'_>) -> Result<(), CmdError> {
    let resp3 = out.protocol() == Protocol::Resp3;
    let three = |out: &mut RespWriter<'_>| (0..3).for_each(|n| out.int(n));
    match words[0].to_ascii_lowercase().as_slice() {
        b"string" => out.bulk(b"Hello World"),
        b"integer" => out.int(12345),
        b"double" => out.double(SAMPLE_DOUBLE),
        b"null" => out.null(),
        b"array" => {
            out.array(3);
            three(out);
        }
        b"set" => {
            out.set(3);
            three(out);
        }
        b"map" => {
            out.map(3);
            for n in 0..3 {
                out.int(n);
                out.boolean(n == 1);
            }
        }
        b"attrib" => {
            // Nothing else here ever sends an attribute, so it has no name in `Reply`.
            if resp3 {
                out.raw().extend_from_slice(b"|1\r\n");
                out.bulk(b"key-popularity");
                out.array(2);
                out.bulk(b"key:123");
                out.int(90);
            }
            out.bulk(b"Some real reply following the attribute");
        }
        b"push" if !resp3 => {
            return Err(CmdError::new("ERR RESP2 is not supported by this command"));
        }
        b"push" => {
            out.push(2);
            out.bulk(b"server-cpu-usage");
            out.int(42);
            out.bulk(b"Some real reply following the push reply");
        }
        b"verbatim" => out.verbatim("txt", b"This is a verbatim\nstring"),
        b"true" => out.boolean(true),
        b"false" => out.boolean(false),
        b"bignum" => out.big_number("1234567999999999999999999999999999999"),
        _ => {
            return Err(CmdError::new(
                "ERR Wrong protocol type name. Please use one of the following: \
                 string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false",
            ));
        }
    }
    Ok(())
}
