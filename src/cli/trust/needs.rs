//! What a settings file does that only the user may ask for: it was found in the working directory, and anybody may have written it.

use std::path::{Component, Path};

use url::{Host, Url};

use super::brought::{self, Brought};
use super::scope;
use crate::auth::origin::{self, Origin};
use crate::auth::userinfo::hidden;
use crate::cli::args::TargetArgs;
use crate::cli::config::Config;
use crate::cli::credentials::{command_of, is_a_place};
use crate::diagnostic::words::list;
use crate::discovery::bases::parts;
use crate::interface::is_loopback;

/// The command lines that the file has this run execute, each with what its output is.
pub(super) fn commands<'a>(args: &TargetArgs, config: &'a Config) -> Vec<(&'a str, String)> {
    let brought = brought::of_file(args, config).into_iter();
    brought.filter_map(|Brought { what, text }| Some((command_of(text?)?, what))).collect()
}

/// Each thing for which the user must trust the file, as a sentence without its subject.
pub(super) fn of(args: &TargetArgs, config: &Config, folder: &Path) -> Vec<String> {
    let mut needs: Vec<String> = commands(args, config)
        .into_iter()
        .map(|(line, what)| format!("runs the command `{line}` for {what}"))
        .collect();
    let brought = brought::of_file(args, config);
    let read: Vec<&str> = brought.iter().filter_map(|one| one.text.filter(|text| is_a_place(text))).collect();
    let away = away(args, config);
    if !read.is_empty() && !away.is_empty() {
        let read: Vec<String> = read.iter().map(|text| (*text).to_owned()).collect();
        needs.push(format!("sends {} to {}", list(&read), list(&away)));
    }
    let is_elsewhere = scope::targets(args, config).into_iter().any(|url| !is_here(url));
    if !read.is_empty() || brought::has_flags(args) {
        needs.extend(ways(args, config, is_elsewhere).into_iter().map(|way| format!("sends credentials {way}")));
    }
    needs.extend(outputs(args, config, folder).into_iter().map(|path| format!("writes to {path}, outside its folder")));
    needs
}

/// Where only the file says that credentials go, beside this machine.
fn away(args: &TargetArgs, config: &Config) -> Vec<String> {
    let typed = args.url.iter().map(String::as_str).chain(args.base_url.iter().map(|base| parts(base).1));
    let typed: Vec<Origin> = typed.chain(args.allow_origin.iter().map(String::as_str)).filter_map(origin::of).collect();
    let of_file = |is_replaced: bool, urls: &[String]| if is_replaced { Vec::new() } else { urls.to_vec() };
    let mut urls: Vec<String> = config.url.iter().filter(|_| args.url.is_none()).cloned().collect();
    urls.extend(of_file(!args.base_url.is_empty(), &config.base_url).iter().map(|base| parts(base).1.to_owned()));
    urls.extend(of_file(!args.allow_origin.is_empty(), &config.allow_origin));
    for oauth in brought::used(args, config).filter_map(|(_, entry)| entry.oauth.as_ref()) {
        urls.extend(oauth.issuer.iter().chain(&oauth.token_endpoint).cloned());
    }
    let is_away = |url: &String| !is_here(url) && origin::of(url).is_none_or(|origin| !typed.contains(&origin));
    let mut shown: Vec<String> =
        urls.iter().filter(|url| is_away(url)).map(|url| hidden(&origin::shown(url))).collect();
    shown.dedup();
    shown
}

/// The settings by which credentials reach another machine than that of their URL, or one that does not prove who it is.
fn ways(args: &TargetArgs, config: &Config, is_elsewhere: bool) -> Vec<String> {
    let mut ways = Vec::new();
    if let Some(proxy) = config.proxy.as_ref().filter(|proxy| args.proxy.is_none() && !is_here(proxy)) {
        ways.push(format!("through the proxy {}", hidden(proxy)));
    }
    for (host, address) in &config.resolve {
        let is_here = address.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        if !is_here && !args.resolve.iter().any(|flag| flag.split('=').next() == Some(host)) {
            ways.push(format!("for {host} to the address {address} (resolve)"));
        }
    }
    if is_elsewhere && config.insecure == Some(true) && !args.insecure {
        ways.push("to servers whose certificates are not verified (insecure)".to_owned());
    }
    if is_elsewhere && !config.cacert.is_empty() && args.cacert.is_empty() {
        ways.push("to servers that its own authorities certify (cacert)".to_owned());
    }
    ways
}

