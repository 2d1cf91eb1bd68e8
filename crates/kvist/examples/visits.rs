//! Counts visits, keeps the latest, and remembers both: run it twice.
//!
//! ```sh
//! cargo run -p kvist --example visits -- /tmp/visits alice
//! ```

use std::time::Duration;

use kvist::{Error, Kvist};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let (dir, who) = (args.next(), args.next().unwrap_or_else(|| "somebody".to_owned()));
    let db = match dir {
        Some(dir) => Kvist::builder().set("appendfsync", "always").open(dir)?,
        None => Kvist::in_memory()?,
    };
    println!("recovered {}", db.recovered());

    // Any thread may use the handle; here one greets those who come.
    let greeter = std::thread::spawn({
        let db = db.clone();
        move || db.blpop::<String>("arrivals", Duration::from_secs(5))
    });
    let visits = db.incr("visits")?;
    let results = db
        .pipeline()
        .call(["HSET", "latest", "who", &who])
        .call(["RPUSH", "arrivals", &who])
        .atomically()?;
    println!("{} commands ran together", results.len());
    if let Ok(Ok(Some(name))) = greeter.join() {
        println!("welcome, {name}: this is visit {visits}");
    }
    db.close()
}
