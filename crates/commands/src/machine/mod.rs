//! Draws the abstract state machine of a type: states are what its observers tell apart,
//! transitions are what its methods do.
//!
//! Exploration shows what arguments are good for. On the values that it met, and on those that
//! constructors make, every method is called with a few arguments, and every value is looked at
//! before and after ([`gather`], [`look`]). Only the kind of an answer counts ([`kinds`]), and few
//! observers are chosen: those that tell most about what calls do ([`choose`]). The report names
//! the others.
//!
//! **A machine is what observers tell apart.** `cargo testsmith states` (`commands/machine/`) keeps
//! of an answer only its kind (a variant, empty or not, zero or not, a size that meets its bound)
//! and takes, one by one, the observers that say most about what calls do: the share of the entropy
//! of outcomes (which variant, a panic) that is gone once the state is known. So `is_full()` is a
//! state and the sign of `top()` is none. Labels are boxes of the layout (`picture/layout.rs`), in
//! columns of their own, so no label lies over a node or another label.

#![expect(clippy::disallowed_methods, reason = "a drawing is a file")]

mod choose;
mod draw;
mod features;
mod gather;
mod kinds;
mod look;
mod subject;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use testsmith_api::KeyNames;
use testsmith_equip::{
    Clock, Equipped, Equipping, Executor, Exploring, Outcome, Setting, Stage, Target, Watch,
    explore, learn, mine, open, read, sources,
};
use testsmith_explore::{Ledger, Options, Strategy};
use testsmith_picture::Graph;
use testsmith_project::{Package, write_whole};
use testsmith_record::{LeftOut, RecordKind, SCHEMA, StatesReport, Timed};
use testsmith_sequence::World;

use self::choose::{Feature, choose};
use self::gather::{Gathered, Gatherer};
use self::look::{Held, Lookout};
use self::subject::{Meets, Subject, Unknown, Wanted, instances};
use crate::config::Config;
use crate::error::CommandError;

/// Which picture the user asks for.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The type: its path or the end of it. For a certain instance of a generic type, with
    /// arguments.
    pub ty: String,
    /// The file for the drawing; without one, it goes below the target directory.
    pub svg: Option<PathBuf>,
    /// The file for the graph; without one, it goes below the target directory.
    pub dot: Option<PathBuf>,
    /// The most states in the picture.
    pub max_states: usize,
}

/// Observers that cannot be trusted, each with the reason.
type Unfit = BTreeMap<usize, &'static str>;

/// The most values that are looked at once more, under another seed and clock.
const MAX_DOUBTED: usize = 300;

/// Learns the state machine of a type and draws it. An interruption ends learning and building at
/// once, and exploration early; what was found by then is drawn.
pub fn states(
    config: &Config,
    picture: &Picture,
    watch: &mut Watch<'_>,
) -> Result<Outcome<StatesReport>, CommandError> {
    let report = drawn(config, picture, watch);
    watch.outcome(report)
}

fn drawn(
    config: &Config,
    picture: &Picture,
    watch: &mut Watch<'_>,
) -> Result<StatesReport, CommandError> {
    let mut clock = Clock::default();
    let wanted = Wanted::parse(&picture.ty);
    let path = path(&config.equipping, &wanted, picture, watch)?;
    if !config.equipping.api.only.is_empty() {
        watch.note("--only has no effect: it is the type that says what is needed");
    }
    let mut equipping = config.equipping.clone();
    equipping.api.only = vec![path.to_string()];
    // Finding the path has already told the user everything that learning tells.
    let mut silence = |_| {};
    let learnt = learn(&equipping, &mut Watch::new(&mut silence, watch.cancel()))?;
    clock.stage_over(Timed::Learn);
    let mut equipped = learnt.equip(&equipping.machinery, watch, &mut clock)?;
    let (subject, names) = subject(&equipped.world, &path, &wanted, picture)?;
    let ty = equipped.world.catalogue.types.render(subject.ty, &KeyNames);
    watch.enter(Stage::Explore);
    let exploring = Exploring {
        laws: false,
        ..config.exploring.clone()
    };
    let Equipped {
        target,
        world,
        executor,
        ..
    } = &mut equipped;
    let mut strategy = start(&exploring, target, world);
    explore(&exploring, world, &mut *strategy, executor, watch)?;
    clock.stage_over(Timed::Explore);

    watch.enter(Stage::States);
    let (gathered, unfit) = gather(world, executor, &subject, strategy.ledger(), watch)?;
    if gathered.states.is_empty() {
        return Err(no_machine(&ty, "no call made a value of it"));
    }
    let predicates = Predicates::choose(&subject, &gathered, &unfit, picture.max_states);
    let machine = draw::machine(
        &subject,
        &gathered,
        &predicates.chosen,
        &predicates.features,
    );
    clock.stage_over(Timed::States);

    let graph = draw::graph(&short_type(&ty), &machine);
    let drawing = testsmith_picture::svg(&graph);
    let (svg, dot) = write_graph(&graph, &drawing, picture, &target.package)?;
    clock.stage_over(Timed::Write);
    let dropped = gathered.left_out.iter();
    Ok(StatesReport {
        schema: SCHEMA,
        kind: RecordKind::States,
        package: target.package.name.clone(),
        version: target.package.version.clone(),
        other_instances: names.into_iter().filter(|it| *it != ty).collect(),
        ty,
        seed: config.exploring.seed,
        predicates: predicates.names(),
        note: predicates.note,
        left_out: predicates.left_out,
        dropped: dropped.map(|(what, n)| ((*what).to_owned(), *n)).collect(),
        ends: subject.ends.clone(),
        idle: machine.idle,
        states: machine.states,
        transitions: machine.transitions,
        values: gathered.states.len(),
        calls: gathered.calls.len(),
        drawing,
        svg,
        dot,
        seconds: clock.seconds(),
        interrupted: watch.is_cancelled(),
    })
}

