"""Parses a file by the grammar of its language: parse.py groovy|nix|ruby FILE. Exit code 1: it cannot be parsed, and where."""

import importlib
import sys
from pathlib import Path

from tree_sitter import Language, Node, Parser

grammar = importlib.import_module(f"tree_sitter_{sys.argv[1]}")
text = Path(sys.argv[2]).read_bytes()
tree = Parser(Language(grammar.language())).parse(text)


def mistakes(node: Node) -> list[Node]:
    """Return the parts of a tree that the grammar does not have, or that are missing."""
    own = [node] if node.is_error or node.is_missing else []
    return own + [found for child in node.children if child.has_error for found in mistakes(child)]


found = mistakes(tree.root_node)
for node in found:
    print(f"{sys.argv[2]}:{node.start_point[0] + 1}: cannot be parsed: {text[node.start_byte:node.end_byte][:60]!r}")
sys.exit(bool(found))
