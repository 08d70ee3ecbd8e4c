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
            NoAnswer "no response"
            MessagesAlone "the agent serves only messages; it denies every other operation"
            AnswersAlike "the agent answers every request alike"
            RequestUnanswered "no response, even on retry"
            ConnectionClosed "the agent closes the connection without a response, even on retry"
            AnswerNoHttp "the response is not HTTP, even on retry"
            // Tasks.
            MessageOfOtherTask "a message of the task's history names another task"
            MessageInOtherContext "a message in the task's history has another context than the task"
            NotExactlyOne "a result does not have exactly one of its alternatives"
            HistoryNotMostRecent "the shortened history does not have the most recent messages"
            AgentInOtherRole "a message of the agent has another role than the agent's"
            PagesDiffer "pages of another size have other tasks, or another order"
            PageTooLong "a page has more items than requested"
            HistoryTooLong "a history has more messages than requested"
            TimesDiffer "the status of a task has another timestamp"
            TotalSizeWrong "`totalSize` is not the number of tasks on the pages"
            // Parts.
            PartWithManyContents "a part has more than one content"
            PartNotBase64 "the bytes of a part are not base64"
            // Requests that the conversation decides about.
            ServedNeedlessly "the agent accepts a request that it may refuse"
            RefusedWrongly "the agent refuses a request that it must accept"
            // Streams.
            EventUnknown "an event is not a task, message, statusUpdate or artifactUpdate"
            EventAfterMessage "an event follows the message of a message-only stream"
            MessageAfterTask "a message follows the task in one stream"
            TaskInMidStream "a task is in the middle of a stream"
            StreamWithoutTask "the stream does not begin with the task"
            StreamEndsWrongly "the stream does not end as it must"
            StreamChangesTask "the stream changes to another task"
            FinalBeforeEvents "`final` is true although more events follow"
            FinalBeforeStatusUpdates "`final` is true although more status updates follow"
            OpenAfterFinal "the stream stays open after the event that `final` marks as its last"
            FinalMissing "no event is marked as final"
            StreamWithoutState "the stream ended without a state of the task"
            EventsLate "all events of a stream arrive at once, when the work is over"
            EndNotRead "GetTask shows another state than the end of the stream"
            StreamMissedState "the stream does not report a state that the task reached"
            StreamsDiffer "two streams of one task differ"
            StreamOpenedWrongly "the stream is not opened by HTTP 200 and text/event-stream"
            StreamCutOff "the stream ends in the middle of an event, which every client discards"
            StreamWithoutLastChunk "the connection of a stream ends without the last chunk, so clients see a cut stream"
            StreamReadOtherwise "a common SSE client reads this stream differently"
            // Generations of tasks.
            GenerationMissing "an update does not show the generation of its task"
            GenerationNotOwn "two different updates have the same generation"
            GenerationNotNext "the generation of an update is not the next one"
            GenerationNotRead "GetTask shows another generation than the last update"
            GenerationTakenTwice "the agent accepts two messages for one generation of a task"
            AnswerHeldBack "the response to a request that must be answered at once is held back"
            // Deliveries to webhooks.
            DeliveryMissing "an update of the task was not posted to its webhook"
            ExtensionDataMissing "no message of the agent and no artifact has the data of an active extension"
            TasksNotFound "GetTask finds none of the tasks of the agent"
            ExtensionDataDiffers "data of an extension differ between two readings"
            DeliveryNotJson "a delivery is not a JSON object"
            DeliveryUndeclared "a delivery has another media type"
            DeliveryNotOneEvent "a delivery does not have exactly one of its alternatives"
            DeliveryOfOtherTask "a delivery is about another task, or does not name its task"
            DeliveryElsewhere "a delivery is for another path or query than the address of its webhook has"
            DeliveryInOtherContext "a delivery has another context than the task"
            DeliveryOfOtherState "a delivery reports another final state than the task has"
            DeliveryOfOtherMessage "a delivery lacks the message of the task's status"
            DeliveryOfOtherArtifact "a delivery has an artifact that the task does not have"
            DeliveryAfterDeletion "an update was posted to a webhook after it was deleted"
            DeliveryWithoutCredentials "a delivery lacks the credentials of its webhook"
            DeliveryWithoutToken "a delivery lacks the token of its webhook"
            DeliveryWithoutTime "no delivery has a timestamp"
            DeliveryTakesCredentials "the agent sends the webhook's credentials to another origin on a redirect"
            DeliveriesEnded "the agent stops posting to a webhook after one failed delivery"
            DeliveryAfterEnd "an update was posted to a webhook after the end of the task"
            DeliveryRepeated "the end of a task is posted again, although the webhook acknowledged it"
            DeliveryNotAsStreamed "the deliveries report other states than the stream"
            WebhookHoldsUpTask "the task waits for the response of its webhook"
            WebhookHoldsUpAnswer "the response to a message waits for the response of the webhook"
            DeliveryToItself "the agent calls an address on its own machine that a client chose"
            // The agent card.
            InterfaceUrlNotPlain "the URL of an interface has a query or a fragment"
            InterfaceWithoutUrl "an interface has no URL"
            InterfaceWithoutBinding "an interface has no binding"
            InterfaceWithoutVersion "an interface has no protocol version"
            MainInterfaceUnlisted "the list of interfaces lacks the main one"
            InterfaceUnlisted "the list for clients of 0.3 lacks an interface"
            ModeNoMediaType "a mode is not a media type"
            VersionNotMajorMinor "a protocol version is not Major.Minor"
            CardWithoutMaxAge "the card has no Cache-Control with max-age"
            LinkNotAbsolute "a link of the card is not absolute"
            BindingNameUnknown "a binding has a name that is neither a standard one nor a URI"
            ServedWithoutCredentials "the agent accepts a request without valid credentials"
            RefusedForAnotherReason "unauthenticated request refused with an error other than 401 or UNAUTHENTICATED"
            ChallengeWithoutScheme "WWW-Authenticate names no scheme"
            ChallengeForAnotherScheme "WWW-Authenticate names no scheme that the card declares"
            ExistenceToldToAnybody "callers without credentials can see which tasks exist"
            ServedToAnother "the agent lets one caller use what belongs to another"
            ExistenceTold "one caller can see which tasks of another exist"
            CredentialsUndeclared "the agent requires credentials that its card does not declare"
            AuthSchemeUnregistered "a scheme of HTTP authentication is not in the IANA registry"
            OauthMetadataUnencrypted "the metadata of an authorization server are fetched without TLS"
            FlowDeprecated "a flow of OAuth 2.0 is deprecated"
            // The head of an answer.
            HeadSplit "a text of the request makes a header field of the response"
            // What is below HTTP.
            NotEncrypted "a public address is served without TLS"
            OldTlsAccepted "the agent accepts a TLS version that RFC 8996 forbids"
            WeakCipherAccepted "the agent accepts a cipher suite that RFC 9325 forbids"
            HstsMissing "a response lacks Strict-Transport-Security"
            // The signatures of the card.
            SignatureMalformed "a signature of the card is malformed (RFC 7515)"
            SignatureWithoutAlgorithm "the protected header of a signature does not name its algorithm"
            SignatureWithoutKey "the protected header of a signature does not name its key"
            SignatureUntyped "the protected header of a signature does not have the type JOSE"
            SignatureCriticalWrong "a signature of the card violates RFC 7515 or RFC 7797 with crit or b64"
            SignatureWrong "no signature of the card is valid"
            SignedUncanonical "the signature covers another form of the card than the canonical one"
            SignedWithDefaults "the signature covers members with default values, which the canonical form omits"
            SignedWithSignatures "the signature covers the member `signatures`"
            SignedWithoutRequired "the signature does not cover required members with default values"
            SignedWithoutExplicit "the signature does not cover optional members that were set to their default"
            // JSON-RPC.
            NoResponseObject "a response is not a JSON-RPC response"
            ResponseIdDiffers "a response does not carry the id of its request"
            UnreadableIdNotNull "the response to an invalid request does not have the id null"
            EventIdDiffers "an event does not carry the id of its request"
            BatchAnswerWrong "a batch is answered with neither an array nor an error"
            BatchItemWrong "an item of a batch response is not a response"
            BatchCountWrong "a batch has another number of responses than of calls"
            // Errors.
            DetailsNoArray "the details of an error are not an array"
            DetailUntyped "a detail of an error does not name its type"
            ErrorDataUnstructured "the data of an error have no structure"
            ErrorWithoutMessage "an error has no message for people"
            MarkupPage "an error is an HTML page"
            StackTrace "an error has a stack trace"
            ErrorBodyNotJson "the body of an error is not JSON"
            ErrorBodyWithoutError "the body of an error has no error object"
            ErrorWithoutCode "an error has no code"
            ErrorCodeNotStatus "the code of an error is not its HTTP status"
            ErrorStatusNoCode "the status of an error is not the name of its gRPC code"
            ErrorBodyNoObject "the body of an error is not a JSON object"
            ErrorBodiesDiffer "two errors have bodies of different forms"
            ProblemDetailsMissing "the body of an error is not problem details (RFC 9457)"
            ProblemDetailsUndeclared "the body of an error is not declared as problem details"
            ProblemStatusDiffers "the member `status` of an error is not its HTTP status"
            ProblemDetailMissing "an error has no `detail` for people"
            // Texts.
            SlashMatters "the URL of the interface works only with, or only without, its trailing slash"
            JsonUndeclared "a response is not declared as JSON"
            // gRPC.
            GrpcUndeclared "an answer is not declared as gRPC"
            GrpcNotHttp200 "a call is not answered with HTTP 200"
            GrpcStatusNoCode "a grpc-status is not a code"
            GrpcStatusTooEarly "a grpc-status precedes the messages"
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
            RequestServed { ; expected } "the agent accepts a request that it must refuse"
            WrongError { operation; expected, received } "the agent answers with the wrong error"
            FailedInstead { ; received } "the agent fails at a request that it may refuse"
            UnansweredAfterStreams { streams; } "the agent leaves a request unanswered after clients left streams early (number of streams: {streams})"
            LostInRestart { ; what } "the agent loses {what} when it restarts"
            OperationDenied { ; operation } "the agent does not know {operation}"
            OperationUnsupported { ; operation } "the agent does not support {operation}"
            NotFoundOverHttp { ; operation } "{operation} is answered with HTTP 404 without an error of A2A"
            WrongAnswer { ; expected, received } "the answer is of the wrong kind"
            Value { ; place, condition } "`{place}`"
            Whole { ; condition } "the answer"
            ErrorValue { ; place, condition } "`{place}` of the error"
            WholeError { ; condition } "the error"
            HttpStatus { ; condition } "the HTTP status"
            HttpHeader { ; name, condition } "the header {name}"
            WebhookTaken { ; what } "the agent accepts {what} as a webhook URL"
            DeliveryMethod { ; condition } "the method of a delivery"
            DeliveryHeader { ; name, condition } "the header {name} of a delivery"
            DeliveryPayload { ; place, condition } "`{place}` of a delivery"
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
            ExtensionData { ; place, condition } "`{place}` of the data of an extension"
            NotCamelCase { ; of, member } "the member `{member}` of {of} is not in camelCase"
            OtherSpelling { ; of } "a {of} has another spelling"
            OtherForm { ; of } "a {of} has another form"
            // Tasks.
            TaskInOtherDialect { task; } "the task {task} is shown in another dialect than before"
            TaskChanged { ; place } "the task has changed at `{place}`"
            StatusMessageDiffers { ; held } "the stream and the task differ in the message of the status: {held}"
            AnswersDiffer { ; place } "two answers about one task differ at `{place}`"
            TerminalStateLeft { task, state; } "the task {task} leaves the terminal state {state}"
            MessageIdTaken { id; } "a message of the agent has the id {id} of a message that the client sent"
            MessageIdRepeated { id; } "two messages have the id {id}"
            ArtifactIdRepeated { id; } "two artifacts of one task have the id {id}"
            NotNewestFirst { task, other; } "the task {task} is listed before the more recent {other}"
            TaskRepeated { task; } "the pages have the task {task} twice"
            TaskNotOnce { task; } "the task {task} is not on the pages exactly once"
            TaskTooOld { task; } "the task {task} is older than the filter allows"
            // What was sent, and asked for.
            SentOtherwise { how; of, place } "{of} is not shown as it was sent: `{place}` is {how}"
            AnsweredOtherwise { ; operation, member } "the response to {operation} has another `{member}` than requested"
            ListChangedOtherwise { how; } "a list changed in another way than by the request between: it {how}"
            ListedTwice { ; of } "a list has the same {of} twice"
            FilterNotKept { ; member } "a list has items that its `{member}` excludes"
            HeadReflects { ; name } "the header {name} has a text of the request"
            // Artifacts in streams.
            ChunkWithoutArtifact { artifact; } "a chunk is appended to the artifact {artifact}, which was not sent before"
            ChunkAfterLast { artifact; } "a chunk is appended to the artifact {artifact} after its last chunk"
            ArtifactDiffers { artifact; } "the artifact {artifact} of the task differs from the stream"
            ArtifactNeverSent { artifact; } "the task has the artifact {artifact}, which the stream never sent"
            // Streams.
            ErrorInStream { error; } "an event is the error {error}"
            EventUnreadable { reason; } "an event cannot be read: {reason}"
            EventAfterEnd { ; what } "{what} follows the terminal state"
            EventOfOtherTask { ; member } "{member} of an event differs from the stream's task"
            StreamUnreadable { reason; } "the stream cannot be read: {reason}"
            StreamNotUtf8 { offset; } "the stream is not UTF-8: byte {offset}"
            EventDataUnreadable { reason; } "the data of an event cannot be read: {reason}"
            // The agent card.
            SkillIdRepeated { id; } "two skills have the id {id}"
            SchemeUndeclared { scheme; } "the card requires the security scheme {scheme}, which it does not declare"
            ScopeUndeclared { scope; } "the card requires the scope {scope}, which no flow of its scheme has"
            CardNotJson { reason; } "the card is not JSON: {reason}"
            MethodsOfAnother { ; claimed, spoken } "the card declares A2A {claimed}, and the interface has the method names of A2A {spoken}"
            OtherVersionSpoken { ; claimed, spoken } "the card declares A2A {claimed}, and the interface speaks A2A {spoken}"
            VersionUnknown { ; claimed } "the card declares A2A {claimed}, and the interface does not know its methods"
            // JSON-RPC.
            BatchCallUnanswered { id; } "the call {id} of a batch is not answered once"
            // Errors.
            DetailMisshaped { ; member } "`{member}` of an error's detail does not fit the type of the detail, so readers reject the error"
            ErrorInfoMissing { error; } "{error} has no ErrorInfo"
            ErrorInfoType { ; error } "the ErrorInfo of {error} has another type"
            ErrorInfoDomain { ; error } "the ErrorInfo of {error} has another domain"
            ErrorInfoStatus { ; error } "the ErrorInfo of {error} has a status of another error"
            // Texts and HTTP.
            NotJson { reason; } "a body is not JSON: {reason}"
            EventNotJson { reason; } "the data of an event are not JSON: {reason}"
            MemberRepeated { member; } "an object names the member {member} twice"
            HeaderMissing { ; status, name } "an answer with HTTP {status} lacks the header {name}"
            NoRoute { ; method } "{method} has no route"
            // Clients.
            ClientRequest { ; what, of, condition } "{what} of a {of}"
            ClientRequests { ; of, condition } "the number of times that the client sends a {of}"
            ClientAsks { ; of } "the client sends a {of}, which it must not"
            ClientOrder { ; order } "the client's requests do not come in this order: {order}"
            ClientRepeats { ; of, place } "{place} of one {of} is that of another"
            ClientReported { ; step, condition } "what the client reports of {step}"
            ClientReportedValue { ; step, place, condition } "`{place}` of what the client reports of {step}"
            // Two bindings.
            ErrorsDisagree { first, second; } "{first} and {second} disagree: they give different errors"
            AnswersDisagree { first, second; } "{first} and {second} disagree: the same request has different responses"
            ServiceDisagrees { first, second; } "{first} and {second} disagree: one accepts a request that the other refuses"
        }
    }
}

/// How something is called that is no answer of the binding.
pub const UNREADABLE: &str = "something unreadable";
/// What follows the status with which a server fails without an answer of the binding.
pub const NO_ANSWER: &str = " and no answer";

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
                | Self::ExtensionData { .. }
                | Self::ClientRequest { .. }
                | Self::ClientRequests { .. }
                | Self::ClientReported { .. }
                | Self::ClientReportedValue { .. }
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
                | Self::UnansweredAfterStreams { .. }
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
