//! Why a case was not tested: what skipped it, what kept the agent from its state, what broke.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::typed_text::typed_texts;

typed_texts! {
    /// Why a case was skipped, not reached or broken. The names are stable.
    pub enum Reason {
        plain {
            // Ends of a run.
            NotRun "the run ended before this case"
            Interrupted "the run was interrupted"
            // Of a requirement, beside the others of its case.
            NotShown "nothing that the agent has shown is about it"
            // What follows from another finding.
            NotRefused "the agent serves the request, which another case tells, and this is about what becomes of one that it refuses"
            // States that an agent does not come to.
            NothingSent "nothing was sent"
            NoRoom "the agent sent an answer too large to be held beside the others; --jobs 1 leaves it all the room"
            NothingCame "nothing came back"
            NoSecondTask "the agent does not put a second task into the context of a first"
            SilentOnWrongRequests "the agent left too many wrong requests unanswered, and is sent no more of them"
            NoCard "the agent has no card"
            WebhookFarAway "the agent is not on this machine, and does not get to a webhook here; --webhook-listen and --webhook-url give it one"
            SilenceProvesNothing "the agent takes the address, and nothing came there, which proves nothing"
            WebhooksAtOneOrigin "the user has said how the agent gets to one address, and this takes webhooks at two origins"
            WebhookAllowed "the webhooks of this run are where the user lets the agent post"
            NotEncrypted "the interface is reached without TLS"
            MakesNoTasks "the agent answers every message with a message and makes no tasks, as it may, and this is about tasks"
            NotPublic "the agent is on this machine or in a private network, and this is about agents at public addresses"
            NoNameForHsts "clients keep no HSTS for a host without a name"
            NoCredentials "the suite has no credentials of its own to compare with; --bearer, --header and --as give them"
            CertificateOfAll "the card takes certificates for credentials, and every caller shows that of --cert; cert and key of an identity show it in the name of that one alone"
            NoOtherIdentity "the suite has one identity only; --other names a second, which has no right to what the first one has"
            NoTenant "the card declares no tenant for this interface"
            NoSecondTenant "the card declares one tenant only for this interface"
            TenantUnnamed "the interface has a tenant, which the exact bytes of this case do not name"
            // What an answer does not show.
            NoResult "there is no result"
            NoStream "there is no stream"
            NoUpdate "the stream has no update"
            NoStatusUpdate "the stream has no status update"
            NoArtifactUpdate "the stream has no artifact update"
            ChunkOfNothing "the stream appends to an artifact that neither it nor the task has"
            NoFinalEvent "no event of the stream is marked as final"
            NoState "the stream shows no state"
            NoStatusMessage "the task has no message in its status"
            StatusMovedOn "the task had another status when it was read than at the end of the stream"
            WorkTooShort "by the times in its events, the work of the stream took less than half a second"
            NothingMeanwhile "nothing else was answered while the stream was silent"
            NoTaskNamed "no message of the history names a task"
            NoEndDelivered "what was posted to the webhook does not tell the end of the task"
            EndToldAtOnce "the first delivery tells the end of the task already, and there is nothing more to post"
            NothingToTakeAlong "what was posted to the webhook brings no credentials that a redirect could take along"
            NoUpdateForBoth "no update came after both streams had joined"
            StreamsUnfinished "not both streams were read to the end of the task"
            StillComing "events were still coming when the suite stopped reading"
            NotSentBack "the agent does not send the text back on the stream"
            SharedArtifacts "whatever the stream sent may be of several artifacts"
            TooFewTasks "the walk saw fewer than two tasks"
            TooFewTimestamps "fewer than two of the tasks have a status timestamp"
            TaskGoesOn "the task had not ended, or changed while it was looked at"
            NoTaskToShow "there is no task that the walk should show"
            DiffersFromItself "the agent answers one request in two ways over one binding, so that two bindings cannot be compared"
            ErrorUnnamed "an error does not say which it is, so that it cannot be compared"
            NoErrorsToCompare "the run saw no two errors that differ in status or operation"
            NoPath "the URL of the interface has no path that could end with a slash"
            NoErrorInfo "this version has no ErrorInfo"
            NoTextOverGrpc "messages of gRPC have no text"
            CardNotFetched "no card was fetched"
            CardUnreadable "the card could not be read"
            SecurityDeclared "the card demands credentials, and the agent did not ask for them"
            // The suite.
            JudgePanicked "the suite panicked while it judged what it had seen"
        }
        with {
            // Ends of a run.
            TimeOver { ; limit } "the run was given {limit} s (--deadline), and they were over before this case"
            TokenOver { why; identity } "the token of the identity `{identity}` ended before this case, and there was no other: {why}"
            FirstFailure { ; case } "`{case}` failed before this case, and the run ends at the first failure (--fail-fast)"
            // Of a requirement, beside the others of its case.
            ElseWrong { ; case } "`{case}` found something else wrong before it came to this"
            // What the user says of the agent.
            TriggerNever { ; trigger } "by the setting `triggers.{trigger} = \"never\"` nothing brings the agent there"
            // What the user has not given.
            NoIdentity { ; role } "no identity has the role {role}; role = \"{role}\" in [identities.NAME] of a2aspec.toml gives it to one"
            // What the card says.
            NotDeclared { ; capability } "the card does not declare {capability}"
            Declared { ; capability } "the card declares {capability}, and this is about agents without it"
            CardSilent { ; capability } "no card says whether the agent has {capability}"
            NotInRelease { ; operation } "the release that the card names, or may be of, has no {operation}"
            CardOfAnotherVersion { ; version } "the agent was recognised by asking to speak A2A {version}, and its card is not of that version"
            NotExpressed { place; what } "the suite cannot run this test: {what} ({place})"
            OtherDialect { ; dialect } "the agent speaks the dialect {dialect} over this interface"
            // What follows from another finding.
            NumberIdUnread { ; case } "the request has a number for an id, and the agent reads no such requests, which `{case}` tells"
            AnsweredAlike { received; } "the agent gives every request the same kind of answer, which `operations/served` tells: {received}"
            NotServed { ; operation } "the agent does not serve {operation}, which `operations/served` tells"
            MessagesAlone { ; operation } "the agent serves messages alone, which `operations/served` reports, and has no {operation}"
            StreamsUnread { ; case } "the events of the agent's streams cannot be read, which `{case}` reports"
            NoResponses { ; case } "the answer is not a JSON-RPC response, which `{case}` reports"
            ResultNoObject { ; operation, case } "the result of {operation} is not an object, which `{case}` reports"
            // States that an agent does not come to.
            TriggerMissed { text, received; goal, trigger } "no task that is {goal}: the trigger `{trigger}` ({text:?}) brought {received}"
            TriggerUnanswered { text, received; goal, trigger } "no task that is {goal}: the trigger `{trigger}` ({text:?}) brought {received}"
            StepMissed { text, why; trigger } "the trigger `{trigger}` ({text:?}) did not bring the agent there: {why}"
            WrongState { place, received, expected; } "{place} is {received}, expected {expected}"
            DoesNotApply { place, received, expected; } "not the kind of agent that this is about: {place} is {received}, expected {expected}"
            OtherAnswer { received; } "the agent answered with {received}"
            UnknownState { state; version } "the task is in {state}, which is no state of A2A {version}"
            StillInState { state, limit; } "the task was still in {state} after {limit} s; --timeout gives it more time"
            StillAtWork { limit; } "the task was still at work after {limit} s; --timeout gives a slow agent more time"
            Unanswered { limit; operation } "the agent did not answer {operation} within {limit} s; --timeout gives a slow one more time"
            StoppedServing { ; operation } "the agent answered {operation} at first, and left several calls in a row unanswered since; --jobs 1 --verbose shows after which case"
            SilentOperation { ; operation } "the agent left several calls of {operation} in a row unanswered; --timeout gives a slow one more time"
            CredentialsWanted { ; label } "the agent wants credentials ({label}); --bearer and --header give them"
            CredentialsWithheld { origin; label } "the agent wants credentials ({label}), and those of the run are not sent to {origin}; --allow-origin {origin} sends them there"
            OtherNotLetIn { ; label } "the second identity is not let in ({label})"
            Unavailable { ; label } "the agent is not available ({label})"
            BarredBefore { ; label } "something stands before the agent ({label})"
            MessagesUsedUp { ; most } "--max-messages {most} is used up"
            TooLarge { what; } "the agent sent {what}, and the suite reads no more of it"
            ListTooLong { pages, tasks; } "the list goes on after {pages} pages ({tasks} tasks), and the suite reads no further; check the agent while it holds fewer tasks"
            NothingDelivered { url; } "nothing was posted to the webhooks at {url} in time; if the agent does not get there, --webhook-listen and --webhook-url give it another way"
            WebhookHandshake { url, how; } "whoever came to the webhooks at {url} ended the handshake of TLS ({how}); if that was the agent, it has to trust their certificate, which --webhook-cert and --webhook-key can name"
            TooLittleDelivered { limit, deliveries; } "what was waited for did not come within {limit} s, only {deliveries}; --timeout gives a slow agent more time"
            Unresolved { ; reference } "a step needs `{reference}`, which no earlier answer gave"
            CardFromFile { path; } "the card was read from the file {path}"
            // Agents of which no answer proves anything.
            Unreachable { how; } "the interface cannot be reached: {how}"
            NoJsonRpc { received; } "the interface does not speak JSON-RPC: it answers with {received}"
            NoRoutes { received; } "nothing of A2A over HTTP+JSON is below the URL of the interface: a message is answered with {received}"
            StoppedAnswering { how; } "the agent stopped answering: {how}"
            AcceptsNoMessage { received; } "the agent accepts no message: it answers with {received}"
            TellsNothingApart { received; operation } "{operation} does not tell requests apart: asked for a task that does not exist, it answers with {received}"
            MethodsAlike { received; } "the agent answers a method that no version has in the same way: {received}"
            // What an answer does not show.
            NothingOf { ; step } "nothing came of the step `{step}`"
            NoTask { ; step } "the step `{step}` brought no task"
            NoTasks { ; step } "the step `{step}` brought no tasks"
            SeveralPages { ; step } "the list of the step `{step}` has several pages"
            NoTotalSize { ; step } "no page of the step `{step}` says in a number how many tasks there are"
            NoWalk { ; step } "the step `{step}` is no walk"
            NoOpenStream { ; step } "there is no stream `{step}`"
            OtherThanStream { received; } "there is no stream but {received}"
            StreamRefused { received; } "the stream is refused: {received}"
            OtherThanResults { first, second; } "there are no two results but {first} and {second}"
            StreamOver { state; } "the stream was over when the task was in {state}"
            HistoriesTooShort { part, whole; } "the histories have {part} and {whole} messages"
            NoTimestamp { text; } "{text:?} is no timestamp"
            NoPartWith { ; members } "no artifact of the task has a part with {members}"
            OneSpelling { ; of } "this binding has one spelling of every {of}"
            NoChallenge { received; } "the refusal has no challenge: {received}"
            CardLacks { ; what } "the card {what}"
            NoKeyFor { id; } "no trusted key is named {id:?}; --card-key names a file of keys, and --allow-jku a host from which the card's own are fetched"
            NoKeysAt { ; jku, how } "no trusted key is named as the signature has it, and none came from {jku}: {how}"
            SignatureUnusable { why; } "a verifier cannot act by the signature: {why}"
            RunSawNo { ; what } "the run saw no {what}"
            // What is no word about the agent.
            ConnectionLost { how; } "{how}"
            StreamLost { how; } "the stream broke off: {how}"
            SuiteMistake { what; } "{what}"
        }
    }
}

