//! Translations that versions have word for word in common, though their messages are types of their own: each macro
//! stands for the items that it is called after, of the messages that its caller has in scope. Sections are of 1.0.

/// What all versions write alike: tasks, artifacts, and the answers that are one of them. Where messages have a `generation`, the
/// caller names it.
macro_rules! write_objects {
    ($($generation:ident)?) => {
        /// Of Get Task and Cancel Task.
        pub fn task(answer: Answer) -> Option<Task> {
            if let Answer::Task(task) = answer { Some(task.into()) } else { None }
        }

        /// Of Create and Get Push Notification Config.
        pub fn push_config(answer: Answer) -> Option<TaskPushNotificationConfig> {
            if let Answer::PushConfig(config) = answer { Some(config.into()) } else { None }
        }

        /// Of Delete Push Notification Config: a `google.protobuf.Empty`.
        pub fn deleted(answer: Answer) -> Option<()> {
            if let Answer::Deleted = answer { Some(()) } else { None }
        }

        /// Of Get Extended Agent Card.
        pub fn extended_card(answer: Answer) -> Option<AgentCard> {
            if let Answer::ExtendedCard(card) = answer { Some(card.card.clone().into()) } else { None }
        }

        /// Writes what is shared with the agent's memory.
        fn owned<T: Clone, U: From<T>>(shared: Arc<T>) -> U {
            Arc::unwrap_or_clone(shared).into()
        }

        impl From<model::Task> for Task {
            fn from(task: model::Task) -> Self {
                Self {
                    id: task.id,
                    context_id: task.context_id,
                    status: Some(task.status.into()),
                    artifacts: task.artifacts.unwrap_or_default().into_iter().map(owned).collect(),
                    history: task.history.into_iter().map(owned).collect(),
                    metadata: write_metadata(task.metadata),
                    $($generation: task.$generation,)?
                }
            }
        }

        impl From<model::Artifact> for Artifact {
            fn from(artifact: model::Artifact) -> Self {
                Self {
                    artifact_id: artifact.artifact_id,
                    name: artifact.name.unwrap_or_default(),
                    description: artifact.description.unwrap_or_default(),
                    parts: artifact.parts.into_iter().map(Into::into).collect(),
                    metadata: write_metadata(artifact.metadata),
                    extensions: artifact.extensions,
                }
            }
        }

        impl From<model::TaskArtifactUpdateEvent> for TaskArtifactUpdateEvent {
            fn from(update: model::TaskArtifactUpdateEvent) -> Self {
                Self {
                    task_id: update.task_id,
                    context_id: update.context_id,
                    artifact: Some(owned(update.artifact)),
                    append: update.append,
                    last_chunk: update.last_chunk,
                    metadata: None,
                    $($generation: update.$generation,)?
                }
            }
        }

        impl From<model::Role> for Role {
            fn from(role: model::Role) -> Self {
                match role {
                    model::Role::User => Self::User,
                    model::Role::Agent => Self::Agent,
                }
            }
        }
    };
}
pub(in crate::version) use write_objects;

/// What 1.0 and its draft write alike: messages and states as they tell them.
macro_rules! write_turns {
    () => {
        /// Of List Tasks.
        pub fn tasks(answer: Answer) -> Option<ListTasksResponse> {
            let Answer::Tasks(response) = answer else {
                return None;
            };
            Some(ListTasksResponse {
                tasks: response.tasks.into_iter().map(Into::into).collect(),
                next_page_token: response.next_page_token,
                page_size: i32::try_from(response.page_size).unwrap_or(i32::MAX),
                total_size: i32::try_from(response.total_size).unwrap_or(i32::MAX),
            })
        }

        impl From<model::TaskStatus> for TaskStatus {
            fn from(status: model::TaskStatus) -> Self {
                Self {
                    state: TaskState::from(status.state).into(),
                    message: status.message.map(owned),
                    timestamp: Some(write_timestamp(status.timestamp)),
                }
            }
        }

        impl From<model::Message> for Message {
            fn from(message: model::Message) -> Self {
                Self {
                    message_id: message.message_id,
                    context_id: message.context_id.unwrap_or_default(),
                    task_id: message.task_id.unwrap_or_default(),
                    role: Role::from(message.role).into(),
                    parts: message.parts.into_iter().map(Into::into).collect(),
                    metadata: write_metadata(message.metadata),
                    extensions: message.extensions,
                    reference_task_ids: message.reference_task_ids,
                }
            }
        }
    };
}
pub(in crate::version) use write_turns;

