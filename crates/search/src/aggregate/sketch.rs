//! About how many values differ: a HyperLogLog of 4096 registers (an error of 1.6 %), and exact
//! counting while there are few, so that many small groups do not cost 4 KiB each.

use foldhash::fast::RandomState;
use hashbrown::HashSet;

const BITS: u32 = 12;
const REGISTERS: usize = 1 << BITS;
/// Up to so many, hashes are kept.
const EXACT: usize = 256;

/// Hashes, then registers.
#[derive(Debug)]
pub(super) enum Sketch {
    Exact(HashSet<u64, RandomState>),
    Registers(Box<[u8; REGISTERS]>),
}

impl Default for Sketch {
    fn default() -> Self {
        Self::Exact(HashSet::default())
    }
}

impl Sketch {
    /// Takes a hash in; returns by how many bytes it grew.
    pub(super) fn add(&mut self, hash: u64) -> usize {
        match self {
            Self::Exact(hashes) => {
                if !hashes.insert(hash) {
                    return 0;
                }
                if hashes.len() <= EXACT {
                    return 2 * size_of::<u64>();
                }
                let mut registers = Box::new([0; REGISTERS]);
                hashes.iter().for_each(|hash| set(&mut registers, *hash));
                *self = Self::Registers(registers);
                0
            }
            Self::Registers(registers) => {
                set(registers, hash);
                0
            }
        }
    }

    /// About how many hashes differ.
    #[allow(clippy::cast_precision_loss)] // small
    pub(super) fn estimate(&self) -> f64 {
        let registers = match self {
            Self::Exact(hashes) => return hashes.len() as f64,
            Self::Registers(registers) => registers,
        };
        let count = REGISTERS as f64;
        let sum: f64 = registers.iter().map(|register| 0.5_f64.powi(i32::from(*register))).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let zeros = registers.iter().filter(|register| **register == 0).count();
        // Below this, counting the registers that are empty is more exact.
        if estimate <= 2.5 * count && zeros > 0 {
            return (count * (count / zeros as f64).ln()).round();
        }
        estimate.round()
    }
}

fn set(registers: &mut [u8; REGISTERS], hash: u64) {
    #[allow(clippy::cast_possible_truncation)] // the upper bits
    let at = (hash >> (u64::BITS - BITS)) as usize;
    let rank = (hash << BITS).leading_zeros().min(u64::BITS - BITS) + 1;
    registers[at] = registers[at].max(u8::try_from(rank).unwrap_or(u8::MAX));
}
