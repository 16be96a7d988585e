"""Edits of a profile of LeNet that no run could write, each with what is said of it, and
edits that change nothing. The program and the page of a report say the same."""

import copy

MISSING = object()
MOST_TILES = 2**20


def describe(path):
    """A path of keys and indices as text: steps[0].cycles."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def edit(profile, path, value):
    *outer, last = path
    for key in outer:
        profile = profile[key]
    if value is MISSING:
        del profile[last]
    else:
        profile[last] = value


def expect(most, value, least=0):
    return f"expects an integer from {least} to {most} but got {value}"


def list_edits(profile):
    """Yields a path, the value that is put there, the path that the message names, as the
    path or as a text after it, and what it says of it."""
    steps, variables = len(profile["steps"]), len(profile["variables"])
    tiles = profile["target"]["tiles"]
    step, variable, tile = steps - 1, variables - 1, tiles - 1
    exchange = next(s["index"] for s in profile["steps"] if "exchange" in s)

    # What all other parts depend on.
    target = ("target", "tiles")
    yield target, -5, "", "expects an integer of at least 1 but got -5"
    yield target, 1.5, "", "expects an integer of at least 1 but got 1.5"
    yield target, MISSING, "", "expects number but got nothing"
    most = f"expects at most {MOST_TILES} tiles of a replica"
    yield target, 2**40, ("target",), f"{most} but got 1 IPUs of {2**40} tiles"
    in_class = "expects each tile to be in a class but got tile"
    classes = ("memory", "tile_classes")
    yield target, tiles + 1, classes, f"{in_class} {tiles} in none"
    yield ("target", "replicas"), 2, ("clocks",), "expects 2 elements but got 1"
    yield ("target",), MISSING, "", "expects object but got nothing"
    yield ("steps",), {}, "", "expects array but got object"

    yield ("slowest_clock",), 10**6, "", expect(0, 10**6)
    yield ("clocks", 0, "ipu"), 1, "", expect(0, 1)
    yield ("ops", 0, "steps"), [10**6], "[0]", expect(step, 10**6)
    yield ("ops", 0, "steps"), [], ("ops",), "expects each step to be in an op but got step"
    yield ("advice", 0, "step"), -2, "", expect(step, -2, least=-1)

    yield ("memory", "peak_step"), steps, "", expect(step, steps)
    yield ("memory", "fullest_tile"), tiles, "", expect(tile, tiles)
    yield ("memory", "largest", 0, "variable"), variables, "", expect(variable, variables)
    yield ("memory", "live", 0, "step"), steps, "", expect(step, steps)
    yield ("memory", "live_of_fullest"), [], "", "expects 9 elements but got 0"
    yield ("memory", "live_of_fullest", 0, 0, "step"), -1, "", expect(step, -1)
    yield (*classes, 0, "tiles", 0, 1), tiles + 1, "", expect(tiles, tiles + 1)
    yield (*classes, 0, "categories"), [1], "", "expects 9 elements but got 1"
    yield classes, [], "", f"{in_class} 0 in none"
    yield ("code", "tile"), tiles, "", expect(tile, tiles)
    yield ("exchange", "tiles", 0), [0, 1, 2], "", "expects 4 elements but got 3"
    yield ("exchange", "links"), [[0, 1, 4]], "[0][1]", expect(0, 1)
    yield ("variables", 0, "ranges"), [[0, steps]], "[0][1]", expect(step, steps)

    yield ("steps", 1, "index"), 0, "", "expects 1 but got 0"
    yield ("steps", 1, "kind"), "x", "", "expects a key of 'totals' but got 'x'"
    yield ("steps", 0, "cycles"), "x", "", "expects array but got string"
    yield ("steps", 0, "cycles"), [1, 2], "", "expects 1 elements but got 2"
    yield ("steps", 0, "count"), None, "", "expects number but got null"
    yield ("steps", 0, "reads"), [variables], "[0]", expect(variable, variables)
    receiver = ("steps", exchange, "exchange", "busiest_receiver")
    yield receiver, tiles, "", expect(tile, tiles)
    yield ("steps", 0, "exchange"), 1, "", "expects object but got number"

    timeline = ("timelines", 0)
    no_timeline = "expects a timeline of replica 0 but got none"
    yield (*timeline, "replicas"), [], ("timelines",), no_timeline
    yield (*timeline, "counts"), [1], "", f"expects {steps} elements but got 1"
    start = (*timeline, "ipus", 0, "start", 0)
    yield start, -2, "", "expects an integer of at least -1 but got -2"
    no_call = "expects no index, as there are no functions, but got 0"
    yield (*timeline, "calls"), [[0, 0, 0, 1]], "[0][0]", no_call
    node = ("program", 0)
    yield node, steps, "", expect(step, steps)
    yield node, "x", "", "expects number but got string"
    no_function = "expects no index, as there are no functions, but got 0"
    yield node, {"step": 0, "function": 0}, ".function", no_function
    yield node, {"step": 0, "bodies": [1]}, ".bodies[0]", "expects array but got number"
    yield node, {"step": 0, "bodies": [[0], [-1]]}, ".bodies[1][0]", expect(step, -1)


def get_edits(profile):
    """Yields edited profiles, each with the message, which follows the name of the file."""
    for path, value, where, text in list_edits(profile):
        edited = copy.deepcopy(profile)
        edit(edited, path, value)
        named = describe(path) + where if isinstance(where, str) else describe(where)
        yield edited, f"'{named}': {text}"
    # Half of a character is no text, also where no view shows it.
    yield {**profile, "more": "\ud800"}, "expects a profile but got invalid or truncated JSON"


def get_equal(profile):
    """Yields edited profiles that say the same as `profile`."""
    edited = copy.deepcopy(profile)
    # JavaScript cannot tell how an integer is written.
    edited["version"] = float(edited["version"])
    edited["cycles"] = float(edited["cycles"])
    edited["steps"][0]["count"] = float(edited["steps"][0]["count"])
    edited["ops"][0]["steps"] = [float(step) for step in edited["ops"][0]["steps"]]
    yield edited
    yield {**profile, "more": "\U0001f600 \\ud800"}
