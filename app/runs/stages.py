"""The stages of a solve in words, for pages and for the terminal."""

from __future__ import annotations

STAGES = {
    "check": "Checking the rules",
    "compile": "Getting ready",
    "embed": "Mapping who gets along",
    "k-means": "Trying tables",
    "search": "Swapping guests",
    "few moves": "Moving as few guests as possible",
    "prove": "Checking for a better plan",
    "bound": "Checking how much better a plan could be",
    "seats": "Choosing seats",
    "map": "Drawing the map",
    "compare": "Comparing good plans",
}


def stage_words(stage: str) -> str:
    """Say what a solve does in this stage."""
    return STAGES.get(stage, stage.capitalize())
