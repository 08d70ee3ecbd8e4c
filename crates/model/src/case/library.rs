//! All cases and catalogues together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::read::Found;
use super::requirement::{Catalogue, Unasked};
use super::sets::{self, Sets};
use super::{Case, Oracle, Own, Requirement, Role, acts, lint, read};
use crate::bundle;
use crate::files;
use crate::profile::Profile;
use crate::verdict::Level;
use crate::yaml::{self, Mistake, Tree};

/// A text that a person wrote, kept so that diagnostics can quote it.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its path, as diagnostics show it.
    pub file: String,
    /// What it says.
    pub text: String,
}

/// Every case and catalogue.
#[derive(Debug, Default)]
pub struct Library {
    /// The cases by id.
    pub cases: BTreeMap<String, Arc<Case>>,
    /// The catalogues by name.
    pub catalogues: BTreeMap<String, Catalogue>,
    /// The files of the catalogues, by their names.
    pub(super) catalogue_files: BTreeMap<String, String>,
    /// Ids of the cases that run where nobody asks for them.
    unasked: BTreeSet<String>,
    /// What applies to the profiles for which it was asked: many runs share a library, and all plan with it.
    applicable: Mutex<BTreeMap<String, Applicable>>,
    /// The texts that they come from.
    pub sources: Vec<Source>,
}

/// The cases of a profile with the requirements that name them, in the order of their ids.
pub type Applicable = Arc<[(Arc<Case>, Vec<Arc<Requirement>>)]>;

/// What is wrong with texts, and the texts to show it in.
pub type Refusal = (Vec<Mistake>, Vec<Source>);

/// A check of a requirement: which case, for which requirement.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// The requirement.
    pub requirement: &'a Arc<Requirement>,
    /// The case.
    pub case: &'a Case,
}

impl Library {
    /// The cases that the program carries, and those of a user's folder. A folder with catalogues of its own is a whole
    /// library, and stands for that of the program.
    ///
    /// `oracles` are those that cases may name. What the program carries was linted when it was made, and is not again: that
    /// costs as much as a small run.
    ///
    /// # Errors
    /// Every mistake that was found, and the texts to show them in.
    pub fn load(own: Option<&Path>, profiles: &[&Profile], oracles: &[Oracle]) -> Result<Self, Refusal> {
        let (sources, of_the_user) = Self::sources(own)?;
        Self::read_all(sources, of_the_user, profiles, oracles)
    }

    /// The same with everything linted.
    ///
    /// # Errors
    /// Every mistake that was found, and the texts to show them in.
    pub fn lint(own: Option<&Path>, profiles: &[&Profile], oracles: &[Oracle]) -> Result<Self, Refusal> {
        Self::read(Self::sources(own)?.0, profiles, oracles)
    }

    /// The texts of a user's folder, then those that the program carries; how many of the former there are.
    fn sources(own: Option<&Path>) -> Result<(Vec<Source>, usize), Refusal> {
        let found = own.map(read_folder).transpose().map_err(|mistake| (vec![mistake], Vec::new()))?;
        let mut sources = found.unwrap_or_default();
        let of_the_user = sources.len();
        if !sources.iter().any(|source| is_catalogue(&source.file)) {
            let bundled = bundle::files(&bundle::CASES).into_iter();
            sources.extend(bundled.map(|(path, text)| Source { file: format!("cases/{path}"), text: text.to_owned() }));
        }
        Ok((sources, of_the_user))
    }

    /// Reads texts that were found before.
    ///
    /// # Errors
    /// Every mistake that was found, and the texts to show them in.
    pub fn read(sources: Vec<Source>, profiles: &[&Profile], oracles: &[Oracle]) -> Result<Self, Refusal> {
        let all = sources.len();
        Self::read_all(sources, all, profiles, oracles)
    }

