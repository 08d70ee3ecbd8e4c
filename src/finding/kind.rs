//! What can be wrong: every kind of finding, and the words for it.

use crate::typed_text::typed_texts;

typed_texts! {
    /// What was wrong. The names are stable: baselines and comparisons of reports rest on them.
    ///
    /// Texts that end in a value (see [`Kind::has_value`]) are only its name: the headline of a finding adds what was
    /// received and what was expected.
    pub enum Kind {
        plain {
            // What an expectation asks for.
            NoAnswer "the agent gives no answer"
            MessagesAlone "the agent serves messages alone: it answers every other operation as if there were none"
            AnswersAlike "the agent gives every request the same kind of answer, whatever it is asked"
            RequestUnanswered "the agent leaves a request unanswered, also when it is asked again"
            ConnectionClosed "the agent closes the connection instead of an answer, also when it is asked again"
            AnswerNoHttp "the agent answers with what is no HTTP, also when it is asked again"
            // Tasks.
            MessageOfOtherTask "a message of the task's history names another task"
            MessageInOtherContext "a message of the task's history is in another context than the task"
            NotExactlyOne "a result does not hold exactly one of what it can hold"
            HistoryNotMostRecent "the shortened history is not the most recent part of the whole"
            AgentInOtherRole "the agent speaks in another role than its own"
            PagesDiffer "pages of another size hold other tasks, or in another order"
            ListChangedOtherwise "a list has changed otherwise than by what was made or taken away"
            PageTooLong "a page has more items than were asked for"
            HistoryTooLong "a history has more messages than were asked for"
            TimesDiffer "the status of a task has another time"
            TotalSizeWrong "`totalSize` is not the number of tasks that the pages hold"
            // Parts.
            PartWithManyContents "a part has more than one content"
            PartNotBase64 "the bytes of a part are not base64"
            // Requests that the conversation decides about.
            ServedNeedlessly "the agent serves a request that it need not"
            RefusedWrongly "the agent refuses a request that it must serve"
            // Streams.
            EventUnknown "an event is none of task, message, status update and artifact update"
            EventAfterMessage "an event follows the message of a message-only stream"
            MessageAfterTask "a message follows the task in one stream"
            TaskInMidStream "a task stands in the middle of a stream"
            StreamWithoutTask "the stream does not begin with the task"
            StreamEndsWrongly "the stream does not end as it must"
            StreamChangesTask "the stream changes to another task"
            FinalBeforeEvents "`final` is true although more events follow"
            FinalBeforeStatusUpdates "`final` is true although more status updates follow"
            OpenAfterFinal "the stream stays open after the event that `final` marks as its last"
            FinalMissing "no event is marked as final"
            StreamWithoutState "the stream ended without a state of the task"
            EventsLate "the events of a stream come all at once, when the work is over"
            EndNotRead "the task is not read in the state in which its stream told that it ended"
            StreamMissedState "the stream did not show the state that the task came to"
            StreamsDiffer "two streams of one task differ"
            StreamOpenedWrongly "the stream is not opened by HTTP 200 and text/event-stream"
            StreamCutOff "the stream ends in the middle of an event, which every client discards"
            StreamWithoutLastChunk "the connection of a stream ends without the last chunk, so that clients take the stream for cut off"
            StreamReadOtherwise "an everyday client library reads this stream otherwise than the standard does"
            // Deliveries to webhooks.
            DeliveryMissing "an update of the task was not posted to its webhook"
            DeliveryNotJson "what was posted to a webhook is no JSON object"
            DeliveryUndeclared "what was posted to a webhook is declared as another media type"
            DeliveryNotOneEvent "what was posted to a webhook does not hold exactly one of what it can hold"
            DeliveryOfOtherTask "what was posted to a webhook is about another task, or does not say about which"
            DeliveryInOtherContext "what was posted to a webhook is in another context than the task"
            DeliveryOfOtherState "what was posted to a webhook says that the task ended otherwise than it did"
            DeliveryOfOtherMessage "what was posted to a webhook does not have the message of the task's status"
            DeliveryOfOtherArtifact "what was posted to a webhook has an artifact that the task does not have"
            DeliveryAfterDeletion "an update was posted to a webhook after it was deleted"
            DeliveryWithoutCredentials "a delivery does not bring the credentials of its webhook"
            DeliveryWithoutToken "a delivery does not bring the token of its webhook"
            DeliveryWithoutTime "nothing that was posted to a webhook says when it was made"
            DeliveryTakesCredentials "a redirect of a webhook takes the credentials of its configuration to another origin"
            DeliveriesEnded "after one delivery that failed nothing more was posted to the webhook"
            DeliveryAfterEnd "an update was posted to a webhook after the end of the task had been"
            DeliveryRepeated "the end of a task is posted again, although the webhook has acknowledged it"
            DeliveryNotAsStreamed "what was posted to a webhook shows another course of the task than its stream"
            WebhookHoldsUpTask "the task does not go on until its webhook has answered"
            WebhookHoldsUpAnswer "a message is not answered until the webhook of its task has answered"
            DeliveryToItself "the agent lets a client choose an address of its own machine, and calls it"
            // The agent card.
            InterfaceUrlNotPlain "the URL of an interface has a query or a fragment"
            InterfaceWithoutUrl "an interface does not say where it is"
            InterfaceWithoutBinding "an interface does not say which binding it speaks"
            InterfaceWithoutVersion "an interface does not say which protocol version it speaks"
            MainInterfaceUnlisted "the list of interfaces lacks the main one"
            InterfaceUnlisted "the list for clients of 0.3 lacks an interface"
            ModeNoMediaType "a mode is not a media type"
            VersionNotMajorMinor "a protocol version is not Major.Minor"
            CardWithoutMaxAge "the card does not say for how long it may be kept"
            LinkNotAbsolute "a link of the card is not absolute"
            BindingNameUnknown "a binding has a name that is neither a standard one nor a URI"
            ServedWithoutCredentials "the agent serves a request without credentials that allow it"
            RefusedForAnotherReason "a request without credentials that allow it is refused, but not by what says that it lacks them"
            ChallengeWithoutScheme "WWW-Authenticate names no scheme"
            ChallengeForAnotherScheme "WWW-Authenticate asks for no scheme that the card declares"
            ExistenceToldToAnybody "the agent tells what exists from what does not to who brings no credentials"
            ServedToAnother "the agent serves one caller what belongs to another"
            ExistenceTold "the agent tells what belongs to another caller from what does not exist"
            CredentialsUndeclared "the agent asks for credentials, of which its card says nothing"
            AuthSchemeUnregistered "a scheme of HTTP authentication is not in the IANA registry"
            OauthMetadataUnencrypted "the metadata of an authorization server are fetched without TLS"
            FlowDeprecated "a flow of OAuth 2.0 is deprecated"
            // The head of an answer.
            HeadSplit "a text of the request makes a field of its own in the head of an answer"
            // What is below HTTP.
            NotEncrypted "what is at a public address is reached without TLS"
            OldTlsAccepted "the agent agrees on a version of TLS that RFC 8996 forbids"
            WeakCipherAccepted "the agent agrees on a cipher suite that RFC 9325 forbids"
            HstsMissing "an answer does not keep clients to HTTPS"
            // The signatures of the card.
            SignatureMalformed "a signature of the card is not written as RFC 7515 has it"
            SignatureWithoutAlgorithm "the protected header of a signature does not name its algorithm"
            SignatureWithoutKey "the protected header of a signature does not name its key"
            SignatureUntyped "the protected header of a signature does not have the type JOSE"
            SignatureCriticalWrong "a signature of the card uses crit or b64 against RFC 7515 or RFC 7797"
            SignatureWrong "no signature of the card holds"
            SignedUncanonical "what is signed is the card in another form than the canonical one"
            SignedWithDefaults "what is signed has members with default values that are to be left out"
            SignedWithSignatures "what is signed has the member signatures"
            SignedWithoutRequired "what is signed lacks required members with default values"
            SignedWithoutExplicit "what is signed lacks optional members that were set to their default"
            // JSON-RPC.
            NoResponseObject "an answer is no JSON-RPC response"
            ResponseIdDiffers "a response does not carry the id of its request"
            UnreadableIdNotNull "an answer to what is no request does not have the id null"
            EventIdDiffers "an event does not carry the id of its request"
            BatchAnswerWrong "a batch is answered with neither an array nor an error"
            BatchItemWrong "an item of a batch's answer is no response"
            BatchCountWrong "a batch has another number of answers than of calls"
            // Errors.
            DetailsNoArray "the details of an error are no array"
            DetailUntyped "a detail of an error does not name its type"
            ErrorDataUnstructured "the data of an error have no structure"
            ErrorWithoutMessage "an error has no message for people"
            MarkupPage "an error is a page for browsers"
            StackTrace "an error shows where in the agent's code it came about"
            ErrorBodyNotJson "the body of an error is not JSON"
            ErrorBodyWithoutError "the body of an error has no error object"
            ErrorWithoutCode "an error has no code"
            ErrorCodeNotStatus "the code of an error is not its HTTP status"
            ErrorStatusNoCode "the status of an error is not the name of its gRPC code"
            ErrorBodyNoObject "the body of an error is no JSON object"
            ErrorBodiesDiffer "two errors have bodies of different forms"
            ProblemDetailsMissing "the body of an error is no problem details"
            ProblemDetailsUndeclared "the body of an error is not declared as problem details"
            ProblemStatusDiffers "the member `status` of an error is not its HTTP status"
            ProblemDetailMissing "an error has no `detail` for people"
            // Texts.
            SlashMatters "the URL of the interface with a slash more or less at its end leads nowhere"
            JsonUndeclared "a response is not declared as JSON"
            // gRPC.
            GrpcUndeclared "an answer is not declared as gRPC"
            GrpcNotHttp200 "a call is not answered with HTTP 200"
            GrpcStatusNoCode "a grpc-status is no code"
            GrpcStatusTooEarly "a grpc-status stands before the messages"
            GrpcStatusMissing "a call ends without a grpc-status"
            GrpcStatusRepeated "a call ends with more than one grpc-status"
            GrpcMessageMisencoded "a grpc-message is not percent-encoded UTF-8"
            GrpcBodyUnframed "a body does not consist of messages"
            GrpcCompressed "an answer is compressed although its client accepts no compression"
            GrpcMessageOfOtherType "a message is not of the type of its method"
            GrpcNotOneMessage "a unary call does not have one answer"
            GrpcDetailsUnreadable "the details of a status cannot be read"
            GrpcDetailUntyped "a detail of a status does not name its type"
            GrpcDetailsCodeDiffers "the details of a status have another code than the call"
            GrpcDetailsMessageDiffers "the details of a status have another message than the call"
        }
        with {
            // What an expectation asks for. A condition is written as in the case file, so that it is the same in every run.
            RequestServed { ; expected, area } "the agent serves a request that it must refuse"
            WrongError { operation; expected, received } "the agent answers with the wrong error"
            FailedInstead { ; received } "the agent fails at a request that it may refuse"
            OperationDenied { ; operation } "the agent answers that it does not know {operation}"
            OperationUnsupported { ; operation } "the agent answers that it does not support {operation}, whatever it is asked"
            NotFoundOverHttp { ; operation } "{operation} is answered with HTTP 404 without an error of A2A"
            WrongAnswer { ; expected, received } "the answer is of the wrong kind"
            Value { ; place, condition } "`{place}`"
            Whole { ; condition } "the answer"
            ErrorValue { ; place, condition } "`{place}` of the error"
            WholeError { ; condition } "the error"
            HttpStatus { ; condition } "the HTTP status"
            HttpHeader { ; name, condition } "the header {name}"
            WebhookTaken { ; what } "the agent takes {what} as the address of a webhook"
            DeliveryMethod { ; condition } "the method of a delivery"
            DeliveryHeader { ; name, condition } "the header {name} of a delivery"
            DeliveryPayload { ; place, condition } "`{place}` of what was posted to a webhook"
            Connection { ; name, condition } "the connection ({name})"
            GrpcStatus { ; condition } "the gRPC status"
            GrpcMessage { ; condition } "the gRPC message"
            GrpcMetadata { ; name, condition } "the metadata {name}"
            ActiveExtensions { ; condition } "the list of active extensions"
            ResponseId { ; condition } "the id of the response"
            // Schemas and spellings.
            SchemaValue { ; of, place, condition } "`{place}` of {of}"
            SchemaObject { ; of, condition } "{of}"
            CardValue { ; place, condition } "`{place}` of the card"
            CardObject { ; condition } "the card"
            EnvelopeValue { ; place, condition } "`{place}` of a JSON-RPC response"
            Envelope { ; condition } "a JSON-RPC response"
            Spelling { ; of, condition } "a {of}"
            FileMember { ; member, condition } "the {member} of a file"
            NotCamelCase { ; of, member } "the member `{member}` of {of} is not in camelCase"
            OtherSpelling { ; of } "a {of} has another of its spellings"
            OtherForm { ; of } "a {of} has another of its forms"
            // Tasks.
            TaskInOtherDialect { task; } "the task {task} is shown in another dialect than before"
            TaskChanged { ; place } "the task has changed at `{place}`"
            StatusMessageDiffers { ; held } "the stream and the task differ in the message of the status: {held}"
            AnswersDiffer { ; place } "two answers about one task differ at `{place}`"
            TerminalStateLeft { task, state; } "the task {task} leaves the terminal state {state}"
            MessageIdTaken { id; } "a message of the agent has the id {id} of one that it was sent"
            MessageIdRepeated { id; } "two messages have the id {id}"
            ArtifactIdRepeated { id; } "two artifacts of one task have the id {id}"
            NotNewestFirst { task, other; } "the task {task} stands before the more recent {other}"
            TaskRepeated { task; } "the walk shows the task {task} twice"
            TaskNotOnce { task; } "the task {task} is not on the pages exactly once"
            TaskTooOld { task; } "the task {task} is older than asked for"
            // What was sent, and asked for.
            SentOtherwise { ; of, place } "{of} is shown otherwise than it was sent, at `{place}`"
            AnsweredOtherwise { ; operation, member } "{operation} is answered with another `{member}` than it was asked for"
            FilterNotKept { ; member } "a list holds what its `{member}` leaves out"
            HeadReflects { ; name } "the header {name} holds a text of the request"
            // Artifacts in streams.
            ChunkWithoutArtifact { artifact; } "a chunk is appended to the artifact {artifact}, which was not sent before"
            ChunkAfterLast { artifact; } "a chunk is appended to the artifact {artifact} after its last chunk"
            ArtifactDiffers { artifact; } "the artifact {artifact} of the task is not what the stream sent"
            ArtifactNeverSent { artifact; } "the task holds the artifact {artifact}, which the stream never sent"
            // Streams.
            ErrorInStream { error; } "an event is the error {error}"
            EventUnreadable { reason; } "an event cannot be read: {reason}"
            EventAfterEnd { ; what } "a {what} follows the terminal state"
            EventOfOtherTask { ; member } "{member} of an event is not that of the stream's task"
            StreamUnreadable { reason; } "the stream cannot be read: {reason}"
            StreamNotUtf8 { offset; } "the stream is not UTF-8: byte {offset}"
            EventDataUnreadable { reason; } "the data of an event cannot be read: {reason}"
            // The agent card.
            SkillIdRepeated { id; } "two skills have the id {id}"
            SchemeUndeclared { scheme; } "the card demands the security scheme {scheme}, which it does not declare"
            ScopeUndeclared { scope; } "the card demands the scope {scope}, which no flow of its scheme has"
            CardNotJson { reason; } "the card is not JSON: {reason}"
            OtherVersionSpoken { ; claimed, spoken } "the card says A2A {claimed}, and the interface speaks A2A {spoken}"
            VersionUnknown { ; claimed } "the card says A2A {claimed}, and the interface knows no method of it"
            // JSON-RPC.
            BatchCallUnanswered { id; } "the call {id} of a batch is not answered once"
            // Errors.
            DetailMisshaped { ; member } "`{member}` of an error's detail does not fit the type of the detail, so that readers refuse the whole"
            ErrorInfoMissing { error; } "{error} does not say what it is in an ErrorInfo"
            ErrorInfoType { ; error } "the ErrorInfo of {error} has another type"
            ErrorInfoDomain { ; error } "the ErrorInfo of {error} has another domain"
            ErrorInfoStatus { ; error } "the ErrorInfo of {error} comes with a status that is not that error's"
            // Texts and HTTP.
            NotJson { reason; } "a body is not JSON: {reason}"
            EventNotJson { reason; } "the data of an event are not JSON: {reason}"
            MemberRepeated { member; } "an object names the member {member} twice"
            HeaderMissing { ; status, name } "an answer with HTTP {status} lacks the header {name}"
            NoRoute { ; method } "{method} has no route"
            // Two bindings.
            ErrorsDisagree { first, second; } "{first} and {second} disagree: they give different errors"
            AnswersDisagree { first, second; } "{first} and {second} disagree: the same question has different answers"
            ServiceDisagrees { first, second; } "{first} and {second} disagree: one serves what the other refuses"
        }
    }
}

