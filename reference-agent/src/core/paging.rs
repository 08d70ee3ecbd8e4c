//! List Tasks (section 3.1.4): filters, order, and pages that do not slip while tasks come and change.

use super::digest::fnv1a;
use super::error::{Error, Violation};
use super::order::Place;
use super::store::Store;
use crate::model::{ListTasksRequest, ListTasksResponse, Task, Timestamp};

const DEFAULT_PAGE_SIZE: u32 = 50;
const LARGEST_PAGE: u32 = 100;

/// How many tasks a list without pages holds at most: the newest ones. 0.3 asks for "an array of Task objects" (after
/// section 7.3) and leaves open which, and it has no way to ask for the rest; an agent that has run for a day would answer
/// with all that it ever did.
const LONGEST_LIST: u32 = 500;

/// How a page begins where the one before it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// After the last task that was shown.
    Placed,
    /// After so many tasks as were shown: wrong, since those that come and go move the others.
    Counted,
}

/// In what pages may differ from those of other agents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Habits {
    /// Whether a page has few tasks, whatever was asked for.
    pub are_short: bool,
    /// Whether the first page has none.
    pub begin_empty: bool,
    /// Whether tokens are long, and have characters that URLs reserve.
    pub has_long_tokens: bool,
}

/// How many tasks a short page has at most.
const SHORT_PAGE: usize = 2;

/// What a long token begins with.
const LONG: &str = "&+=%/?# ~";

/// How long such a beginning is.
const LENGTH: usize = 360;

/// A page of the tasks that match `request`.
///
/// # Errors
/// [`Error::InvalidParams`] for a page size outside 1 to 100, and for a token that no earlier answer to the same
/// question gave.
pub fn list_tasks(
    store: &Store,
    request: &ListTasksRequest,
    pages: Pages,
    habits: Habits,
) -> Result<ListTasksResponse, Error> {
    let page_size = if request.is_whole { LONGEST_LIST } else { page_size(request.page_size)? };
    let token = request.page_token.as_deref();
    let start = token.map(|token| Cursor::read(without_beginning(token, habits), request)).transpose()?;
    let (start, skipped) = match pages {
        Pages::Placed => (start, 0),
        Pages::Counted => (None, start.map_or(0, count_in)),
    };

    let order = store.order(request.context_id.as_deref());
    let total_size = order.map_or(0, |order| order.count(request.status, request.status_timestamp_after));
    let begins_empty = habits.begin_empty && start.is_none() && total_size > 0 && !request.is_whole;
    let wanted = match usize::try_from(page_size).unwrap_or(usize::MAX) {
        _ if begins_empty => 0,
        wanted if habits.are_short && !request.is_whole => wanted.min(SHORT_PAGE),
        wanted => wanted,
    };
    let mut rest = order
        .into_iter()
        .flat_map(|order| order.newest_first(request.status, start))
        .take_while(|place| request.status_timestamp_after.is_none_or(|earliest| place.timestamp >= earliest))
        .skip(skipped);
    let page: Vec<Place> = rest.by_ref().take(wanted).collect();
    let next_page_token = match (page.last(), rest.next()) {
        _ if request.is_whole => String::new(),
        (None, _) if begins_empty => Cursor::write(BEFORE_ALL, request),
        (Some(_), Some(_)) if pages == Pages::Counted => Cursor::write(counted(skipped + page.len()), request),
        (Some(last), Some(_)) => Cursor::write(*last, request),
        _ => String::new(),
    };
    let next_page_token = match next_page_token.is_empty() || !habits.has_long_tokens {
        true => next_page_token,
        false => beginning() + &next_page_token,
    };
    let tasks = page.into_iter().filter_map(|place| store.task_at(place)).map(|task| shown(task, request)).collect();
    Ok(ListTasksResponse { tasks, next_page_token, page_size, total_size })
}

/// The place behind which all tasks are.
const BEFORE_ALL: Place = Place { timestamp: Timestamp::MAX, task: usize::MAX };

fn beginning() -> String {
    LONG.chars().cycle().take(LENGTH).collect()
}

/// A token without what makes it long, if it has to begin with that.
fn without_beginning(token: &str, habits: Habits) -> &str {
    let rest = if habits.has_long_tokens { token.strip_prefix(beginning().as_str()) } else { Some(token) };
    // What has another beginning is no token, as is an empty one.
    rest.unwrap_or_default()
}