/// What 0.3 and the draft of 1.0 write alike: configurations that have resource names, and events that say whether they are
/// final.
macro_rules! write_resources {
    () => {
        /// Of Send Message.
        pub fn sent(answer: Answer) -> Option<SendMessageResponse> {
            let payload = match answer {
                Answer::Sent(model::Sent::Task(task)) => send_message_response::Payload::Task(task.into()),
                Answer::Sent(model::Sent::Message(message)) => send_message_response::Payload::Msg(message.into()),
                _ => return None,
            };
            Some(SendMessageResponse { payload: Some(payload) })
        }

        /// Of List Push Notification Configs.
        pub fn push_configs(answer: Answer) -> Option<ListTaskPushNotificationConfigResponse> {
            let Answer::PushConfigs(response) = answer else {
                return None;
            };
            Some(ListTaskPushNotificationConfigResponse {
                configs: response.configs.into_iter().map(Into::into).collect(),
                next_page_token: response.next_page_token.unwrap_or_default(),
            })
        }

        /// Writes an element of a stream.
        pub fn event(event: model::StreamEvent, is_last: bool) -> StreamResponse {
            use stream_response::Payload;
            let payload = match event {
                model::StreamEvent::Task(task) => Payload::Task(task.into()),
                model::StreamEvent::Message(message) => Payload::Msg(message.into()),
                model::StreamEvent::Update(model::Event::Status(update)) => {
                    Payload::StatusUpdate(TaskStatusUpdateEvent {
                        task_id: update.task_id,
                        context_id: update.context_id,
                        status: Some(update.status.into()),
                        r#final: is_last,
                        metadata: None,
                    })
                }
                model::StreamEvent::Update(model::Event::Artifact(update)) => Payload::ArtifactUpdate(update.into()),
            };
            StreamResponse { payload: Some(payload) }
        }

        impl From<model::TaskPushNotificationConfig> for TaskPushNotificationConfig {
            fn from(config: model::TaskPushNotificationConfig) -> Self {
                Self {
                    name: resource_name::push_config(&config.task_id, &config.id),
                    push_notification_config: Some(config.into()),
                }
            }
        }

        impl From<model::TaskPushNotificationConfig> for PushNotificationConfig {
            fn from(config: model::TaskPushNotificationConfig) -> Self {
                Self {
                    id: config.id,
                    url: config.url,
                    token: config.token.unwrap_or_default(),
                    authentication: config.authentication.map(|authentication| AuthenticationInfo {
                        schemes: std::iter::once(authentication.scheme).chain(authentication.alternatives).collect(),
                        credentials: authentication.credentials.unwrap_or_default(),
                    }),
                }
            }
        }

        impl From<model::TaskState> for TaskState {
            fn from(state: model::TaskState) -> Self {
                match state {
                    model::TaskState::Submitted => Self::Submitted,
                    model::TaskState::Working => Self::Working,
                    model::TaskState::Completed => Self::Completed,
                    model::TaskState::Failed => Self::Failed,
                    model::TaskState::Canceled => Self::Cancelled,
                    model::TaskState::InputRequired => Self::InputRequired,
                    model::TaskState::Rejected => Self::Rejected,
                    model::TaskState::AuthRequired => Self::AuthRequired,
                }
            }
        }
    };
}
pub(in crate::version) use write_resources;

