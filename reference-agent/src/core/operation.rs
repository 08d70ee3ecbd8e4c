use std::sync::Arc;

use super::{Echo, Samples, TaskStream};
use crate::card::ExtendedCard;
use crate::model::{
    Event, ListPushConfigsRequest, ListPushConfigsResponse, ListTasksRequest, ListTasksResponse, PushConfigName,
    SendMessageRequest, Sent, Task, TaskPushNotificationConfig, TaskState,
};

/// The operations of the protocol, by the names of section 3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationName {
    /// 3.1.1
    SendMessage,
    /// 3.1.2
    SendStreamingMessage,
    /// 3.1.3
    GetTask,
    /// 3.1.4
    ListTasks,
    /// 3.1.5
    CancelTask,
    /// 3.1.6
    SubscribeToTask,
    /// 3.1.7
    CreatePushConfig,
    /// 3.1.8
    GetPushConfig,
    /// 3.1.9
    ListPushConfigs,
    /// 3.1.10
    DeletePushConfig,
    /// 3.1.11
    GetExtendedAgentCard,
}

impl OperationName {
    /// Whether the answer is a stream.
    pub const fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

/// A call of an operation, with parameters that are known to be well formed.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// 3.1.1
    SendMessage(Box<SendMessageRequest>),
    /// 3.1.2
    SendStreamingMessage(Box<SendMessageRequest>),
    /// 3.1.3
    GetTask {
        /// The task.
        id: String,
        /// How much history the answer may hold.
        history_length: Option<u32>,
        /// The generation that the client knows: the answer may wait for a later one (1.1, section 3.2.7).
        current_generation: Option<i64>,
    },
    /// 3.1.4
    ListTasks(ListTasksRequest),
    /// 3.1.5
    CancelTask {
        /// The task.
        id: String,
    },
    /// 3.1.6
    SubscribeToTask {
        /// The task.
        id: String,
    },
    /// 3.1.7
    CreatePushConfig(TaskPushNotificationConfig),
    /// 3.1.8
    GetPushConfig(PushConfigName),
    /// 3.1.9
    ListPushConfigs(ListPushConfigsRequest),
    /// 3.1.10
    DeletePushConfig(PushConfigName),
    /// 3.1.11
    GetExtendedAgentCard,
}

/// What comes of an operation.
#[derive(Debug)]
pub enum Outcome {
    /// One answer.
    Answer(Box<Answer>),
    /// The stream of Send Streaming Message and Subscribe to Task.
    Stream(TaskStream),
}

/// What an operation gives at once.
#[derive(Debug)]
pub enum Answer {
    /// Of Send Message.
    Sent(Sent),
    /// Of Get Task and Cancel Task.
    Task(Task),
    /// Of List Tasks.
    Tasks(ListTasksResponse),
    /// Of Create and Get Push Notification Config.
    PushConfig(TaskPushNotificationConfig),
    /// Of Get Push Notification Config where the task has none, and [`Rules`] do not call that an error.
    NoPushConfig,
    /// Of List Push Notification Configs.
    PushConfigs(ListPushConfigsResponse),
    /// Of Delete Push Notification Config.
    Deleted,
    /// Of Get Extended Agent Card.
    ExtendedCard(Arc<ExtendedCard>),
}

impl Answer {
    /// The same for clients of a version without generations.
    #[must_use]
    pub fn without_generations(mut self) -> Self {
        match &mut self {
            Self::Sent(Sent::Task(task)) | Self::Task(task) => task.generation = 0,
            Self::Tasks(page) => page.tasks.iter_mut().for_each(|task| task.generation = 0),
            _ => {}
        }
        self
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub struct Caller {
    /// Whether the request shows who asks. Of an agent without users any credential of its schemes will do.
    pub is_authenticated: bool,
    /// Whether the request has the extension of this agent active.
    pub echo: Echo,
    /// Which of the sample extensions the request has active.
    pub samples: Samples,
    /// The behaviour of the protocol version that the caller speaks.
    pub rules: &'static Rules,
}

/// The points on which protocol versions behave differently.
#[derive(Debug)]
pub struct Rules {
    /// Whether the stream of a task that waits for credentials may stay open, as it should where these come outside the
    /// protocol (1.0, 7.6.1). 0.3 calls that event final.
    pub streams_may_await_credentials: bool,
    /// Whether subscribing to an ended task shows the task once, as 0.3 does, or is an error, as in 1.0 (3.1.6).
    pub ended_task_is_shown_to_subscribers: bool,
    /// Whether the stream of a task that waits for its client shows the task once and ends, since the update that says
    /// so ends every stream (the first proposal, Streaming Support). Other versions let subscribers wait, too.
    pub waiting_task_is_shown_once: bool,
    /// Whether a message names its task even where it is the first one: clients make the ids of tasks (0.1, section
    /// 7.1.1).
    pub clients_name_tasks: bool,
    /// Whether a message brings an ended task back to work (0.1, section 7.1.1).
    pub ended_task_goes_on: bool,
    /// Whether a send waits for work that takes long where its client has not said. Where clients cannot say so, they
    /// poll (0.1, section 7.1).
    pub waits_for_long_work: bool,
    /// Whether a message can be answered by another one, without a task.
    pub answers_with_messages: bool,
    /// How much history an answer holds where its client has not said; all of it where this does not say either.
    pub default_history_length: Option<u32>,
    /// Whether there is an answer for a task without a push notification configuration (0.1, section 7.6). Other
    /// versions refuse to show it.
    pub shows_no_push_config: bool,
    /// Whether a push notification configuration takes the place of any other that its task has (0.2.1, sections 7.5 and
    /// 7.6). Later versions keep several.
    pub keeps_one_push_config: bool,
    /// Whether tasks and events show generations, which clients may wait for and set conditions on (1.1, section 3.2.7).
    pub has_generations: bool,
    /// What a webhook is told when `event` has led to `task`; `None` where this version has nothing to tell.
    pub notification: fn(task: &Task, event: &Event) -> Option<Notification>,
}

impl Rules {
    /// Whether nothing is to be expected on a stream once its task is in `state` (sections 3.1.2 and 11.7), of an agent whose
    /// streams await credentials where they may, or of one whose streams do not.
    pub fn ends_stream(&self, state: TaskState, awaits_credentials: bool) -> bool {
        match state {
            TaskState::AuthRequired => !(awaits_credentials && self.streams_may_await_credentials),
            _ => state.is_at_rest(),
        }
    }
}

/// The body of a push notification (section 4.3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The media type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: Vec<u8>,
}
