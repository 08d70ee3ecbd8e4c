"""Conformance tests for the Agent2Agent (A2A) protocol, and a reference agent to test clients with."""

from .agent import ReferenceAgent
from .locate import A2aspecError, program

__all__ = ["A2aspecError", "ReferenceAgent", "program"]