/// What all versions read alike: the two ways to send, and who speaks.
macro_rules! read_sends {
    () => {
        /// Section 3.1.1.
        pub fn send_message(request: SendMessageRequest) -> Checked<Operation> {
            sent(request).map(Box::new).map(Operation::SendMessage)
        }

        /// Section 3.1.2.
        pub fn send_streaming_message(request: SendMessageRequest) -> Checked<Operation> {
            sent(request).map(Box::new).map(Operation::SendStreamingMessage)
        }

        fn role(number: i32) -> Checked<model::Role> {
            match Role::try_from(number) {
                Ok(Role::User) => Ok(model::Role::User),
                Ok(Role::Agent) => Ok(model::Role::Agent),
                Ok(Role::Unspecified) | Err(_) => Err(Violation::new("", "must be ROLE_USER or ROLE_AGENT")),
            }
        }
    };
}
pub(in crate::version) use read_sends;

/// What 1.0 and its draft read alike: messages.
macro_rules! read_turns {
    () => {
        /// Reads a message (section 4.1.4).
        pub fn message(message: Message) -> Checked<model::Message> {
            Ok(model::Message {
                message_id: text(message.message_id, "messageId")?,
                context_id: optional_text(message.context_id),
                task_id: optional_text(message.task_id),
                role: member(message.role, "role", role)?,
                parts: each_of_some(message.parts, "parts", part)?,
                metadata: read_metadata(message.metadata, "metadata")?,
                extensions: message.extensions,
                reference_task_ids: message.reference_task_ids,
            })
        }
    };
}
pub(in crate::version) use read_turns;

/// What 0.3 and the draft of 1.0 read alike: requests that give resource names.
macro_rules! read_resources {
    () => {
        /// Section 3.1.5.
        pub fn cancel_task(request: CancelTaskRequest) -> Checked<Operation> {
            Ok(Operation::CancelTask { id: resource_name::task(&request.name)? })
        }

        /// Section 3.1.7. The request names the configuration, and the configuration may name itself once more.
        pub fn create_push_config(request: CreateTaskPushNotificationConfigRequest) -> Checked<Operation> {
            let task_id = resource_name::parent(&request.parent)?;
            let config = member(required(request.config, "config")?, "config", task_push_config)?;
            let id = optional_text(request.config_id).unwrap_or(config.id);
            Ok(Operation::CreatePushConfig(model::TaskPushNotificationConfig { task_id, id, ..config }))
        }

        /// Section 3.1.8.
        pub fn get_push_config(request: GetTaskPushNotificationConfigRequest) -> Checked<Operation> {
            resource_name::push_config_name(&request.name).map(Operation::GetPushConfig)
        }

        /// Section 3.1.9.
        pub fn list_push_configs(request: ListTaskPushNotificationConfigRequest) -> Checked<Operation> {
            let page_size =
                u32::try_from(request.page_size).map_err(|_| Violation::new("pageSize", "must not be negative"));
            Ok(Operation::ListPushConfigs(model::ListPushConfigsRequest {
                task_id: resource_name::parent(&request.parent)?,
                page_size: Some(page_size?).filter(|size| *size > 0),
                page_token: optional_text(request.page_token),
            }))
        }

        /// Section 3.1.10.
        pub fn delete_push_config(request: DeleteTaskPushNotificationConfigRequest) -> Checked<Operation> {
            resource_name::push_config_name(&request.name).map(Operation::DeletePushConfig)
        }

        /// Reads where and how to deliver (1.0-draft, section 4.3.1).
        pub fn push_config(config: PushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
            let config = model::TaskPushNotificationConfig {
                tenant: None,
                id: config.id,
                task_id: String::new(),
                url: text(config.url, "url")?,
                token: optional_text(config.token),
                authentication: optional(config.authentication, "authentication", authentication)?,
            };
            check_webhook(&config).map_err(in_words_of_0_3)?;
            Ok(config)
        }

        /// Its name says nothing that the request around it does not say.
        fn task_push_config(config: TaskPushNotificationConfig) -> Checked<model::TaskPushNotificationConfig> {
            member(
                required(config.push_notification_config, "pushNotificationConfig")?,
                "pushNotificationConfig",
                push_config,
            )
        }

        fn authentication(authentication: AuthenticationInfo) -> Checked<model::AuthenticationInfo> {
            let mut schemes = each_of_some(authentication.schemes, "schemes", Ok)?.into_iter();
            Ok(model::AuthenticationInfo {
                scheme: schemes.next().unwrap_or_default(),
                alternatives: schemes.collect(),
                credentials: optional_text(authentication.credentials),
            })
        }
    };
}
pub(in crate::version) use read_resources;

