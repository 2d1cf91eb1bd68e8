//! What `PFSELFTEST` tests: that registers hold what they are given, that both forms agree, and
//! that estimates are as near as they should be.

use base::Rng;

use super::{
    DENSE_BYTES, Encoding, HEADER, REGISTERS, Registers, add, count, dense, empty, encoding,
    to_dense,
};

/// Elements that are added.
const ELEMENTS: u64 = 100_000;
/// `hll-sparse-max-bytes` while testing.
const SPARSE_MAX: usize = 3000;
/// Rounds of random registers.
const ROUNDS: usize = 20;

/// What was found to be wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A register has another value than it was given.
    Register(usize),
    /// A small set is not sparse.
    NotSparse,
    /// The dense and the sparse form estimate differently.
    Disagree,
    /// The estimate of so many elements is off by so many.
    Error(u64, u64),
}

/// Tests the algorithm on made-up elements; takes tens of milliseconds.
///
/// # Errors
/// What is wrong; that would be a bug here or in the machine.
pub fn self_test() -> Result<(), Fault> {
    registers()?;
    estimates()
}

fn registers() -> Result<(), Fault> {
    let mut rng = Rng::new(1);
    for _ in 0..ROUNDS {
        let mut bytes = empty();
        to_dense(&mut bytes).map_err(|_| Fault::Register(0))?;
        let mut wanted = [0; REGISTERS];
        for (index, wanted) in wanted.iter_mut().enumerate() {
            *wanted = u8::try_from(rng.below(64)).unwrap_or(0);
            dense::raise(&mut bytes[HEADER..], index, *wanted);
        }
        let mut found = Registers::default();
        found.merge(&bytes).map_err(|_| Fault::Register(0))?;
        let differs = found.iter().zip(wanted).position(|(found, wanted)| found != wanted);
        if let Some(index) = differs {
            return Err(Fault::Register(index));
        }
    }
    Ok(())
}

fn estimates() -> Result<(), Fault> {
    let (mut sparse, mut dense) = (empty(), Vec::with_capacity(DENSE_BYTES));
    dense.extend_from_slice(&sparse);
    let disagree = |_| Fault::Disagree;
    to_dense(&mut dense).map_err(disagree)?;
    let mut rng = Rng::new(2);
    let seed = rng.next_u64();
    let mut checkpoint = 1;
    // The standard error of the algorithm; six times that is never met by chance.
    let relative = 6.0 * 1.04 / (REGISTERS as f64).sqrt();
    for added in 1..=ELEMENTS {
        let element = (seed ^ added).to_le_bytes();
        add(&mut sparse, &element, SPARSE_MAX).map_err(disagree)?;
        add(&mut dense, &element, SPARSE_MAX).map_err(disagree)?;
        if added != checkpoint {
            continue;
        }
        if added <= 100 && encoding(&sparse) != Some(Encoding::Sparse) {
            return Err(Fault::NotSparse);
        }
        let estimate = count(&dense).map_err(disagree)?;
        if count(&sparse) != Ok(estimate) {
            return Err(Fault::Disagree);
        }
        let error = estimate.abs_diff(added);
        // At ten elements a single collision is more than six standard errors.
        let allowed = (relative * added as f64).ceil().max(1.0);
        if error as f64 > allowed {
            return Err(Fault::Error(added, error));
        }
        checkpoint *= 10;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_wrong() {
        assert_eq!(super::self_test(), Ok(()));
    }
}
