//! Images and changes: what comes of them is the project that they are of.

use base::Rng;
use haystack::{DateTime, Dict, Name, Tag, Value, Zone};
use kvist_folio::{
    Clear, Diff, Flags, HisOptions, ImageLoader, ImagePlace, Layer, Project, Query, ReadOptions,
    Span, View, change,
};

use crate::sample;

fn pieces(project: &View, layer: Layer) -> Vec<Vec<u8>> {
    let (mut place, mut pieces) = (ImagePlace::default(), Vec::new());
    while !place.is_end() {
        let mut piece = Vec::new();
        project.put_image_piece(&mut place, layer, &mut piece);
        if !piece.is_empty() {
            pieces.push(piece);
        }
    }
    pieces
}

fn load<'a>(pieces: impl IntoIterator<Item = &'a Vec<u8>>) -> Result<Project, String> {
    let mut loader = ImageLoader::default();
    for piece in pieces {
        loader.take_piece(piece).map_err(|error| error.to_string())?;
    }
    loader.finish().map_err(|error| error.to_string())
}

fn samples(project: &Project, id: &str) -> Vec<(DateTime, Value)> {
    let slot = project.slot_of(id).unwrap();
    project.his_read(slot, None, &HisOptions::default()).unwrap_or_default()
}

/// All that a project has, by id.
fn all(project: &Project, layer: Layer) -> Vec<(Dict, Vec<(DateTime, Value)>)> {
    let query = Query::parse("id").unwrap();
    let mut slots = project.find_all(&query, &ReadOptions::default()).unwrap();
    let trash = ReadOptions { trash: kvist_folio::Trash::Only, ..ReadOptions::default() };
    slots.extend(project.find_all(&query, &trash).unwrap());
    let mut ids: Vec<&str> = slots.iter().map(|slot| project.id_of(*slot)).collect();
    ids.sort_unstable();
    let records = ids.iter().map(|id| {
        let slot = project.slot_of(id).unwrap();
        (project.dict(slot, layer), samples(project, id))
    });
    records.collect()
}

fn is_same(a: &Project, b: &Project, layer: Layer) {
    assert_eq!(all(a, layer), all(b, layer));
    assert_eq!((a.version(), a.len(), a.prefix()), (b.version(), b.len(), b.prefix()));
    let places = |project: &Project| {
        let found = project.find_all(&Query::parse("id").unwrap(), &ReadOptions::default());
        let ids = found.unwrap().into_iter().map(|slot| (slot, project.id_of(slot).to_owned()));
        ids.collect::<Vec<_>>()
    };
    assert_eq!(places(a), places(b));
    for tag in ["a", "b", "dis"] {
        assert_eq!(a.is_indexed(tag), b.is_indexed(tag));
    }
}

/// A project that is changed at random, and one to which the same is done by its journal.
struct Both {
    here: Project,
    there: Project,
    commits: usize,
    written: usize,
}

impl Both {
    fn apply(&mut self, changes: &[Vec<u8>]) {
        for change in changes {
            self.there.apply(change).unwrap();
        }
    }

    fn commit(&mut self, rng: &mut Rng, round: i64) {
        let id = format!("r{}", rng.below(2000));
        let old = self.here.slot_of(&id);
        let mut tags = sample::tags(rng);
        let diff = match (old, rng.below(8)) {
            (None, _) => {
                if rng.below(2) == 0 {
                    let point = sample::dict("point his tz:\"UTC\" kind:\"Number\" unit:\"kW\"");
                    point.iter().for_each(|(tag, value)| tags.set(tag.clone(), value.clone()));
                }
                Diff::add(&id, tags).unwrap()
            }
            (_, 0) => Diff::remove(&id, None).unwrap(),
            (_, 1) => {
                Diff::update(&id, sample::dict("curVal:1"), None).unwrap().with(Flags::TRANSIENT)
            }
            (_, 2) => Diff::update(&id, sample::dict("trash"), None).unwrap(),
            (_, 3) => Diff::update(&id, sample::dict("tz:\"Berlin\""), None).unwrap(),
            (_, 4) => Diff::update(&id, sample::dict("a:R ref:R"), None).unwrap(),
            _ => Diff::update(&id, tags, None).unwrap(),
        };
        let diff = if old.is_some() { diff.with(Flags::FORCE) } else { diff };
        let batch = [diff];
        let Ok(done) = self.here.commit(&batch, sample::at(round)) else { return };
        self.commits += 1;
        let size = [1, 100_000][rng.below(2)];
        self.apply(&change::of_commit(&batch, &done, self.here.version(), size));
    }

