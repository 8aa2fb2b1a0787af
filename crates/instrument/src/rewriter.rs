//! A crate with everything that a copy of it may contain, and the copies.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::cfg::Cfg;
use crate::contents::Contents;
use crate::derived::{self, Derived};
use crate::files::SourceFile;
use crate::ids::RegionId;
use crate::ids::{DefinitionId, DerivedId, MonitorId, MutantId};
use crate::monitor::{self, Method, Monitored};
use crate::numbered::File;
use crate::operators;
use crate::print::print;
use crate::region::{Region, RegionKind};
use crate::rewritten::{Generated, RewrittenFile};
use crate::site::{Mutant, Site, Splice, What};
use crate::snapshots::{self, Definition};
use crate::support::{RegionCounts, support};
use crate::suppressed;
use crate::walk;

/// A crate with all its mutants.
#[derive(Debug)]
pub struct Rewriter {
    pub(crate) files: Vec<File>,
    mutants: Vec<Mutant>,
    regions: Vec<Region>,
    /// Names of the types that the crate defines.
    definitions: Vec<String>,
    /// Names of the types whose derived equality can be written out. The regions of these come
    /// last.
    derived: Vec<String>,
    /// Names of the functions that can note what they read of values.
    monitored: Vec<String>,
    /// Names of the functions that can note what they return.
    returning: Vec<String>,
    /// How often code was left unchanged, by reason.
    pub left_out: BTreeMap<&'static str, usize>,
}

impl Rewriter {
    /// Finds the mutants in the files of a crate; the root file comes first.
    pub fn new(sources: Vec<SourceFile>, cfg: &Cfg) -> Rewriter {
        let mut rewriter = Rewriter {
            files: Vec::new(),
            mutants: Vec::new(),
            regions: Vec::new(),
            definitions: Vec::new(),
            derived: Vec::new(),
            monitored: Vec::new(),
            returning: Vec::new(),
            left_out: BTreeMap::new(),
        };
        let monitored = monitor::functions(&sources, cfg);
        for (source, monitored) in sources.into_iter().zip(monitored) {
            let found = walk::sites(&source, cfg);
            let types = snapshots::definitions(&source, cfg);
            let equalities = derived::equalities(&source, cfg);
            let left_out = [
                &found.left_out,
                &types.left_out,
                &equalities.left_out,
                &monitored.left_out,
            ];
            for (why, n) in left_out.into_iter().flatten() {
                *rewriter.left_out.entry(why).or_default() += n;
            }
            rewriter.add(
                source,
                found,
                types.definitions,
                equalities.derived,
                monitored.functions,
            );
        }
        rewriter.add_derived_regions();
        rewriter
    }

    /// Adds a file. Its mutants, regions and names come after those of the files before it.
    fn add(
        &mut self,
        source: SourceFile,
        found: walk::Found,
        definitions: Vec<Definition>,
        derived: Vec<Derived>,
        monitored: Vec<Monitored>,
    ) {
        let mut names = UniqueNames::default();
        let first_region = self.regions.len() as u32;
        let first = self.add_mutants(&source, &found, first_region, &mut names);
        let walk::Found {
            sites,
            regions,
            functions,
            returning,
            deciding,
            ..
        } = found;
        let numbered = |it: RegionId| RegionId(first_region + it.0);
        self.regions.extend(
            regions
                .into_iter()
                .zip(&deciding)
                .map(|(region, deciding)| Region {
                    parent: region.parent.map(numbered),
                    decided_by: comparisons(&sites, &first, deciding.as_ref()),
                    ..region
                }),
        );
        let first_definition = self.definitions.len() as u32;
        self.definitions
            .extend(definitions.iter().map(|it| it.name.clone()));
        let first_derived = self.derived.len() as u32;
        self.derived
            .extend(derived.iter().map(|it| it.name.clone()));
        let first_monitored = self.monitored.len() as u32;
        self.monitored
            .extend(monitored.iter().map(|it| it.name.clone()));
        let first_returning = self.returning.len() as u32;
        let path = source.path.display();
        self.returning.extend(
            returning
                .iter()
                .map(|it| names.unique(format!("{path} {}", it.name))),
        );
        self.files.push(File {
            source,
            sites,
            functions,
            first,
            first_region,
            definitions,
            first_definition,
            derived,
            first_derived,
            monitored,
            first_monitored,
            returning,
            first_returning,
        });
    }

