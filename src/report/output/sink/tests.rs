use super::*;

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("a2aspec-output-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn json(path: impl AsRef<Path>) -> Output {
    Output { format: Format::Json, destination: Destination::File(path.as_ref().to_owned()) }
}

fn stdout() -> Output {
    Output { format: Format::Terminal, destination: Destination::Stdout }
}

/// The one sink for this path.
fn sink(path: impl AsRef<Path>) -> Result<Sink, OutputError> {
    prepare(&[json(path)], None).map(|mut sinks| sinks.reports.remove(0).1)
}

#[test]
fn old_reports_are_replaced_before_the_run_and_new_ones_come_whole() {
    let folder = Folder::new("atomic");
    let (path, trace) = (folder.path("report.json"), folder.path("trace.txt"));
    fs::write(&path, "old").unwrap();
    fs::write(&trace, "old").unwrap();
    let sinks = prepare(&[json(&path)], Some(&trace)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    begin(&sinks.reports, |format| format!("{format}: not ended")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "json: not ended");
    assert_eq!(fs::read_to_string(&trace).unwrap(), "");
    let (_, sink) = &sinks.reports[0];
    sink.write("new").unwrap();
    sink.write("newer").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn what_cannot_be_written_is_found_at_once() {
    let folder = Folder::new("refused");
    assert!(matches!(sink(folder.path("no/report.json")), Err(OutputError::NoFolder { .. })));
    assert!(matches!(sink(&folder.0), Err(OutputError::IsFolder { .. })));
    fs::write(folder.path("file"), "").unwrap();
    assert!(matches!(sink(folder.path("file/report.json")), Err(OutputError::NoFolder { .. })));
    let trace = |name: &str| prepare(&[], Some(&folder.path(name))).unwrap_err();
    assert!(matches!(trace("no/trace.txt"), OutputError::NoFolder { .. }));
    assert!(matches!(trace(""), OutputError::IsFolder { .. }));
}

/// Where one output is refused, nothing of what is there is lost.
#[test]
fn nothing_is_taken_away_before_all_is_well() {
    let folder = Folder::new("first");
    let old = folder.path("old.json");
    fs::write(&old, "old").unwrap();
    prepare(&[json(&old), json(folder.path("no/report.json"))], None).unwrap_err();
    prepare(&[json(&old)], Some(&folder.path("no/trace.txt"))).unwrap_err();
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
}

#[test]
fn one_place_takes_one_output() {
    let folder = Folder::new("twins");
    let (one, other) = (folder.path("a"), folder.path("b"));
    let twins = |outputs: &[Output], trace: Option<&Path>| match prepare(outputs, trace) {
        Err(error @ OutputError::Twice { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        twins(&[stdout(), stdout()], None),
        "the terminal report and the terminal report cannot both go to standard output; give each a file of its own, as in json=report.json"
    );
    twins(&[json(&one), json(&one)], None);
    twins(&[json(&one), json(folder.path("./a"))], None);
    twins(&[json(&one)], Some(&folder.path("../").join(folder.0.file_name().unwrap()).join("a")));
    assert!(prepare(&[stdout(), json(&one)], Some(&other)).is_ok());
}

#[cfg(unix)]
#[test]
fn links_are_seen_through() {
    let folder = Folder::new("links");
    let (one, soft, hard) = (folder.path("a"), folder.path("soft"), folder.path("hard"));
    let is_twice =
        |outputs: &[Output], trace: Option<&Path>| matches!(prepare(outputs, trace), Err(OutputError::Twice { .. }));
    std::os::unix::fs::symlink("a", &soft).unwrap();
    assert!(is_twice(&[json(&one), json(&soft)], None), "a link to what is not there yet");
    fs::write(&one, "").unwrap();
    fs::hard_link(&one, &hard).unwrap();
    assert!(is_twice(&[json(&one), json(&soft)], None));
    assert!(is_twice(&[json(&hard)], Some(&one)));
    // A circle leads nowhere, and is replaced.
    let circle = folder.path("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    assert!(!is_twice(&[json(&circle), json(&one)], None));
}

#[cfg(unix)]
#[test]
fn standard_output_has_several_names() {
    let is_twice = |name: &str| matches!(prepare(&[stdout(), json(name)], None), Err(OutputError::Twice { .. }));
    assert!(is_twice("/dev/stdout") && is_twice("/dev/fd/1"));
    assert!(matches!(sink("/dev/stdout"), Ok(Sink::Stdout)));
    // Devices take what anyone writes.
    assert!(prepare(&[json("/dev/null"), json("/dev/null")], Some(Path::new("/dev/null"))).is_ok());
}

#[cfg(unix)]
#[test]
fn devices_are_written_to_and_not_replaced() {
    let sink = sink("/dev/null").unwrap();
    sink.write("text").unwrap();
    assert!(kind_of(Path::new("/dev/null")).unwrap() == Kind::Device);
}

#[cfg(unix)]
#[test]
fn a_pipe_needs_a_reader_which_then_gets_it_all() {
    use std::io::Read as _;

    let folder = Folder::new("pipe");
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(matches!(sink(&pipe), Err(OutputError::NoReader { .. })));
    assert!(matches!(prepare(&[], Some(&pipe)), Err(OutputError::NoReader { .. })));
    let path = pipe.clone();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        File::open(path).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    // The reader may not have opened it yet: there is no event for that but that it works.
    let sink = loop {
        match sink(&pipe) {
            Err(OutputError::NoReader { .. }) => std::thread::yield_now(),
            other => break other.unwrap(),
        }
    };
    let long = "x".repeat(1 << 18);
    sink.write(&long).unwrap();
    drop(sink);
    assert_eq!(reader.join().unwrap(), long);
    assert!(kind_of(&pipe).unwrap() == Kind::Pipe);
}
