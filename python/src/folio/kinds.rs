//! The kinds of Haystack that Python has no class for. All are immutable, and equal as Haystack has
//! it: refs by their ids alone.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use haystack::{Cell, Unit, Value, zinc};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyString, PyTuple};

use super::refused;

/// Whole numbers up to here are `int`.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn text(cell: &Cell<'_>) -> String {
    zinc::to_text(cell)
}

/// A kind of which there is one value.
macro_rules! single {
    ($name:ident, $about:literal, $cell:expr) => {
        #[doc = $about]
        #[pyclass(frozen, eq, hash, module = "kvist.folio")]
        #[derive(PartialEq, Eq, Hash)]
        pub struct $name;

        impl $name {
            /// The one.
            pub fn one(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                static ONE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                let made = || Py::new(py, $name).map(Py::into_any);
                Ok(ONE.get_or_try_init(py, made)?.bind(py).clone())
            }
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new() -> Self {
                $name
            }

            fn __repr__(&self) -> &'static str {
                concat!(stringify!($name), "()")
            }

            fn __str__(&self) -> String {
                text(&$cell)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ()) {
                (slf.get_type().into_any(), ())
            }
        }
    };
}

single!(Marker, "A tag that is there.", Cell::Marker);
single!(NA, "A value that is not known.", Cell::Na);
single!(Remove, "In a change: the tag is to be removed.", Cell::Remove);

/// A kind that is a text.
macro_rules! textual {
    ($name:ident, $about:literal, $make:expr, $cell:expr) => {
        #[doc = $about]
        #[pyclass(frozen, eq, hash, module = "kvist.folio")]
        #[derive(PartialEq, Eq, Hash)]
        pub struct $name {
            /// The text.
            pub val: Box<str>,
        }

        #[pymethods]
        impl $name {
            #[classattr]
            #[pyo3(name = "__match_args__")]
            const MATCH_ARGS: (&'static str,) = ("val",);

            #[new]
            fn new(py: Python<'_>, val: &str) -> PyResult<Self> {
                let check: fn(&str) -> Result<Value, haystack::Error> = $make;
                check(val).map_err(|error| refused(py, error))?;
                Ok($name { val: val.into() })
            }

            /// The text.
            #[getter]
            fn val(&self) -> &str {
                &self.val
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                Ok(format!("{}(val={})", stringify!($name), quoted(py, &self.val)?))
            }

            fn __str__(&self) -> String {
                let cell: fn(&str) -> Cell<'_> = $cell;
                text(&cell(&self.val))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
                (slf.get_type().into_any(), (slf.get().val.to_string(),))
            }
        }
    };
}

textual!(Uri, "A URI.", |text| Ok(Value::uri(text)), |text| Cell::Uri(text));
textual!(Symbol, "The name of a def.", |text| Value::symbol(text), |text| Cell::Symbol(text));

fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(PyString::new(py, text).repr()?.to_string())
}

/// A number with a unit. Those without are `int` and `float` where they come from a server.
#[pyclass(frozen, module = "kvist.folio")]
pub struct Number {
    /// The value.
    pub value: f64,
    /// The unit.
    pub of: Option<Unit>,
}

impl Number {
    fn cell(&self) -> Cell<'_> {
        Cell::Number(self.value, self.of.as_ref().map(Unit::symbol))
    }
}

/// A number as `int` if it is whole, else as `float`.
pub fn plain(py: Python<'_>, value: f64) -> PyResult<Bound<'_, PyAny>> {
    if value.fract() == 0.0 && value.abs() <= EXACT {
        // Exact, as it is whole and no larger than that.
        return Ok((value as i64).into_pyobject(py)?.into_any());
    }
    Ok(PyFloat::new(py, value).into_any())
}

#[pymethods]
impl Number {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("val", "unit");

    #[new]
    #[pyo3(signature = (val, unit=None))]
    fn new(py: Python<'_>, val: f64, unit: Option<&str>) -> PyResult<Self> {
        let of = unit.map(Unit::named).transpose().map_err(|error| refused(py, error))?;
        Ok(Number { value: val, of })
    }

    /// The value: an `int` if it is whole.
    #[getter]
    fn val<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, self.value)
    }

    /// The symbol of the unit.
    #[getter]
    fn unit(&self) -> Option<&str> {
        self.of.as_ref().map(Unit::symbol)
    }

    fn __float__(&self) -> f64 {
        self.value
    }

    /// Numbers of one unit have an order; those of two are only not equal.
    fn __richcmp__(&self, py: Python<'_>, other: &Number, op: CompareOp) -> PyResult<bool> {
        match (op, self.cell().compare(&other.cell())) {
            (CompareOp::Eq, order) => Ok(order == Some(Ordering::Equal)),
            (CompareOp::Ne, order) => Ok(order != Some(Ordering::Equal)),
            (op, Some(order)) => Ok(op.matches(order)),
            (_, None) => Err(refused(py, "numbers of different units have no order")),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.cell().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = format!("Number(val={}", self.val(py)?.repr()?);
        if let Some(unit) = self.unit() {
            let _ = write!(shown, ", unit={}", quoted(py, unit)?);
        }
        Ok(shown + ")")
    }

    fn __str__(&self) -> String {
        text(&self.cell())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let number = slf.get();
        let arguments = (number.value, number.unit()).into_pyobject(slf.py())?;
        Ok((slf.get_type().into_any(), arguments))
    }
}