impl Reason {
    /// A mistake of the suite or of a case.
    pub fn mistake(what: impl Into<String>) -> Self {
        Self::SuiteMistake { what: what.into() }
    }

    /// That a run saw nothing of what a case judges.
    pub fn run_saw_no(what: impl Into<String>) -> Self {
        Self::RunSawNo { what: what.into() }
    }

    /// Whether a request was left without an answer.
    pub fn is_unanswered(&self) -> bool {
        matches!(self, Self::Unanswered { .. } | Self::ConnectionLost { .. })
    }

    /// Whether something was not asked, since the agent had left other requests unanswered.
    pub fn is_for_silence(&self) -> bool {
        matches!(
            self,
            Self::SilentOnWrongRequests
                | Self::SilentOperation { .. }
                | Self::StoppedServing { .. }
                | Self::StoppedAnswering { .. }
        )
    }

    /// Whether the agent was not got at, though something answers in its place.
    pub fn is_a_door(&self) -> bool {
        matches!(
            self,
            Self::CredentialsWanted { .. }
                | Self::CredentialsWithheld { .. }
                | Self::Unavailable { .. }
                | Self::NoJsonRpc { .. }
                | Self::NoRoutes { .. }
        )
    }

    /// Whether the case was skipped since the user has not given what it takes.
    pub fn is_for_want_of_settings(&self) -> bool {
        matches!(self, Self::WebhookFarAway | Self::NoCredentials | Self::NoOtherIdentity | Self::NoIdentity { .. })
    }