    fn write(&mut self, rng: &mut Rng) {
        let id = format!("r{}", rng.below(2000));
        let Some(slot) = self.here.slot_of(&id) else { return };
        let zone = match self.here.value(slot, "tz") {
            haystack::Cell::Str(zone) => Zone::named(zone).unwrap(),
            _ => return,
        };
        let start = rng.below(5000) as i64;
        let at = |second: i64| sample::at(second).to_zone(zone);
        let items = (0..rng.below(1500) as i64).map(|n| {
            let value = [Value::NA, Value::REMOVE, Value::from(1.5), Value::from(n as f64)];
            (at(start + n * (1 + n % 3)), value[rng.below(4)].clone())
        });
        let items: Vec<(DateTime, Value)> = items.collect();
        let span = Span { start: at(start), end: at(start + 700) };
        let clear = [Clear::Nothing, Clear::All, Clear::Span(span)][rng.below(3)];
        let Ok(written) = self.here.his_write(slot, &items, clear) else { return };
        self.written += written.count;
        self.apply(&change::of_samples(&id, &written.samples, clear));
    }
}

/// A payload that a client wrote may say that the version is the highest there is: that is no
/// trouble, and what has been done is not taken back.
#[test]
fn versions_and_mods_never_go_back() {
    let mut project = sample::project("id: @a\ndis: \"A\"\n");
    let change = |dict: &str, second: i64, version: u64| {
        let diffs = [Diff::update("a", sample::dict(dict), None).unwrap().with(Flags::FORCE)];
        let mut other = sample::project("id: @a\ndis: \"A\"\n");
        let done = other.commit(&diffs, sample::at(second)).unwrap();
        change::of_commit(&diffs, &done, version, 1 << 20).remove(0)
    };
    project.apply(&change("x:1", 100, 7)).unwrap();
    assert_eq!(project.version(), 7);
    assert!(project.apply(&change("x:2", 100, 6)).is_err(), "an older version");
    assert!(project.apply(&change("x:2", 99, 7)).is_err(), "an older mod");
    project.apply(&change("x:3", 101, u64::MAX)).unwrap();
    let diff = Diff::update("a", sample::dict("x:4"), None).unwrap().with(Flags::FORCE);
    project.commit(&[diff], sample::at(102)).unwrap();
    assert_eq!(project.version(), u64::MAX);
}

#[test]
fn what_is_replayed_and_what_is_read_is_the_same_project() {
    let (mut commits, mut written) = (0, 0);
    testkit::fuzz::fuzz(|rng| {
        let prefix = (rng.below(3) == 0).then(|| Name::new("p"));
        let mut both = Both {
            here: Project::with_prefix(prefix.clone()),
            there: Project::with_prefix(prefix),
            commits: 0,
            written: 0,
        };
        let rounds = [20, 1500][usize::from(rng.below(8) == 0)];
        for round in 0..rounds {
            match rng.below(6) {
                0 => both.write(rng),
                1 if rng.below(40) == 0 => {
                    let tag = Tag::new("a").unwrap();
                    both.here.create_index(&tag).unwrap();
                    both.apply(&[change::of_index(&tag)]);
                }
                _ => both.commit(rng, round),
            }
        }
        commits += both.commits;
        written += both.written;
        is_same(&both.here, &both.there, Layer::Persistent);
        let kept = pieces(&both.here, Layer::Persistent);
        assert!(kept.iter().all(|piece| piece.len() < 512 << 10));
        assert!(pieces(&both.there, Layer::Persistent) == kept);
        let read = load(&kept).unwrap();
        is_same(&both.here, &read, Layer::Persistent);
        assert!(pieces(&read, Layer::Persistent) == kept);
        // What comes next is the same, too.
        both.there = read;
        (0..20).for_each(|round| both.commit(rng, rounds + round));
        is_same(&both.here, &both.there, Layer::Persistent);
        let kept = pieces(&both.here, Layer::Persistent);
        assert!(pieces(&both.there, Layer::Persistent) == kept);
        let whole = load(&pieces(&both.here, Layer::Merged)).unwrap();
        is_same(&both.here, &whole, Layer::Merged);
    });
    assert!(commits > 0 && written > 0);
}

/// An image with something of everything.
fn rich() -> Project {
    let mut project = sample::project(
        "id: @a\ndis: \"A\"\npoint\nhis\ntz: \"UTC\"\nkind: \"Number\"\nref: @b\n---\n\
         id: @b\nlist: [1, 2kW, @a]\nd: 2024-01-01\n",
    );
    project.create_index(&Tag::new("d").unwrap()).unwrap();
    let items: Vec<(DateTime, Value)> =
        (0..600).map(|n| (sample::at(n * 60), Value::from(n as f64))).collect();
    project.his_write(project.slot_of("a").unwrap(), &items, Clear::Nothing).unwrap();
    project
}