    /// Reads texts, of which the first so many are linted.
    fn read_all(
        sources: Vec<Source>,
        linted: usize,
        profiles: &[&Profile],
        oracles: &[Oracle],
    ) -> Result<Self, Refusal> {
        let mut library = Self::default();
        let mut mistakes = Vec::new();
        let mut cases = Vec::new();
        let mut misshapes: Vec<Mistake> = Vec::new();
        let mut trees = BTreeMap::new();
        let mut known_right: BTreeSet<&str> = sources.iter().skip(linted).map(|source| source.file.as_str()).collect();
        let files: Vec<&str> = sources.iter().map(|source| source.file.as_str()).collect();
        let env = |name: &str| std::env::var(name).ok();
        let around = acts::Around { profiles, files: &files, env: &env };
        // The thread that is ours has more room than others, which texts of a user may need.
        let (own, bundled) = sources.split_at(linted.min(sources.len()));
        let text = |source: &Source| Text::read(source, oracles, !known_right.contains(source.file.as_str()));
        let texts: Vec<Text> = own.iter().map(text).chain(yaml::in_parallel(bundled, text)).collect();
        for (source, text) in sources.iter().zip(texts) {
            let is_linted = !known_right.contains(source.file.as_str());
            match text {
                Text::Catalogue(catalogue) => {
                    mistakes.extend(lint::catalogue_name(&source.file, &catalogue));
                    library.catalogue_files.insert(catalogue.catalogue.clone(), source.file.clone());
                    library.catalogues.insert(catalogue.catalogue.clone(), *catalogue);
                }
                // The lint knows what cases say, and these are read with all of that checked.
                Text::Acts(tree) => {
                    known_right.insert(source.file.as_str());
                    let mut found = acts::cases(&source.file, &source.text, &tree, around);
                    cases.append(&mut found.cases);
                    mistakes.append(&mut found.mistakes);
                }
                Text::Cases(tree, mut found) => {
                    cases.append(&mut found.cases);
                    mistakes.append(&mut found.mistakes);
                    misshapes.append(&mut found.misshapes);
                    if is_linted || !found.misshapes.is_empty() {
                        trees.insert(source.file.as_str(), tree);
                    }
                }
                Text::Set => {}
                Text::Wrong(mistake) => mistakes.push(mistake),
            }
        }
        for case in cases {
            if let Some(twin) = library.cases.get(&case.id) {
                let twins = sources.iter().find(|source| source.file == twin.file);
                let read =
                    twins.and_then(|source| Some((source.file.as_str(), Tree::read(&source.file, &source.text).ok()?)));
                trees.extend(read);
                mistakes.push(lint::duplicate(&case, twin, &trees));
            } else {
                library.cases.insert(case.id.clone(), Arc::new(case));
            }
        }
        mistakes.extend(library.inherit());
        let is_whole = mistakes.is_empty() && misshapes.is_empty();
        if linted > 0 {
            mistakes.extend(lint::library(&library, &known_right, profiles, oracles, &trees, is_whole));
        }
        let is_told = |one: &Mistake| mistakes.iter().any(|told| (&told.file, told.offset) == (&one.file, one.offset));
        misshapes.retain(|one| !is_told(one));
        mistakes.append(&mut misshapes);
        if mistakes.is_empty() {
            library.sources = sources;
            library.unasked = library.find_unasked();
            return Ok(library);
        }
        mistakes.sort();
        mistakes.dedup();
        Err((mistakes, sources))
    }

    /// Gives catalogues what they take from others, and requirements what their catalogues say of all.
    fn inherit(&mut self) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let names: Vec<String> = self.catalogues.keys().cloned().collect();
        for name in names {
            let Some(mut catalogue) = self.catalogues.remove(&name) else { continue };
            if let Some(like) = catalogue.like.clone() {
                match self.catalogues.get(&like.value).filter(|base| base.like.is_none()) {
                    Some(base) => catalogue.inherit(base),
                    None => {
                        let file = self.catalogue_files.get(&name).map_or("", String::as_str);
                        let message =
                            format!("`{}` is no other catalogue that has all its requirements itself", like.value);
                        mistakes.push(Mistake::at(file, &like, message));
                    }
                }
            }
            catalogue.hand_down();
            self.catalogues.insert(name, catalogue);
        }
        mistakes
    }

    /// The requirements of a profile's catalogue and of the standards that it includes.
    pub fn requirements(&self, profile: &str) -> Vec<&Arc<Requirement>> {
        let Some(catalogue) = self.catalogues.get(profile) else { return Vec::new() };
        let included = catalogue.includes.iter().filter_map(|name| self.catalogues.get(&name.value));
        std::iter::once(catalogue).chain(included).flat_map(Catalogue::current_requirements).collect()
    }

    /// The entry of a catalogue that has this id, be it one that was renamed.
    pub fn requirement(&self, id: &str) -> Option<&Requirement> {
        let mut entries = self.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
        entries.find(|requirement| requirement.id.value == id).map(AsRef::as_ref)
    }

    /// What a requirement with this id is called now, if that is something else.
    pub fn renamed(&self, id: &str) -> Option<&str> {
        self.requirement(id)?.renamed_to.as_ref().map(|new| new.value.as_str())
    }

    /// The sets of requirements that its files hold.
    ///
    /// # Errors
    /// The first mistake in one of them.
    pub fn sets(&self) -> Result<Sets, Mistake> {
        let entries = self.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
        let renamed: BTreeMap<&str, &str> = entries
            .filter_map(|requirement| {
                Some((requirement.id.value.as_str(), requirement.renamed_to.as_ref()?.value.as_str()))
            })
            .collect();
        Sets::of(&self.sources, |id| renamed.get(id).copied())
    }

    /// Every pair of requirement and case about agents that a profile's catalogue makes.
    pub fn checks(&self, profile: &str) -> Vec<Check<'_>> {
        self.checks_of(profile, Role::Agent)
    }

    /// The same of cases about agents, or about clients.
    pub fn checks_of(&self, profile: &str, role: Role) -> Vec<Check<'_>> {
        self.requirements(profile)
            .into_iter()
            .flat_map(|requirement| {
                let cases = requirement.case_ids().into_iter().filter_map(|id| self.cases.get(id));
                let cases = cases.filter(move |case| case.role() == role);
                cases.map(move |case| Check { requirement, case })
            })
            .collect()
    }

    /// The cases about clients that apply to a profile.
    pub fn applicable_to_clients(&self, profile: &str) -> Applicable {
        self.find_applicable(profile, Role::Client)
    }

    /// The cases about agents that apply to a profile.
    pub fn applicable(&self, profile: &str) -> Applicable {
        let mut known = self.applicable.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(profile.to_owned()).or_insert_with(|| self.find_applicable(profile, Role::Agent)))
    }

    fn find_applicable(&self, profile: &str, role: Role) -> Applicable {
        let mut named: BTreeMap<&str, Vec<Arc<Requirement>>> = BTreeMap::new();
        for check in self.checks_of(profile, role) {
            named.entry(check.case.id.as_str()).or_default().push(Arc::clone(check.requirement));
        }
        let own = self.cases.values().filter(|case| {
            let applies = |own: &Own| own.profiles.is_empty() || own.profiles.iter().any(|name| name == profile);
            case.role() == role && case.own.as_ref().is_some_and(applies)
        });
        for case in own {
            named.entry(case.id.as_str()).or_default().extend(Requirement::of_own_case(case).map(Arc::new));
        }
        let known = |(id, requirements)| Some((Arc::clone(self.cases.get(id)?), requirements));
        named.into_iter().filter_map(known).collect()
    }

    /// The levels at which cases apply to a profile, by their ids: each the highest of the requirements that name the case.
    pub fn levels(&self, profile: &str) -> BTreeMap<&str, Level> {
        let mut levels = BTreeMap::new();
        for Check { requirement, case } in self.checks(profile) {
            let level = levels.entry(case.id.as_str()).or_insert(requirement.weight());
            *level = requirement.weight().min(*level);
        }
        levels
    }

    /// Ids of the cases that run where nobody asks for them: some catalogue that names them says so, or they are a user's own.
    pub fn unasked(&self) -> &BTreeSet<String> {
        &self.unasked
    }

    fn find_unasked(&self) -> BTreeSet<String> {
        let by_default = self.catalogues.values().filter(|catalogue| catalogue.default == Unasked::On);
        let named =
            by_default.flat_map(|catalogue| &catalogue.requirements).flat_map(|requirement| requirement.case_ids());
        let own = self.cases.values().filter(|case| case.own.is_some());
        named.chain(own.map(|case| case.id.as_str())).map(str::to_owned).collect()
    }

    /// The ids of all cases and requirements.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let requirements = self.catalogues.values().flat_map(|catalogue| &catalogue.requirements);
        self.cases.keys().map(String::as_str).chain(requirements.map(|requirement| requirement.id.value.as_str()))
    }

    /// The areas of all cases.
    pub fn areas(&self) -> BTreeSet<&str> {
        self.cases.values().map(|case| case.area()).collect()
    }
}