/// How something is called that is no answer of the binding.
pub(crate) const UNREADABLE: &str = "something unreadable";
/// What follows the status with which a server fails without an answer of the binding.
pub(crate) const NO_ANSWER: &str = " and no answer";

impl Kind {
    /// Whether it is about one value, whose name is its text.
    pub fn has_value(&self) -> bool {
        matches!(
            self,
            Self::Value { .. }
                | Self::Whole { .. }
                | Self::ErrorValue { .. }
                | Self::WholeError { .. }
                | Self::HttpStatus { .. }
                | Self::HttpHeader { .. }
                | Self::DeliveryMethod { .. }
                | Self::DeliveryHeader { .. }
                | Self::DeliveryPayload { .. }
                | Self::Connection { .. }
                | Self::GrpcStatus { .. }
                | Self::GrpcMessage { .. }
                | Self::GrpcMetadata { .. }
                | Self::ActiveExtensions { .. }
                | Self::ResponseId { .. }
                | Self::SchemaValue { .. }
                | Self::SchemaObject { .. }
                | Self::CardValue { .. }
                | Self::CardObject { .. }
                | Self::EnvelopeValue { .. }
                | Self::Envelope { .. }
                | Self::Spelling { .. }
                | Self::FileMember { .. }
        )
    }

    /// Whether what came is no answer of the binding at all: nothing else about it means anything.
    pub fn is_no_answer(&self) -> bool {
        match self {
            Self::FailedInstead { received } => received.ends_with(NO_ANSWER),
            Self::WrongAnswer { received, .. } => received == UNREADABLE,
            _ => false,
        }
    }

