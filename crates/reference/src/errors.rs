//! The fixed error texts.

use std::path::PathBuf;

use crate::Document;

/// The page of error texts.
pub(crate) fn render() -> Document {
    let mut text = String::from(
        "# Errors\n\nThe fixed error texts that commands answer, generated from the source by \
         `make gen`. Others name an argument or a command and are built from it.\n\n",
    );
    for error in base::error::ALL {
        text += &format!("* `{error}`\n");
    }
    (PathBuf::from("docs/reference/errors.md"), text)
}
