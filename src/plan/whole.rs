//! A plan for tests.

use std::collections::BTreeMap;

use super::{Means, Plan, Selection, make};
use crate::auth::Credentials;
use crate::case::Library;
use crate::interface::{Interface, Listed};
use crate::profile::{self, Binding, Profile};

/// Every case.
pub(crate) fn library() -> Library {
    let profiles = profile::bundled().unwrap();
    let known: Vec<&Profile> = profiles.iter().map(AsRef::as_ref).collect();
    Library::load(None, &known, &crate::judge::oracle::all()).unwrap()
}

/// Every case of 1.0 over two bindings.
pub(crate) fn plan() -> Plan {
    plan_at("http://127.0.0.1:1/").0
}

/// The same with both interfaces at a URL, and these.
pub(crate) fn plan_at(url: &str) -> (Plan, [Listed; 2]) {
    let profiles = profile::bundled().unwrap();
    let library = library();
    let profile = profiles.iter().find(|profile| profile.name() == "1.0").unwrap();
    let listed = [Binding::Jsonrpc, Binding::HttpJson]
        .map(|binding| Listed::named(Interface::new(profile, binding, url.to_owned()).unwrap()));
    let means = Means { has_webhooks: false, lets_in_by_certificate: false, credentials: &Credentials::default() };
    (make(&library, &listed, &BTreeMap::new(), &Selection::default(), means).unwrap(), listed)
}