/// A place that says how many tasks stand before it.
fn counted(count: usize) -> Place {
    Place { timestamp: Timestamp::from_milliseconds(0), task: count }
}

fn count_in(place: Place) -> usize {
    place.task
}

fn page_size(asked: Option<i32>) -> Result<u32, Violation> {
    let Some(asked) = asked else {
        return Ok(DEFAULT_PAGE_SIZE);
    };
    u32::try_from(asked)
        .ok()
        .filter(|size| (1..=LARGEST_PAGE).contains(size))
        .ok_or_else(|| Violation::new("pageSize", format!("must be between 1 and {LARGEST_PAGE}")))
}

/// The task as the caller wants to see it.
fn shown(task: &Task, request: &ListTasksRequest) -> Task {
    let mut task = task.with_history(request.history_length);
    if !request.is_whole {
        task.artifacts = request.include_artifacts.then(|| task.artifacts.unwrap_or_default());
    }
    task
}

/// A page token: the place of the last task shown, and digests that bind it to its question and to itself.
///
/// The place is that of a task rather than a count. Tasks that change move to the front, behind the reader, so
/// those that do not change are neither skipped nor shown twice.
struct Cursor;

impl Cursor {
    fn write(last: Place, request: &ListTasksRequest) -> String {
        let body = format!("{}.{:016x}.{}", last.timestamp.milliseconds(), question(request), last.task);
        to_hex(format!("{}.{body}", Self::digest(&body)).as_bytes())
    }

    fn digest(body: &str) -> String {
        format!("{:016x}", fnv1a(body.as_bytes()))
    }

    fn read(token: &str, request: &ListTasksRequest) -> Result<Place, Violation> {
        let (place, asked) = Self::parse(token)
            .ok_or_else(|| Violation::new("pageToken", "must be the nextPageToken of an earlier answer"))?;
        if asked == question(request) {
            Ok(place)
        } else {
            Err(Violation::new("pageToken", "belongs to a list with other filters"))
        }
    }

    fn parse(token: &str) -> Option<(Place, u64)> {
        let text = String::from_utf8(from_hex(token)?).ok()?;
        let (digest, body) = text.split_once('.')?;
        // As text: as a number, a token that lost a leading zero would still do.
        if digest != Self::digest(body) {
            return None;
        }
        let mut pieces = body.splitn(3, '.');
        let milliseconds = pieces.next()?.parse().ok()?;
        let question = u64::from_str_radix(pieces.next()?, 16).ok()?;
        let task = pieces.next()?.parse().ok()?;
        Some((Place { timestamp: Timestamp::from_milliseconds(milliseconds), task }, question))
    }
}