    /// Adds the mutants of a file, and gives for each of its sites the number of its first mutant.
    fn add_mutants(
        &mut self,
        source: &SourceFile,
        found: &walk::Found,
        first_region: u32,
        names: &mut UniqueNames,
    ) -> Vec<u32> {
        let mut first = Vec::new();
        for site in &found.sites {
            // Mutants are numbered from 1, because 0 stands for no mutant.
            first.push(self.mutants.len() as u32 + 1);
            let What::Decision(decision) = &site.what else {
                continue;
            };
            for draft in &decision.mutants {
                let name = names.unique(format!(
                    "{} {}: {} `{}` -> `{}`",
                    source.path.display(),
                    decision.function,
                    draft.operator,
                    decision.original,
                    draft.text
                ));
                let region = decision.region.map(|it| RegionId(first_region + it as u32));
                self.mutants.push(Mutant {
                    name,
                    file: source.path.clone(),
                    line: decision.line,
                    function: decision.function.clone(),
                    first: MutantId(first[first.len() - 1]),
                    region,
                    operator: draft.operator,
                    original: decision.original.clone(),
                    replacement: draft.text.clone(),
                    is_freed: decision.is_freed,
                    sameness: operators::sameness(draft, &decision.original),
                    suppressed: suppressed::by(&found.suppressed, site.range.start, draft.operator),
                    range: site.range.clone(),
                    edit: operators::edit(draft),
                });
            }
        }
        first
    }

    /// Adds the regions of derived equalities after all others, so that the regions of the crate's
    /// own code come first.
    fn add_derived_regions(&mut self) {
        for file in &self.files {
            self.regions.extend(file.derived.iter().map(|it| Region {
                file: file.source.path.clone(),
                line: it.line,
                function: it.function.clone(),
                kind: RegionKind::Derived,
                parent: None,
                decided_by: Vec::new(),
                lines: BTreeSet::new(),
            }));
        }
    }

    /// All mutants; the number of the first is 1.
    pub fn mutants(&self) -> &[Mutant] {
        &self.mutants
    }

    /// The mutant with this number.
    pub fn mutant(&self, id: MutantId) -> &Mutant {
        &self.mutants[id.0 as usize - 1]
    }

    /// All regions; the number of the first is 0.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Names of the types that can be looked into; the number of the first is 0.
    pub fn definitions(&self) -> &[String] {
        &self.definitions
    }

    /// Names of the types whose derived equality can be written out; the number of the first is 0.
    pub fn derived(&self) -> &[String] {
        &self.derived
    }

    /// Names of the functions that can note what they read of values; the number of the first is 0.
    pub fn monitored(&self) -> &[String] {
        &self.monitored
    }

    /// Names of the functions that can note what they return; the number of the first is 0.
    pub fn returning(&self) -> &[String] {
        &self.returning
    }

    /// All functions that can note what they read.
    fn readers(&self) -> impl Iterator<Item = (MonitorId, &Monitored)> {
        let all = self.files.iter().flat_map(|it| &it.monitored);
        (0..).map(MonitorId).zip(all)
    }

    /// The functions that note what they read in a copy: all that are kept, except those that call
    /// one which is not kept.
    pub fn monitoring(&self, kept: &Contents) -> BTreeSet<MonitorId> {
        if !kept.writes_out() {
            return BTreeSet::new();
        }
        let ids = self.readers().map(|(id, _)| id);
        let mut left: BTreeSet<MonitorId> =
            ids.filter(|id| !kept.unmonitored.contains(id)).collect();
        loop {
            let gone = self.readers().filter(|(id, _)| !left.contains(id));
            let gone: BTreeSet<&Method> = gone.map(|(_, it)| &it.method).collect();
            let lacks = |it: &Monitored| it.calls.iter().any(|it| gone.contains(it));
            let more = self
                .readers()
                .filter(|(id, it)| left.contains(id) && lacks(it));
            let more: Vec<MonitorId> = more.map(|(id, _)| id).collect();
            if more.is_empty() {
                return left;
            }
            left.retain(|id| !more.contains(id));
        }
    }

