//! Where a report goes, and in which form.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people.
    Terminal,
    /// For programs: `schemas/report.schema.json`.
    Json,
    /// For continuous integration.
    Junit,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Terminal, Self::Json, Self::Junit];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Json => "json",
            Self::Junit => "junit",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = OutputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| OutputError::UnknownFormat { found: text.to_owned() })
    }
}

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// One report that the user asks for: `FORMAT`, or `FORMAT=FILE`; the file `-` is standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its form.
    pub format: Format,
    /// Where it goes.
    pub destination: Destination,
}

impl FromStr for Output {
    type Err = OutputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, file) = match text.split_once('=') {
            Some((format, file)) => (format, Some(file)),
            None => (text, None),
        };
        let format = format.parse()?;
        let destination = match file {
            None | Some("-") => Destination::Stdout,
            Some("") => return Err(OutputError::NoFile { format }),
            Some(file) => Destination::File(PathBuf::from(file)),
        };
        Ok(Self { format, destination })
    }
}

/// A report that cannot be written as the user asks.
#[derive(Debug, Error)]
pub enum OutputError {
    /// No format has this name.
    #[error("no such format `{found}`; there is terminal, json and junit, each alone or as FORMAT=FILE")]
    UnknownFormat {
        /// What was asked for.
        found: String,
    },
    /// `FORMAT=` and nothing after it.
    #[error("`{format}=` needs a file name, as in {format}=report.{}", extension(*.format))]
    NoFile {
        /// The format.
        format: Format,
    },
    /// Two reports in one place.
    #[error("two reports cannot both go to {place}; give each a file of its own, as in json=report.json")]
    Twice {
        /// The place.
        place: String,
    },
    /// The folder of the file is not there.
    #[error("{}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The name is that of a folder.
    #[error("{}: this is a folder; name a file in it", path.display())]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Terminal => "txt",
        Format::Json => "json",
        Format::Junit => "xml",
    }
}

/// Makes sure, before the run, that every report can be written, and takes away the reports of earlier runs.
///
/// # Errors
/// The user's: two reports in one place, a folder that is missing, a file that cannot be written.
pub fn prepare(outputs: &[Output]) -> Result<(), OutputError> {
    for (index, output) in outputs.iter().enumerate() {
        let twin = outputs.iter().take(index).any(|earlier| earlier.destination == output.destination);
        if twin {
            let place = match &output.destination {
                Destination::Stdout => "standard output".to_owned(),
                Destination::File(path) => path.display().to_string(),
            };
            return Err(OutputError::Twice { place });
        }
    }
    for output in outputs {
        if let Destination::File(path) = &output.destination {
            check_writable(path)?;
        }
    }
    Ok(())
}

/// Makes sure that a file can be written at `path`, and removes the one that is there.
///
/// The old file goes now and not when the new one comes, so that a run that dies leaves no report rather than one that
/// looks like its own. What is there and no ordinary file (a pipe, a device) stays. The check writes an empty file
/// beside `path` and removes it.
///
/// # Errors
/// The user's: see [`OutputError`].
pub fn check_writable(path: &Path) -> Result<(), OutputError> {
    let failed = |error| OutputError::Io { path: path.to_owned(), error };
    match kind_of(path).map_err(failed)? {
        Place::Folder => return Err(OutputError::IsFolder { path: path.to_owned() }),
        Place::Special => return OpenOptions::new().append(true).open(path).map(drop).map_err(failed),
        Place::Free | Place::File => {}
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(OutputError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    let (file, trial) = create_beside(path).map_err(failed)?;
    drop(file);
    fs::remove_file(&trial).map_err(failed)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

/// Writes a file so that whoever looks sees all of it or nothing: into a new file in the same folder, which is synced
/// and then renamed. A symbolic link is replaced, not followed; a pipe or device is written to.
///
/// # Errors
/// The system's; the file at `path` is then as it was.
pub fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    write_bytes(path, text.as_bytes()).map_err(|error| OutputError::Io { path: path.to_owned(), error })
}

fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if kind_of(path)? == Place::Special {
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let (mut file, beside) = create_beside(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first failure is the one to tell; a leftover is harmless and named after us.
        let _ = fs::remove_file(&beside);
    }
    written
}

#[derive(PartialEq, Eq)]
enum Place {
    Free,
    File,
    Folder,
    Special,
}

fn kind_of(path: &Path) -> io::Result<Place> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(Place::Folder),
        Ok(meta) if meta.is_file() => Ok(Place::File),
        Ok(_) => Ok(Place::Special),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Place::Free),
        Err(error) => Err(error),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
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
mod tests {
    use super::*;

    /// A folder that is removed when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("a2aspec-output-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
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

    #[test]
    fn outputs_are_read() {
        let read = |text: &str| text.parse::<Output>().map_err(|error| error.to_string());
        let to = |format, destination| Ok(Output { format, destination });
        assert_eq!(read("json"), to(Format::Json, Destination::Stdout));
        assert_eq!(read("terminal=-"), to(Format::Terminal, Destination::Stdout));
        assert_eq!(read("junit=out/a=b.xml"), to(Format::Junit, Destination::File("out/a=b.xml".into())));
        assert_eq!(read("json=").unwrap_err(), "`json=` needs a file name, as in json=report.json");
        assert_eq!(
            read("xml=report.xml").unwrap_err(),
            "no such format `xml`; there is terminal, json and junit, each alone or as FORMAT=FILE"
        );
    }

    #[test]
    fn old_reports_go_before_the_run_and_new_ones_come_whole() {
        let folder = Folder::new("atomic");
        let path = folder.0.join("report.json");
        fs::write(&path, "old").unwrap();
        check_writable(&path).unwrap();
        assert!(folder.names().is_empty());
        write(&path, "new").unwrap();
        write(&path, "newer").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        assert_eq!(folder.names(), ["report.json"]);
    }

    #[test]
    fn what_cannot_be_written_is_found_at_once() {
        let folder = Folder::new("refused");
        let missing = folder.0.join("no/report.json");
        assert!(matches!(check_writable(&missing), Err(OutputError::NoFolder { .. })));
        assert!(matches!(check_writable(&folder.0), Err(OutputError::IsFolder { .. })));
        fs::write(folder.0.join("file"), "").unwrap();
        assert!(matches!(check_writable(&folder.0.join("file/report.json")), Err(OutputError::NoFolder { .. })));
    }

    #[test]
    fn one_place_takes_one_report() {
        let read = |texts: &[&str]| -> Vec<Output> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        assert!(prepare(&read(&["terminal"])).is_ok());
        let error = prepare(&read(&["terminal", "json=-"])).unwrap_err();
        assert!(error.to_string().starts_with("two reports cannot both go to standard output"), "{error}");
        assert!(matches!(prepare(&read(&["json=a", "junit=a"])), Err(OutputError::Twice { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_not_replaced() {
        let path = Path::new("/dev/null");
        check_writable(path).unwrap();
        write(path, "text").unwrap();
        assert!(kind_of(path).unwrap() == Place::Special);
    }
}
