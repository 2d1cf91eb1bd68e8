//! `kvist export folio HOST:PORT PROJECT FOLDER`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use folio::{Layer, Project, Slot, is_never_set};
use haystack::value::Rows;
use haystack::{Cell, Col, DateTime, Dict, Tag, Unit, Value, Zone, csv, hayson, trio, zinc};

use super::{Arguments, Format, parse};
use crate::offline::projects::whole;
use crate::offline::remote::{Progress, Server};
use crate::usage;

/// Runs the verb; `args` stand behind `folio`.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let arguments = match parse(args) {
        Ok(arguments) => arguments,
        Err(what) => return usage::wrong(&format!("export folio: {what}")),
    };
    let [folder] = arguments.paths.as_slice() else {
        return usage::wrong("export folio: it needs one folder");
    };
    match export(&arguments, folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kvist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn export(arguments: &Arguments, folder: &Path) -> Result<(), String> {
    let mut server = Server::connect_to_database(&arguments.address, &arguments.login, None)?;
    let whole = whole::fetch(&mut server, &arguments.project)?;
    let project = whole.project().ok_or_else(|| server.unexpected())?;
    let told = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(told)?;
    if fs::read_dir(folder).map_err(told)?.next().is_some() {
        return Err(format!("{}: there is something in it already", folder.display()));
    }
    let slots = whole::slots(project)?;
    let records = slots.len();
    let path = folder.join(format!("records.{}", arguments.format.ending()));
    let (mut progress, mut samples, mut histories) = (Progress::new(), 0, 0);
    write(&path, |out| self::records(project, slots.clone(), arguments.format, out))?;
    for slot in slots {
        if project.his_size(slot) == 0 {
            continue;
        }
        if histories == 0 {
            fs::create_dir(folder.join("his")).map_err(told)?;
        }
        let path = his_file(folder, project.id_of(slot), arguments.format);
        write(&path, |out| history(project, slot, arguments.format, out))?;
        samples += project.his_size(slot);
        histories += 1;
        progress.show(|| format!("{records} records, {samples} samples"));
    }
    let to = folder.display();
    progress.end(&format!(
        "Exported {records} records, {samples} samples of {histories} histories to {to}"
    ));
    Ok(())
}

fn his_file(folder: &Path, id: &str, format: Format) -> PathBuf {
    let ending = if format == Format::Csv { "csv" } else { "zinc" };
    folder.join("his").join(format!("{id}.{ending}"))
}

/// Makes a file of what is appended to it.
fn write(
    path: &Path,
    fill: impl FnOnce(&mut Pieces<BufWriter<File>>) -> io::Result<()>,
) -> Result<(), String> {
    let done = File::create_new(path).and_then(|file| {
        let mut pieces = Pieces { out: BufWriter::new(file), bytes: Vec::new() };
        fill(&mut pieces)?;
        pieces.out.write_all(&pieces.bytes)?;
        pieces.out.into_inner()?.sync_all()
    });
    done.map_err(|error| format!("{}: {error}", path.display()))
}

/// Bytes on their way into a file.
struct Pieces<W> {
    out: W,
    bytes: Vec<u8>,
}

impl<W: Write> Pieces<W> {
    /// Appends what `put` puts there.
    fn add(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        put(&mut self.bytes);
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

fn records<W: Write>(
    project: &Project,
    slots: Vec<Slot>,
    format: Format,
    out: &mut Pieces<W>,
) -> io::Result<()> {
    if format == Format::Trio {
        for (number, slot) in slots.into_iter().enumerate() {
            out.add(|bytes| {
                bytes.extend_from_slice(if number > 0 { b"---\n" } else { b"" });
                trio::append_dict(bytes, &project.dict(slot, Layer::Persistent));
            })?;
        }
        return Ok(());
    }
    let answer = project.answer(slots);
    // What tells of histories follows from these.
    let is_kept = |col: &&Col| matches!(&*col.name, "id" | "mod") || !is_never_set(&col.name);
    let cols: Vec<Col> = answer.cols().iter().filter(is_kept).cloned().collect();
    let places = answer.cols().iter().enumerate().filter(|(_, col)| is_kept(col));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    let rows = (0..answer.row_count())
        .map(|row| places.iter().map(|col| answer.cell(row, *col)).collect::<Vec<_>>());
    rows_of(&Dict::new(), &cols, rows, format, out)
}

fn rows_of<'a, W: Write>(
    meta: &Dict,
    cols: &[Col],
    rows: impl Iterator<Item = Vec<Cell<'a>>>,
    format: Format,
    out: &mut Pieces<W>,
) -> io::Result<()> {
    match format {
        Format::Zinc | Format::Trio => {
            let mut writer = zinc::Writer::new(&mut out.bytes, meta, cols);
            rows.into_iter().try_for_each(|row| out.add(|bytes| writer.row(bytes, row)))
        }
        Format::Csv => {
            let mut writer = csv::Writer::new(&mut out.bytes, cols);
            rows.into_iter().try_for_each(|row| out.add(|bytes| writer.row(bytes, row)))
        }
        Format::Json => {
            let mut writer = hayson::Writer::new(&mut out.bytes, meta, cols);
            for row in rows {
                out.add(|bytes| writer.row(bytes, row))?;
            }
            writer.finish(&mut out.bytes);
            Ok(())
        }
    }
}

/// Samples with the zone and the unit of their record, whatever it is now.
fn history<W: Write>(
    project: &Project,
    slot: Slot,
    format: Format,
    out: &mut Pieces<W>,
) -> io::Result<()> {
    let text = |tag| match project.value(slot, tag) {
        Cell::Str(text) => Some(text),
        _ => None,
    };
    let zone = text("tz").and_then(|name| Zone::named(name).ok()).unwrap_or(Zone::UTC);
    let unit = text("unit").and_then(|name| Unit::named(name).ok());
    let invalid = |error: haystack::Error| io::Error::other(error.to_string());
    let mut meta = Dict::new();
    meta.put("id", Value::id(project.id_of(slot)).map_err(invalid)?).map_err(invalid)?;
    let cols = ["ts", "val"].map(|name| Tag::new(name).map(Col::new));
    let cols = cols.into_iter().collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    let format = if format == Format::Csv { Format::Csv } else { Format::Zinc };
    let samples = project.his_kept(slot).map(|(at, value)| {
        let time = DateTime::from_nanos(at.saturating_mul(1_000_000), zone);
        let number = value.as_number().map(|number| number.value);
        (time, number.map_or(value, |number| Value::number(number, unit.as_ref())))
    });
    let mut writer = HisWriter::new(format, &meta, &cols, out);
    samples.into_iter().try_for_each(|(time, value)| writer.row(out, time, &value))
}

/// Writes samples in one of two formats.
enum HisWriter {
    Zinc(zinc::Writer),
    Csv(csv::Writer),
}

impl HisWriter {
    fn new<W: Write>(format: Format, meta: &Dict, cols: &[Col], out: &mut Pieces<W>) -> Self {
        match format {
            Format::Csv => HisWriter::Csv(csv::Writer::new(&mut out.bytes, cols)),
            _ => HisWriter::Zinc(zinc::Writer::new(&mut out.bytes, meta, cols)),
        }
    }

    fn row<W: Write>(
        &mut self,
        out: &mut Pieces<W>,
        at: DateTime,
        value: &Value,
    ) -> io::Result<()> {
        let cells = [Cell::DateTime(at), value.cell()];
        out.add(|bytes| match self {
            HisWriter::Zinc(writer) => writer.row(bytes, cells),
            HisWriter::Csv(writer) => writer.row(bytes, cells),
        })
    }
}