    /// Whether it is about the form in which an answer comes, whatever it says.
    pub fn is_about_form(&self) -> bool {
        matches!(
            self,
            Self::NoResponseObject
                | Self::NotJson { .. }
                | Self::JsonUndeclared
                | Self::HttpHeader { .. }
                | Self::HttpStatus { .. }
                | Self::ErrorBodyNotJson
                | Self::ErrorBodyNoObject
                | Self::ErrorBodyWithoutError
                | Self::ProblemDetailsMissing
                | Self::ProblemDetailsUndeclared
                | Self::BatchAnswerWrong
                | Self::Envelope { .. }
                | Self::EnvelopeValue { .. }
                | Self::ResponseId { .. }
                | Self::ResponseIdDiffers
                | Self::UnreadableIdNotNull
                | Self::ErrorWithoutMessage
                | Self::ErrorWithoutCode
        )
    }

    /// Whether it says itself where it is, or is about an answer as a whole: where its evidence stands does not tell it
    /// from another of its kind.
    pub(super) fn is_placed(&self) -> bool {
        let is_outcome = matches!(
            self,
            Self::NoAnswer
                | Self::AnswersAlike
                | Self::MessagesAlone
                | Self::RequestUnanswered
                | Self::ConnectionClosed
                | Self::AnswerNoHttp
                | Self::RequestServed { .. }
                | Self::WrongError { .. }
                | Self::FailedInstead { .. }
                | Self::OperationDenied { .. }
                | Self::OperationUnsupported { .. }
                | Self::NotFoundOverHttp { .. }
                | Self::WrongAnswer { .. }
                // The lists of a card have their modes from one place.
                | Self::ModeNoMediaType
        );
        // The details of an error are called `data` over JSON-RPC and `details` elsewhere.
        let is_about_details = matches!(
            self,
            Self::DetailsNoArray
                | Self::DetailUntyped
                | Self::DetailMisshaped { .. }
                | Self::ErrorInfoMissing { .. }
                | Self::ErrorInfoType { .. }
                | Self::ErrorInfoDomain { .. }
                | Self::ErrorInfoStatus { .. }
        );
        // A misspelled value in one place is another than in another.
        is_outcome || is_about_details || (self.has_value() && !matches!(self, Self::Spelling { .. }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What reports and baselines may name is known here: a name that goes, or means something else, breaks them.
    #[test]
    fn the_names_are_as_published() {
        let names = Kind::names();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        insta::assert_snapshot!(names.join("\n"));
    }
}