    /// Whether the agent, as it is, lacks what the case is about: nothing that a user gives to the suite brings it there.
    pub fn is_for_other_agents(&self) -> bool {
        matches!(
            self,
            Self::DoesNotApply { .. }
                | Self::NoStatusMessage
                | Self::NoTaskNamed
                | Self::WorkTooShort
                | Self::CardLacks { .. }
                | Self::NoPath
                | Self::MakesNoTasks
                | Self::MessagesAlone { .. }
                | Self::TriggerNever { .. }
        )
    }

    /// Whether the run ended before the case did.
    pub fn is_end_of_run(&self) -> bool {
        matches!(
            self,
            Self::NotRun
                | Self::Interrupted
                | Self::TimeOver { .. }
                | Self::TokenOver { .. }
                | Self::FirstFailure { .. }
        )
    }

    /// Whether the agent was not brought into its state, or may have been in another: what a trigger can be the cause of.
    pub fn may_be_for_the_words(&self) -> bool {
        self.is_about_a_trigger()
            || matches!(
                self,
                Self::WrongState { .. }
                    | Self::OtherAnswer { .. }
                    | Self::Unresolved { .. }
                    | Self::NoTask { .. }
                    | Self::NothingOf { .. }
                    | Self::NoPartWith { .. }
                    | Self::StreamOver { .. }
                    | Self::NoUpdate
                    | Self::NoStatusUpdate
                    | Self::NoArtifactUpdate
                    | Self::NoUpdateForBoth
            )
    }

