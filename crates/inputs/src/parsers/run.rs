//! The run: inputs of every class in turn, until the time is over.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use super::finding::{self, Wrong};
use super::source::{Made, Source};
use super::{Adapter, AdapterError, Finding, Reply, What};
use crate::corpus::{Class, Input, Makers};
use crate::generate::{Choices, shrink};
use crate::verdict::Level;

/// What to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The same number makes the same inputs.
    pub seed: u64,
    /// How long inputs are made; what is found then is still shrunk.
    pub time: Duration,
    /// The most inputs, not counting those of shrinking.
    pub inputs: usize,
}

/// How a run came out.
#[derive(Debug)]
pub struct Outcome {
    /// What is wrong, the worst first, one for each cause.
    pub findings: Vec<Finding>,
    /// How many inputs were given, those of shrinking left out.
    pub inputs: usize,
    /// How long that took, the time of shrinking left out.
    pub time: Duration,
    /// How many inputs were made of each class.
    pub classes: BTreeMap<&'static str, usize>,
    /// How often the adapter had to be started again.
    pub restarts: usize,
}

/// How many batches the parser has to read, so that it need not wait for who judges its answers.
const AHEAD: usize = 2;

/// How often a finding may be asked for while it is shrunk.
const TRIES: usize = 400;

/// Of those that hang, each of which takes the whole time limit.
const TRIES_OF_HANGS: usize = 24;

/// How long a finding may be shrunk: to start an adapter again may take long, too.
const SHRINKING: Duration = Duration::from_secs(30);

/// How often a shrunk input is given again.
const AGAIN: usize = 3;

/// Gives a parser inputs until the time is over, and finds out what is wrong with it.
///
/// # Errors
/// The adapter cannot be started, or does not keep to the protocol.
pub fn fuzz(makers: &Makers, adapter: &mut Adapter, plan: &Plan) -> Result<Outcome, AdapterError> {
    if let Some(input) = makers.classes().first().and_then(|class| makers.make(class, &mut Choices::new(&[]))) {
        adapter.greet(&input.bytes)?;
    }
    let mut search = Search {
        makers,
        adapter,
        seed: plan.seed,
        given: VecDeque::new(),
        causes: BTreeMap::new(),
        aliases: BTreeMap::new(),
    };
    // By the place of their class.
    let mut counts = vec![0; makers.classes().len()];
    let (mut inputs, mut spent) = (0, Duration::ZERO);
    thread::scope(|scope| {
        // The next inputs are made while the parser reads those before them: it would wait for them most of the time.
        let (order, orders) = channel::<BTreeSet<&'static str>>();
        let (give, batches) = channel();
        let mut source = Source::new(makers, plan.seed, plan.inputs);
        scope.spawn(move || orders.iter().try_for_each(|fatal| give.send(source.next(&fatal))));
        let next = |fatal| {
            let batch: Option<Vec<Made<'_>>> = batches.recv().ok().filter(|batch: &Vec<_>| !batch.is_empty());
            let _ = order.send(fatal);
            batch
        };
        let _ = order.send(BTreeSet::new());
        let mut started = Instant::now();
        // Those that were not judged yet.
        let mut answered = VecDeque::new();
        loop {
            // The parser has something to read while its answers are judged.
            while search.given.len() + answered.len() < AHEAD && spent + started.elapsed() < plan.time {
                let Some(batch) = next(search.fatal()) else { break };
                search.give(batch)?;
            }
            let Some(Answered { batch, replies }) =
                answered.pop_front().map_or_else(|| search.answered(), |it| Ok(Some(it)))?
            else {
                break;
            };
            inputs += batch.len();
            for made in &batch {
                counts.get_mut(made.place).into_iter().for_each(|count| *count += 1);
            }
            let wrongs = (batch.iter().zip(&replies))
                .filter_map(|(made, reply)| Some((made, finding::judge(makers.kind(), &made.input, reply)?)));
            let new: Vec<(&Made<'_>, Wrong)> =
                wrongs.filter(|(made, wrong)| !search.counts(made.class, wrong)).collect();
            if new.is_empty() {
                continue;
            }
            // To shrink is to ask: what was given has its answers first.
            while let Some(more) = search.answered()? {
                answered.push_back(more);
            }
            spent += started.elapsed();
            for (made, wrong) in new {
                search.note(&made.bytes, made.class, wrong)?;
            }
            started = Instant::now();
        }
        spent += started.elapsed();
        Ok(())
    })?;
    let mut findings: Vec<Finding> = search.causes.into_values().collect();
    findings.sort_by(|one, other| (one.level, one.what, &one.id).cmp(&(other.level, other.what, &other.id)));
    let made = makers.classes().iter().zip(counts).filter(|(_, count)| *count > 0);
    let classes = made.map(|(class, count)| (class.name, count)).collect();
    Ok(Outcome { findings, inputs, time: spent, classes, restarts: adapter.restarts })
}

/// A batch, and the reply to each of its inputs.
struct Answered<'m> {
    batch: Vec<Made<'m>>,
    replies: Vec<Reply>,
}

