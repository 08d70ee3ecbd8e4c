//! Signatures of cards between this program and published SDKs: what one side signs, the other verifies.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;

use a2a_reference_agent::{Config, Version, public_keys};
use a2aspec::yaml;
use libtest_mimic::Failed;
use serde::Deserialize;
use serde_json::{Value, json};

use super::deadline::run;
use super::made::folder;
use super::program::{self, Folder};
use super::recorder::Agent;

/// How long an SDK may take with all cards.
const PATIENCE: Duration = Duration::from_secs(240);

/// The file `signatures/cards.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cards {
    card: Value,
    cards: BTreeMap<String, Value>,
    otherwise: Vec<Otherwise>,
}

/// Cards of which the SDKs make another canonical form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Otherwise {
    cards: BTreeSet<String>,
    why: String,
}

/// One line of a program on an SDK.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Line {
    Verified { verified: String, saw: String },
    Signed { signed: String, card: Value },
}

/// Holds what both sides make of the cards against each other; `sdk` starts the program on the SDK.
pub fn check(sdk: Command) -> Result<(), Failed> {
    let cards = cards()?;
    let files = Folder::new();
    let keys = keys()?;
    let ours = Ours { files: &files, keys: &keys };
    let (mut verify, mut sign) = (BTreeMap::new(), BTreeMap::new());
    for (number, (name, card)) in cards.all().into_iter().enumerate() {
        // Each kind of key signs several cards.
        let key = text(&keys[number % keys.len()], "kid");
        verify.insert(name.clone(), ours.sign(&files.write("card.json", &card.to_string()), key)?);
        sign.insert(name, (card, key.to_owned()));
    }
    verify.append(&mut of_reference_agents(&ours, text(&keys[0], "kid"))?);
    let of_agents = public_keys()["keys"].as_array().cloned().unwrap_or_default();
    let known: Vec<Value> = keys.iter().cloned().chain(of_agents).collect();
    let asked = files.write("asked.json", &json!({ "keys": known, "verify": verify, "sign": sign }).to_string());
    let mut held = BTreeMap::new();
    for line in lines(sdk, &asked)? {
        match line {
            Line::Verified { verified, saw } => held.insert(format!("{verified} verified by the SDK"), saw == "holds"),
            Line::Signed { signed, card } => {
                let is_held = ours.verifies(&card, &sign[&signed].1)?;
                held.insert(format!("{signed} signed by the SDK"), is_held)
            }
        };
    }
    let otherwise = |name: &str| cards.otherwise.iter().any(|one| one.cards.contains(name));
    let of_sdk = verify.keys().map(|name| (format!("{name} verified by the SDK"), !otherwise(name)));
    let of_ours = sign.keys().map(|name| (format!("{name} signed by the SDK"), !otherwise(name)));
    let expected: BTreeMap<String, bool> = of_sdk.chain(of_ours).collect();
    if held == expected { Ok(()) } else { Err(format!("holds {held:#?}, expected {expected:#?}").into()) }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn cards() -> Result<Cards, Failed> {
    let file = std::fs::read_to_string(folder().join("signatures/cards.yaml"))?;
    let cards: Cards = yaml::read("cards.yaml", &file).map_err(|mistake| mistake.message)?;
    for Otherwise { cards: names, why } in &cards.otherwise {
        if why.is_empty() || !names.iter().all(|name| cards.cards.contains_key(name)) {
            return Err(format!("{names:?} is not argued, or names no card").into());
        }
    }
    Ok(cards)
}

impl Cards {
    fn all(&self) -> BTreeMap<String, Value> {
        let changed = |changes: &Value| {
            let mut card = self.card.clone();
            change(&mut card, changes);
            card
        };
        self.cards.iter().map(|(name, changes)| (name.clone(), changed(changes))).collect()
    }
}

/// Changes members as RFC 7396 does.
fn change(value: &mut Value, changes: &Value) {
    let (Value::Object(members), Value::Object(changes)) = (&mut *value, changes) else {
        *value = changes.clone();
        return;
    };
    for (name, changes) in changes {
        match changes {
            Value::Null => _ = members.remove(name),
            changes => change(members.entry(name.clone()).or_insert_with(|| json!({})), changes),
        }
    }
}

/// Private keys, each named after the algorithm by which it signs.
fn keys() -> Result<Vec<Value>, Failed> {
    let keys: Value = serde_json::from_slice(&std::fs::read(folder().join("signatures/keys.json"))?)?;
    Ok(keys["keys"].as_array().cloned().unwrap_or_default())
}

/// The cards of the reference agent: for 1.0 alone, and for 0.3 as well. Each with its own signature, and with ours.
fn of_reference_agents(ours: &Ours<'_>, key: &str) -> Result<BTreeMap<String, Value>, Failed> {
    let mut all = BTreeMap::new();
    for (name, only) in [("of the agent for 1.0", Some(Version::V1_0)), ("of the agent", None)] {
        let agent = Agent::start(Config { only, ..Config::default() })?;
        let card = ours.sign(&agent.url, key)?;
        let [own, more] =
            card["signatures"].as_array().cloned().unwrap_or_default().try_into().map_err(|all: Vec<Value>| {
                format!("{} signatures in a card that the agent signed, and we", all.len())
            })?;
        for (whose, signature) in [("own", own), ("ours", more)] {
            let mut card = card.clone();
            card["signatures"] = json!([signature]);
            all.insert(format!("{name}, {whose}"), card);
        }
    }
    Ok(all)
}

/// This program.
struct Ours<'a> {
    files: &'a Folder,
    keys: &'a [Value],
}

impl Ours<'_> {
    fn key(&self, name: &str) -> Result<String, Failed> {
        let key = self.keys.iter().find(|key| text(key, "kid") == name).ok_or("no such key")?;
        Ok(self.files.write("key.json", &key.to_string()))
    }

    /// A card, given by its file or the URL of its agent, with one signature more.
    fn sign(&self, card: &str, key: &str) -> Result<Value, Failed> {
        let ran =
            program::run(&["card", "sign", card, "--profile", "1.0", "--key", &self.key(key)?, "--kid", key], &[]);
        if ran.code == 0 { Ok(serde_json::from_str(&ran.stdout)?) } else { Err(ran.stderr.into()) }
    }

    /// Whether the signature of a card holds.
    fn verifies(&self, card: &Value, key: &str) -> Result<bool, Failed> {
        let file = self.files.write("card.json", &card.to_string());
        let ran = program::run(&["card", "verify", &file, "--profile", "1.0", "--key", &self.key(key)?], &[]);
        match ran.code {
            0 | 1 if ran.stderr.is_empty() => Ok(ran.code == 0),
            _ => Err(ran.stderr.into()),
        }
    }
}

fn lines(mut sdk: Command, asked: &str) -> Result<Vec<Line>, Failed> {
    let done = run(sdk.arg(asked), PATIENCE)?;
    if done.code != Some(0) {
        return Err(format!("the program on the SDK failed: {done}").into());
    }
    Ok(done.stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}
