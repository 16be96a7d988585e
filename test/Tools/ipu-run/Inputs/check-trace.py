"""Checks a trace by the rules of the Chrome trace event format, and against the
profile of the same run; then prints its processes, lanes and numbers of events.
Arguments: the trace, which may be compressed, and the profile."""

import gzip
import json
import sys

trace_path, profile_path = sys.argv[1:]
with (gzip.open if trace_path.endswith(".gz") else open)(trace_path, "rt") as file:
    trace = json.load(file)
with open(profile_path) as file:
    profile = json.load(file)
events = trace["traceEvents"]
kinds = ("compute", "exchange", "sync", "host", "collective", "remote", "code")


def to_ns(cycles):
    return cycles * 1000000000 // profile["target"]["clock_hz"]


def get_ns(microseconds):
    assert isinstance(microseconds, (int, float)) and microseconds >= 0
    ns = round(microseconds * 1000)
    assert ns / 1000 == microseconds
    return ns


processes, threads, lanes, flows, counters = {}, {}, {}, {}, {}
for event in events:
    phase, name, pid = event["ph"], event["name"], event["pid"]
    assert isinstance(pid, int) and name and len(name.encode()) <= 200
    assert not any(ord(c) < 32 for c in name), name
    thread = (pid, event.get("tid"))
    if phase == "M":
        value = event["args"]
        if name == "process_name":
            assert pid not in processes
            processes[pid] = value["name"]
        elif name == "thread_name":
            assert thread not in threads
            threads[thread] = value["name"]
        else:
            assert name in ("process_sort_index", "thread_sort_index")
            assert isinstance(value["sort_index"], int)
        continue
    assert pid in processes and thread in threads, event
    start = get_ns(event["ts"])
    if phase == "X":
        lanes.setdefault(thread, []).append((start, start + get_ns(event["dur"]), event))
    elif phase == "C":
        # One value each, and times ascend.
        (value,) = event["args"].values()
        assert isinstance(value, int) and value >= 0
        counter = counters.setdefault((pid, name), [])
        assert not counter or counter[-1] <= start
        counter.append(start)
    elif phase in "sf":
        assert event["cat"] and (phase == "s" or event["bp"] == "e")
        flows.setdefault(event["id"], []).append((phase, thread, start, name))
    else:
        assert phase == "i" and event["s"] == "p", event

for slices in lanes.values():
    # Outer slices come first, and each ends before the ones around it do.
    open_ends, last = [], 0
    for start, end, event in slices:
        assert start >= last, event
        last = start
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], event
        open_ends.append(end)
for flow in flows.values():
    (begin, _, begins, name), (end, _, ends, other) = flow
    assert (begin, end) == ("s", "f") and begins <= ends and name == other
    for _, thread, at, _ in flow:
        assert any(start <= at < end for start, end, _ in lanes[thread])

# Slices of steps are where the profile has them.
for pid, timeline in zip(sorted(processes), profile["timelines"]):
    for number, ipu in enumerate(timeline["ipus"]):
        clock = profile["clocks"][
            timeline["replicas"][0] * profile["target"]["ipus"] + number
        ]
        shown, sums = set(), dict.fromkeys(kinds, 0)
        wait, end = 0, 0
        for thread, slices in lanes.items():
            lane = threads[thread]
            if thread[0] != pid or not lane.startswith(f"IPU {number} "):
                continue
            lane = lane.removeprefix(f"IPU {number} ")
            for start, finish, event in slices:
                end = max(end, finish)
                args = event["args"]
                if lane == "wait":
                    wait += args["cycles"]
                if lane in ("program", "wait"):
                    continue
                step = args["step"]
                assert step not in shown
                shown.add(step)
                assert start == to_ns(ipu["start"][step])
                assert finish == to_ns(ipu["end"][step])
                assert args["count"] == timeline["counts"][step]
                assert args["cycles"] == ipu["end"][step] - ipu["start"][step]
                if lane != "I/O tiles":
                    assert lane == profile["steps"][step]["kind"]
                    sums[lane] += args["cycles"]
        assert end == to_ns(clock["cycles"]), (end, clock)
        assert wait <= clock["sync_wait"], (wait, clock)
        if all(count <= 1 for count in timeline["counts"]):
            ran = {s for s, count in enumerate(timeline["counts"]) if count}
            assert shown == ran
            assert wait == clock["sync_wait"]
            for kind in kinds:
                assert sums[kind] == clock[kind]

for pid, process in processes.items():
    print(process)
    for thread, lane in threads.items():
        if thread[0] == pid:
            print(" ", lane, len(lanes.get(thread, [])))
    for (counter_pid, counter), values in counters.items():
        if counter_pid == pid:
            print("  counter:", counter, len(values))
print("flows", len(flows))
