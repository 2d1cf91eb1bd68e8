//! HyperLogLogs as clients could store them: right, damaged, made up.

use super::Draw;

/// Bytes that look like a HyperLogLog, more or less.
pub(super) fn sketch(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let rng = &mut draw.rng;
    let mut bytes = b"HYLL".to_vec();
    let encoding = *rng.pick(&[0, 1, 1, 1, 1, 1, 2]);
    bytes.extend([encoding, 0, 0, 0]);
    let card = *rng.pick(&[0_u64, 1 << 63, 1 << 63, 77, u64::MAX, 1 << 62]);
    bytes.extend(card.to_le_bytes());
    if encoding == 0 {
        let most = *rng.pick(&[1, 4, 64, 256]);
        let length = *rng.pick(&[12_288, 12_288, 12_288, 12_287, 12_289, 0]);
        bytes.extend((0..length).map(|_| u8::try_from(rng.below(most)).unwrap_or(0)));
    } else if rng.chance(25) {
        crowd(draw, &mut bytes);
    } else {
        runs(draw, &mut bytes);
    }
    if draw.rng.chance(10) {
        let at = draw.rng.below(bytes.len());
        bytes[at] = u8::try_from(draw.rng.below(256)).unwrap_or(0);
    }
    if draw.rng.chance(5) {
        bytes.truncate(draw.rng.below(bytes.len() + 1));
    }
    close(&mut bytes);
    args.push(bytes);
}

/// Short runs of few ranks, which most elements split or join.
fn crowd(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let rng = &mut draw.rng;
    let mut left = 16_384;
    while left > 0 {
        let length = (1 + rng.below(4)).min(left);
        let run = 0x80 | (rng.below(3) << 2) | (length - 1);
        let opcode = if rng.chance(30) { length - 1 } else { run };
        bytes.push(u8::try_from(opcode).unwrap_or(0));
        left -= length;
    }
}

/// Completes a run of two bytes at the end of a sparse one. Where its second byte is missing,
/// redis-server reads what is behind the string, whatever that is.
fn close(bytes: &mut Vec<u8>) {
    if bytes.get(4) != Some(&1) {
        return;
    }
    let mut at = 16;
    while let Some(byte) = bytes.get(at) {
        at += if byte >> 6 == 1 { 2 } else { 1 };
    }
    if at > bytes.len() && bytes.len() > 16 {
        bytes.push(0);
    }
}

/// Runs of registers that mostly add up to all of them.
fn runs(draw: &mut Draw, bytes: &mut Vec<u8>) {
    let rng = &mut draw.rng;
    let (mut left, count) = (16_384, rng.below(60));
    for _ in 0..count {
        let long = 1 + rng.below(400);
        let (opcode, length) = match rng.below(3) {
            0 => (vec![long.min(64) - 1], long.min(64)),
            1 => (vec![0x40 | ((long - 1) >> 8), (long - 1) & 255], long),
            _ => (vec![0x80 | (rng.below(32) << 2) | ((long - 1) & 3)], ((long - 1) & 3) + 1),
        };
        if length > left {
            break;
        }
        left -= length;
        bytes.extend(opcode.into_iter().map(|byte| u8::try_from(byte).unwrap_or(0)));
    }
    if left > 0 && !rng.chance(5) {
        let last = [0x40 | ((left - 1) >> 8), (left - 1) & 255];
        bytes.extend(last.map(|byte| u8::try_from(byte).unwrap_or(0)));
    }
}

/// Elements, so many that registers meet.
pub(super) fn element(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let most = *draw.rng.pick(&[10, 1000, 100_000]);
    args.push(match draw.rng.below(20) {
        0 => draw.text(),
        _ => draw.rng.below(most).to_string().into_bytes(),
    });
}
