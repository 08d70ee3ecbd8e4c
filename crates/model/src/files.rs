//! Files of the user, read within a limit: a device, or a file that was named by mistake, must not fill the memory.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The most bytes of a file that people write: cases, settings, lists, keys, cards.
pub const LONGEST: usize = 4 << 20;
/// The most bytes of a report that was written before.
pub const LONGEST_REPORT: usize = 256 << 20;

/// The bytes of a file.
///
/// # Errors
/// The file cannot be read, or has more than `most` bytes.
pub fn bytes(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more shows that there is more, also of what has no size, such as a pipe.
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    match bytes.len() > most {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("the file is larger than {} MiB", most >> 20))),
        false => Ok(bytes),
    }
}

/// The text of a file.
///
/// # Errors
/// As of [`bytes()`], and the file is not UTF-8.
pub fn text(path: &Path, most: usize) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(bytes(path, most)?).map_err(not_utf8)
}

/// The file of this name; of a folder, the entries whose names end like this, in the order of their names. A folder may have none.
///
/// # Errors
/// The folder cannot be read.
pub fn at(place: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    if !place.is_dir() {
        return Ok(vec![place.to_owned()]);
    }
    let paths = std::fs::read_dir(place)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending)));
    paths.sort_unstable();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("a2aspec-files-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
        assert_eq!(text(&path, 1 << 20).unwrap().len(), 1 << 20);
        std::fs::write(&path, vec![b'x'; (1 << 20) + 1]).unwrap();
        assert_eq!(bytes(&path, 1 << 20).unwrap_err().to_string(), "the file is larger than 1 MiB");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(text(&path, 1 << 20).unwrap_err().kind(), io::ErrorKind::InvalidData);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_folder_stands_for_its_files_with_an_ending() {
        let folder = std::env::temp_dir().join(format!("a2aspec-folder-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(at(&folder, ".yaml").unwrap(), Vec::<PathBuf>::new());
        for name in ["b.yaml", "a.yaml", "c.json"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(at(&folder, ".yaml").unwrap(), [folder.join("a.yaml"), folder.join("b.yaml")]);
        let json = folder.join("c.json");
        assert_eq!(at(&json, ".yaml").unwrap(), [json]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_refused() {
        assert_eq!(bytes(Path::new("/dev/zero"), 1 << 20).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
