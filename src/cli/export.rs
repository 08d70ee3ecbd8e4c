//! `a2aspec export`: the cases in a format that others read.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::Exit;
use super::args::{ExportArgs, ExportFormat};
use super::fail::{Failure, library, unwritable};
use crate::case::{ActsExport, export_acts};
use crate::diagnostic::words::count;

/// Writes the folder, and says what is in it and what is not.
pub(super) fn run(args: &ExportArgs) -> Result<String, Failure> {
    let library = library(args.cases.as_deref())?;
    let export = match args.format {
        ExportFormat::Acts => export_acts(&library),
    };
    let is_empty = fs::read_dir(&args.dir).map_or(Ok(true), |mut entries| Ok(entries.next().is_none()));
    if !is_empty.map_err(|error| unwritable(&args.dir, &error))? {
        let help = Some("name a folder that is not there yet, or an empty one");
        return Err(Failure::new(Exit::Usage, &format!("{} is not empty", args.dir.display()), help));
    }
    write(&args.dir, &export)?;
    Ok(told(&args.dir, &export))
}

/// A file for each area, one that includes them all, and the index.
fn write(folder: &Path, export: &ActsExport) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))
    };
    let yaml = |document: &serde_json::Value| {
        serde_saphyr::to_string(document).map_err(|error| Failure::broken(error.to_string()))
    };
    let mut names = Vec::new();
    for (area, document) in &export.documents {
        let name = format!("{area}.acts.yaml");
        put(&name, &yaml(document)?)?;
        names.push(name);
    }
    put("suite.acts.yaml", &yaml(&json!({ "acts_version": "1.0", "spec_version": "1.0", "include": names }))?)?;
    let index = serde_json::to_string_pretty(&export.index).map_err(|error| Failure::broken(error.to_string()))?;
    put("index.json", &(index + "\n"))
}

/// How many cases were written, and for what the others were not, the most frequent reason first.
fn told(folder: &Path, export: &ActsExport) -> String {
    let index = &export.index;
    let written = count(index.written.len(), "case");
    let mut out =
        format!("{written} of A2A 1.0 in {}, in {}\n", folder.display(), count(export.documents.len(), "file"));
    let mut reasons: Vec<_> = index.reasons.iter().collect();
    reasons.sort_by_key(|(reason, cases)| (std::cmp::Reverse(**cases), reason.as_str()));
    out.push_str(&format!(
        "{} left out, because the format cannot express what they need:\n",
        count(index.left_out.len(), "case")
    ));
    for (reason, cases) in reasons {
        out.push_str(&format!("{cases:>5}  {reason}\n"));
    }
    out.push_str("index.json names each\n");
    out
}