#[test]
fn damaged_images_are_errors() {
    let whole = pieces(&rich(), Layer::Persistent);
    assert_eq!(whole.len(), 3);
    assert!(load([]).is_err() && load(&whole[1..]).is_err());
    assert!(load([&whole[0], &whole[0]]).is_err());
    assert!(load([&whole[0], &whole[1], &whole[1]]).is_err(), "records that are there");
    assert!(load([&whole[0], &whole[2]]).is_err(), "samples of no record");
    assert!(load([&whole[0], &whole[1], &whole[2], &whole[2]]).is_err(), "samples out of order");
    for piece in 0..whole.len() {
        for len in 0..whole[piece].len() {
            let mut cut = whole.clone();
            cut[piece].truncate(len);
            // What ends between two tags, or two histories, is a smaller image.
            let _ = load(&cut);
        }
    }
    testkit::fuzz::fuzz(|rng| {
        let mut damaged = whole.clone();
        for _ in 0..=rng.below(4) {
            let piece = rng.below(damaged.len());
            let at = rng.below(damaged[piece].len());
            damaged[piece][at] = match rng.below(3) {
                0 => 0xff,
                1 => damaged[piece][at] ^ (1 << rng.below(8)),
                _ => rng.below(256) as u8,
            };
        }
        if let Ok(project) = load(&damaged) {
            assert!(project.memory() < 4 << 20);
            let again = pieces(&project, Layer::Persistent);
            is_same(&project, &load(&again).unwrap(), Layer::Persistent);
        }
    });
}

#[test]
fn damaged_changes_are_errors_and_do_nothing() {
    let mut project = rich();
    let version = project.version();
    let batch = [
        Diff::add("c", sample::dict("site dis:\"C\" area:5ft²")).unwrap(),
        Diff::update("b", sample::dict("list:R new"), None).unwrap().with(Flags::FORCE),
    ];
    let mut other = rich();
    let done = other.commit(&batch, sample::at(9)).unwrap();
    let changes = change::of_commit(&batch, &done, other.version(), 1 << 20);
    let [changes] = &changes[..] else { panic!("one piece") };
    let slot = other.slot_of("a").unwrap();
    let item = (sample::at(4), Value::from(2.5));
    let written = other.his_write(slot, &[item], Clear::Nothing).unwrap();
    let samples = change::of_samples("a", &written.samples, Clear::Nothing).concat();
    let changes = &[changes.clone(), samples].concat();
    let before = all(&project, Layer::Merged);
    for len in 1..changes.len() {
        // Between two changes it ends well.
        if project.apply(&changes[..len]).is_err() {
            assert_eq!(all(&project, Layer::Merged), before, "{len}");
        } else {
            project = rich();
        }
    }
    assert_eq!(project.version(), version);
    project.apply(changes).unwrap();
    is_same(&project, &other, Layer::Persistent);
    assert!(project.apply(changes).is_err(), "the record is there already");
    testkit::fuzz::fuzz(|rng| {
        let mut damaged = changes.clone();
        let at = rng.below(damaged.len());
        damaged[at] = rng.below(256) as u8;
        let mut project = rich();
        if project.apply(&damaged).is_err() {
            assert_eq!(all(&project, Layer::Merged), before);
        }
    });
}

/// A record and samples of another kind in one: both or none.
#[test]
fn changes_of_which_one_does_not_fit_do_nothing() {
    let point = |kind: &str| {
        let text = format!("id: @p\npoint\nhis\ntz: \"UTC\"\nkind: \"{kind}\"\n");
        let mut project = sample::project(&text);
        let slot = project.slot_of("p").unwrap();
        let value = if kind == "Str" { Value::from("x") } else { Value::from(1.5) };
        let written = project.his_write(slot, &[(sample::at(1), value)], Clear::Nothing).unwrap();
        (project, change::of_samples("p", &written.samples, Clear::Nothing).concat())
    };
    let ((mut project, _), (_, samples)) = (point("Number"), point("Str"));
    let batch = [Diff::add("q", sample::dict("site")).unwrap()];
    let mut other = point("Number").0;
    let done = other.commit(&batch, sample::at(9)).unwrap();
    let record = change::of_commit(&batch, &done, other.version(), 1 << 20).concat();
    let before = (all(&project, Layer::Merged), project.version());
    assert!(project.apply(&[record.clone(), samples].concat()).is_err());
    assert_eq!((all(&project, Layer::Merged), project.version()), before);
    project.apply(&record).unwrap();
    // A `mod` behind which there is none.
    let batch = [Diff::update("q", sample::dict("a"), None).unwrap().with(Flags::FORCE)];
    let late = DateTime::from_nanos(i64::MAX - 5_000_000, Zone::UTC);
    let done = other.commit(&batch, late).unwrap();
    let late = change::of_commit(&batch, &done, other.version(), 1 << 20).concat();
    assert!(project.apply(&late).is_err());
}

#[test]
fn nothing_transient_is_told() {
    let mut project = rich();
    let diff = Diff::update("b", sample::dict("curVal:1"), None).unwrap();
    let batch = [diff.with(Flags::TRANSIENT | Flags::FORCE)];
    let done = project.commit(&batch, sample::at(1)).unwrap();
    assert!(change::of_commit(&batch, &done, project.version(), 1).is_empty());
    let read = load(&pieces(&project, Layer::Persistent)).unwrap();
    let slot = |project: &Project| project.slot_of("b").unwrap();
    assert!(read.value(slot(&read), "curVal").is_null());
    assert!(!project.value(slot(&project), "curVal").is_null());
    // It is told of histories that they are there.
    assert_eq!(samples(&read, "a").len(), 600);
    assert!(!read.value(read.slot_of("a").unwrap(), "hisSize").is_null());
}