/// What a list was asked for: its filters, without the size and place of the page.
fn question(request: &ListTasksRequest) -> u64 {
    let after = request.status_timestamp_after.map(Timestamp::nanoseconds);
    fnv1a(format!("{:?} {:?} {after:?}", request.context_id, request.status).as_bytes())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? * 16 + digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, Metadata, Part, Role, TaskState};

    fn message() -> Message {
        Message {
            message_id: "m".to_owned(),
            context_id: None,
            task_id: None,
            role: Role::User,
            parts: vec![Part::text("x")],
            metadata: Metadata::new(),
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    fn store(tasks: usize) -> Store {
        let mut store = Store::default();
        for number in 0..tasks {
            store.create(format!("c{}", number % 2), message());
        }
        store
    }

    fn list(store: &Store, request: &ListTasksRequest) -> Result<ListTasksResponse, Error> {
        list_tasks(store, request, Pages::Placed, Habits::default())
    }

    fn page(size: i32, token: &str) -> ListTasksRequest {
        ListTasksRequest {
            page_size: Some(size),
            page_token: Some(token.to_owned()).filter(|token| !token.is_empty()),
            ..ListTasksRequest::default()
        }
    }

    fn ids(response: &ListTasksResponse) -> Vec<&str> {
        response.tasks.iter().map(|task| task.id.as_str()).collect()
    }

    #[test]
    fn walks_all_tasks_newest_first() {
        let store = store(7);
        let mut seen = Vec::new();
        let mut token = String::new();
        loop {
            let response = list(&store, &page(3, &token)).unwrap();
            assert_eq!(response.total_size, 7);
            assert_eq!(response.page_size, 3);
            seen.extend(response.tasks.into_iter().map(|task| task.id));
            token = response.next_page_token;
            if token.is_empty() {
                break;
            }
        }
        let expected: Vec<String> = (1..=7).rev().map(|number| format!("task-{number:06}")).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_full_last_page_has_no_successor() {
        assert_eq!(list(&store(4), &page(4, "")).unwrap().next_page_token, "");
        assert_eq!(list(&store(0), &page(4, "")).unwrap().next_page_token, "");
    }

    #[test]
    fn pages_stand_while_tasks_come_and_change() {
        let mut store = store(4);
        let first = list(&store, &page(2, "")).unwrap();
        assert_eq!(ids(&first), ["task-000004", "task-000003"]);
        store.create("c".to_owned(), message());
        store.enter("task-000001", TaskState::Working, None).unwrap();
        let second = list(&store, &page(2, &first.next_page_token)).unwrap();
        assert_eq!(ids(&second), ["task-000002"]);
        assert_eq!(second.total_size, 5);
    }

    #[test]
    fn filters_narrow_the_list() {
        let mut store = store(4);
        store.enter("task-000002", TaskState::Working, None).unwrap();
        let by_context = ListTasksRequest { context_id: Some("c1".to_owned()), ..ListTasksRequest::default() };
        assert_eq!(ids(&list(&store, &by_context).unwrap()), ["task-000002", "task-000004"]);
        let by_state = ListTasksRequest { status: Some(TaskState::Working), ..ListTasksRequest::default() };
        assert_eq!(list(&store, &by_state).unwrap().total_size, 1);
        let moment = store.entry("task-000003").unwrap().task.status.timestamp;
        let by_time = ListTasksRequest { status_timestamp_after: Some(moment), ..ListTasksRequest::default() };
        let newest = ["task-000002", "task-000004", "task-000003"];
        assert_eq!(ids(&list(&store, &by_time).unwrap()), newest);
    }

    #[test]
    fn a_whole_list_has_no_pages_but_a_bound() {
        let request = ListTasksRequest { is_whole: true, ..ListTasksRequest::default() };
        let response = list(&store(150), &request).unwrap();
        assert_eq!((response.tasks.len(), response.next_page_token.as_str()), (150, ""));
        let response = list(&store(1005), &request).unwrap();
        assert_eq!((response.tasks.len(), response.next_page_token.as_str()), (500, ""));
        assert_eq!((response.tasks[0].id.as_str(), response.tasks[499].id.as_str()), ("task-001005", "task-000506"));
    }

    #[test]
    fn artifacts_are_there_only_when_asked_for() {
        let store = store(1);
        let mut request = ListTasksRequest::default();
        assert_eq!(list(&store, &request).unwrap().tasks[0].artifacts, None);
        request.include_artifacts = true;
        assert_eq!(list(&store, &request).unwrap().tasks[0].artifacts, Some(vec![]));
    }

    #[test]
    fn a_token_that_lost_its_leading_zero_is_refused() {
        let body = (0..).map(|moment| format!("{moment}.0.7")).find(|body| Cursor::digest(body).starts_with('0'));
        let body = body.unwrap();
        let token = to_hex(format!("{}.{body}", Cursor::digest(&body)).as_bytes());
        assert!(Cursor::parse(&token).is_some());
        assert!(Cursor::parse(&token[2..]).is_none());
    }

    #[test]
    fn foreign_tokens_and_sizes_are_refused() {
        let store = store(3);
        let token = list(&store, &page(1, "")).unwrap().next_page_token;
        let mut bent = token.clone();
        bent.replace_range(0..1, if token.starts_with('0') { "1" } else { "0" });
        for bad in ["x", "zz", "00", bent.as_str(), &token[2..], &format!("{token}00")] {
            let error = list(&store, &page(1, bad)).unwrap_err();
            assert!(matches!(error, Error::InvalidParams(violation) if violation.field == "pageToken"), "{bad}");
        }
        let other = ListTasksRequest { context_id: Some("c0".to_owned()), ..page(1, &token) };
        assert!(list(&store, &other).is_err());
        for bad in [0, -1, 101, i32::MAX, i32::MIN] {
            let error = list(&store, &page(bad, "")).unwrap_err();
            assert!(matches!(error, Error::InvalidParams(violation) if violation.field == "pageSize"), "{bad}");
        }
    }
}
