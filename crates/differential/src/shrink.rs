//! Makes a failing list of steps small: delta debugging (Zeller and Hildebrandt 2002), first over
//! steps, then over the arguments of long commands.
//!
//! The test is handed in and decides alone; it must be cheap enough to be asked some hundred times.

use crate::command::{Command, Step};

/// The smallest list found for which `fails` still holds. `fails(&items)` must hold.
pub fn minimise<T: Clone>(items: Vec<T>, fails: &mut impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut items = items;
    let mut size = items.len().div_ceil(2);
    while size > 0 && !items.is_empty() {
        let mut removed = false;
        let mut at = 0;
        while at < items.len() {
            let end = (at + size).min(items.len());
            let fewer = [&items[..at], &items[end..]].concat();
            if fails(&fewer) {
                items = fewer;
                removed = true;
            } else {
                at = end;
            }
        }
        if size == 1 && !removed {
            break;
        }
        size = if size == 1 { 1 } else { size / 2 };
    }
    items
}

/// Shortens commands of many arguments as long as `fails` holds.
pub fn shorten(steps: Vec<Step>, fails: &mut impl FnMut(&[Step]) -> bool) -> Vec<Step> {
    let mut steps = steps;
    for at in 0..steps.len() {
        let Some(command) = steps[at].command().cloned() else { continue };
        if command.args().len() < 6 {
            continue;
        }
        let name = command.args()[0].clone();
        let rebuilt = |args: &[Vec<u8>]| Command::new([std::slice::from_ref(&name), args].concat());
        let shorter = minimise(command.args()[1..].to_vec(), &mut |args: &[Vec<u8>]| {
            let mut candidate = steps.clone();
            candidate[at] = candidate[at].with(rebuilt(args));
            fails(&candidate)
        });
        steps[at] = steps[at].with(rebuilt(&shorter));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_two_that_matter() {
        let mut asked = 0;
        let left = minimise((0..1000).collect(), &mut |items: &[i32]| {
            asked += 1;
            items.contains(&17) && items.contains(&612)
        });
        assert_eq!(left, [17, 612]);
        assert!(asked < 200, "{asked}");
    }

    #[test]
    fn shortens_long_commands() {
        let words: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let mut args = vec!["SADD"];
        args.extend(words.iter().map(String::as_str));
        let steps = vec![Step::Send(Command::words(&args))];
        let left =
            shorten(steps, &mut |steps: &[Step]| steps[0].command().is_some_and(|c| c.has("77")));
        assert_eq!(left[0].to_string(), "SADD 77");
    }
}
