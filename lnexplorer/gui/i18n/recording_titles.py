"""Titles of recordings. The program's own are written in English; what somebody else has written stays as it is."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def recording_title(title: str) -> str:
    """A title in the language of the window."""
    phrases = {
        "The default run: ": translate("gallery", "The default run: "),
        "The tutorial's check: ": translate("gallery", "The tutorial's check: "),
        "The lecture's problem: ": translate("gallery", "The lecture's problem: "),
        " with all numbers": translate("gallery", " with all numbers"),
        "float16 buffers": translate("gallery", "float16 buffers"),
        "float32 buffers": translate("gallery", "float32 buffers"),
        ": each store rounds": translate("gallery", ": each store rounds"),
    }
    for phrase, text in phrases.items():
        title = title.replace(phrase, text)
    return title
