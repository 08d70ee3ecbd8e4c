use super::{Message, Task, TaskPushNotificationConfig, TaskState, Timestamp};

/// Parameters of Send Message and Send Streaming Message (section 3.2.1).
#[derive(Debug, Clone, PartialEq)]
pub struct SendMessageRequest {
    /// What to send.
    pub message: Message,
    /// How to answer.
    pub configuration: SendMessageConfiguration,
}

/// How a send is to be answered (section 3.2.2).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SendMessageConfiguration {
    /// A webhook to be told about the task's updates.
    pub push: Option<TaskPushNotificationConfig>,
    /// How much history the answer may hold.
    pub history_length: Option<u32>,
    /// Whether to answer before the task has come to rest.
    pub return_immediately: bool,
    /// The generation that the task must have (1.1, section 3.2.2).
    pub if_generation_match: Option<i64>,
}

/// The answer to Send Message: the task, or a message in its place.
#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    /// The message is worked on in this task.
    Task(Task),
    /// The agent answered at once, without a task.
    Message(Message),
}

/// Parameters of List Tasks (section 3.1.4).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ListTasksRequest {
    /// Only tasks of this context.
    pub context_id: Option<String>,
    /// Only tasks in this state.
    pub status: Option<TaskState>,
    /// Only tasks whose status is as old as this, or newer.
    pub status_timestamp_after: Option<Timestamp>,
    /// Whether all tasks are wanted at once and as they are: 0.3 has no pages, and leaves nothing out.
    pub is_whole: bool,
    /// How many tasks to a page: 1 to 100.
    pub page_size: Option<i32>,
    /// Where to go on, from an earlier answer.
    pub page_token: Option<String>,
    /// How much history each task may hold.
    pub history_length: Option<u32>,
    /// Whether tasks are to hold their artifacts.
    pub include_artifacts: bool,
}

/// A page of tasks, newest status first.
#[derive(Debug, Clone, PartialEq)]
pub struct ListTasksResponse {
    /// The page.
    pub tasks: Vec<Task>,
    /// Where the next page begins; empty at the end.
    pub next_page_token: String,
    /// How many tasks this page could hold.
    pub page_size: u32,
    /// How many tasks match, on all pages.
    pub total_size: usize,
}

/// Names one push notification configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConfigName {
    /// The task.
    pub task_id: String,
    /// The configuration within the task. 0.3 lets a client leave it out (0.3, section 7.6.1).
    pub id: Option<String>,
}

/// Parameters of List Push Notification Configs (section 3.1.9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPushConfigsRequest {
    /// The task.
    pub task_id: String,
    /// How many to a page; without it, all.
    pub page_size: Option<u32>,
    /// Where to go on.
    pub page_token: Option<String>,
}

/// Push notification configurations of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPushConfigsResponse {
    /// The page.
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Where the next page begins; `None` at the end.
    pub next_page_token: Option<String>,
}