/// The id of a record, perhaps with what to show in its place. Equal are refs with the same id.
#[pyclass(frozen, eq, hash, module = "kvist.folio")]
pub struct Ref {
    /// The id, without `@`.
    pub val: Box<str>,
    /// The display name.
    pub dis: Option<Box<str>>,
}

impl PartialEq for Ref {
    fn eq(&self, other: &Ref) -> bool {
        self.val == other.val
    }
}

impl Hash for Ref {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.val.hash(state);
    }
}

#[pymethods]
impl Ref {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("val", "dis");

    #[new]
    #[pyo3(signature = (val, dis=None))]
    fn new(py: Python<'_>, val: &str, dis: Option<&str>) -> PyResult<Self> {
        let val = val.strip_prefix('@').unwrap_or(val);
        Value::id(val).map_err(|error| refused(py, error))?;
        Ok(Ref { val: val.into(), dis: dis.map(Into::into) })
    }

    /// The id, without `@`.
    #[getter]
    fn val(&self) -> &str {
        &self.val
    }

    /// The display name, where one came with it.
    #[getter]
    fn dis(&self) -> Option<&str> {
        self.dis.as_deref()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = format!("Ref(val={}", quoted(py, &self.val)?);
        if let Some(dis) = &self.dis {
            let _ = write!(shown, ", dis={}", quoted(py, dis)?);
        }
        Ok(shown + ")")
    }

    fn __str__(&self) -> String {
        text(&Cell::Ref(&self.val, self.dis.as_deref()))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Ref { val, dis } = slf.get();
        Ok((slf.get_type().into_any(), (&**val, dis.as_deref()).into_pyobject(slf.py())?))
    }
}

/// A place: latitude and longitude in degrees.
#[pyclass(frozen, eq, hash, module = "kvist.folio")]
#[derive(PartialEq, Eq, Hash)]
pub struct Coord(pub haystack::Coord);

#[pymethods]
impl Coord {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("lat", "lng");

    #[new]
    fn new(py: Python<'_>, lat: f64, lng: f64) -> PyResult<Self> {
        haystack::Coord::new(lat, lng).map(Coord).map_err(|error| refused(py, error))
    }

    /// Degrees north.
    #[getter]
    fn lat(&self) -> f64 {
        self.0.lat()
    }

    /// Degrees east.
    #[getter]
    fn lng(&self) -> f64 {
        self.0.lng()
    }

    fn __repr__(&self) -> String {
        format!("Coord(lat={:?}, lng={:?})", self.lat(), self.lng())
    }

    fn __str__(&self) -> String {
        text(&Cell::Coord(self.0))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (f64, f64)) {
        (slf.get_type().into_any(), (slf.get().lat(), slf.get().lng()))
    }
}

/// A text with the name of a type, for kinds that are none of Haystack's.
#[pyclass(frozen, eq, hash, module = "kvist.folio")]
#[derive(PartialEq, Eq, Hash)]
pub struct XStr {
    /// The type, which begins with a capital letter.
    pub type_name: Box<str>,
    /// The text.
    pub val: Box<str>,
}

#[pymethods]
impl XStr {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("type_name", "val");

    #[new]
    fn new(py: Python<'_>, type_name: &str, val: &str) -> PyResult<Self> {
        Value::xstr(type_name, val).map_err(|error| refused(py, error))?;
        Ok(XStr { type_name: type_name.into(), val: val.into() })
    }

    /// The type, which begins with a capital letter.
    #[getter]
    fn type_name(&self) -> &str {
        &self.type_name
    }

    /// The text.
    #[getter]
    fn val(&self) -> &str {
        &self.val
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (of, val) = (quoted(py, &self.type_name)?, quoted(py, &self.val)?);
        Ok(format!("XStr(type_name={of}, val={val})"))
    }

    fn __str__(&self) -> String {
        text(&Cell::XStr(&self.type_name, &self.val))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, String)) {
        let XStr { type_name, val } = slf.get();
        (slf.get_type().into_any(), (type_name.to_string(), val.to_string()))
    }
}
