use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::behaviour::ENDED_BY_CLIENT;
use super::echo::{ECHO_EXTENSION, Echo};
use super::error::{Error, Unauthenticated, Unsupported};
use super::ids::{IdForm, Ids, Owner};
use super::operation::{Answer, Caller, Operation, Outcome};
use super::paging::{Habits, Pages, list_tasks};
use super::push::Courier;
use super::store::Store;
use super::stream::{IfLeft, TaskStream};
use crate::card::{AgentCard, ExtendedCard};
use crate::config::{Capability, Config, Unshared};
use crate::fault::Switch;
use crate::model::{ListTasksRequest, ListTasksResponse, Task, TaskState};
use crate::variation::Habit;

/// The agent without its network.
///
/// One lock guards all tasks. It is held for single steps only and never while waiting, so what a step sees and does
/// is whole: a stream, for one, begins with the task exactly as it was before the first event that follows.
#[derive(Debug)]
pub struct Engine {
    pub(super) config: Config,
    extended_card: Arc<ExtendedCard>,
    /// Whether who has it may send messages.
    may_send: bool,
    /// Whose it is.
    owner: Owner,
    /// Its number among the replicas of the agent.
    pub(super) replica: usize,
    store: Arc<Mutex<Store>>,
    pub(super) courier: Arc<Courier>,
    closing: Arc<watch::Sender<bool>>,
}

/// What the ids of an agent look like.
fn id_form(config: &Config) -> IdForm {
    let forms = [
        (Habit::LongIds, IdForm::Long),
        (Habit::OddIds, IdForm::Odd),
        (Habit::ScatteredIds, IdForm::Scattered),
        (Habit::SignsInIds, IdForm::Signs),
    ];
    let of_habit = forms.into_iter().find(|(habit, _)| config.has_habit(*habit)).map(|(_, form)| form);
    of_habit.unwrap_or(if config.scatters_ids { IdForm::Scattered } else { IdForm::Counted })
}

/// One without tasks, for somebody.
fn store(owner: Owner, config: &Config) -> Arc<Mutex<Store>> {
    Arc::new(Mutex::new(Store::with(Ids::of(owner, id_form(config)))))
}

impl Engine {
    /// An agent without tasks.
    ///
    /// # Errors
    /// Where what its webhooks are to be trusted by holds no certificate.
    pub fn new(config: Config, extended_card: AgentCard) -> reqwest::Result<Arc<Self>> {
        let courier = Arc::new(Courier::new(&config)?);
        Ok(Arc::new(Self {
            extended_card: Arc::new(ExtendedCard::new(&config, extended_card)),
            store: store(Owner::default(), &config),
            config,
            may_send: true,
            owner: Owner::default(),
            replica: 0,
            courier,
            closing: Arc::new(watch::Sender::new(false)),
        }))
    }

    /// An engine without tasks for another user, who may send messages or not, which ends when this one does.
    pub(super) fn beside(&self, user: usize, may_send: bool) -> Arc<Self> {
        Arc::new(self.with(Owner { user, ..Owner::default() }, may_send))
    }

    fn with(&self, owner: Owner, may_send: bool) -> Self {
        Self {
            config: self.config.clone(),
            extended_card: Arc::clone(&self.extended_card),
            may_send,
            owner,
            replica: self.replica,
            store: store(owner, &self.config),
            courier: Arc::clone(&self.courier),
            closing: Arc::clone(&self.closing),
        }
    }

    /// An engine without tasks for the same user and a tenant.
    pub(super) fn for_tenant(&self, number: usize) -> Arc<Self> {
        Arc::new(self.with(Owner { tenant: Some(number), ..self.owner }, self.may_send))
    }

    /// The same engine as another replica of the agent has it.
    pub(super) fn replica(&self, number: usize) -> Arc<Self> {
        let owner = Owner { replica: Some(number), ..self.owner };
        let apart = Self { replica: number, ..self.with(owner, self.may_send) };
        Arc::new(match self.config.unshared.contains(&Unshared::Tasks) {
            true => apart,
            false => Self { store: Arc::clone(&self.store), ..apart },
        })
    }

    /// Whether this replica lacks what another has, if that is where it is.
    pub(super) fn lacks(&self, what: Unshared, home: usize) -> bool {
        home != self.replica && self.config.unshared.contains(&what)
    }

