//! Texts that cannot be guessed.

use std::io;

use ring::rand::{SecureRandom as _, SystemRandom};

/// 32 hexadecimal digits.
///
/// # Errors
/// The system has no random numbers.
pub fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("there are no random numbers"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
