"""Edits of a profile of LeNet that no run could write, each with what is said of it. The
program and the page of a report say the same."""

import copy


def set_at(path, value):
    """An edit that puts `value` at a path of keys and indices."""

    def edit(profile):
        *outer, last = path
        for key in outer:
            profile = profile[key]
        profile[last] = value

    return edit


def remove_at(path):
    def edit(profile):
        *outer, last = path
        for key in outer:
            profile = profile[key]
        del profile[last]

    return edit


def get_edits(profile):
    """Pairs of an edited profile and the message, which follows the name of the file."""
    steps, variables = len(profile["steps"]), len(profile["variables"])
    tiles = profile["target"]["tiles"]
    last_step, last_variable, last_tile = steps - 1, variables - 1, tiles - 1
    exchange = next(s["index"] for s in profile["steps"] if "exchange" in s)
    edits = [
        (set_at(["target", "tiles"], -5), "'target.tiles': expects an integer of at least 1 but got -5"),
        (
            set_at(["target", "tiles"], 2**40),
            "'target': expects at most 1048576 tiles of a replica but got 1 IPUs of 1099511627776 tiles",
        ),
        (set_at(["target", "tiles"], 1.5), "'target.tiles': expects an integer of at least 1 but got 1.5"),
        (remove_at(["target", "tiles"]), "'target.tiles': expects number but got nothing"),
        (set_at(["target", "tiles"], tiles + 1), f"'memory.tile_classes': expects each tile to be in a class but got tile {tiles} in none"),
        (set_at(["target", "replicas"], 2), "'clocks': expects 2 elements but got 1"),
        (remove_at(["target"]), "'target': expects object but got nothing"),
        (set_at(["steps"], {}), "'steps': expects array but got object"),
        (set_at(["slowest_clock"], 10**6), "'slowest_clock': expects an integer from 0 to 0 but got 1000000"),
        (set_at(["clocks", 0, "ipu"], 1), "'clocks[0].ipu': expects an integer from 0 to 0 but got 1"),
        (set_at(["ops", 0, "steps"], [10**6]), f"'ops[0].steps[0]': expects an integer from 0 to {last_step} but got 1000000"),
        (set_at(["ops", 0, "steps"], []), "'ops': expects each step to be in an op but got step"),
        (set_at(["advice", 0, "step"], -2), f"'advice[0].step': expects an integer from -1 to {last_step} but got -2"),
        (set_at(["memory", "peak_step"], steps), f"'memory.peak_step': expects an integer from 0 to {last_step} but got {steps}"),
        (set_at(["memory", "fullest_tile"], tiles), f"'memory.fullest_tile': expects an integer from 0 to {last_tile} but got {tiles}"),
        (set_at(["memory", "largest", 0, "variable"], variables), f"'memory.largest[0].variable': expects an integer from 0 to {last_variable} but got {variables}"),
        (set_at(["memory", "live", 0, "step"], steps), f"'memory.live[0].step': expects an integer from 0 to {last_step} but got {steps}"),
        (
            set_at(["memory", "tile_classes", 0, "tiles", 0, 1], tiles + 1),
            f"'memory.tile_classes[0].tiles[0][1]': expects an integer from 0 to {tiles} but got {tiles + 1}",
        ),
        (set_at(["memory", "tile_classes", 0, "categories"], [1]), "'memory.tile_classes[0].categories': expects 9 elements but got 1"),
        (set_at(["memory", "tile_classes"], []), "'memory.tile_classes': expects each tile to be in a class but got tile 0 in none"),
        (set_at(["code", "tile"], tiles), f"'code.tile': expects an integer from 0 to {last_tile} but got {tiles}"),
        (set_at(["exchange", "tiles", 0], [0, 1, 2]), "'exchange.tiles[0]': expects 4 elements but got 3"),
        (set_at(["exchange", "links"], [[0, 1, 4]]), "'exchange.links[0][1]': expects an integer from 0 to 0 but got 1"),
        (set_at(["variables", 0, "ranges"], [[0, steps]]), f"'variables[0].ranges[0][1]': expects an integer from 0 to {last_step} but got {steps}"),
        (set_at(["steps", 1, "index"], 0), "'steps[1].index': expects 1 but got 0"),
        (set_at(["steps", 1, "kind"], "x"), "'steps[1].kind': expects a key of 'totals' but got 'x'"),
        (set_at(["steps", 0, "cycles"], "x"), "'steps[0].cycles': expects array but got string"),
        (set_at(["steps", 0, "cycles"], [1, 2]), "'steps[0].cycles': expects 1 elements but got 2"),
        (set_at(["steps", 0, "count"], None), "'steps[0].count': expects number but got null"),
        (set_at(["steps", 0, "reads"], [variables]), f"'steps[0].reads[0]': expects an integer from 0 to {last_variable} but got {variables}"),
        (
            set_at(["steps", exchange, "exchange", "busiest_receiver"], tiles),
            f"'steps[{exchange}].exchange.busiest_receiver': expects an integer from 0 to {last_tile} but got {tiles}",
        ),
        (set_at(["steps", 0, "exchange"], 1), "'steps[0].exchange': expects object but got number"),
        (set_at(["timelines", 0, "replicas"], []), "'timelines': expects a timeline of replica 0 but got none"),
        (set_at(["timelines", 0, "counts"], [1]), f"'timelines[0].counts': expects {steps} elements but got 1"),
        (set_at(["timelines", 0, "ipus", 0, "start", 0], -2), "'timelines[0].ipus[0].start[0]': expects an integer of at least -1 but got -2"),
        (set_at(["program", 0], steps), f"'program[0]': expects an integer from 0 to {last_step} but got {steps}"),
        (set_at(["program", 0], "x"), "'program[0]': expects number but got string"),
        (set_at(["program", 0], {"step": 0, "function": 0}), "'program[0].function': expects an integer from 0 to -1 but got 0"),
        (set_at(["program", 0], {"step": 0, "bodies": [1]}), "'program[0].bodies[0]': expects array but got number"),
        (set_at(["program", 0], {"step": 0, "bodies": [[0], [-1]]}), f"'program[0].bodies[1][0]': expects an integer from 0 to {last_step} but got -1"),
    ]
    for edit, message in edits:
        edited = copy.deepcopy(profile)
        edit(edited)
        yield edited, message
