//! Words that a request names more than once: a request may have a million of them, so they are not
//! compared each with all others.

/// Up to so many words are compared each with those before it: that is quicker than sorting them.
const FEW: usize = 16;

/// Keeps of these ascending positions in `argv` the first of each word.
pub fn keep_first(argv: &[&[u8]], positions: &mut Vec<usize>) {
    if positions.len() <= FEW {
        let mut kept = 0;
        for n in 0..positions.len() {
            let at = positions[n];
            if !positions[..kept].iter().any(|&before| argv[before] == argv[at]) {
                positions[kept] = at;
                kept += 1;
            }
        }
        return positions.truncate(kept);
    }
    positions.sort_unstable_by_key(|&at| (argv[at], at));
    positions.dedup_by_key(|at| argv[*at]);
    positions.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_word_stays_where_it_is() {
        let few: Vec<&[u8]> = vec![b"MSET", b"b", b"a", b"b", b"b", b"a", b"c"];
        for times in [1, 1000] {
            let argv: Vec<&[u8]> = few.iter().copied().cycle().take(few.len() * times).collect();
            let mut positions: Vec<usize> = (1..argv.len()).collect();
            keep_first(&argv, &mut positions);
            let wanted = if times == 1 { vec![1, 2, 6] } else { vec![1, 2, 6, 7] };
            assert_eq!(positions, wanted, "{times}");
        }
        keep_first(&few, &mut Vec::new());
    }
}
