# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the parts of a profile agree with each other. docs/profile.md describes
these parts."""


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
    # A program without steps holds variables all the same.
    steps = max(steps, 1)
    bytes_of = [0] * steps
    for entry, after in zip(entries, entries[1:] + [{"step": steps}]):
        assert entry["step"] < after["step"]
        for step in range(entry["step"], after["step"]):
            bytes_of[step] = entry["bytes"]
    return bytes_of


def check_names(profile):
    names = [op["name"] for op in profile["ops"]]
    assert all(names) and len(set(names)) == len(names), names
    for op in profile["ops"]:
        assert op["steps"] == sorted(set(op["steps"])), op


def get_shares(profile, step):
    """The share of each op in a step, by the number of the op."""
    if "shares" in step:
        return {share["op"]: share for share in step["shares"]}
    ops = [n for n, op in enumerate(profile["ops"]) if step["index"] in op["steps"]]
    assert len(ops) == 1, (step, ops)
    return {ops[0]: step}


def check_shares(profile):
    """The shares of each step add up to the step, and are those of its ops."""
    for step in profile["steps"]:
        shares = step.get("shares")
        users = [n for n, op in enumerate(profile["ops"]) if step["index"] in op["steps"]]
        if shares is None:
            assert len(users) == 1, (step, users)
            continue
        assert len(shares) > 1, step
        assert sorted(share["op"] for share in shares) == users, (step, users)
        for key in ("flops", "bytes"):
            assert sum(share[key] for share in shares) == step[key], (step, key)
        assert [sum(c) for c in zip(*(share["cycles"] for share in shares))] == step["cycles"], step


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
        ends = [0] * profile["target"]["ipus"]
        for function, ipu, start, end in timeline["calls"]:
            assert function < len(profile["functions"])
            assert ends[ipu] <= start < end <= profile["cycles"]
            ends[ipu] = end
        if slowest in timeline["replicas"]:
            assert timeline["counts"] == [s["count"] for s in profile["steps"]]


def get_cycles(step, ipu):
    """The cycles of all executions of a step."""
    return step["count"] * step["cycles"][ipu] - step["hidden_cycles"]


def check_totals(profile):
    """Sums over steps, ops, clocks and kinds."""
    clock = profile["clocks"][profile["slowest_clock"]]
    for one in profile["clocks"]:
        kinds = sum(one[kind] for kind in profile["totals"])
        assert one["cycles"] == kinds + one["sync_wait"], one
    assert profile["cycles"] == clock["cycles"] == max(c["cycles"] for c in profile["clocks"])
    for kind, total in profile["totals"].items():
        steps = [s for s in profile["steps"] if s["kind"] == kind]
        assert total["steps"] == sum(s["count"] for s in steps), kind
        for key in ("total_cycles", "flops", "bytes"):
            assert total[key] == sum(s["count"] * s[key] for s in steps), (kind, key)
        assert clock[kind] == sum(op[kind] for op in profile["ops"]), kind
        times = [get_cycles(s, clock["ipu"]) for s in steps if "on_io_tiles" not in s]
        assert clock[kind] == sum(times), kind
    # What I/O tiles do is beside the rest.
    assert clock["io"] == sum(
        get_cycles(s, clock["ipu"]) for s in profile["steps"] if "on_io_tiles" in s
    )
    assert clock["host_hidden"] == sum(s["hidden_cycles"] for s in profile["steps"])
    sums = [dict(cycles=0, flops=0, bytes=0) for _ in profile["ops"]]
    for step in profile["steps"]:
        shares = get_shares(profile, step)
        for number, share in shares.items():
            own = sums[number]
            if "on_io_tiles" not in step:
                own["cycles"] += step["count"] * share["cycles"][clock["ipu"]]
            # Only host copies hide cycles, and they belong to one op.
            if step["hidden_cycles"]:
                assert len(shares) == 1, step
                own["cycles"] -= step["hidden_cycles"]
            own["flops"] += step["count"] * share["flops"]
            own["bytes"] += step["count"] * share["bytes"]
    for op, own in zip(profile["ops"], sums):
        assert op["type"], op
        assert op["cycles"] == sum(op[kind] for kind in profile["totals"]) == own["cycles"], op
        assert op["bytes"] == own["bytes"], op
        assert sum(op["flops"].values()) == own["flops"], op
    assert sum(op["cycles"] for op in profile["ops"]) + clock["sync_wait"] == profile["cycles"]
    for unit, flops in profile["flops"].items():
        assert flops == sum(op["flops"][unit] for op in profile["ops"]), unit


def check_balance(profile):
    """What tiles work is no more than the slowest one does."""
    tiles = profile["target"]["ipus"] * profile["target"]["tiles"]
    for step in profile["steps"]:
        cycles = step.get("tile_cycles")
        if cycles:
            assert len(cycles) == 9 and cycles == sorted(cycles), step
            assert cycles[0] * tiles <= step["total_cycles"] <= cycles[-1] * tiles, step
            assert cycles[-1] <= max(step["cycles"]), step


def check_exchange(profile):
    """What tiles and IPUs exchange is what steps do."""
    exchange, target = profile["exchange"], profile["target"]
    assert all("exchange" in s for s in profile["steps"] if s["kind"] == "exchange")
    steps = [s for s in profile["steps"] if "exchange" in s]
    received = sent = setup = 0
    links = {}
    for step in steps:
        own = step["exchange"]
        assert own["max_received"] <= step["bytes"] and own["max_sent"] <= own["sent"], step
        assert own["sent"] <= step["bytes"], step
        assert (step["bytes"] == 0) == (own["setup_cycles"] == 0 and own["runs"] == 0), step
        assert own["setup_cycles"] <= max(step["cycles"])
        received += step["count"] * step["bytes"]
        sent += step["count"] * own["sent"]
        if step["kind"] == "exchange":
            setup += step["count"] * own["setup_cycles"]
        for a, b, size in own["links"]:
            assert a != b and 0 <= a < target["ipus"] and 0 <= b < target["ipus"] and size > 0
            links[a, b] = links.get((a, b), 0) + step["count"] * size
    assert received == sum((end - begin) * size for begin, end, _, size in exchange["tiles"])
    assert sent == sum((end - begin) * size for begin, end, size, _ in exchange["tiles"])
    assert setup == exchange["setup_cycles"]
    assert {k: v for k, v in links.items() if v} == {(a, b): size for a, b, size in exchange["links"]}
    ends = [0] + [tile for begin, end, *_ in exchange["tiles"] for tile in (begin, end)]
    assert ends == sorted(ends) and ends[-1] <= target["ipus"] * target["tiles"]


def check_code(profile):
    """Codelets and steps are all code of the tile that has most."""
    code, memory = profile["code"], profile["memory"]
    functions = sum(f["bytes"] for f in code["functions"])
    assert functions == sum(s["code_bytes"] for s in profile["steps"])
    names = [c["name"] for c in memory["categories"]]
    tile_class = next(
        c for c in memory["tile_classes"] if any(a <= code["tile"] < b for a, b in c["tiles"])
    )
    bytes_of = dict(zip(names, tile_class["categories"]))
    # Loaded code is not there all the time.
    if not any(s["kind"] == "code" for s in profile["steps"]):
        assert bytes_of["vertex_code"] == sum(c["bytes"] for c in code["codelets"])
        assert bytes_of["exchange_code"] + bytes_of["control_code"] == functions
        assert memory["max_code_bytes"] == functions + bytes_of["vertex_code"] + bytes_of["stack"]


def check_one_op(profile, advice):
    """The step is the one in which the op takes most cycles."""
    ipu = profile["clocks"][profile["slowest_clock"]]["ipu"]
    number, op = next((n, op) for n, op in enumerate(profile["ops"]) if op["name"] == advice["subject"])

    def get_time(index):
        step = profile["steps"][index]
        if "on_io_tiles" in step:
            return -1
        return step["count"] * get_shares(profile, step)[number]["cycles"][ipu]

    assert get_time(advice["step"]) == max(map(get_time, op["steps"])), advice


def check_advice(profile):
    """Rules speak above their limit, and save no more than there is."""
    rules = {r["rule"]: r for r in profile["rules"]}
    assert len(rules) == len(profile["rules"])
    for rule in rules.values():
        assert rule["speaks"] == (rule["applies"] and rule["value"] > rule["limit"]), rule
    assert {a["rule"] for a in profile["advice"]} == {r for r in rules if rules[r]["speaks"]}
    for advice in profile["advice"]:
        assert 0 <= advice["saving"] <= profile["cycles"], advice
        assert 0 <= advice["saving_bytes"] <= profile["memory"]["max_tile_bytes"], advice
        assert -1 <= advice["step"] < len(profile["steps"]), advice
        if advice["rule"] == "one-op":
            check_one_op(profile, advice)
    savings = [a["saving"] for a in profile["advice"] if a["rule"] not in ("code", "memory")]
    assert savings == sorted(savings, reverse=True)


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
        expected = [0] * max(steps, 1)
        for variable in profile["variables"]:
            if variable["always_live"]:
                continue
            for first, last in variable["ranges"]:
                for step in range(first, last + 1):
                    expected[step] += variable[of]
        assert read_curve(memory[key], steps) == expected
    at_peak = read_curve(memory["not_always_live_of_fullest"], steps)
    # By category, the fullest tile has the bytes of its peak, with gaps on top.
    names = [c["name"] for c in memory["categories"]]
    curves = {name: read_curve(c, steps) for name, c in zip(names, memory["live_of_fullest"])}
    assert curves["not_always_live"] == read_curve(memory["not_always_live_of_fullest"], steps)
    for category in memory["categories"]:
        expected = 0 if category["name"] == "gaps" else category["tile_bytes"]
        assert curves[category["name"]][memory["peak_step"]] == expected, category
    live = read_curve(memory["live"], steps)
    assert all(sum(bytes_of) <= most for bytes_of, most in zip(zip(*curves.values()), live))
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


CHECKS = (
    check_names,
    check_shares,
    check_tree,
    check_timelines,
    check_totals,
    check_balance,
    check_exchange,
    check_code,
    check_advice,
    check_memory,
    check_uses,
)


def check(profile):
    for one in CHECKS:
        one(profile)