/// What all versions write alike of a card: extensions and skills.
macro_rules! write_card_items {
    ($requirement:ident) => {
        impl From<card::AgentExtension> for AgentExtension {
            fn from(extension: card::AgentExtension) -> Self {
                Self {
                    uri: extension.uri.to_owned(),
                    description: extension.description.to_owned(),
                    required: extension.required,
                    params: write_metadata(extension.params.into()),
                }
            }
        }

        impl From<card::AgentSkill> for AgentSkill {
            fn from(skill: card::AgentSkill) -> Self {
                Self {
                    id: skill.id.to_owned(),
                    name: skill.name.to_owned(),
                    description: skill.description.to_owned(),
                    tags: skill.tags.iter().map(ToString::to_string).collect(),
                    examples: skill.examples.into_iter().map(str::to_owned).collect(),
                    ..Self::default()
                }
            }
        }

        impl From<card::SecurityScheme> for SecurityScheme {
            fn from(scheme: card::SecurityScheme) -> Self {
                use security_scheme::Scheme;

                let description = scheme.description.to_owned();
                let scheme = match scheme.kind {
                    card::Kind::ApiKey { location, name } => Scheme::ApiKeySecurityScheme(ApiKeySecurityScheme {
                        description,
                        location: location.to_owned(),
                        name,
                    }),
                    card::Kind::Http { scheme } => Scheme::HttpAuthSecurityScheme(HttpAuthSecurityScheme {
                        description,
                        scheme: scheme.to_owned(),
                        ..HttpAuthSecurityScheme::default()
                    }),
                    card::Kind::Oauth2(flow) => Scheme::Oauth2SecurityScheme(OAuth2SecurityScheme {
                        description,
                        oauth2_metadata_url: flow.metadata_url.clone(),
                        flows: Some(flow.into()),
                    }),
                    card::Kind::OpenIdConnect { url } => {
                        Scheme::OpenIdConnectSecurityScheme(OpenIdConnectSecurityScheme {
                            description,
                            open_id_connect_url: url,
                        })
                    }
                    card::Kind::MutualTls => Scheme::MtlsSecurityScheme(MutualTlsSecurityScheme { description }),
                };
                Self { scheme: Some(scheme) }
            }
        }

        impl From<card::ClientCredentials> for OAuthFlows {
            fn from(flow: card::ClientCredentials) -> Self {
                let scope = |(scope, means): (&str, &str)| (scope.to_owned(), means.to_owned());
                let flow = ClientCredentialsOAuthFlow {
                    token_url: flow.token_url,
                    scopes: flow.scopes.into_iter().map(scope).collect(),
                    ..ClientCredentialsOAuthFlow::default()
                };
                Self { flow: Some(o_auth_flows::Flow::ClientCredentials(flow)) }
            }
        }

        /// The schemes by their names, and the demand for any of them.
        fn write_security(
            schemes: Option<card::SecuritySchemes>,
        ) -> (HashMap<String, SecurityScheme>, Vec<$requirement>) {
            let Some(schemes) = schemes else { return Default::default() };
            let demand = |scheme: &card::SecurityScheme| {
                let list = scheme.scopes().iter().map(ToString::to_string).collect();
                $requirement { schemes: [(scheme.name.clone(), StringList { list })].into() }
            };
            let demands = schemes.demanded().map(demand).collect();
            (schemes.all.into_iter().map(|scheme| (scheme.name.clone(), scheme.into())).collect(), demands)
        }
    };
}
pub(in crate::version) use write_card_items;