    /// Does what the caller asks.
    ///
    /// # Errors
    /// Those that section 3.1 gives for the operation.
    pub async fn perform(self: &Arc<Self>, operation: Operation, caller: Caller) -> Result<Outcome, Error> {
        self.require_permission(&operation)?;
        self.require_extension(caller).inspect_err(|_| self.keep_refused(&operation))?;
        let answer = match operation {
            Operation::SendStreamingMessage(request) => {
                self.require_streaming()?;
                return self.send_streaming(*request, caller).map(Outcome::Stream);
            }
            Operation::SubscribeToTask { id } => {
                return self.subscribe_to_task(&id, caller).map(Outcome::Stream);
            }
            Operation::SendMessage(request) => self.send(*request, caller).await,
            Operation::GetTask { id, history_length, current_generation } => {
                let held = self.config.breaks(Switch::HoldsPlainReads).then_some(i64::MAX);
                if let Some(known) = current_generation.or(held).filter(|_| caller.rules.has_generations) {
                    self.until_later(&id, known).await?;
                }
                self.get_task(&id, history_length.or(caller.rules.default_history_length)).map(Answer::Task)
            }
            Operation::ListTasks(request) => self.list_tasks(&request).map(Answer::Tasks),
            Operation::CancelTask { id } => {
                self.cancel_task(&id, caller.rules.default_history_length).map(Answer::Task)
            }
            Operation::CreatePushConfig(config) => self.create_push_config(config, caller.rules),
            Operation::GetPushConfig(name) => self.get_push_config(&name, caller.rules),
            Operation::ListPushConfigs(request) => self.list_push_configs(&request),
            Operation::DeletePushConfig(name) => self.delete_push_config(&name),
            Operation::GetExtendedAgentCard => self.extended_card(caller),
        };
        answer.map(|answer| match caller.rules.has_generations {
            true => Outcome::Answer(Box::new(answer)),
            false => Outcome::Answer(Box::new(answer.without_generations())),
        })
    }

    /// Ends streams, waiting callers, running tasks and deliveries.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// What says that the agent is being stopped, by turning true.
    pub fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Loses all that is stored, as an agent does that dies. Only a fault asks for it.
    pub fn forget(&self) {
        self.store().forget();
    }