/// Gathers values of the type and calls on them, and finds observers that cannot be trusted.
fn gather(
    world: &World,
    executor: &mut Executor,
    subject: &Subject,
    ledger: &Ledger,
    watch: &Watch<'_>,
) -> Result<(Gathered, Unfit), CommandError> {
    let observers = subject.observers.iter().map(|it| it.0).collect();
    let mut lookout = Lookout::new(world, observers);
    let gathered = Gatherer {
        world,
        executor,
        subject,
        lookout: &mut lookout,
        cancel: watch.cancel(),
    }
    .gather(ledger)?;
    let unfit = unsteady(&mut lookout, executor, &gathered)?;
    Ok((gathered, unfit))
}

/// The instance that is drawn, and the names of all instances.
fn subject(
    world: &World,
    path: &str,
    wanted: &Wanted,
    picture: &Picture,
) -> Result<(Subject, Vec<String>), CommandError> {
    let (mut subjects, names) = instances(world, path, wanted);
    if subjects.is_empty() {
        return Err(match names.is_empty() {
            true => no_machine(path, "no value of it can be made and used"),
            false => CommandError::NoInstance {
                wanted: picture.ty.clone(),
                instances: names,
            },
        });
    }
    let subject = subjects.remove(0);
    if !subject.methods.iter().any(|it| it.meets != Meets::Looks) {
        // Something may still change behind a `&self`, but no observer would be asked after such a
        // call.
        let why = "no method takes `&mut self`, or `self` to give another: its values never change";
        let ty = world.catalogue.types.render(subject.ty, &KeyNames);
        return Err(no_machine(&ty, why));
    }
    Ok((subject, names))
}

/// Starts the strategy that finds out what arguments are good for.
fn start<'w>(exploring: &Exploring, target: &Target, world: &'w World) -> Box<dyn Strategy + 'w> {
    let dir = &target.package.dir;
    let literals = mine(dir, &world.catalogue.api, &target.limited);
    let options = Options {
        seed: exploring.seed,
        laws: false,
        ..Options::default()
    };
    let seeds = testsmith_explore::lift(world, &sources(dir, &world.catalogue.api));
    exploring
        .strategy
        .start(world, literals, &seeds.sequences, options)
}

/// The features that make states, and those that do not.
struct Predicates {
    /// All features that values have.
    features: Vec<Feature>,
    /// The features that tell states apart.
    chosen: Vec<Feature>,
    /// The observers whose features do not, with the reason.
    left_out: Vec<LeftOut>,
    /// What the user should know about the choice.
    note: Option<String>,
}

impl Predicates {
    fn choose(
        subject: &Subject,
        gathered: &Gathered,
        unfit: &Unfit,
        max_states: usize,
    ) -> Predicates {
        let (features, mut left_out) = features::features(subject, gathered, unfit);
        let targets = features::targets(subject, gathered, &features);
        let choice = choose(&features, &targets, max_states);
        let chosen = choice.chosen.iter();
        let mut chosen: Vec<Feature> = chosen.map(|it| features[*it].clone()).collect();
        for (i, why) in choice.left_out {
            // Comparing two numbers was only a try, so its being left out is not reported.
            if features[i].of.len() < 2 {
                left_out.push((features[i].name.clone(), why));
            }
        }
        let mut note = None;
        if chosen.is_empty() {
            let resort = features::last_resort(gathered, max_states);
            note = Some(match resort {
                Some((feature, how)) => {
                    chosen.push(feature);
                    how.to_owned()
                }
                None => "nothing that is seen of its values tells what calls do: all are one state"
                    .to_owned(),
            });
        }
        left_out.sort();
        let left_out = left_out
            .into_iter()
            .map(|(observer, reason)| LeftOut { observer, reason });
        Predicates {
            features,
            chosen,
            left_out: left_out.collect(),
            note,
        }
    }

