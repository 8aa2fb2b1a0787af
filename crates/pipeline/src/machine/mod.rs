//! The abstract state machine of a type: what its observers tell apart are the states, what its methods
//! do leads from one to another.
//!
//! Exploration shows what arguments are good for. From the values it met, and those that constructors
//! make, every method is called with a few arguments, and every value is looked at before and after
//! ([`gather`], [`look`]). Of an answer only its kind counts ([`kinds`]), and of all observers few are
//! chosen: those that tell most about what calls do ([`choose`]). The rest is said in the report.

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
use std::sync::atomic::{AtomicBool, Ordering};

use testsmith_api::KeyNames;
use testsmith_explore::Options;
use testsmith_record::{LeftOut, SCHEMA, StatesReport};
use testsmith_sequence::World;

use self::choose::choose;
use self::gather::Gatherer;
use self::look::{Lookout, Place};
use self::subject::{Meets, Unknown, Wanted, instances};
use crate::executor::{Executor, Setting};
use crate::{
    Clock, Config, Event, Events, PipelineError, explore_stage, learn, mine, start_executor,
};

/// Which picture is asked for.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The type: a path or its end, an instance in full if it is generic and another is wanted.
    pub ty: String,
    /// Where the drawing goes; beside the target directory's other things if nowhere else.
    pub svg: Option<PathBuf>,
    /// Where the graph goes.
    pub dot: Option<PathBuf>,
    /// At most so many states.
    pub max_states: usize,
}

/// Values that are looked at under other seeds and at another time.
const MAX_DOUBTED: usize = 300;

/// Learns the machine of a type and draws it. `cancel` ends learning and building at once, and
/// exploration early; what was found by then is drawn.
pub fn states(
    config: &Config,
    picture: &Picture,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<StatesReport, PipelineError> {
    let mut clock = Clock::new();
    let wanted = Wanted::parse(&picture.ty);
    let path = path(config, &wanted, picture, events, cancel)?;
    if !config.only.is_empty() {
        events(Event::Note(
            "--only has no effect: it is the type that says what is needed".to_owned(),
        ));
    }
    let config = &Config {
        only: vec![path.to_string()],
        laws: false,
        ..config.clone()
    };
    let learnt = learn::learn(config, &mut |_| {}, cancel);
    let mut learnt = learnt.map_err(|e| e.or_interrupted("learning", cancel))?;
    clock.stage_over("learn");
    events(Event::Stage("copy"));
    let wrapper = config.rustc_wrapper.as_deref();
    let copied = learn::copy(&learnt, wrapper, events);
    let copied = copied.map_err(|e| e.or_interrupted("copying", cancel))?;
    clock.stage_over("copy");
    events(Event::Stage("build"));
    let built = learn::build(&mut learnt, wrapper, copied.as_ref(), events);
    let built = built.map_err(|e| e.or_interrupted("building", cancel))?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PipelineError::Interrupted { stage: "building" });
    }
    clock.stage_over("build");

    events(Event::Stage("explore"));
    let mut executor = start_executor(config, &learnt.scratch, built.binary)?;
    let world = World {
        caps: executor.hello().types.clone(),
        catalogue: built.catalogue,
    };
    let (mut subjects, names) = instances(&world, &path, &wanted);
    if subjects.is_empty() {
        return Err(match names.is_empty() {
            true => no_machine(&path, "no value of it can be made and used"),
            false => PipelineError::NoInstance {
                wanted: picture.ty.clone(),
                instances: names,
            },
        });
    }
    let subject = subjects.remove(0);
    let ty = world.catalogue.types.render(subject.ty, &KeyNames);
    if !subject.methods.iter().any(|it| it.meets != Meets::Looks) {
        // Something may still change behind a `&self`: but then it would have to be seen.
        let why = "no method takes `&mut self`, or `self` to give another: its values never change";
        return Err(no_machine(&ty, why));
    }
    let literals = mine::mine(&learnt.package.dir, &world.catalogue.api, &learnt.limited);
    let options = Options {
        seed: config.seed,
        laws: false,
        ..Options::default()
    };
    let sources = mine::sources(&learnt.package.dir, &world.catalogue.api);
    let seeds = testsmith_explore::lift(&world, &sources);
    let mut strategy = config
        .strategy
        .start(&world, literals, &seeds.sequences, options);
    let strategy = &mut *strategy;
    explore_stage::explore(config, &world, strategy, &mut executor, events, cancel)?;
    clock.stage_over("explore");

    events(Event::Stage("states"));
    let observers = subject.observers.iter().map(|it| it.0).collect();
    let mut lookout = Lookout::new(&world, observers);
    let gathered = Gatherer {
        world: &world,
        executor: &mut executor,
        subject: &subject,
        lookout: &mut lookout,
        cancel,
    }
    .gather(strategy.ledger())?;
    if gathered.states.is_empty() {
        return Err(no_machine(&ty, "no call made a value of it"));
    }
    let unfit = unsteady(&mut lookout, &mut executor, &gathered)?;
    let (features, mut left_out) = features::features(&subject, &gathered, &unfit);
    let targets = features::targets(&subject, &gathered, &features);
    let choice = choose(&features, &targets, picture.max_states);
    let mut chosen: Vec<&choose::Feature> = choice.chosen.iter().map(|it| &features[*it]).collect();
    for (i, why) in &choice.left_out {
        // Two numbers that have nothing to do with each other need no excuse.
        if features[*i].of.len() < 2 {
            left_out.push((features[*i].name.clone(), why.clone()));
        }
    }
    let mut note = None;
    let resort = match chosen.is_empty() {
        true => features::last_resort(&gathered, picture.max_states),
        false => None,
    };
    match &resort {
        Some((feature, how)) => {
            chosen.push(feature);
            note = Some((*how).to_owned());
        }
        None if chosen.is_empty() => {
            note = Some(
                "nothing that is seen of its values tells what calls do: all are one state"
                    .to_owned(),
            );
        }
        None => {}
    }
    let machine = draw::machine(&subject, &gathered, &chosen, &features);
    clock.stage_over("states");

    let title = short_type(&ty);
    let graph = draw::graph(&title, &machine);
    let dir = learnt.package.target_dir.join("testsmith/states");
    let drawing = testsmith_picture::svg(&graph);
    let svg = write(&picture.svg, &dir, &title, "svg", &drawing)?;
    let dot = write(
        &picture.dot,
        &dir,
        &title,
        "dot",
        &testsmith_picture::dot(&graph),
    )?;
    clock.stage_over("write");
    left_out.sort();
    let left_out = left_out
        .into_iter()
        .map(|(observer, reason)| LeftOut { observer, reason });
    Ok(StatesReport {
        schema: SCHEMA,
        kind: "states",
        package: learnt.package.name,
        version: learnt.package.version,
        other_instances: names.into_iter().filter(|it| *it != ty).collect(),
        ty,
        seed: config.seed,
        predicates: chosen.iter().map(|it| it.name.clone()).collect(),
        note,
        left_out: left_out.collect(),
        dropped: gathered
            .left_out
            .iter()
            .map(|(what, n)| ((*what).to_owned(), *n))
            .collect(),
        ends: subject.ends.clone(),
        idle: machine.idle,
        states: machine.states,
        transitions: machine.transitions,
        values: gathered.states.len(),
        calls: gathered.calls.len(),
        drawing,
        svg,
        dot,
        seconds: clock.seconds,
        interrupted: cancel.load(Ordering::Relaxed),
    })
}

