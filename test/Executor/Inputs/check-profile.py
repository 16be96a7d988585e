"""Checks that the parts of profiles, each file an argument, agree."""

import json
import sys


def walk(nodes, visit):
    """Calls `visit` with each step and its bodies or function, in order."""
    for node in nodes:
        if isinstance(node, int):
            node = {"step": node}
        for body in node.get("bodies", []):
            walk(body, visit)
        visit(node)


def read_curve(entries, steps):
    """The bytes of each step."""
    bytes_of = [0] * steps
    for entry, after in zip(entries, entries[1:] + [{"step": steps}]):
        assert entry["step"] < after["step"]
        for step in range(entry["step"], after["step"]):
            bytes_of[step] = entry["bytes"]
    return bytes_of


def check_names(profile):
    names = [op["name"] for op in profile["ops"]]
    assert all(names) and len(set(names)) == len(names), names
    steps = sorted(step for op in profile["ops"] for step in op["steps"])
    assert steps == list(range(len(profile["steps"])))


def check_tree(profile):
    seen, called = [], set()

    def visit(node):
        seen.append(node["step"])
        if "function" in node:
            function = node["function"]
            if function not in called:
                called.add(function)
                walk(profile["functions"][function]["body"], visit)

    walk(profile["program"], visit)
    for function in range(len(profile["functions"])):
        visit({"step": -1, "function": function})
    seen = [step for step in seen if step >= 0]
    assert sorted(seen) == list(range(len(profile["steps"]))), seen


def check_timelines(profile):
    replicas = [r for t in profile["timelines"] for r in t["replicas"]]
    assert sorted(replicas) == list(range(profile["target"]["replicas"]))
    slowest = profile["clocks"][profile["slowest_clock"]]["replica"]
    for timeline in profile["timelines"]:
        assert len(timeline["ipus"]) == profile["target"]["ipus"]
        for number, ipu in enumerate(timeline["ipus"]):
            rows = zip(ipu["start"], ipu["end"], ipu["last_end"])
            for step, (start, end, last) in zip(profile["steps"], rows):
                count = timeline["counts"][step["index"]]
                if count == 0:
                    assert (start, end, last) == (-1, -1, -1)
                    continue
                assert 0 <= start <= end <= last <= profile["cycles"]
                assert count > 1 or last == end
                if step["kind"] != "host":
                    assert end - start == step["cycles"][number], step
        if slowest in timeline["replicas"]:
            assert timeline["counts"] == [s["count"] for s in profile["steps"]]


def check_memory(profile):
    memory, steps = profile["memory"], len(profile["steps"])
    tiles = profile["target"]["ipus"] * profile["target"]["tiles"]
    covered = sorted(
        (begin, end) for c in memory["tile_classes"] for begin, end in c["tiles"]
    )
    assert covered[0][0] == 0 and covered[-1][1] == tiles
    assert all(a[1] == b[0] for a, b in zip(covered, covered[1:]))
    totals = [0] * len(memory["categories"])
    for tile_class in memory["tile_classes"]:
        count = sum(end - begin for begin, end in tile_class["tiles"])
        assert sum(tile_class["categories"]) == tile_class["bytes"]
        for i, number in enumerate(tile_class["categories"]):
            totals[i] += count * number
    assert totals == [c["total_bytes"] for c in memory["categories"]]
    assert memory["classes"] == len(memory["tile_classes"])
    for key, of in (
        ("not_always_live", "bytes"),
        ("not_always_live_of_fullest", "fullest_tile_bytes"),
    ):
        expected = [0] * steps
        for variable in profile["variables"]:
            if variable["always_live"]:
                continue
            for first, last in variable["ranges"]:
                for step in range(first, last + 1):
                    expected[step] += variable[of]
        assert read_curve(memory[key], steps) == expected
    at_peak = read_curve(memory["not_always_live_of_fullest"], steps)
    if steps:
        category = next(
            c for c in memory["categories"] if c["name"] == "not_always_live"
        )
        assert at_peak[memory["peak_step"]] == category["tile_bytes"]


def check_uses(profile):
    for step in profile["steps"]:
        for variable in step["reads"] + step["writes"]:
            assert any(
                first <= step["index"] <= last
                for first, last in profile["variables"][variable]["ranges"]
            ), (step, profile["variables"][variable])


for path in sys.argv[1:]:
    with open(path) as file:
        profile = json.load(file)
    for check in (check_names, check_tree, check_timelines, check_memory, check_uses):
        check(profile)
