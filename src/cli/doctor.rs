//! `a2aspec doctor`: what can be tested on an agent, and what would help with the rest.

use super::args::DoctorArgs;
use super::fail::{Failure, library};
use super::settings::{self, Settings};
use super::{Exit, own_agent, print, signals};
use crate::report::doctor;
use crate::report::gate::{FailOn, Gate};

/// Runs the few cases on which the others depend.
pub(super) async fn run(args: DoctorArgs) -> Result<Exit, Failure> {
    let stop = signals::heard()?;
    let DoctorArgs { target, receiver } = args;
    settings::without_reports("doctor", &target)?;
    let config = settings::read(&target)?;
    let Settings { suite, own, .. } = settings::of_target(target, &config, None)?.authorized().await?;
    let suite = settings::webhooks(suite, receiver, &config)?;
    let suite = suite.validate()?.stop(stop).library(library(None)?);
    let (mut suite, own) = own_agent::find(suite, own).await?;
    let (whole, secrets) = (suite.plan().clone(), suite.secrets().clone());
    let samples = suite.sample();
    let report = suite.run().await;
    if let Some(agent) = own {
        agent.stop().await;
    }
    print::out(&secrets.mask(&doctor::render(&report, &whole, &samples, print::width())))?;
    // What is wrong with the agent is not what is asked for.
    Ok(match report.gate(FailOn::Never) {
        gate @ (Gate::Unreachable | Gate::Interrupted) => Exit::from(gate),
        _ => Exit::Holds,
    })
}
