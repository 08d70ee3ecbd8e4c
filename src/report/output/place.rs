//! What the name of an output leads to: what is there, and whether two names lead to the same.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::Destination;

/// Number of standard output among the open descriptors of a process.
pub(super) const STDOUT: u32 = 1;
/// Number of standard error.
#[cfg(unix)]
pub(super) const STDERR: u32 = 2;

/// More links than this in a row are a circle.
const MOST_LINKS: usize = 40;

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    File,
    Folder,
    /// A pipe with a name, which is open only while somebody reads it.
    Pipe,
    /// A device or a socket.
    Device,
    /// An open descriptor of this process, such as `/dev/stderr`, or `/dev/fd/63` of `>(command)` in a shell.
    Descriptor(u32),
}

/// What is at a path, behind any links.
pub(super) fn kind_of(path: &Path) -> io::Result<Kind> {
    if let Some(number) = descriptor(path) {
        return Ok(Kind::Descriptor(number));
    }
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Ok(Kind::Folder),
        Ok(meta) if meta.is_file() => Ok(Kind::File),
        Ok(meta) if is_pipe(&meta) => Ok(Kind::Pipe),
        Ok(_) => Ok(Kind::Device),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Kind::Free),
        Err(error) => Err(error),
    }
}

/// The folder in which a path is.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// What tells one place from another.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// An open descriptor.
    Descriptor(u32),
    /// A file or pipe that is there: its device and its number on it, by whichever name.
    Inode(u64, u64),
    /// A file that is not there yet, or one of a system without such numbers.
    Name(PathBuf),
}

/// Everything by which a place is known. Places are the same if they share any; devices, such as `/dev/null`, share none, and
/// take whatever anyone writes.
pub(super) fn identities(destination: &Destination) -> Vec<Identity> {
    match destination {
        Destination::Stdout => {
            let file = stdout_metadata().and_then(|meta| inode(&meta));
            std::iter::once(Identity::Descriptor(STDOUT)).chain(file).collect()
        }
        Destination::File(path) => {
            let descriptor = descriptor(path).map(Identity::Descriptor);
            let file = match fs::metadata(path) {
                Ok(meta) if cfg!(unix) => inode(&meta),
                _ if descriptor.is_some() => None,
                _ => Some(Identity::Name(whole_name(path))),
            };
            descriptor.into_iter().chain(file).collect()
        }
    }
}

/// The path behind any links, its folder spelled as the system does.
fn whole_name(path: &Path) -> PathBuf {
    let path = links(path).last().unwrap_or_else(|| path.to_owned());
    let folder = fs::canonicalize(folder_of(&path));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// A path, and where it leads if it is a link, and so on.
fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |path: &PathBuf| Some(folder_of(path).join(fs::read_link(path).ok()?));
    std::iter::successors(Some(path.to_owned()), next).take(MOST_LINKS)
}

/// The number of the descriptor that a path stands for.
fn descriptor(path: &Path) -> Option<u32> {
    const FOLDERS: [&str; 3] = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
    if !cfg!(unix) {
        return None;
    }
    links(path).find_map(|path| {
        let number = path.file_name()?.to_str()?.parse().ok()?;
        FOLDERS.iter().any(|folder| path.parent() == Some(Path::new(folder))).then_some(number)
    })
}

#[cfg(unix)]
fn is_pipe(meta: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;

    meta.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    let kind = meta.file_type();
    let is_device = kind.is_char_device() || kind.is_block_device();
    (!is_device).then(|| Identity::Inode(meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<Identity> {
    None
}

#[cfg(unix)]
fn stdout_metadata() -> Option<Metadata> {
    use std::os::fd::AsFd as _;

    let copy = io::stdout().as_fd().try_clone_to_owned().ok()?;
    fs::File::from(copy).metadata().ok()
}

#[cfg(not(unix))]
fn stdout_metadata() -> Option<Metadata> {
    None
}
