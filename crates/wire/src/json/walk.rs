//! Every value of a document with its pointer, without recursion.

use std::iter::Enumerate;
use std::slice;

use super::{Kind, Member, Node, pointer};

/// The iterator behind [`Document::walk`](super::Document::walk).
pub struct Walk<'a> {
    root: Option<&'a Node>,
    levels: Vec<Level<'a>>,
    pointer: String,
}

struct Level<'a> {
    /// Length of the parent's pointer.
    parent: usize,
    children: Children<'a>,
}

enum Children<'a> {
    Items(Enumerate<slice::Iter<'a, Node>>),
    Members(slice::Iter<'a, Member>),
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a Node) -> Self {
        Self { root: Some(root), levels: Vec::new(), pointer: String::new() }
    }

    /// Goes to the next value; [`Walk::pointer`] is then its pointer.
    pub(super) fn advance(&mut self) -> Option<&'a Node> {
        if let Some(root) = self.root.take() {
            self.descend(root);
            return Some(root);
        }
        loop {
            let level = self.levels.last_mut()?;
            self.pointer.truncate(level.parent);
            let child = match &mut level.children {
                Children::Items(items) => items.next().map(|(index, item)| {
                    pointer::push(&mut self.pointer, &index.to_string());
                    item
                }),
                Children::Members(members) => members.next().map(|member| {
                    pointer::push(&mut self.pointer, member.key.as_str());
                    &member.value
                }),
            };
            match child {
                Some(node) => {
                    self.descend(node);
                    return Some(node);
                }
                None => {
                    self.levels.pop();
                }
            }
        }
    }

    pub(super) fn pointer(&self) -> &str {
        &self.pointer
    }

    fn descend(&mut self, node: &'a Node) {
        let children = match &node.kind {
            Kind::Array(items) => Children::Items(items.iter().enumerate()),
            Kind::Object(members) => Children::Members(members.iter()),
            _ => return,
        };
        self.levels.push(Level { parent: self.pointer.len(), children });
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = (String, &'a Node);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.advance()?;
        Some((self.pointer.clone(), node))
    }
}
