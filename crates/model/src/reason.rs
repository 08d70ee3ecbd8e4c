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
            NotVisited "no client visited it"
            // Of a requirement, beside the others of its case.
            TaskGone "the task has ended, and a plain GetTask does not find it either; the agent may have purged it"
            NotShown "no response of the agent shows it"
            // Of recorded traffic.
            NeedsRequests "recorded traffic cannot show it: this case sends requests of its own"
            OnlyOfClients "only values that the client wrote itself are wrong"
            // What follows from another finding.
            NotRefused "the agent accepts the request (reported elsewhere); this case needs a refusal"
            // States that an agent does not come to.
            NothingSent "nothing was sent"
            RestartUnseen "the restart command succeeded, but no connection to the agent broke; nothing shows that the agent restarted"
            NoRoom "the response is too large to be held beside the others; --jobs 1 gives it more memory"
            NothingCame "no response"
            NoSecondTask "the agent does not create a second task in the context of the first"
            SilentOnWrongRequests "the agent left too many invalid requests unanswered, so no more are sent"
            NoCard "the agent has no card"
            WebhookFarAway "the agent is on another machine and cannot reach a webhook here; set --webhook-listen and --webhook-url"
            SilenceProvesNothing "the agent accepts the address and posted nothing to it, which proves nothing"
            WebhooksAtOneOrigin "--webhook-url names one origin, and this case needs webhooks at two origins"
            WebhookAllowed "the webhooks of this run are at addresses that the agent is allowed to call"
            NotEncrypted "not applicable: the interface does not use TLS"
            MakesNoTasks "not applicable: the agent answers every message with a message and makes no tasks"
            OneAtATime "not applicable: the agent serves one request at a time, and this case needs a request beside another"
            NotPublic "not applicable: the agent is on this machine or in a private network"
            NoNameForHsts "clients keep no HSTS for a host without a name; use a host name"
            NoCredentials "needs credentials: --bearer, --header or --as"
            CertificateOfAll "the card accepts client certificates as credentials, and --cert sends one with every request; set `cert` and `key` of an identity instead"
            NoOtherIdentity "needs a second identity (--other) that must not see the first one's tasks"
            NoTenant "not applicable: the card does not declare a tenant for this interface"
            NoSecondTenant "not applicable: the card declares only one tenant for this interface"
            TenantUnnamed "the interface has a tenant, and the exact bytes of this case do not name one"
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
            WorkTooShort "the work took less than half a second, by the timestamps of the stream's events"
            NothingMeanwhile "no other request was answered while the stream was silent"
            NoTaskNamed "no message of the history names a task"
            NoEndDelivered "no delivery reports the end of the task"
            EndToldAtOnce "the first delivery already reports the end of the task"
            NothingToTakeAlong "the delivery has no credentials that a redirect could forward"
            NoUpdateForBoth "no update came after both streams had joined"
            BothRefused "both requests are refused"
            StreamsUnfinished "not both streams were read to the end of the task"
            StillComing "the stream was still open when the suite stopped reading"
            NotSentBack "the agent does not send the text back on the stream"
            SharedArtifacts "the chunks of the stream may belong to several artifacts"
            TooFewTasks "the pages had fewer than two tasks"
            TooFewTimestamps "fewer than two of the tasks have a status timestamp"
            TaskGoesOn "the task had not ended, or changed while it was looked at"
            NoTaskToShow "no task should be on the pages"
            DiffersFromItself "the agent answers one request in two ways over one binding, so that two bindings cannot be compared"
            ErrorUnnamed "an error does not name itself, so it cannot be compared"
            NoErrorsToCompare "the run saw no two errors that differ in status or operation"
            NoPath "the URL of the interface has no path that could end with a slash"
            NoErrorInfo "this version does not have ErrorInfo"
            NoTextOverGrpc "gRPC messages are binary, not text"
            CardNotFetched "no card was fetched"
            CardUnreadable "the card could not be read"
            SecurityDeclared "the card requires credentials, and the agent did not ask for them"
            // The suite.
            JudgePanicked "the suite panicked while judging; please report this bug"
        }
        with {
            // Ends of a run.
            TimeOver { ; limit } "--deadline ({limit} s) had passed before this case"
            TokenOver { why; identity } "the token of the identity `{identity}` expired, and could not be renewed: {why}"
            FirstFailure { ; case } "`{case}` failed before this case (--fail-fast)"
            // Of a requirement, beside the others of its case.
            ElseWrong { ; case } "`{case}` failed before it reached this check"
            // What the user says of the agent.
            TriggerNever { ; trigger } "not applicable: `triggers.{trigger} = \"never\"` in the settings"
            // What the user has not given.
            NoIdentity { ; role } "needs an identity with role = \"{role}\" ([identities.NAME] of a2aspec.toml, or --identity NAME=role:{role})"
            // What the card says.
            NotDeclared { ; capability } "the card does not declare {capability}"
            Declared { ; capability } "not applicable: the card declares {capability}"
            CardSilent { ; capability } "no card declares whether the agent has {capability}"
            NotInRelease { ; operation } "not applicable: the release that the card declares does not have {operation}"
            CardOfAnotherVersion { ; version } "not applicable: the interface is checked as A2A {version}, and the card is of another version"
            NotExpressed { place; what } "the suite cannot run this test: {what} ({place})"
            OtherDialect { ; dialect } "the agent speaks the dialect {dialect} over this interface"
            // What follows from another finding.
            NumberIdUnread { ; case } "the agent does not accept numbers as request ids (reported by `{case}`)"
            AnsweredAlike { received; } "the agent answers every request alike (reported by `operations/served`): {received}"
            NotServed { ; operation } "the agent does not serve {operation} (reported by `operations/served`)"
            MessagesAlone { ; operation } "the agent serves only messages (reported by `operations/served`), not {operation}"
            StreamsUnread { ; case } "the events of the agent's streams cannot be read (reported by `{case}`)"
            NoResponses { ; case } "the answer is not a JSON-RPC response (reported by `{case}`)"
            ResultNoObject { ; operation, case } "the result of {operation} is not an object (reported by `{case}`)"
            // States that an agent does not come to.
            TriggerMissed { text, received; goal, trigger } "no task that is {goal}: the trigger `{trigger}` ({text:?}) led to {received}"
            TriggerUnanswered { text, received; goal, trigger } "no task that is {goal}: the trigger `{trigger}` ({text:?}) led to {received}"
            StepMissed { text, why; trigger } "the trigger `{trigger}` ({text:?}) did not lead to the state: {why}"
            WrongState { place, received, expected; } "{place} is {received}, expected {expected}"
            DoesNotApply { place, received, expected; } "not applicable: {place} is {received}, and this case needs {expected}"
            OtherAnswer { received; } "the agent answered with {received}"
            UnknownState { state; version } "the task is in {state}, which is not a state of A2A {version}"
            StillInState { state, limit; } "the task was still in {state} after {limit} s; increase --timeout"
            StillAtWork { limit; } "the task was still at work after {limit} s; increase --timeout for a slow agent"
            Unanswered { limit; operation } "no response to {operation} within {limit} s; increase --timeout for a slow agent"
            StoppedServing { ; operation } "the agent stopped answering {operation}; --jobs 1 --verbose shows after which case"
            SilentOperation { ; operation } "several calls of {operation} in a row had no response; increase --timeout for a slow agent"
            CredentialsWanted { ; label } "the agent requires credentials ({label}); pass --bearer or --header"
            CredentialsWithheld { origin; label } "the agent requires credentials ({label}), and yours are not sent to {origin}; allow it with --allow-origin {origin}"
            OtherNotLetIn { ; label } "the agent refuses the second identity ({label})"
            Unavailable { ; label } "the agent is not available ({label})"
            BarredBefore { ; label } "a proxy or gateway answers instead of the agent ({label})"
            MessagesUsedUp { ; most } "--max-messages {most} is used up"
            TooLarge { what; } "the agent sent {what}, more than the suite reads"
            NameTooLong { bytes; member } "the agent sent a `{member}` of {bytes} bytes, more than the suite sends back"
            ListTooLong { pages, tasks; } "the list has more than {pages} pages ({tasks} tasks), and the suite reads no further; check the agent while it holds fewer tasks"
            NothingDelivered { url; } "no delivery reached the webhooks at {url} in time; if the agent cannot reach them, set --webhook-listen and --webhook-url"
            WebhookHandshake { url, how; } "a client aborted the TLS handshake with the webhooks at {url} ({how}); if it was the agent, it must trust their certificate (--webhook-cert, --webhook-key)"
            TooLittleDelivered { limit, deliveries; } "the expected delivery did not arrive within {limit} s, only {deliveries}; increase --timeout for a slow agent"
            Unresolved { ; reference } "a step needs `{reference}`, and no earlier response has it"
            CardFromFile { path; } "the card was read from the file {path}"
            // Agents of which no answer proves anything.
            Unreachable { how; } "the interface cannot be reached: {how}"
            NoJsonRpc { received; } "the interface does not speak JSON-RPC: it answers with {received}"
            NoRoutes { received; } "the URL of the interface does not serve A2A over HTTP+JSON: a message is answered with {received}"
            StoppedAnswering { how; } "the agent stopped answering: {how}"
            AcceptsNoMessage { received; } "the agent accepts no message: it answers with {received}"
            TellsNothingApart { received; operation } "{operation} does not distinguish requests: asked for a task that does not exist, it answers with {received}"
            MethodsAlike { received; } "the agent answers an unknown method in the same way: {received}"
            // What an answer does not show.
            NothingOf { ; step } "the step `{step}` had no response"
            NoTask { ; step } "the step `{step}` returned no task"
            NoTasks { ; step } "the step `{step}` returned no tasks"
            SeveralPages { ; step } "the list of the step `{step}` has several pages"
            NoTotalSize { ; step } "no page of the step `{step}` has a number in `totalSize`"
            NoWalk { ; step } "the step `{step}` is not a walk"
            NoOpenStream { ; step } "there is no stream `{step}`"
            OtherThanStream { received; } "the response is not a stream but {received}"
            StreamRefused { received; } "the stream is refused: {received}"
            OtherThanResults { first, second; } "the responses are not two results but {first} and {second}"
            ShownOtherwise { ; place } "the answer to a message and GetTask already differ at `{place}`, which another case reports"
            StreamOver { state; } "the stream was over when the task was in {state}"
            HistoriesTooShort { part, whole; } "the histories have {part} and {whole} messages"
            NoTimestamp { text; } "{text:?} is not a timestamp"
            NoPartWith { ; members } "no artifact of the task has a part with {members}"
            OneSpelling { ; of } "this binding has one spelling of every {of}"
            NoChallenge { received; } "the refusal has no challenge: {received}"
            CardLacks { ; what } "the card {what}"
            RestartFailed { how; } "the agent was not restarted: {how}"
            NoKeyFor { id; } "no trusted key is named {id:?}; pass --card-key FILE, or --allow-jku HOST to fetch the card's own keys"
            NoKeysAt { ; jku, how } "no trusted key has the name in the signature, and none could be fetched from {jku}: {how}"
            SignatureUnusable { why; } "a verifier cannot use the signature: {why}"
            RunSawNo { ; what } "the run saw no {what}"
            // Clients.
            NoRequest { ; of } "the client sent no {of}"
            NoRequestButError { told; of } "the client sent no {of}, and reported {told}"
            StepNotDone { ; step } "there is no result of the step `{step}`"
            ClientCannot { why; word } "not applicable: the client cannot do `{word}`: {why}"
            ClientSpeaksNot { ; binding } "not applicable: the client does not speak {binding}"
            WrapperLacks { ; word } "not applicable: the wrapper does not know the word `{word}`"
            WrapperBroke { how; } "the wrapper did not keep to its contract: {how}"
            WrapperSilent { limit; word } "the wrapper did not answer `{word}`, which had a limit of {limit} s"
            WrapperGone { how; } "the wrapper is gone: {how}"
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
                | Self::OneAtATime
                | Self::MessagesAlone { .. }
                | Self::TriggerNever { .. }
        )
    }

    /// Whether it is about what an agent did in the case: how it answered, which state it came to, what it did not show.
    pub fn is_about_the_course(&self) -> bool {
        self.may_be_for_the_words()
            || self.is_for_silence()
            || matches!(self, Self::Unanswered { .. } | Self::StreamsUnfinished)
    }

    /// Whether the user wanted the agent to be restarted, and nothing shows that it was.
    pub fn is_no_restart(&self) -> bool {
        matches!(self, Self::RestartFailed { .. } | Self::RestartUnseen)
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
