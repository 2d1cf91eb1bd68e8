//! The model's commands on projects.

use super::{Expect, Model};
use crate::project::{Batch, Project};
use crate::unit::Step;
use crate::value::Value;

impl Model {
    /// A batch that cannot be done is an error, and leaves all as it is.
    pub(super) fn run_project(&mut self, command: &str, step: &Step) -> Option<Expect> {
        let args = step.command.args();
        let name = (step.db, args.get(1)?.clone());
        let old = match self.value(&name) {
            Some(Value::Project(project)) => Some(project.clone()),
            _ => None,
        };
        match (command, old) {
            ("FOLIO.OPEN", Some(_)) => Some(Expect::Any),
            ("FOLIO.OPEN", None) => {
                self.change(&name, Value::Project(Project::new()));
                Some(Expect::Any)
            }
            ("FOLIO.COMMIT", None) => Some(Expect::Error),
            ("FOLIO.COMMIT", Some(mut project)) => {
                if !Batch::read(args.get(2..)?)?.apply(&mut project) {
                    return Some(Expect::Error);
                }
                self.change(&name, Value::Project(project));
                Some(Expect::Any)
            }
            _ => None,
        }
    }
}