fn inputs_of<'m>(batch: &'m [Made<'_>]) -> Vec<&'m [u8]> {
    batch.iter().map(|made| made.input.bytes.as_slice()).collect()
}

/// A cause: in which way the parser is wrong, about which class, and where.
type Cause = (What, &'static str, Option<String>);

struct Search<'s> {
    makers: &'s Makers,
    adapter: &'s mut Adapter,
    seed: u64,
    /// What the parser was given and did not answer yet.
    given: VecDeque<Vec<Made<'s>>>,
    causes: BTreeMap<Cause, Finding>,
    /// What the first input of a cause looked like before it was shrunk: later ones like it are of the same cause.
    aliases: BTreeMap<Cause, Cause>,
}

/// An input and what came of it.
struct Seen<'m> {
    class: &'m Class,
    input: Input,
    reply: Reply,
    wrong: Wrong,
}

impl<'s> Search<'s> {
    /// The classes that are known to kill the parser, or to make it hang.
    fn fatal(&self) -> BTreeSet<&'static str> {
        let of_these = self.aliases.keys().filter(|(what, ..)| matches!(what, What::Crash | What::Hang));
        of_these.map(|(_, class, _)| *class).collect()
    }

    /// Gives the parser a batch.
    fn give(&mut self, batch: Vec<Made<'s>>) -> Result<(), AdapterError> {
        self.adapter.give(&inputs_of(&batch))?;
        self.given.push_back(batch);
        Ok(())
    }

    /// The first batch of those that were given, and the replies to it.
    fn answered(&mut self) -> Result<Option<Answered<'s>>, AdapterError> {
        let Some(batch) = self.given.pop_front() else { return Ok(None) };
        let before = self.adapter.restarts;
        let replies = self.adapter.replies(&inputs_of(&batch))?;
        // One that died took with it what else it had been given.
        if self.adapter.restarts != before {
            self.given.iter().try_for_each(|batch| self.adapter.give(&inputs_of(batch)))?;
        }
        Ok(Some(Answered { batch, replies }))
    }

    /// Counts what is known; false where it is not.
    fn counts(&mut self, class: &Class, wrong: &Wrong) -> bool {
        let raw = (wrong.0, class.name, wrong.1.clone());
        let known = self.aliases.get(&raw).unwrap_or(&raw);
        let finding = self.causes.get_mut(known);
        let is_known = finding.is_some();
        finding.into_iter().for_each(|finding| finding.seen += 1);
        is_known
    }

    /// Counts what is known, and shrinks what is not.
    fn note(&mut self, bytes: &[u8], class: &'s Class, wrong: Wrong) -> Result<(), AdapterError> {
        if self.counts(class, &wrong) {
            return Ok(());
        }
        let raw = (wrong.0, class.name, wrong.1.clone());
        let (class, bytes) = self.plainest(class, bytes, &wrong)?;
        let bytes = self.smallest(class, &bytes, &wrong)?;
        let mut again = 0;
        let mut last = None;
        for _ in 0..AGAIN {
            if let Some(seen) = self.wrong_in(class, &bytes, &wrong)? {
                again += 1;
                last = Some(seen);
            }
        }
        let (input, said) = match last {
            Some(seen) => (seen.input, finding::said(&seen.reply)),
            None => match self.makers.make(class, &mut Choices::new(&bytes)) {
                Some(input) => (input, "nothing wrong, when it was asked again".to_owned()),
                None => return Ok(()),
            },
        };
        let (what, place) = wrong;
        let cause = self.within_known(what, class, &input).unwrap_or((what, class.name, place.clone()));
        self.aliases.insert(raw, cause.clone());
        let id = match &place {
            Some(place) => format!("{}-{}{}", what.name(), class.name, place.replace('/', "-").replace('*', "n")),
            None => format!("{}-{}", what.name(), class.name),
        };
        let finding = self.causes.entry(cause).or_insert_with(|| Finding {
            id,
            kind: self.makers.kind(),
            profile: self.makers.profile().map(str::to_owned),
            seed: self.seed,
            what,
            level: if again > 0 { finding::level(what, class) } else { Level::May },
            class: class.clone(),
            verdict: input.verdict,
            input: input.bytes,
            about: input.place,
            expected: input.value,
            place,
            said,
            seen: 0,
            again,
        });
        finding.seen += 1;
        Ok(())
    }

    /// The input of these choices, if the parser is wrong about it in this way.
    fn wrong_in(&mut self, class: &'s Class, bytes: &[u8], wrong: &Wrong) -> Result<Option<Seen<'s>>, AdapterError> {
        let Some(input) = self.makers.make(class, &mut Choices::new(bytes)) else { return Ok(None) };
        let reply = self.adapter.ask(&input.bytes)?;
        let found = finding::judge(self.makers.kind(), &input, &reply).filter(|found| found == wrong);
        Ok(found.map(|wrong| Seen { class, input, reply, wrong }))
    }

    /// What a parser is wrong about even in the plainest class is not about the class in which it came up.
    fn plainest(
        &mut self,
        class: &'s Class,
        bytes: &[u8],
        wrong: &Wrong,
    ) -> Result<(&'s Class, Vec<u8>), AdapterError> {
        /// Classes at the start of each list that are about nothing in particular.
        const PLAIN: usize = 2;
        if wrong.0 != What::WrongAcceptance {
            let makers = self.makers;
            for plain in makers.classes().iter().take(PLAIN).take_while(|plain| plain.name != class.name) {
                for bytes in [&[][..], bytes] {
                    if let Some(seen) = self.wrong_in(plain, bytes, wrong)? {
                        debug_assert_eq!(&seen.wrong, wrong);
                        return Ok((seen.class, bytes.to_vec()));
                    }
                }
            }
        }
        Ok((class, bytes.to_vec()))
    }

    /// The smallest choices with which the parser is still wrong in the same way.
    fn smallest(&mut self, class: &'s Class, bytes: &[u8], wrong: &Wrong) -> Result<Vec<u8>, AdapterError> {
        let tries = if wrong.0 == What::Hang { TRIES_OF_HANGS } else { TRIES };
        let mut failed = None;
        let started = Instant::now();
        let smallest = shrink(bytes, tries, |bytes| {
            if failed.is_some() || started.elapsed() > SHRINKING {
                return false;
            }
            match self.wrong_in(class, bytes, wrong) {
                Ok(seen) => seen.is_some(),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        });
        failed.map_or(Ok(smallest), Err)
    }

    /// The known cause of the same kind whose whole input stands in this one: what is wrong with a string is wrong in an array
    /// of strings, too.
    fn within_known(&self, what: What, class: &Class, input: &Input) -> Option<Cause> {
        let holds =
            |smaller: &[u8]| !smaller.is_empty() && input.bytes.windows(smaller.len()).any(|window| window == smaller);
        // What mixes several things brings nothing new where one of them is known to be wrong.
        let is_mixed = class.name.starts_with("mixed");
        let same = |finding: &Finding| {
            finding.what == what && is_mixed
                || finding.what == what
                    && finding.verdict == input.verdict
                    && what != What::WrongAcceptance
                    && holds(&finding.input)
        };
        self.causes.iter().find(|(_, finding)| same(finding)).map(|(cause, _)| cause.clone())
    }
}