/// Whether a URL is one of this machine.
fn is_here(url: &str) -> bool {
    let url = Url::parse(url);
    let host = url.as_ref().ok().and_then(Url::host);
    host.is_some_and(|host: Host<&str>| is_loopback(&host))
}

/// The files outside of its folder that the file has written.
fn outputs(args: &TargetArgs, config: &Config, folder: &Path) -> Vec<String> {
    let reports = config.report.iter().filter(|_| args.report.is_empty());
    let reports = reports.filter_map(|report| report.split_once('=')).map(|(_, path)| Path::new(path));
    let trace = config.trace.as_deref().filter(|_| args.trace.is_none());
    let outside = reports.chain(trace).filter(|path| leaves(path, folder));
    outside.map(|path| path.display().to_string()).collect()
}

/// Whether a path leads out of a folder, or into the repository's own data there.
fn leaves(path: &Path, folder: &Path) -> bool {
    if path.starts_with("/dev/") {
        return false;
    }
    let whole = folder.join(path);
    let is_link = std::fs::symlink_metadata(&whole).is_ok_and(|found| found.file_type().is_symlink());
    let has = |wanted: fn(&Component<'_>) -> bool| path.components().any(|part| wanted(&part));
    let parent = whole.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
    let is_inside = match parent {
        Some(parent) => parent.starts_with(folder),
        // A folder that is yet to be made.
        None => !path.is_absolute() && !has(|part| matches!(part, Component::ParentDir)),
    };
    is_link || !is_inside || has(|part| part.as_os_str() == ".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(text: &str, args: &TargetArgs) -> Vec<String> {
        let folder = std::fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        of(args, &toml::from_str(text).unwrap(), &folder)
    }

    fn at(url: &str) -> TargetArgs {
        TargetArgs { url: Some(url.to_owned()), ..TargetArgs::default() }
    }

    #[test]
    fn a_file_alone_decides_little() {
        let none = TargetArgs::default();
        let far = "url = 'https://far.example.com'\n";
        for (text, wanted) in [
            ("url = 'http://127.0.0.1:1'\nbearer = 'env:T'\nreport = ['json=out/a.json', 'terminal']", ""),
            ("url = 'https://far.example.com'\n[headers]\nX-Key = 'plain'", ""),
            (&format!("{far}bearer = 'command:pass show x'"), "runs the command `pass show x` for the bearer token"),
            (&format!("{far}bearer = 'env:AWS_KEY'"), "sends env:AWS_KEY to https://far.example.com"),
            (
                "url = 'http://localhost:1'\nallow-origin = ['http://far.example.com']\nbearer = 'file:/home/me/token'",
                "sends file:/home/me/token to http://far.example.com",
            ),
            (
                "url = 'http://localhost:1'\nproxy = 'http://far.example.com:3128'\n[headers]\nX-Key = 'env:T'",
                "sends credentials through the proxy http://far.example.com:3128",
            ),
            ("report = ['json=../a.json']", "writes to ../a.json, outside its folder"),
            ("trace = '/etc/passwd'", "writes to /etc/passwd, outside its folder"),
            ("trace = '.git/hooks/pre-commit'", "writes to .git/hooks/pre-commit, outside its folder"),
            ("trace = '/dev/null'", ""),
            // An identity that has no part in the run is not read.
            ("[identities.ann]\nbearer = 'command:x'", ""),
            (
                "[identities.ann]\nrole = 'narrow'\nbasic = 'command:x'",
                "runs the command `x` for the password of the identity `ann`",
            ),
        ] {
            let needs = needs(text, &none).join("; ");
            assert!(needs.starts_with(wanted) && needs.is_empty() == wanted.is_empty(), "{text}: {needs}");
        }
        // What the user types is the user's own word.
        assert_eq!(needs(&format!("{far}bearer = 'env:T'"), &at("https://far.example.com/a2a")), [""; 0]);
        let bearer = TargetArgs { bearer: Some("env:T".to_owned()), ..at("https://far.example.com") };
        assert_eq!(needs(far, &bearer), [""; 0]);
        assert_eq!(needs(&format!("{far}insecure = true"), &bearer).len(), 1);
    }
}
