//! Files of the user's settings folder, which only the user may read.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

/// The path of a file in the folder of this program's settings.
///
/// # Errors
/// This machine has no home folder for the user.
pub(super) fn path(name: &str) -> Result<PathBuf, String> {
    let folders = etcetera::choose_base_strategy().map_err(|error| error.to_string())?;
    Ok(folders.config_dir().join("a2aspec").join(name))
}

/// Writes the file whole or not at all, with access for the user only.
///
/// # Errors
/// The folder or the file cannot be written.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| file.write_all(text));
    let renamed = written.and_then(|()| std::fs::rename(&beside, path));
    if renamed.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    renamed
}