/// The public path of the type that is asked for.
fn path(
    config: &Config,
    wanted: &Wanted,
    picture: &Picture,
    events: Events<'_>,
    cancel: &Arc<AtomicBool>,
) -> Result<Arc<str>, PipelineError> {
    let (package, mut scratch) = learn::open(config, events, cancel)?;
    let read = learn::read(config, &package, &mut scratch);
    let (api, _) = read.map_err(|e| e.or_interrupted("learning", cancel))?;
    wanted.path(&api).map_err(|unknown| {
        let (near, several) = match unknown {
            Unknown::None(near) => (near, false),
            Unknown::Several(paths) => (paths, true),
        };
        PipelineError::NoType {
            package: package.name.clone(),
            wanted: picture.ty.clone(),
            near,
            several,
        }
    })
}

fn no_machine(ty: &str, why: &str) -> PipelineError {
    PipelineError::NoMachine {
        ty: ty.to_owned(),
        why: why.to_owned(),
    }
}

/// Observers that cannot be trusted: those that answer otherwise under another seed or at another time,
/// and those that are not asked any more.
fn unsteady(
    lookout: &mut Lookout<'_>,
    executor: &mut Executor,
    gathered: &gather::Gathered,
) -> Result<BTreeMap<usize, &'static str>, PipelineError> {
    let doubted = &gathered.states[..gathered.states.len().min(MAX_DOUBTED)];
    let places: Vec<Place> = doubted.iter().map(|it| it.place.clone()).collect();
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

/// The type's text without modules: `ArrayVec<u8, 4>`.
fn short_type(ty: &str) -> String {
    let mut out = String::new();
    for (i, part) in ty.split("::").enumerate() {
        if i > 0 {
            // What stands before the colons is a module.
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
) -> Result<PathBuf, PipelineError> {
    let path = match wanted {
        Some(path) => path.clone(),
        None => {
            let is_plain = |c: char| c.is_alphanumeric() || c == '_';
            let words = title.split(|c| !is_plain(c)).filter(|it| !it.is_empty());
            let name = words.collect::<Vec<_>>().join("-");
            dir.join(format!("{name}.{extension}"))
        }
    };
    let error = |source| PipelineError::Write {
        path: path.clone(),
        source,
    };
    if wanted.is_none() {
        std::fs::create_dir_all(dir).map_err(error)?;
    }
    std::fs::write(&path, text).map_err(error)?;
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