/// What a text says by itself.
enum Text {
    Catalogue(Box<Catalogue>),
    /// A file in the form of acts, whose cases say more beside others.
    Acts(Tree),
    Cases(Tree, Found),
    /// A set of requirements, which only those read who ask for it.
    Set,
    Wrong(Mistake),
}

impl Text {
    fn read(source: &Source, oracles: &[Oracle], is_linted: bool) -> Self {
        let Source { file, text } = source;
        if is_catalogue(file) {
            let read = bundle::tree(file, text).and_then(|tree| tree.typed());
            return read.map_or_else(Self::Wrong, Self::Catalogue);
        }
        if sets::is_set(file) {
            // What the program carries is right.
            let read = if is_linted { sets::read(file, text).map(drop) } else { Ok(()) };
            return read.map_or_else(Self::Wrong, |()| Self::Set);
        }
        match bundle::tree(file, text) {
            Ok(tree) if acts::is_acts(file, &tree) => Self::Acts(tree),
            Ok(tree) => {
                let found = read::cases(file, &tree, oracles, is_linted);
                Self::Cases(tree, found)
            }
            Err(mistake) => Self::Wrong(mistake),
        }
    }
}

/// Whether a file holds a catalogue rather than cases.
fn is_catalogue(file: &str) -> bool {
    Path::new(file).parent().and_then(Path::file_name).is_some_and(|folder| folder == "requirements")
}

/// Every YAML file below a user's folder.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<Source>, Mistake> {
    let unreadable = |path: &Path, error: std::io::Error| {
        let place = path.display().to_string();
        match error.kind() {
            std::io::ErrorKind::NotFound => Mistake {
                help: Some("name a folder with case files".to_owned()),
                ..Mistake::whole(&place, "there is no such folder or file")
            },
            _ => Mistake::whole(&place, format!("cannot be read: {error}")),
        }
    };
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let meta = std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?;
        if meta.is_dir() {
            for entry in std::fs::read_dir(&path).map_err(|error| unreadable(&path, error))? {
                waiting.push(entry.map_err(|error| unreadable(&path, error))?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
            || path.to_str().is_some_and(acts::is_named)
        {
            let text = files::text(&path, files::LONGEST).map_err(|error| unreadable(&path, error))?;
            found.push(Source { file: path.display().to_string(), text });
        }
    }
    if found.is_empty() {
        return Err(Mistake::whole(&folder.display().to_string(), "there is no YAML file in it"));
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}
