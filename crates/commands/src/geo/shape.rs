//! What is searched, and the cells that cover it.

use types::ZSet;
use types::zset::ScoreBound;

use super::cell::{Area, Cell, Point, STEPS};
use super::distance::{Origin, RADIUS, between_latitudes, degrees, radians};

/// Half the length of the equator on the map, in metres.
const MERCATOR_MAX: f64 = 20_037_726.37;

/// A radius, in metres, with which no cell on the other side of Earth is searched.
const NEAR: f64 = 1_000_000.0;

/// The extent of a shape, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extent {
    Circle { radius: f64 },
    Box { width: f64, height: f64 },
}

/// A shape around a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub center: Point,
    pub extent: Extent,
    /// Metres of its unit.
    pub unit: f64,
}

/// A member in a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'z> {
    pub member: &'z [u8],
    pub score: f64,
    pub point: Point,
    /// Metres from the center.
    pub distance: f64,
}

impl Shape {
    /// How far it is from the center to `point`, in metres, if that is in the shape.
    fn distance(&self, center: &Origin, point: Point) -> Option<f64> {
        // A distance that is not a number is beyond nothing, as in Redis.
        let beyond = |distance: f64, limit: f64| distance > limit;
        match self.extent {
            Extent::Circle { radius } => {
                let limit = radius * self.unit;
                // Most places that are too far away are so by their latitude alone. The slack is
                // far more than rounding can make of it; on the other side of Earth, where a
                // distance may be no number, this is not asked.
                let north = between_latitudes(self.center.latitude, point.latitude);
                if limit < NEAR && north > limit * 1.000_001 + 1.0 {
                    return None;
                }
                let distance = center.to(point);
                (!beyond(distance, limit)).then_some(distance)
            }
            Extent::Box { width, height } => {
                let north = between_latitudes(point.latitude, self.center.latitude);
                if beyond(north, height * self.unit / 2.0) {
                    return None;
                }
                if beyond(center.to_beside(point), width * self.unit / 2.0) {
                    return None;
                }
                Some(center.to(point))
            }
        }
    }

    /// The edges of the shape, in degrees; they may lie beyond the map.
    fn bounds(&self) -> Area {
        let (width, height) = match self.extent {
            Extent::Circle { radius } => (self.unit * radius, self.unit * radius),
            Extent::Box { width, height } => {
                (self.unit * (width / 2.0), self.unit * (height / 2.0))
            }
        };
        let Point { longitude, latitude } = self.center;
        let up = degrees(height / RADIUS);
        // Degrees of longitude are shortest at the edge that is nearer to a pole.
        let edge = if latitude < 0.0 { latitude - up } else { latitude + up };
        let aside = degrees(width / RADIUS / radians(edge).cos());
        Area {
            west: longitude - aside,
            east: longitude + aside,
            south: latitude - up,
            north: latitude + up,
        }
    }

    /// How small cells may be so that nine of them cover most such shapes.
    fn steps(&self) -> u32 {
        let mut reach = self.unit
            * match self.extent {
                Extent::Circle { radius } => radius,
                Extent::Box { width, height } => {
                    ((width / 2.0) * (width / 2.0) + (height / 2.0) * (height / 2.0)).sqrt()
                }
            };
        if reach == 0.0 {
            return STEPS;
        }
        let mut step = 1_i32;
        while reach < MERCATOR_MAX {
            reach *= 2.0;
            step += 1;
        }
        step -= 2;
        // Near the poles a cell is less wide.
        let north = self.center.latitude.abs();
        step -= i32::from(north > 66.0) + i32::from(north > 80.0);
        u32::try_from(step.max(1)).unwrap_or(1).min(STEPS)
    }

    /// The cells to search, in order; `None` where nothing can be found.
    fn cells(&self) -> [Option<Cell>; 9] {
        let bounds = self.bounds();
        let mut cell = Cell::of(self.center, self.steps());
        if cell.step > 1 && !is_covered(cell, bounds) {
            cell = Cell::of(self.center, cell.step - 1);
        }
        let area = cell.area();
        let small = cell.step >= 2;
        let skip_south = small && area.south < bounds.south;
        let skip_north = small && area.north > bounds.north;
        let skip_west = small && area.west < bounds.west;
        let skip_east = small && area.east > bounds.east;
        const AROUND: [(i32, i32); 9] =
            [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)];
        AROUND.map(|(east, north)| {
            let skip = east > 0 && skip_east
                || east < 0 && skip_west
                || north > 0 && skip_north
                || north < 0 && skip_south;
            (!skip).then(|| cell.neighbour(east, north))
        })
    }

    /// The members in this shape, cell by cell; all, or at least `enough` where that is enough.
    /// O(log n + members in the cells).
    pub fn search<'z>(&self, zset: &'z ZSet, enough: Option<usize>) -> Vec<Found<'z>> {
        let mut found = Vec::new();
        let center = Origin::new(self.center);
        let is_enough = |found: &Vec<Found<'_>>| enough.is_some_and(|most| found.len() >= most);
        let mut last: Option<Cell> = None;
        for cell in self.cells().into_iter().flatten() {
            // In the largest grids a cell is a neighbour on both sides.
            if last == Some(cell) {
                continue;
            }
            if is_enough(&found) {
                break;
            }
            last = Some(cell);
            let (first, end) = cell.scores();
            let ranks = zset.score_ranks(ScoreBound::Included(first), ScoreBound::Excluded(end));
            for (member, score) in zset.range(ranks) {
                let point = Point::of_score(score);
                if let Some(distance) = self.distance(&center, point) {
                    found.push(Found { member, score, point, distance });
                    if is_enough(&found) {
                        break;
                    }
                }
            }
        }
        found
    }
}

/// Whether the neighbours of a cell reach as far as `bounds` on all sides.
fn is_covered(cell: Cell, bounds: Area) -> bool {
    let short = cell.neighbour(0, 1).area().north < bounds.north
        || cell.neighbour(0, -1).area().south > bounds.south
        || cell.neighbour(1, 0).area().east < bounds.east
        || cell.neighbour(-1, 0).area().west > bounds.west;
    !short
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