    /// The trigger that it names.
    pub fn trigger(&self) -> Option<&str> {
        match self {
            Self::TriggerMissed { trigger, .. }
            | Self::TriggerUnanswered { trigger, .. }
            | Self::StepMissed { trigger, .. } => Some(trigger),
            _ => None,
        }
    }

    /// Whether a trigger brought something else than it should, so that other words may do.
    pub fn is_about_a_trigger(&self) -> bool {
        matches!(self, Self::TriggerMissed { .. } | Self::StepMissed { .. })
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let details = self.details();
        let mut object = serializer.serialize_struct("Reason", 3)?;
        object.serialize_field("reason_kind", &self.name())?;
        object.serialize_field("reason", &self.to_string())?;
        match details.is_empty() {
            true => object.skip_field("reason_details")?,
            false => object.serialize_field("reason_details", &details)?,
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Form {
            reason_kind: String,
            #[serde(default)]
            reason_details: BTreeMap<String, String>,
        }
        let Form { reason_kind: name, reason_details: details } = Form::deserialize(deserializer)?;
        Self::read(&name, &details).ok_or_else(|| D::Error::custom(format!("`{name}` with other details than its own")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_names_are_as_published() {
        let names = Reason::names();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        insta::assert_snapshot!(names.join("\n"));
    }
}