    /// How many regions the crate's own code has. Those of derived equalities follow.
    fn n_own_regions(&self) -> usize {
        self.regions.len() - self.derived.len()
    }

    /// The region of a derived equality.
    fn region(&self, DerivedId(id): DerivedId) -> RegionId {
        RegionId(self.n_own_regions() as u32 + id)
    }

    /// Renders the copy with everything that is kept.
    pub fn render(&self, kept: &Contents) -> Vec<RewrittenFile> {
        let mut files = Vec::new();
        let monitoring = self.monitoring(kept);
        for (i, file) in self.files.iter().enumerate() {
            let (whose, splices): (Vec<Generated>, Vec<Splice<'_>>) =
                self.generated(file, kept, &monitoring).into_iter().unzip();
            let mut printed = print(file, kept, &splices);
            let own = printed.text.len();
            if i == 0 {
                let regions = RegionCounts {
                    own: self.n_own_regions(),
                    all: self.regions.len(),
                };
                let support = support(regions, kept.unstable);
                printed.text.push_str(&support);
            }
            let derived = kept.written_out(file.derived_ids());
            printed.regions.extend(derived.map(|id| self.region(id)));
            files.push(RewrittenFile {
                path: file.source.path.clone(),
                text: printed.text,
                places: printed.places,
                regions: printed.regions,
                generated: printed.spliced.into_iter().zip(whose).collect(),
                returned: printed.returned,
                own,
            });
        }
        files
    }

    /// The code for the types of a file, in the order of the file.
    fn generated<'f>(
        &self,
        file: &'f File,
        kept: &Contents,
        monitoring: &BTreeSet<MonitorId>,
    ) -> Vec<(Generated, Splice<'f>)> {
        let ids = (file.first_definition..).map(DefinitionId);
        let states = ids
            .zip(&file.definitions)
            .filter(|(id, _)| !kept.opaque.contains(id))
            .map(|(id, it)| (Generated::State(id), it.splice()));
        let equalities = kept.written_out(file.derived_ids()).flat_map(|id| {
            let derived = &file.derived[(id.0 - file.first_derived) as usize];
            let splices = derived.splices(self.region(id));
            splices.map(|splice| (Generated::Equality(id), splice))
        });
        let ids = (file.first_monitored..).map(MonitorId);
        let readers = ids
            .zip(&file.monitored)
            .filter(|(id, _)| monitoring.contains(id))
            .map(|(id, it)| (Generated::Monitor(id), it.splice()));
        let mut all: Vec<(Generated, Splice<'_>)> =
            states.chain(equalities).chain(readers).collect();
        all.sort_by_key(|(_, splice)| (splice.range.start, splice.range.end));
        all
    }
}

/// Makes the names of one file unique: from the second of a name on, they get numbers.
#[derive(Default)]
struct UniqueNames {
    n_alike: BTreeMap<String, u32>,
}

impl UniqueNames {
    fn unique(&mut self, name: String) -> String {
        let n = self.n_alike.entry(name.clone()).or_default();
        *n += 1;
        match *n {
            1 => name,
            n => format!("{name} ({n})"),
        }
    }
}

/// The comparisons in a stretch of code, by their first mutants.
fn comparisons(sites: &[Site], first: &[u32], within: Option<&Range<usize>>) -> Vec<MutantId> {
    let Some(within) = within else {
        return Vec::new();
    };
    let is_within = |site: &Site| {
        let is_comparison = matches!(&site.what, What::Decision(it) if it.is_comparison);
        is_comparison && within.start <= site.range.start && site.range.end <= within.end
    };
    let found = sites.iter().zip(first).filter(|(site, _)| is_within(site));
    found.map(|(_, first)| MutantId(*first)).collect()
}
