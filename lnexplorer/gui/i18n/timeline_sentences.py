"""The sentences about what a recorded timeline, or a figure of a run, cannot be, with places for what changes.

Those with hardly a word of their own come last: the first that fits is taken.
"""

TEMPLATES = (
    "GROUP_SIZE_M and a tile's BLOCK_SIZE_M are {0} and {1}; both are at least 1",
    "row {0} uses lock {1}, not row mod GROUP_SIZE_M, which is {2}",
    "row {0}: {1} is later than {2}, {3} and {4}",
    "row {0} starts before time 0: start_ns is {1}",
    "row {0} held its lock without a try: tries is {1}, and at least 1",
    "the order of lock {0} does not count its rows from 0: row {1} has place {2}, in place of {3}",
    "row {0} comes after row {1} in the order of lock {2}, but held it earlier: held_ns is {3}, and {4}",
    "rows {0} and {1} hold lock {2} at the same time: released_ns is {3}, held_ns {4}",
    "tile {0} ends before it starts: tile_start_ns is {1}, tile_end_ns {2}",
    "tile {0} ends before it starts: it is set up, starts and ends at {1} ns",
    "tile {0} of stage 2 starts before the last row has given its lock back: tile_start_ns is {1}, the last released_ns {2}",
    (
        "the pieces do not hold every row exactly once: there are {0}, and of {1} rows, {2} a piece and each shared by {3}, "
        "there are {4}"
    ),
    "piece {0} is ready before it starts: ready_ns is {1}, start_ns {2}",
    "piece {0} is taken before its program starts: start_ns is {1}, program_start_ns {2}",
    "program {0} starts before time 0: program_start_ns is {1}",
    "program {0} adds sums that it does not have yet: add_begin_ns is {1}, its last ready_ns {2}",
    "program {0} has added before it begins to: add_end_ns is {1}, add_begin_ns {2}",
    "stage 2 starts before the last sums are in memory: tile_start_ns is {0}, the last add_end_ns {1}",
    "{0} is {1}, which is no {2}",
    "{0} is {1}, and row {2} adds {3}, the first to store, which gives {4}, give or take {5}",
    "{0} is {1}, and row {2} adds {3}, after row {4} left {5}, which gives {6}, give or take {7}",
    "{0} is {1}, and the buffers' last values add up to {2}, give or take {3}",
    "{0} of its run is {1} and within its tolerance, and its rows add up to {2}, give or take {3}",
    "{0} of its timeline is {1}; it is at least 1 and at most {2}",
    "it has a timeline of locks, and its run is of {0}; only locked has locks",
    "the buffers of its timeline are of {0}, and of its run of {1}",
    "{0} of its timeline is {1}, and of its run {2}",
    "{0} is of {1} rows of {2} columns, and its run of {3} of {4}",
    "clock of {0} is {1}; one that is {2} has {3}",
    "no clock, as there is no such timeline",
    "tick_ns of {0} is {1}; it is above 0 and below {2}",
    "{0} ends at {1} ns; no reduction takes an hour, {2} ns",
    "{0} of the cost of {1} is {2}; it is above 0 and below {3}",
    "{0} of {1} is {2}; it is at least 1",
    "{0} of {1} has {2}; it is at least 0",
    "{0} of {1} has {2}; it is below {3}",
    "a figure is called {0}, {1}; a direction is one of {2}, a mode one of {3}",
    (
        "an error map of {0} lies outside its tensor: rows from {1} on, {2}, in {3} values, columns from {4} on, {5}, in {6}; "
        "it is of {7}, {8} rows of {9} columns, with at most a value for each"
    ),
    "it has {0}; each is at least 0 and finite",
    "they are {0}; they are above 0, finite, none below the former",
    "{0} of {1} is {2}; it is {3} to {4}",
    "{0} is impossible: {1}",
    "the number of programs",
    "the number of tiles",
    "its timeline of {0}",
    "its timeline",
)
