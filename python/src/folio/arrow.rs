//! Rows as columns of Arrow's types, with the unit and the zone in what is said of each.

use columns::{Bitmap, Cells, Column, Notes, Table};
use haystack::value::Rows;
use haystack::{Cell, Unit, Zone, zinc};

/// What a column becomes.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// It has no values, or none that is known.
    Nothing,
    Truths(&'static str),
    Numbers(Option<String>),
    Texts(&'static str),
    Days,
    Times,
    /// In one zone, or in several and so in UTC.
    Instants(Option<Zone>),
    Coords,
    /// Of several kinds or units, or of one that Arrow has none for: texts in Zinc.
    Zinc(&'static str),
}

impl Form {
    fn of(cell: &Cell<'_>) -> Form {
        match cell {
            Cell::Null | Cell::Na => Form::Nothing,
            Cell::Marker => Form::Truths("marker"),
            Cell::Bool(_) => Form::Truths("bool"),
            Cell::Number(_, unit) => Form::Numbers(unit.map(str::to_owned)),
            Cell::Str(_) => Form::Texts("str"),
            Cell::Uri(_) => Form::Texts("uri"),
            Cell::Ref(..) => Form::Texts("ref"),
            Cell::Symbol(_) => Form::Texts("symbol"),
            Cell::Date(_) => Form::Days,
            Cell::Time(_) => Form::Times,
            Cell::DateTime(at) => Form::Instants(Some(at.zone())),
            Cell::Coord(_) => Form::Coords,
            Cell::XStr(..) => Form::Zinc("xstr"),
            Cell::List(_) => Form::Zinc("list"),
            Cell::Dict(_) => Form::Zinc("dict"),
            Cell::Grid(_) => Form::Zinc("grid"),
            Cell::Remove => Form::Zinc("remove"),
        }
    }

    /// Whether a value has this form, made quickly for the common ones.
    fn is_of(&self, cell: &Cell<'_>) -> bool {
        match (self, cell) {
            (_, Cell::Na) => true,
            (Form::Numbers(unit), Cell::Number(_, of)) => unit.as_deref() == *of,
            _ => *self == Form::of(cell),
        }
    }

    /// The form of the values so far and one more.
    fn with(self, cell: &Cell<'_>) -> Form {
        match (&self, Form::of(cell)) {
            (Form::Nothing, of) => of,
            (Form::Instants(_), Form::Instants(_)) => Form::Instants(None),
            _ => Form::Zinc("mixed"),
        }
    }

    /// The name of the kind, where it is one.
    fn kind(&self) -> Option<&'static str> {
        Some(match self {
            Form::Nothing => return None,
            Form::Truths(kind) | Form::Texts(kind) | Form::Zinc(kind) => kind,
            Form::Numbers(_) => "number",
            Form::Days => "date",
            Form::Times => "time",
            Form::Instants(_) => "dateTime",
            Form::Coords => "coord",
        })
    }
}

fn form_of(rows: &dyn Rows, col: usize) -> Form {
    let mut form = Form::Nothing;
    rows.visit(col, &mut |_, cell| {
        if !form.is_of(&cell) {
            form = std::mem::replace(&mut form, Form::Nothing).with(&cell);
        }
        true
    });
    form
}

/// Values and which rows have one.
struct Filled<T> {
    items: Vec<T>,
    present: Bitmap,
    missing: usize,
}

impl<T: Clone> Filled<T> {
    /// What `pick` takes of the values of a column; `default` for the rows that have none.
    fn of(
        (rows, col): (&dyn Rows, usize),
        default: T,
        mut pick: impl FnMut(&Cell<'_>) -> Option<T>,
    ) -> Filled<T> {
        let count = rows.row_count();
        let items = Vec::with_capacity(count);
        let mut filled = Filled { items, present: Bitmap::new(Vec::new(), 0), missing: 0 };
        rows.visit(col, &mut |row, cell| {
            if let Some(item) = pick(&cell) {
                filled.fill_to(row, &default);
                filled.items.push(item);
                filled.present.push(true);
            }
            true
        });
        filled.fill_to(count, &default);
        filled
    }

    fn fill_to(&mut self, row: usize, default: &T) {
        while self.items.len() < row {
            self.items.push(default.clone());
            self.present.push(false);
            self.missing += 1;
        }
    }

    fn column(self, cells: impl FnOnce(Vec<T>) -> Cells) -> Column {
        let (len, present) = (self.items.len(), (self.missing > 0).then_some(self.present));
        Column::of(cells(self.items), len, present)
    }
}

fn text_of(cell: &Cell<'_>) -> Option<String> {
    Some(match cell {
        Cell::Na => return None,
        Cell::Str(text) | Cell::Uri(text) | Cell::Ref(text, _) | Cell::Symbol(text) => {
            (*text).to_owned()
        }
        cell => zinc::to_text(cell),
    })
}

fn texts(of: (&dyn Rows, usize), pick: impl FnMut(&Cell<'_>) -> Option<String>) -> Column {
    Filled::of(of, String::new(), pick).column(|texts| {
        let (mut offsets, mut bytes) = (vec![0], Vec::new());
        for text in texts {
            bytes.extend_from_slice(text.as_bytes());
            offsets.push(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        }
        Cells::Bytes { offsets, bytes, text: true }
    })
}

fn bits(truths: &[bool]) -> Bitmap {
    let mut bits = Bitmap::new(Vec::new(), 0);
    truths.iter().for_each(|is| bits.push(*is));
    bits
}

fn coords(of: (&dyn Rows, usize)) -> Column {
    let zero = (0.0, 0.0);
    let filled = Filled::of(of, zero, |cell| match cell {
        Cell::Coord(at) => Some((at.lat(), at.lng())),
        _ => None,
    });
    filled.column(|places| {
        let of = |all: Vec<f64>| Column::of(Cells::Floats(all), places.len(), None);
        let lat = of(places.iter().map(|place| place.0).collect());
        Cells::Structs(vec![("lat", lat), ("lng", of(places.iter().map(|it| it.1).collect()))])
    })
}

fn column(form: &Form, of: (&dyn Rows, usize)) -> Column {
    match form {
        Form::Nothing => Column::of(Cells::Nothing, of.0.row_count(), None),
        Form::Truths(_) => {
            let pick = |cell: &Cell<'_>| match cell {
                Cell::Marker => Some(true),
                Cell::Bool(is) => Some(*is),
                _ => None,
            };
            Filled::of(of, false, pick).column(|all| Cells::Bools(bits(&all)))
        }
        Form::Numbers(_) => {
            let pick = |cell: &Cell<'_>| match cell {
                Cell::Number(number, _) => Some(*number),
                _ => None,
            };
            Filled::of(of, 0.0, pick).column(Cells::Floats)
        }
        Form::Days => {
            let pick = |cell: &Cell<'_>| match cell {
                Cell::Date(date) => Some(date.days()),
                _ => None,
            };
            Filled::of(of, 0, pick).column(Cells::Days)
        }
        Form::Times => {
            let pick = |cell: &Cell<'_>| match cell {
                Cell::Time(time) => i64::try_from(time.nanos()).ok(),
                _ => None,
            };
            Filled::of(of, 0, pick).column(Cells::TimesOfDay)
        }
        Form::Instants(zone) => {
            let pick = |cell: &Cell<'_>| match cell {
                Cell::DateTime(at) => Some(at.nanos()),
                _ => None,
            };
            Filled::of(of, 0, pick).column(|nanos| instants(nanos, *zone))
        }
        Form::Coords => coords(of),
        Form::Texts(_) => texts(of, text_of),
        // What is of several kinds must show which.
        Form::Zinc(_) => texts(of, |cell| (!matches!(cell, Cell::Na)).then(|| zinc::to_text(cell))),
    }
}