    /// All tasks, for one step.
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` run beside everything else until it is done or the agent stops.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut closing = self.closing();
        let until_closed = async move {
            tokio::select! {
                () = work => {}
                _ = closing.wait_for(|is_closing| *is_closing) => {}
            }
        };
        tokio::spawn(until_closed).abort_handle()
    }

    /// Section 3.3.4: whoever does not ask for an extension that is required gets nothing.
    fn require_extension(&self, caller: Caller) -> Result<(), Error> {
        match caller.echo {
            Echo::Inactive if self.config.requires_extension => {
                Err(Error::ExtensionSupportRequired { uri: ECHO_EXTENSION })
            }
            Echo::Inactive | Echo::Active | Echo::Unknown => Ok(()),
        }
    }

    /// Keeps a message that is refused before anything looks at it. Only a fault asks for it.
    fn keep_refused(&self, operation: &Operation) {
        let Operation::SendMessage(request) = operation else { return };
        let message = &request.message;
        if let Some(task_id) = message.task_id.as_deref().filter(|_| self.config.breaks(Switch::KeepsRefusedMessages)) {
            // A task that is not there keeps nothing.
            self.store().append(task_id, message.clone()).ok();
        }
    }

    fn require_streaming(&self) -> Result<(), Error> {
        if self.config.serves(Capability::Streaming) {
            Ok(())
        } else {
            Err(Error::UnsupportedOperation(Unsupported::Streaming))
        }
    }

    /// Section 3.1.3.
    pub(super) fn get_task(&self, id: &str, history_length: Option<u32>) -> Result<Task, Error> {
        let mut store = self.store();
        let mut task = store.entry(id)?.task.with_history(history_length);
        let is_called = self.courier.is_calling() && !store.entry(id)?.push.is_empty();
        if is_called && self.config.breaks(Switch::WaitsForWebhooks) {
            task.status.state = TaskState::Working;
        }
        if self.config.breaks(Switch::CutsStoredHistory) {
            store.entry_mut(id)?.task = task.clone();
        }
        Ok(task)
    }

    /// Section 3.1.4.
    fn list_tasks(&self, request: &ListTasksRequest) -> Result<ListTasksResponse, Error> {
        let pages = if self.config.breaks(Switch::CountsPages) { Pages::Counted } else { Pages::Placed };
        let habits = Habits {
            are_short: self.config.has_habit(Habit::ShortPages),
            begin_empty: self.config.has_habit(Habit::EmptyPages),
            has_long_tokens: self.config.has_habit(Habit::LongTokens),
        };
        let own = self.config.unshared.contains(&Unshared::PageTokens).then(|| format!("r{}.", self.replica));
        let own = own.as_deref().unwrap_or_default();
        let token = request.page_token.as_deref();
        // What has another beginning is no token, as is an empty one.
        let page_token = token.map(|token| token.strip_prefix(own).unwrap_or_default().to_owned());
        let mut store = self.store();
        let mut listed = list_tasks(&store, &ListTasksRequest { page_token, ..request.clone() }, pages, habits)?;
        if !listed.next_page_token.is_empty() {
            listed.next_page_token.insert_str(0, own);
        }
        if self.config.breaks(Switch::StripsListedTasks) {
            for task in &listed.tasks {
                store.entry_mut(&task.id)?.task = task.clone();
            }
        }
        Ok(listed)
    }

    /// Section 3.1.5. This agent can end any task that has not ended by itself.
    fn cancel_task(&self, id: &str, history_length: Option<u32>) -> Result<Task, Error> {
        let mut store = self.store();
        let entry = store.entry(id)?;
        let (state, home) = (entry.task.status.state, entry.home);
        if state.is_terminal() && !self.config.breaks(Switch::CancelsEndedTasks) {
            return Err(Error::TaskNotCancelable { task_id: id.to_owned(), state });
        }
        store.enter(id, TaskState::Canceled, Some(ENDED_BY_CLIENT))?;
        let canceled = store.entry(id)?.task.with_history(history_length);
        if self.config.breaks(Switch::ForgetsCancellations) || self.lacks(Unshared::Cancellations, home) {
            store.enter(id, state, None)?;
        }
        Ok(canceled)
    }

    /// Section 7.5.
    fn require_permission(&self, operation: &Operation) -> Result<(), Error> {
        let sends = matches!(operation, Operation::SendMessage(_) | Operation::SendStreamingMessage(_));
        if sends && !self.may_send { Err(Error::PermissionDenied) } else { Ok(()) }
    }

    /// Section 3.1.6.
    fn subscribe_to_task(self: &Arc<Self>, id: &str, caller: Caller) -> Result<TaskStream, Error> {
        self.require_streaming()?;
        let mut store = self.store();
        let entry = store.entry_mut(id)?;
        if self.lacks(Unshared::Streams, entry.home) {
            return Err(Error::TaskNotFound { task_id: id.to_owned() });
        }
        let is_ended_shown =
            caller.rules.ended_task_is_shown_to_subscribers || self.config.breaks(Switch::ShowsEndedToSubscribers);
        if entry.task.status.state.is_terminal() && !is_ended_shown {
            let task_id = id.to_owned();
            return Err(Error::UnsupportedOperation(Unsupported::SubscriptionOfEndedTask { task_id }));
        }
        let stream = TaskStream::of_task(entry, None, caller.rules, self.closing());
        let stream = stream.awaiting_credentials(self.config.awaits_credentials());
        Ok(stream.if_left(self.if_left(id, Switch::LeaverEndsStreams)))
    }

    /// What is done to a task whose stream is left before its end: nothing, but for a fault.
    pub(super) fn if_left(self: &Arc<Self>, task_id: &str, switch: Switch) -> Option<IfLeft> {
        let act: fn(&Self, &str) = match switch {
            // A task that has ended meanwhile is left alone.
            Switch::CancelsUnwatchedTask => |engine, id| drop(engine.cancel_task(id, None)),
            Switch::StopsUnwatchedTask => |engine, id| engine.store().drop_work(id),
            Switch::LeaverEndsStreams => |engine, id| engine.store().lose_readers(id),
            _ => return None,
        };
        let engine = Arc::clone(self);
        self.config.breaks(switch).then(|| IfLeft { engine, task_id: task_id.to_owned(), act })
    }

    /// Section 3.1.11.
    fn extended_card(&self, caller: Caller) -> Result<Answer, Error> {
        if !self.config.serves(Capability::ExtendedCard) {
            return Err(Error::ExtendedCardNotDeclared);
        }
        if !caller.is_authenticated {
            return Err(Error::Unauthenticated(Unauthenticated::Unknown));
        }
        Ok(Answer::ExtendedCard(Arc::clone(&self.extended_card)))
    }
}