    fn names(&self) -> Vec<String> {
        self.chosen.iter().map(|it| it.name.clone()).collect()
    }
}

/// Writes the picture and the graph, and gives both paths.
fn write_graph(
    graph: &Graph,
    drawing: &str,
    picture: &Picture,
    package: &Package,
) -> Result<(PathBuf, PathBuf), CommandError> {
    let dir = package.target_dir.join("testsmith/states");
    let dot = testsmith_picture::dot(graph);
    Ok((
        write(&picture.svg, &dir, &graph.title, "svg", drawing)?,
        write(&picture.dot, &dir, &graph.title, "dot", &dot)?,
    ))
}

/// The public path of the type that the user asks for.
fn path(
    equipping: &Equipping,
    wanted: &Wanted,
    picture: &Picture,
    watch: &mut Watch<'_>,
) -> Result<Arc<str>, CommandError> {
    let (package, mut scratch) = open(equipping, watch)?;
    let (api, _) = read(equipping, &package, &mut scratch)?;
    wanted.path(&api).map_err(|unknown| {
        let (near, several) = match unknown {
            Unknown::None(near) => (near, false),
            Unknown::Several(paths) => (paths, true),
        };
        CommandError::NoType {
            package: package.name.clone(),
            wanted: picture.ty.clone(),
            near,
            several,
        }
    })
}

fn no_machine(ty: &str, why: &str) -> CommandError {
    CommandError::NoMachine {
        ty: ty.to_owned(),
        why: why.to_owned(),
    }
}

/// Observers that cannot be trusted: those that answer differently under another seed or clock, and
/// those that are not asked any more.
fn unsteady(
    lookout: &mut Lookout<'_>,
    executor: &mut Executor,
    gathered: &gather::Gathered,
) -> Result<Unfit, CommandError> {
    let doubted = &gathered.states[..gathered.states.len().min(MAX_DOUBTED)];
    let places: Vec<Held> = doubted.iter().map(|it| it.place.clone()).collect();
    let again = lookout.look(executor, Setting::OTHER, &places)?;
    let mut unfit = lookout.bad.clone();
    for (state, again) in doubted.iter().zip(again) {
        let Some(again) = again else { continue };
        for (i, (one, other)) in state.sight.seen.iter().zip(&again.seen).enumerate() {
            if kinds::predicate("", one) != kinds::predicate("", other) {
                unfit.insert(
                    i,
                    "it answers otherwise under another seed, or at another time",
                );
            }
        }
    }
    Ok(unfit)
}

/// The type's name without modules: `ArrayVec<u8, 4>`.
fn short_type(ty: &str) -> String {
    let mut out = String::new();
    for (i, part) in ty.split("::").enumerate() {
        if i > 0 {
            // The word before the colons is a module.
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let kept = out.trim_end_matches(is_word).len();
            out.truncate(kept);
        }
        out.push_str(part);
    }
    out
}

fn write(
    wanted: &Option<PathBuf>,
    dir: &Path,
    title: &str,
    extension: &str,
    text: &str,
) -> Result<PathBuf, CommandError> {
    let path = match wanted {
        Some(path) => path.clone(),
        None => {
            let is_plain = |c: char| c.is_alphanumeric() || c == '_';
            let words = title.split(|c| !is_plain(c)).filter(|it| !it.is_empty());
            let name = words.collect::<Vec<_>>().join("-");
            dir.join(format!("{name}.{extension}"))
        }
    };
    let error = |source| CommandError::Write {
        path: path.clone(),
        source,
    };
    if wanted.is_none() {
        std::fs::create_dir_all(dir).map_err(error)?;
    }
    write_whole(&path, text).map_err(error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::short_type;

    #[test]
    fn a_title_has_no_modules() {
        let ty = "indexmap::map::IndexMap<std::string::String, (u8, a::B)>";
        assert_eq!(short_type(ty), "IndexMap<String, (u8, B)>");
        assert_eq!(short_type("Plain"), "Plain");
    }
}