fn instants(nanos: Vec<i64>, zone: Option<Zone>) -> Cells {
    let zone = super::instants::name_of(zone.unwrap_or(Zone::UTC));
    Cells::Instants { nanos, zone: Some(zone.to_owned()) }
}

/// What is said of a column: its kind, its unit or zone, and its dict.
fn notes(form: &Form, rows: &dyn Rows, col: usize) -> Notes {
    let mut notes = Notes::new();
    let mut note = |name: &str, text: &str| notes.push((name.to_owned(), text.to_owned()));
    if let Some(kind) = form.kind() {
        note("kind", kind);
    }
    match form {
        Form::Numbers(Some(unit)) => note("unit", unit),
        Form::Instants(Some(zone)) => note("tz", zone.city()),
        _ => {}
    }
    if let Some(col) = rows.cols().get(col).filter(|col| !col.meta.is_empty()) {
        note("meta", &zinc::to_text(&Cell::Dict(&col.meta)));
    }
    notes
}

/// Columns that lie in one piece already: of numbers of one unit, and of instants of one zone.
pub struct Whole {
    form: Form,
    column: Column,
}

impl Whole {
    /// A column of numbers.
    pub fn numbers(unit: Option<&Unit>, all: Vec<f64>) -> Whole {
        let len = all.len();
        let form = Form::Numbers(unit.map(|unit| unit.symbol().to_owned()));
        Whole { form, column: Column::of(Cells::Floats(all), len, None) }
    }

    /// A column of instants.
    pub fn instants(zone: Zone, all: Vec<i64>) -> Whole {
        let len = all.len();
        let column = Column::of(instants(all, Some(zone)), len, None);
        Whole { form: Form::Instants(Some(zone)), column }
    }
}

/// All rows as columns; `whole` knows which lie in one piece.
pub fn table(rows: &dyn Rows, mut whole: impl FnMut(usize) -> Option<Whole>) -> Table {
    let mut all_notes = Vec::new();
    let columns = rows.cols().iter().enumerate().map(|(at, col)| {
        let Whole { form, column } = whole(at).unwrap_or_else(|| {
            let form = form_of(rows, at);
            let column = column(&form, (rows, at));
            Whole { form, column }
        });
        all_notes.push(notes(&form, rows, at));
        (col.name.as_str().to_owned(), column)
    });
    let columns: Vec<_> = columns.collect();
    let mut about = Notes::new();
    if !rows.meta().is_empty() {
        about.push(("meta".to_owned(), zinc::to_text(&Cell::Dict(rows.meta()))));
    }
    Table::of(rows.row_count(), columns).with_notes(about, all_notes)
}
