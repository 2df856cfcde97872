"""Large letters are those that Qt draws, only sooner."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication

from lnexplorer.gui.charts.theme import FAMILIES
from lnexplorer.gui.lecture.sheet import CENTRE, LEFT, RIGHT, TOP, draw_large, is_large

TEXT = "A lock keeps a buffer's load, add and store together.\nÄ 每把锁 12.5 µs → 4 × dw"
ROOM = QRectF(20, 30, 700, 400)


def font(pixels: int, *, bold: bool = False) -> QFont:
    found = QFont(FAMILIES)
    found.setPixelSize(pixels)
    found.setBold(bold)
    return found


def page(ratio: float) -> QImage:
    image = QImage(round(760 * ratio), round(460 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("black"))
    return image


def light(image: QImage) -> np.ndarray:
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return data[..., 1].astype(float)


@pytest.mark.parametrize("align", [LEFT, RIGHT, CENTRE, TOP])
@pytest.mark.parametrize(("pixels", "ratio"), [(70, 1.0), (40, 2.0)])
@pytest.mark.parametrize("bold", [False, True])
def test_it_looks_as_qt_would_have_drawn_it(
    align: Qt.AlignmentFlag, pixels: int, ratio: float, bold: bool, qapp: QApplication
) -> None:
    images = [page(ratio) for _ in range(2)]
    for image, own in zip(images, (True, False), strict=True):
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        assert is_large(painter, font(pixels))
        if own:
            draw_large(painter, ROOM, align, TEXT, font(pixels, bold=bold), QColor("white"))
        else:
            painter.setFont(font(pixels, bold=bold))
            painter.setPen(QColor("white"))
            flags = int(align) | int(Qt.TextFlag.TextWordWrap) | int(Qt.TextFlag.TextDontClip)
            painter.drawText(ROOM, flags, TEXT)
        painter.end()
    mine, theirs = map(light, images)
    assert mine.sum() == pytest.approx(theirs.sum(), rel=0.06)
    # Half a pixel to a side changes edges and nothing else.
    assert abs(mine - theirs).sum() < 0.35 * theirs.sum()
    for axis in (0, 1):
        ink = [np.flatnonzero(each.sum(axis) > 0) for each in (mine, theirs)]
        assert abs(ink[0][[0, -1]] - ink[1][[0, -1]]).max() <= 2, "the same place"


def test_small_letters_and_scaled_down_pages_are_left_to_qt(qapp: QApplication) -> None:
    image = page(1.0)
    painter = QPainter(image)
    assert not is_large(painter, font(40))
    painter.scale(0.25, 0.25)
    assert not is_large(painter, font(100))
    painter.rotate(20)
    assert not is_large(painter, font(400))
    painter.end()


def test_a_space_has_no_picture_and_takes_its_room(qapp: QApplication) -> None:
    ends = []
    for text in ("ab", "a  b"):
        image = page(1.0)
        painter = QPainter(image)
        draw_large(painter, ROOM, TOP, text, font(80), QColor("white"))
        painter.end()
        ends.append(np.flatnonzero(light(image).sum(0) > 0)[-1])
    assert ends[1] - ends[0] == pytest.approx(QFontMetricsF(font(80)).horizontalAdvance("  "), abs=2)
