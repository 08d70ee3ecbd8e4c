//! Places that are ready to be written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::place::{Identity, Kind, STDOUT, folder_of, identities, kind_of};
use super::{Destination, Format, Output, OutputError};

/// Where one report goes.
#[derive(Debug)]
pub enum Sink {
    /// Standard output, which the program's shell writes to.
    Stdout,
    /// A file, which comes into being when there is something to write.
    File(PathBuf),
    /// A pipe, a device or an open descriptor: it is there, and open from before the run on, so that its reader stays.
    Open(PathBuf, File),
}

/// Everything that a run writes.
#[derive(Debug)]
pub struct Sinks {
    /// The reports.
    pub reports: Vec<(Format, Sink)>,
    /// The trace, which is written while the run goes on.
    pub trace: Option<File>,
}

/// Makes sure, before the run, that everything can be written. To find out whether a file can be, an empty one is made beside it
/// and removed.
///
/// # Errors
/// The user's: two outputs in one place, a folder that is missing, a file that cannot be written, a pipe that nobody reads.
pub fn prepare(outputs: &[Output], trace: Option<&Path>) -> Result<Sinks, OutputError> {
    refuse_twins(outputs, trace)?;
    let reports = outputs.iter().map(|output| Ok((output.format, Sink::new(&output.destination)?)));
    let reports = reports.collect::<Result<Vec<_>, OutputError>>()?;
    let trace = trace.map(open_trace).transpose()?;
    Ok(Sinks { reports, trace })
}

/// Puts into each file, before the run, that the run has not ended: a run that dies then leaves a report that says so, and neither
/// that of an earlier run nor none at all.
///
/// # Errors
/// A file that cannot be written.
pub fn begin(sinks: &[(Format, Sink)], not_ended: impl Fn(Format) -> String) -> Result<(), OutputError> {
    let mut files = sinks.iter().filter(|(_, sink)| matches!(sink, Sink::File(_)));
    files.try_for_each(|(format, sink)| sink.write(&not_ended(*format)))
}

/// Two outputs in one file would each destroy what the other wrote.
fn refuse_twins(outputs: &[Output], trace: Option<&Path>) -> Result<(), OutputError> {
    let reports = outputs.iter().map(|output| (format!("{} report", output.format), output.destination.clone()));
    let trace = trace.map(|path| ("trace".to_owned(), Destination::File(path.to_owned())));
    let mut known: Vec<((String, String), Vec<Identity>)> = Vec::new();
    for (what, destination) in reports.chain(trace) {
        let (second, identities) = ((what, place_name(&destination)), identities(&destination));
        let twin = known.iter().find(|(_, known)| known.iter().any(|one| identities.contains(one)));
        if let Some((first, _)) = twin {
            return Err(OutputError::Twice { first: first.clone(), second });
        }
        known.push((second, identities));
    }
    Ok(())
}

fn place_name(destination: &Destination) -> String {
    match destination {
        Destination::Stdout => "standard output".to_owned(),
        Destination::File(path) => path.display().to_string(),
    }
}

impl Sink {
    fn new(destination: &Destination) -> Result<Self, OutputError> {
        let Destination::File(path) = destination else { return Ok(Self::Stdout) };
        match kind_of(path).map_err(failed(path))? {
            Kind::Folder => Err(OutputError::IsFolder { path: path.clone() }),
            Kind::Descriptor(STDOUT) => Ok(Self::Stdout),
            Kind::Pipe | Kind::Device | Kind::Descriptor(_) => Ok(Self::Open(path.clone(), open(path)?)),
            Kind::Free | Kind::File => check_writable(path).map(|()| Self::File(path.clone())),
        }
    }

    /// Writes a report. Whoever looks at a file sees all of it or nothing: it goes into a new file in the same folder, which
    /// is synced and then renamed. A symbolic link is replaced, not followed. For standard output nothing is done here.
    ///
    /// # Errors
    /// The system's; a file at the path is then as it was, and no part of the new one is left.
    pub(crate) fn write(&self, text: &str) -> Result<(), OutputError> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(path) => save(path, text),
            Self::Open(path, file) => {
                let mut file = file;
                file.write_all(text.as_bytes()).map_err(failed(path))
            }
        }
    }
}

/// Writes a file as a whole: it is there when all of it is on disk, and not before.
///
/// # Errors
/// The system's; a file at the path is then as it was.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), OutputError> {
    replace(path, text.as_bytes()).map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> OutputError {
    move |error| OutputError::Io { path: path.to_owned(), error }
}

fn check_writable(path: &Path) -> Result<(), OutputError> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(OutputError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    let (file, trial) = create_beside(path).map_err(failed(path))?;
    drop(file);
    fs::remove_file(&trial).map_err(failed(path))
}

/// The file of a trace, empty; what was in it is gone.
fn open_trace(path: &Path) -> Result<File, OutputError> {
    match kind_of(path).map_err(failed(path))? {
        Kind::Folder => Err(OutputError::IsFolder { path: path.to_owned() }),
        Kind::Pipe | Kind::Device | Kind::Descriptor(_) => open(path),
        Kind::Free | Kind::File if !folder_of(path).is_dir() => {
            Err(OutputError::NoFolder { path: path.to_owned(), folder: folder_of(path).to_owned() })
        }
        Kind::Free | Kind::File => File::create(path).map_err(failed(path)),
    }
}

/// Opens what is there and no ordinary file.
#[cfg(unix)]
fn open(path: &Path) -> Result<File, OutputError> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    use super::place::STDERR;

    let kind = kind_of(path).map_err(failed(path))?;
    // These may be sockets, which cannot be opened again.
    let copy = match kind {
        Kind::Descriptor(STDOUT) => Some(io::stdout().as_fd().try_clone_to_owned()),
        Kind::Descriptor(STDERR) => Some(io::stderr().as_fd().try_clone_to_owned()),
        _ => None,
    };
    if let Some(copy) = copy {
        return copy.map(File::from).map_err(failed(path));
    }
    // To open a pipe that nobody reads would wait for a reader, maybe for ever; so it is an error instead (ENXIO). While
    // this one is open there is a reader, and the next is open at once.
    let at_once = OpenOptions::new().append(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path);
    let _at_once = at_once.map_err(|error| match error.raw_os_error() {
        Some(libc::ENXIO) if kind == Kind::Pipe => OutputError::NoReader { path: path.to_owned() },
        _ => failed(path)(error),
    })?;
    OpenOptions::new().append(true).custom_flags(libc::O_NOCTTY).open(path).map_err(failed(path))
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File, OutputError> {
    OpenOptions::new().append(true).open(path).map_err(failed(path))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (mut file, beside) = create_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first failure is the one to tell; a leftover is harmless and named after us.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the folder of `path`, hidden and named after it and this process.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    for attempt in 0_u32.. {
        let beside = folder_of(path).join(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {}
            other => return other.map(|file| (file, beside)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests;
