//! Runs one trial: its fixtures, its steps, its judgement.

use std::collections::BTreeMap;

use super::Sides;
use super::agent::Halt;
use super::scope::Scope;
use super::step::{Streams, act};
use crate::case::{Act, Action, Expect, Matcher, Step, resolve};
use crate::judge::{self, CaseView, Judgement, Played, RunView, Seen, oracle};
use crate::plan::Trial;
use crate::report::model::{Finding, TrialResult, Verdict};
use crate::transcript::Ended;

/// Runs a trial to its verdict.
pub(super) async fn run(trial: &Trial, sides: &Sides) -> TrialResult {
    let agent = sides.first.as_ref();
    let judgement = match &trial.case.action {
        Action::Observe(call) => {
            let answers = agent.record.answers();
            let endpoint = &agent.connection.endpoint;
            let view = RunView {
                profile: agent.profile(),
                dialect: &endpoint.dialect,
                binding: endpoint.binding,
                answers: &answers,
            };
            oracle::over_run(view, call)
        }
        Action::Steps(steps) => {
            let mut conversation = Conversation {
                trial,
                sides,
                scope: Scope::new(agent),
                streams: Streams::default(),
                played: Vec::new(),
            };
            conversation.hold(steps).await
        }
    };
    let constant = sides.all().find_map(|agent| agent.constant());
    let judgement = match (judgement, constant) {
        (Judgement::Right, Some(reason)) if !trial.case.is_about_the_card() => Judgement::Unseen(reason.to_owned()),
        (judgement, _) => judgement,
    };
    let verdict = judgement.verdict(trial.level);
    match judgement {
        Judgement::Right => result(trial, verdict, None, Vec::new()),
        Judgement::Wrong(findings) => result(trial, verdict, None, findings),
        Judgement::Unseen(reason) | Judgement::Broken(reason) => result(trial, verdict, Some(reason), Vec::new()),
    }
}

/// The result of a trial.
pub(super) fn result(trial: &Trial, verdict: Verdict, reason: Option<String>, findings: Vec<Finding>) -> TrialResult {
    TrialResult {
        case: trial.case.id.clone(),
        title: trial.case.title.clone(),
        requirements: trial.requirements.iter().map(|requirement| requirement.id.value.clone()).collect(),
        level: trial.level,
        section: trial.sections(),
        profile: trial.profile.clone(),
        binding: trial.bindings(),
        verdict,
        reason,
        findings,
    }
}

/// One case's conversation with the agent.
struct Conversation<'a> {
    trial: &'a Trial,
    sides: &'a Sides,
    scope: Scope<'a>,
    streams: Streams,
    played: Vec<Played>,
}

impl Conversation<'_> {
    async fn hold(&mut self, steps: &[Step]) -> Judgement {
        for (name, fixture) in &self.trial.case.given {
            match self.sides.first.fixture(fixture).await {
                Ok(task) => {
                    self.scope.fixtures.insert(name.clone(), task);
                }
                Err(halt) => return halted(halt),
            }
        }
        for step in steps {
            let judgement = match &step.act {
                Act::Together(inner) => self.do_together(inner).await,
                _ => self.do_one(step).await,
            };
            if judgement != Judgement::Right {
                return judgement;
            }
        }
        for call in &self.trial.case.holds {
            let view = CaseView {
                profile: self.sides.first.profile(),
                played: &self.played,
                fixtures: &self.scope.fixtures,
                speaks: self.sides.first.connection.endpoint.speaks.as_deref(),
            };
            let call = match resolve(&call.args, &self.scope) {
                Ok(args) => crate::case::OracleCall { args, ..call.clone() },
                Err(unresolved) => return halted(unresolved.into()),
            };
            let judgement = oracle::over_case(view, &call);
            if judgement != Judgement::Right {
                return judgement;
            }
        }
        Judgement::Right
    }

    async fn do_one(&mut self, step: &Step) -> Judgement {
        let seen = act(self.sides, &self.scope, &self.streams, step, &self.trial.case.id).await;
        self.judge(step, seen)
    }

    async fn do_together(&mut self, steps: &[Step]) -> Judgement {
        let acts = steps.iter().map(|step| act(self.sides, &self.scope, &self.streams, step, &self.trial.case.id));
        let all = futures_util::future::join_all(acts).await;
        for (step, seen) in steps.iter().zip(all) {
            let judgement = self.judge(step, seen);
            if judgement != Judgement::Right {
                return judgement;
            }
        }
        Judgement::Right
    }

    fn judge(&mut self, step: &Step, seen: Result<Option<Seen>, Halt>) -> Judgement {
        let seen = match seen {
            Ok(Some(seen)) => seen,
            Ok(None) => return Judgement::Right,
            Err(halt) => return halted(halt),
        };
        if let Some(name) = &step.name {
            self.scope.remember(name, &seen);
        }
        let played = match self.fill_in(step, seen) {
            Ok(played) => played,
            Err(halt) => return halted(halt),
        };
        let exchange = played.seen.answer().map(|answer| &answer.exchange);
        let unanswered = exchange.filter(|exchange| exchange.response.is_none()).map(|exchange| &exchange.ended);
        let judgement = match judge::reached(&played) {
            // Whoever lost the connection does not know what state the agent is in.
            Err(_) if let Some(Ended::Failed(trouble)) = unanswered => Judgement::Broken(trouble.to_string()),
            Ok(()) => judge::step(self.sides.first.profile(), &played),
            Err(reason) => Judgement::Unseen(self.name_trigger(step, reason)),
        };
        self.played.push(played);
        judgement
    }

    /// Which trigger would help, where the step has one.
    fn name_trigger(&self, step: &Step, reason: String) -> String {
        let (Act::Call(call) | Act::Stream(call) | Act::Open(call)) = &step.act else { return reason };
        match call.trigger {
            Some(trigger) => {
                let say = self.sides.first.options.triggers.say(trigger);
                format!("the trigger `{trigger}` ({:?}) did not do: {reason}", say.text)
            }
            None => reason,
        }
    }

    fn fill_in(&self, step: &Step, seen: Seen) -> Result<Played, Halt> {
        let fill = |matcher: &Matcher| matcher.map_values(&mut |value| resolve(value, &self.scope));
        let fill_all = |places: &BTreeMap<String, Matcher>| {
            places.iter().map(|(place, matcher)| Ok((place.clone(), fill(matcher)?))).collect::<Result<_, Halt>>()
        };
        let expect = match &step.expect {
            Some(expect) => Some(Expect {
                outcome: expect.outcome.clone(),
                at: fill_all(&expect.at)?,
                error_at: fill_all(&expect.error_at)?,
                http: fill_all(&expect.http)?,
                grpc: fill_all(&expect.grpc)?,
                rpc_id: expect.rpc_id.as_ref().map(fill).transpose()?,
            }),
            None => None,
        };
        Ok(Played {
            name: step.name.clone(),
            seen,
            reach: fill_all(&step.reach)?,
            expect,
            source: step.line.map(|line| format!("{}:{line}", self.trial.case.file)),
        })
    }
}

fn halted(halt: Halt) -> Judgement {
    match halt {
        Halt::Unreached(reason) => Judgement::Unseen(reason),
        Halt::Broken(reason) => Judgement::Broken(reason),
    }
}
