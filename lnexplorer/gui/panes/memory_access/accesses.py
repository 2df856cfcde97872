"""The page of what one program touches: its accesses, and the bytes that they ask for."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from lnexplorer.domain.jobs import Touched
from lnexplorer.domain.wording import bytes_text
from lnexplorer.gui.kit.languages import Retranslated
from lnexplorer.gui.kit.widgets import WrappedLabel, lay_column
from lnexplorer.gui.panes.memory_access.strips import Strips, detail_of
from lnkernels.values.sentence import Sentence, say


class AccessPage(Retranslated, QWidget):
    """The program, its accesses, the one that is chosen, and the bytes."""

    lineChosen = Signal(str, int)  # file and line of the access

    def __init__(self) -> None:
        super().__init__()
        # Offsets and masks are what is looked for: nothing is left out.
        self.about = WrappedLabel()
        self.strips = Strips()
        self.detail = WrappedLabel()
        self.bytes = WrappedLabel()
        self._touched: Touched | None = None
        for label in (self.about, self.detail):
            label.setProperty("look", "muted")
            # As high as its lines, and no higher.
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.write_on(
            self.strips,
            tip=say(
                "Filled is written, framed is read, grey is masked. Click, or use the arrow keys,"
                " to see the line of code."
            ),
            name=say("Loads and stores in their order"),
        )
        self.strips.chosen.connect(self._on_chosen)
        lay_column(self, self.about, (self.strips, 1), self.detail, self.bytes)

    def show_kernel(self, touched: Touched, kernel: str) -> None:
        """Show the accesses of one of KERNELS."""
        self._touched = touched
        self.strips.show_accesses(touched, kernel)
        about = _program(touched, kernel)
        self.write_on(self.about, about, about)
        self.write_on(self.bytes, _bytes(touched, kernel))

    def _on_chosen(self, place: int) -> None:
        if self._touched is not None:
            access = self.strips.accesses[place]
            detail = detail_of(access, self._touched)
            self.write_on(self.detail, detail, detail)
            self.lineChosen.emit(access.file, access.line)


def _program(touched: Touched, kernel: str) -> Sentence:
    launch, n, row = touched.resolved.launch, touched.resolved.n, touched.request.row
    if kernel == "forward":
        return say(
            "program {row}: three walks, each of {steps} × BLOCK_SIZE = {block} lanes",
            row=row,
            steps=-(-n // launch.block_size),
            block=launch.block_size,
        )
    if kernel == "stage1":
        return say(
            "program {row}: lock and buffer {row} mod {group} = {lock}, BLOCK_SIZE_N = {block}"
            " lanes",
            row=row,
            group=launch.group_size_m,
            lock=row % launch.group_size_m,
            block=launch.block_size_n,
        )
    width = launch.reduce_block_size_n
    tile = touched.request.column // width
    return say(
        "program {tile}: columns {first} … {last}, buffers: {buffers}, BLOCK_SIZE_M × BLOCK_SIZE_N"
        " = {block}",
        tile=tile,
        first=tile * width,
        last=min((tile + 1) * width, n) - 1,
        buffers=touched.buffers,
        block=f"{launch.reduce_block_size_m} × {width}",
    )


def _bytes(touched: Touched, kernel: str) -> Sentence:
    requested, least = touched.bytes_of_pass(kernel)
    sizes = {"own": touched.bytes_of(kernel), "all": requested, "least": least}
    texts = {name: bytes_text(size) for name, size in sizes.items()}
    if kernel == "forward":
        return say(
            "A row asks for {own}, the forward pass for {all}; the least is {least}: x and y once.",
            **texts,
        )
    if kernel == "stage1":
        return say(
            "A row asks for {own}, both stages for {all}; the least is {least}: x, dy and dx once.",
            **texts,
        )
    return say(
        "These columns ask for {own}, both stages for {all}; the least is {least}: x, dy and dx"
        " once.",
        **texts,
    )
