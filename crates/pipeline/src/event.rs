//! What a pipeline says while it runs.

/// What happens while a pipeline runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// A stage begins.
    Stage(&'static str),
    /// The package was found.
    Package {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
    },
    /// The API is known.
    Api {
        /// Callables in it.
        n_callables: usize,
        /// Operations made from them.
        n_operations: usize,
    },
    /// A round of the harness build begins.
    Round {
        /// Its number.
        n: u32,
        /// Operations still in.
        n_operations: usize,
    },
    /// A round of judging the mutants begins.
    Copying {
        /// Its number.
        n: u32,
        /// Mutants still in; none are known in the first round.
        n_mutants: usize,
    },
    /// Mutants are judged.
    Judging {
        /// So many runs are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Own tests are run to see what they reach.
    Learning {
        /// So many are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Own tests are run with mutants.
    Asking {
        /// So many mutants are done.
        n: usize,
        /// Of so many.
        of: usize,
    },
    /// Survivors are compared with the original, optimised.
    Comparing {
        /// So many builds are done.
        n: usize,
        /// Of so many, so far.
        of: usize,
    },
    /// Another mutant is edited in.
    Verifying {
        /// How many were before.
        i: usize,
        /// How many there are.
        n: usize,
    },
    /// Exploration goes on.
    Exploring {
        /// Calls so far.
        n_calls: u64,
        /// Sequences so far.
        n_sequences: u64,
        /// Distinct values so far.
        n_states: u64,
        /// Seconds so far.
        seconds: f64,
        /// Between 0 and 1.
        done: f64,
    },
    /// Something the user should know.
    Note(String),
}

/// Where events go.
pub type Events<'a> = &'a mut dyn FnMut(Event);
