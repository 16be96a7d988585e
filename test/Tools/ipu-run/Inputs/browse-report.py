"""Opens reports in headless Chromium, one after the other, and compares what their views
show with the profiles. Each argument is REPORT,PROFILE or, if the report compares,
REPORT,PROFILE,SECOND. Prints the views that agree, a line for each report. Of reports after
--no-pictures no pictures are saved, which takes most of the time; of those after --numbers it
looks at the numbers of views only."""

import json
import math
import os
import pathlib
import re
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "utils"))
import report_browser  # noqa: E402

driver = None
saves_pictures, only_numbers = True, False


def number(text):
    """The first number of a text with groups of digits."""
    return int(re.search(r"-?[\d,]+", text).group().replace(",", ""))


def find(selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def click(selector):
    # Not by the pointer, for which rows that scroll into sight are made anew.
    driver.execute_script("arguments[0].click()", find(selector))


def cells(selector):
    """The texts of the cells of each row that is made."""
    return driver.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
        ".filter(r => !r.hasAttribute('aria-hidden'))"
        ".map(r => [...r.cells].map(c => c.textContent));",
        selector,
    )


def column(label, title):
    """The numbers of a column of a table that is made as it scrolls."""
    headers = driver.execute_script(
        "return [...document.querySelectorAll(arguments[0] + ' th')].map(c => c.textContent)",
        f"table[aria-label='{label}']",
    )
    at = headers.index(title)
    return [row[at] for row in cells(f"table[aria-label='{label}']")]


def show(hash_text):
    report_browser.show(driver, hash_text)
    text = find("#view").text
    for wrong in ("[object", "undefined", "NaN"):
        assert wrong not in text, (hash_text, wrong)
    # Nothing is cut off at the side, and the page has no bar to scroll there.
    widths = driver.execute_script(
        "const { scrollWidth, clientWidth } = document.documentElement; return [scrollWidth, clientWidth]"
    )
    assert widths[0] <= widths[1], (hash_text, widths)


def wait_for(holds, what="it"):
    report_browser.wait_for(driver, holds, what)


def sum_curve(entries, step):
    return [e["bytes"] for e in entries if e["step"] <= step][-1]


def check_summary():
    show("view=summary")
    text = find("#verdict").text
    fits = (
        memory["tiles_over_memory"] == 0
        and memory["max_code_bytes"] <= profile["target"]["code_memory"]
    )
    assert text.startswith("fits:" if fits else "does not fit:"), text
    assert f"{memory['max_tile_bytes']:,} of {profile['target']['tile_memory']:,}" in text
    assert f"{profile['cycles']:,} cycles" in find("#time").text
    clock = profile["clocks"][profile["slowest_clock"]]
    shown = {row[0]: number(row[1]) for row in cells("#kinds")}
    expected = {k: clock[k] for k in profile["totals"] if clock[k]}
    if clock["sync_wait"]:
        expected["sync wait"] = clock["sync_wait"]
    assert shown == expected, shown
    assert sum(shown.values()) == clock["cycles"]
    shown = [(number(r[1]), number(r[3])) for r in cells("#categories")]
    assert shown == [(c["tile_bytes"], c["total_bytes"]) for c in memory["categories"]]
    top = sorted(profile["ops"], key=lambda op: -op["cycles"])
    top = [op["cycles"] for op in top if op["cycles"] > 0][:5]
    assert [number(r[2]) for r in cells("#top-ops")] == top


def check_memory():
    tile = memory["fullest_tile"]
    show(f"view=memory&tile={tile}")
    shown = [number(row[1]) for row in cells("#tile-categories")]
    assert shown == [c["tile_bytes"] for c in memory["categories"]] + [
        memory["max_tile_bytes"]
    ]
    bins = driver.execute_script(
        "return [...document.querySelectorAll('#histogram > div')].map(e => Number(e.dataset.tiles))"
    )
    assert bins == memory["histogram"]["tiles"]
    if steps:
        # Maps of variables give what the allocator has counted.
        always = sum(
            number(size)
            for size, live in zip(
                column("variables of the tile", "bytes"),
                column("variables of the tile", "always live"),
            )
            if live == "yes"
        )
        rows = number(find("#tile-details .controls .soft").text)
        category = {c["name"]: c["tile_bytes"] for c in memory["categories"]}
        if rows == len(column("variables of the tile", "bytes")):
            assert always == category["always_live"], (always, category)
    # Another tile, by the keyboard.
    if profile["target"]["tiles"] > tile + 1:
        find("#tile-map").send_keys(Keys.ARROW_RIGHT)
        tile_class = next(
            c
            for c in memory["tile_classes"]
            if any(a <= tile + 1 < b for a, b in c["tiles"])
        )
        shown = [number(row[1]) for row in cells("#tile-categories")]
        assert shown == tile_class["categories"] + [tile_class["bytes"]]
        assert f"tile={tile + 1}" in driver.current_url
    assert count_colours("tile-map") > 1
    for label, key in (("codelet", "codelets"), ("function", "functions")):
        listed = sorted((e["bytes"] for e in profile["code"][key]), reverse=True)
        shown = [number(text) for text in column(label, "bytes")]
        assert shown == listed[: len(shown)], label


def check_liveness():
    step = memory["peak_step"]
    show(f"view=liveness&step={step}")
    text = find("#step-bytes").text
    all_tiles, fullest = (
        sum_curve(memory[key], step)
        for key in ("not_always_live", "not_always_live_of_fullest")
    )
    assert f"{all_tiles:,} bytes on all tiles, {fullest:,} on the fullest" in text, text
    live = [
        v for v in profile["variables"] if any(a <= step <= b for a, b in v["ranges"])
    ]
    shown = number(find("#live .controls .soft").text)
    assert shown == len(live)
    largest = sorted((v["bytes"] for v in live), reverse=True)
    texts = column("live variables", "bytes")
    assert [number(t) for t in texts] == largest[: len(texts)]
    assert find(".plot canvas")
    # The curves of small programs use the whole picture.
    most = max((e["bytes"] for e in memory["live"]), default=0)
    limit = profile["target"]["tile_memory"]
    above = driver.find_elements(By.CSS_SELECTOR, "p.above")
    assert bool(above) == (4 * most < limit), (most, limit)
    assert not above or f"{limit:,} bytes" in above[0].text
    # By category, without gaps.
    names = [c["name"] for c in memory["categories"]]
    curves = dict(zip(names, memory["live_of_fullest"]))
    assert sum_curve(curves.pop("gaps"), step) == 0
    for chosen in (step, 0):
        show(f"view=liveness&step={chosen}")
        at = [(row[0].replace(" ", "_"), number(row[1]), number(row[2])) for row in cells("#step-categories")]
        assert at == [(name, sum_curve(c, chosen), sum_curve(c, step)) for name, c in curves.items()], at
    show(f"view=liveness&step={step}")
    areas = [name.replace("_", " ") for name, c in curves.items() if any(e["bytes"] for e in c)]
    labels = driver.execute_script("return [...document.querySelectorAll('.u-series .u-label')].map(e => e.textContent)")
    assert labels[1:-1] == areas[::-1], labels
    if live:
        click("table[aria-label='live variables'] tbody tr.link")
        assert "variable=" in driver.current_url
        assert find("#step-details .card dl")


def check_program():
    show("view=program&step=0")
    total = driver.execute_script(
        "return [...document.querySelectorAll('.tree > ul > li > .row [data-cycles]')]"
        ".reduce((sum, e) => sum + Number(e.dataset.cycles), 0)"
    )
    clock = profile["clocks"][profile["slowest_clock"]]
    has_more = driver.find_elements(By.CSS_SELECTOR, ".tree button")
    if not profile["functions"] and not has_more:
        assert total == clock["cycles"] - clock["sync_wait"], total
    top = [n if isinstance(n, int) else n["step"] for n in profile["program"]]
    shown = driver.execute_script(
        "return [...document.querySelectorAll('.tree > ul > li')].map(e => Number(e.dataset.step))"
    )
    assert shown == top[: len(shown)]
    assert steps[0]["kind"] in find("#program-step h3").text
    # The picture of it: the widest node of the top, by the pointer.
    widths = driver.execute_script(
        "return [...document.querySelectorAll('.tree > ul > li > .row [data-cycles]')].map(e => Number(e.dataset.cycles))"
    )
    whole = clock["cycles"] - clock["sync_wait"]
    if max(widths) and not has_more:
        assert count_colours("icicle") > 1
        widest = widths.index(max(widths))
        canvas = find("#icicle")
        width, height = canvas.size["width"], canvas.size["height"]
        x = int((sum(widths[:widest]) + widths[widest] / 2) / whole * width)
        pointer = ActionChains(driver)
        pointer.move_to_element_with_offset(canvas, x - width // 2, 6 - height // 2).click().perform()
        wait_for(lambda: driver.current_url.endswith(f"step={top[widest]}"), "the step of the icicle")


def check_operations():
    show("view=operations")
    ops = sorted(profile["ops"], key=lambda op: -op["cycles"])
    names = column("operations", "op")
    assert len(set(names)) == len(names)
    by_name = {op["name"]: op for op in ops}
    shown = [number(text) for text in column("operations", "cycles")]
    assert shown == [op["cycles"] for op in ops[: len(shown)]]
    if not ops:
        assert not names
        return
    for name, size in zip(names, column("operations", "bytes")):
        assert by_name[name]["bytes"] == number(size)
    # The totals of each type; a click shows its ops.
    totals = {}
    for op in ops:
        count, cycles = totals.get(op["type"], (0, 0))
        totals[op["type"]] = (count + 1, cycles + op["cycles"])
    types = column("types of ops", "type")
    shown = dict(zip(types, zip(map(number, column("types of ops", "ops")), map(number, column("types of ops", "cycles")))))
    assert shown == {name: totals[name] for name in types}, shown
    click("table[aria-label='types of ops'] tbody tr.link")
    assert set(column("operations", "type")) == {types[0]}
    assert len(column("operations", "op")) == min(totals[types[0]][0], len(names))
    click("table[aria-label='types of ops'] tbody tr.link")
    assert column("operations", "op") == names
    # Sorted the other way.
    click("table[aria-label='operations'] th[aria-sort='descending'] button")
    least = [number(text) for text in column("operations", "cycles")]
    assert least == sorted(op["cycles"] for op in ops)[: len(least)]
    # By name, from the keyboard.
    find("body").send_keys("/")
    word = names[0][:12].lower()
    driver.switch_to.active_element.send_keys(word)
    shown = column("operations", "op")
    assert shown and all(
        word in " ".join(row).lower() for row in cells("table[aria-label='operations']")
    )
    click("table[aria-label='operations'] tbody tr.link")
    steps_of = by_name[shown[0]]["steps"]
    assert number(find("#op-details .controls .soft").text) == len(steps_of)
    # The shares of the op in its steps are its cycles.
    cycles = [number(text) for text in column("steps of the op", "cycles")]
    if len(cycles) == len(steps_of):
        assert sum(cycles) == by_name[shown[0]]["cycles"], cycles


def check_trace():
    clock = profile["clocks"][profile["slowest_clock"]]
    timeline = next(
        t for t in profile["timelines"] if clock["replica"] in t["replicas"]
    )
    times = timeline["ipus"][clock["ipu"]]
    step = max(range(len(steps)), key=lambda s: times["end"][s] - times["start"][s])
    show(f"view=trace&step={step}")
    shown = [number(t) for t in re.findall(r"[\d,]+", find("#trace-times").text)]
    assert shown == [times[key][step] for key in ("start", "end", "last_end")]
    even = [s for s in steps if "tile_cycles" in s and times["start"][s["index"]] >= 0]
    if even:
        show(f"view=trace&step={even[0]['index']}")
        assert [number(c) for c in cells("#tile-cycles")[0][1:]] == even[0]["tile_cycles"]
        show(f"view=trace&step={step}")
    # The table is scrolled to the step.
    driver.execute_async_script(
        "document.querySelector(arguments[0]).closest('.scroll').scrollTop = 0;"
        "requestAnimationFrame(() => setTimeout(arguments[1], 0))",
        "table[aria-label='steps by time']",
    )
    starts = [number(t) for t in column("steps by time", "start")]
    assert starts == sorted(starts)
    ran = sorted(start for start in times["start"] if start >= 0)
    assert starts == ran[: len(starts)]
    check_waits(timeline)
    # Zoomed to the step, then all.
    canvas = find("#trace")
    before = find("#range").text
    canvas.send_keys("w")
    assert find("#range").text != before
    find("#fit").click()
    assert find("#range").text == f"cycles 0 to {profile['cycles']:,} of {profile['cycles']:,}"
    canvas.send_keys(Keys.ARROW_RIGHT)
    assert find("#trace-step .card")
    if len(profile["timelines"]) > 1:
        check_ways()


def check_waits(timeline):
    """The lanes of waits have all waits of the IPUs, but those of further iterations."""
    rows = number(find("#waits").text)
    waits = dict.fromkeys(range(profile["target"]["ipus"]), 0)
    if rows:
        click("#waits summary")
        shown = [[number(text) for text in row[:4]] for row in cells("table[aria-label='waits']")]
        for ipu, start, end, cycles in shown:
            assert end - start == cycles > 0, (ipu, start, end, cycles)
            waits[ipu] += cycles
        if len(shown) < rows:
            return
    for clock in profile["clocks"]:
        if clock["replica"] != timeline["replicas"][0]:
            continue
        assert waits[clock["ipu"]] <= clock["sync_wait"], (waits, clock)
        if max(timeline["counts"]) == 1:
            assert waits[clock["ipu"]] == clock["sync_wait"], (waits, clock)


def check_ways():
    """The times of all replicas can be shown, not only of the slowest one."""
    clocks = profile["clocks"]
    replica = clocks[profile["slowest_clock"]]["replica"]
    for way, timeline in enumerate(profile["timelines"]):
        own = [c for c in clocks if c["replica"] in timeline["replicas"]]
        slowest = max(own, key=lambda c: c["cycles"] - c["sync_wait"])
        times = timeline["ipus"][slowest["ipu"]]
        names = ", ".join(map(str, timeline["replicas"]))
        show("view=trace")
        assert (replica in timeline["replicas"]) == find(f"#way option[value='{way}']").is_selected()
        if replica not in timeline["replicas"]:
            find("#trace").send_keys("w")
            before = find("#range").text
            report_browser.follow(driver, find(f"#way option[value='{way}']"))
            assert f"way={way}" in driver.current_url
            assert find("#range").text == before
        assert find(f"#way option[value='{way}']").is_selected()
        starts = [number(text) for text in column("steps by time", "start")]
        ran = sorted(start for start in times["start"] if start >= 0)
        assert starts == ran[: len(starts)], way
        counts = [number(text) for text in column("steps by time", "executions")]
        numbers = [number(text) for text in column("steps by time", "step")]
        assert counts == [timeline["counts"][i] for i in numbers]
        for step, count in enumerate(timeline["counts"]):
            others = [w for w, t in enumerate(profile["timelines"]) if t["counts"][step] > 0]
            if count > 0 or not others:
                continue
            # Where else it ran.
            show(f"view=trace&way={way}&step={step}")
            text = find("#trace-times").text
            assert re.match(f"did not run on replicas? {names}; ran on replica", text), text
            report_browser.follow(driver, find("#trace-times a"))
            assert "first from cycle" in find("#trace-times").text
            assert f"way={others[0]}" in driver.current_url
            break


def check_insights():
    show("view=insights")
    found = driver.execute_script(
        "return [...document.querySelectorAll('#advice > li')].map(e => [e.dataset.rule, e.textContent])"
    )
    assert [rule for rule, _ in found] == [a["rule"] for a in profile["advice"]]
    for (_, text), advice in zip(found, profile["advice"]):
        assert advice["text"] in text
        assert advice["option"] in text
        if advice["saving"]:
            assert f"at most {advice['saving']:,} of" in text
        if advice["saving_bytes"]:
            assert f"at most {advice['saving_bytes']:,} bytes" in text
    savings = [a["saving"] for a in profile["advice"] if a["rule"] not in ("code", "memory")]
    assert savings == sorted(savings, reverse=True)
    # All other rules have found nothing.
    silent = [row[0] for row in cells("#silent-rules")]
    assert silent == [r["rule"] for r in profile["rules"] if not r["speaks"]]
    assert sorted(silent + [rule for rule, _ in found]) == sorted(r["rule"] for r in profile["rules"])


def check_compare():
    show("view=compare")
    path = second_path[0] if second_path else profile_path
    if not second_path:
        # A second profile may come from a file; what is none is told.
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for text, message in (
                ('{"version": 3}', "expects a profile of version 5 but got version 3"),
                ('{"version": ', "expects a profile but got invalid or truncated JSON"),
                ("[]", "expects a profile with an integer version but got none"),
                ('{"version": 5}', "'target': expects object but got nothing"),
                (json.dumps({**profile, "slowest_clock": 10**6}), "'slowest_clock': expects an integer from 0 to"),
            ):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                find("#compare-file").send_keys(file.name)
                wait_for(lambda: message in find("#compare-error").text)
        find("#compare-file").send_keys(os.path.abspath(path))
        wait_for(lambda: driver.find_elements(By.CSS_SELECTOR, "#compare-totals"))
    other = json.loads(Path(path).read_text())
    rows = {row[0]: row[1:] for row in cells("#compare-totals")}
    for name, get in (
        ("cycles", lambda p: p["cycles"]),
        ("bytes of the fullest tile", lambda p: p["memory"]["max_tile_bytes"]),
    ):
        a, b = get(profile), get(other)
        assert [number(rows[name][0]), number(rows[name][1])] == [a, b]
        sign = "same" if a == b else "more" if b > a else "less"
        assert sign in rows[name][2], rows[name]
    names = {op["name"] for op in profile["ops"] + other["ops"]}
    assert number(find("main > div > .controls > .soft:last-child").text) == len(names)


def check_exchange():
    show("view=exchange")
    clock = profile["clocks"][profile["slowest_clock"]]
    for kind, executions, size, cycles, *rest in cells("#transfers"):
        total = profile["totals"][kind]
        assert number(executions) == total["steps"], kind
        assert number(size) == total["bytes"], kind
        assert number(cycles) == clock[kind], kind
        # A quotient below 1 is no 0.
        if "I/O tiles" not in find("#transfers").text and 0 < total["bytes"] < 100 * clock[kind]:
            assert rest[-1] == f"{math.floor(total['bytes'] / clock[kind] * 100) / 100:.2f}", (kind, rest)
    assert bool(driver.find_elements(By.CSS_SELECTOR, "#nothing-moves")) == (not cells("#transfers"))
    shown = {row[0] for row in cells("#transfers")}
    moving = ("exchange", "collective", "remote", "host", "code")
    assert shown == {k for k in moving if profile["totals"][k]["steps"]}
    tiles = profile["exchange"]["tiles"]
    # What tiles receive, one by one, is what steps move.
    received = sum((end - begin) * size for begin, end, _, size in tiles)
    assert received == sum(
        s["count"] * s["bytes"] for s in steps if s["kind"] == "exchange" and "exchange" in s
    )
    if tiles:
        show(f"view=exchange&tile={tiles[0][0]}")
        text = find("#tile-traffic").text
        assert f"receives {tiles[0][3]:,} bytes and sends {tiles[0][2]:,}" in text, text
        assert count_colours("traffic-map") > 1
    ipus = profile["target"]["ipus"]
    if profile["exchange"]["links"]:
        moved = {(a, b): size for a, b, size in profile["exchange"]["links"]}
        for a, row in enumerate(cells("#ipu-matrix")):
            assert [number(c) for c in row[1:]] == [moved.get((a, b), 0) for b in range(ipus)]
    exchanges = [s for s in steps if s["kind"] == "exchange" and "exchange" in s]
    if exchanges:
        rows = column("exchanges", "bytes received")
        by_step = {s["index"]: s for s in exchanges}
        numbers = [number(text) for text in column("exchanges", "step")]
        assert [number(text) for text in rows] == [by_step[i]["bytes"] for i in numbers]
        setup = sum(s["count"] * s["exchange"]["setup_cycles"] for s in exchanges)
        assert setup == profile["exchange"]["setup_cycles"]


def check_replicas():
    show("view=replicas")
    clocks = profile["clocks"]
    for title, key in (("replica", "replica"), ("IPU", "ipu"), ("cycles", "cycles"), ("waits", "sync_wait")):
        shown = [number(text) for text in column("clocks", title)]
        assert shown == [clock[key] for clock in clocks[: len(shown)]], title
    assert column("clocks", "slowest").index("yes") == profile["slowest_clock"]
    text = find("#replica-ways").text
    assert text.count(";") == len(profile["timelines"]) - 1
    assert count_colours("clocks") > 1


def check_search():
    """By the keyboard alone, to an op."""
    show("view=summary")
    find("body").send_keys("k")
    box = driver.switch_to.active_element
    assert box.get_attribute("id") == "search"
    op = max(profile["ops"], key=lambda op: op["cycles"])
    # Names may be of any length, and have characters that no key has.
    word = re.search(r"[A-Za-z0-9_.]+", op["name"]).group()[:40]
    box.send_keys(word)
    assert driver.find_elements(By.CSS_SELECTOR, "#matches button")
    box.send_keys(Keys.ENTER)
    wait_for(lambda: find("#view").get_attribute("data-view") == "operations")
    assert "op=" in driver.current_url


def count_colours(canvas):
    return driver.execute_script(
        "const c = document.getElementById(arguments[0]);"
        "const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);"
        "return new Set(d).size;",
        canvas,
    )


def check_pictures():
    """Views are saved as shapes and text, and as pixels; tables as numbers."""
    with tempfile.TemporaryDirectory() as folder:
        driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder}
        )

        def take(selector, name):
            def find_saved():
                # The browser reserves the name by an empty file. If that is there already, it
                # adds a number to the name.
                stem, ending = name.rsplit(".", 1)
                return [p for p in Path(folder).glob(f"{stem}*.{ending}") if p.stat().st_size > 0]

            # A headless browser sometimes begins to save a file and never ends.
            for _ in range(12):
                # By the pointer: else the browser saves no more than ten files.
                find(selector).click()
                end = time.monotonic() + 10
                while not find_saved() and time.monotonic() < end:
                    time.sleep(0.05)
                if find_saved():
                    break
            assert find_saved(), f"{name} did not come"
            data = find_saved()[0].read_bytes()
            for path in Path(folder).iterdir():
                path.unlink()
            return data

        for view in ("memory", "liveness", "trace", "exchange", "replicas", "summary"):
            if view in ("liveness", "trace") and not steps:
                continue
            show(f"view={view}")
            box = driver.execute_script(
                "const b = document.getElementById('view').getBoundingClientRect(); return [b.width, b.height]"
            )
            text = take("#save-svg", f"{view}.svg").decode()
            picture = xml.etree.ElementTree.fromstring(text)
            names = [element.tag.split("}")[1] for element in picture.iter()]
            assert "image" not in names and "foreignObject" not in names
            assert int(picture.get("width")) == -(-box[0] // 1), (picture.get("width"), box)
            shown = " ".join(filter(None, (e.text for e in picture.iter())))
            if view == "memory":
                # Each tile is a shape of its own.
                assert names.count("rect") > profile["target"]["tiles"]
                assert "Bytes by tile" in shown
            if view == "liveness":
                # Lines of plots, with their axis.
                assert sum(len(e.get("d", "")) > 20 for e in picture.iter()) >= 2
                assert "step" in shown
                # An area for each category with bytes on the fullest tile, in its colour.
                fills = {e.get("fill") for e in picture.iter() if e.get("d")}
                chips = driver.execute_script(
                    "return [...document.querySelectorAll('#step-categories tbody tr')].map(r =>"
                    " [r.dataset.category, getComputedStyle(r.querySelector('.chip')).backgroundColor])"
                )
                curves = dict(zip((c["name"] for c in memory["categories"]), memory["live_of_fullest"]))
                for name, colour in chips:
                    colour = "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour))
                    assert (colour in fills) == any(e["bytes"] for e in curves[name]), (name, colour, fills)
            if view == "trace":
                assert "steps by time" not in shown and steps[0]["kind"] in shown
            if view == "summary":
                assert f"{profile['cycles']:,} cycles" in shown
            pixels = take("#save-png", f"{view}.png")
            assert pixels.startswith(b"\x89PNG\r\n\x1a\n")
            size = [int.from_bytes(pixels[at : at + 4], "big") for at in (16, 20)]
            assert size == [int(picture.get("width")), int(picture.get("height"))]
        show("view=operations")
        lines = take("#view .csv", "operations.csv").decode()
        assert lines.startswith("op,mostly,cycles,")
        assert lines.count("\r\n") >= len(profile["ops"]) + 1


def check_page():
    assert driver.title.startswith("Profile of ")
    checks = [check_summary, check_memory, check_operations, check_exchange, check_replicas]
    checks += [check_insights, check_compare]
    if steps:
        checks += [check_liveness, check_program, check_trace, check_search]
    if saves_pictures and not only_numbers:
        checks.append(check_pictures)
    for check in checks:
        print("", check.__name__.removeprefix("check_"), end="", flush=True)
        check()
    print()
    if only_numbers:
        return
    # Both themes, and the keys of views.
    back = "return getComputedStyle(document.body).backgroundColor"
    light = driver.execute_script(back)
    find("#theme").click()
    assert driver.execute_script(back) != light
    tabs = driver.find_elements(By.CSS_SELECTOR, "nav[role=tablist] button")
    for i, tab in enumerate(tabs):
        find("body").send_keys(str((i + 1) % 10))
        wait_for(lambda: tab.get_attribute("aria-selected") == "true")
        assert find("#view").get_attribute("data-view") == tab.get_attribute("id").removeprefix("tab-")
    find("body").send_keys("?")
    assert find("#help").get_attribute("open") is not None
    find("#help").send_keys(Keys.ESCAPE)
    # Bad links show something all the same.
    show("view=memory&tile=99999999999")
    driver.execute_script("location.hash = 'view=<b>&op=x&step=-1'")
    wait_for(lambda: find("#view").get_attribute("data-view") == "summary")


def check_network():
    """The policy forbids the network, and nothing has been asked of it."""
    blocked = driver.execute_async_script(
        "fetch('http://127.0.0.1:9/').then(() => arguments[0]('sent'), () => arguments[0]('blocked'))"
    )
    assert blocked == "blocked"
    errors = [
        entry
        for entry in driver.get_log("browser")
        if "Content Security Policy" not in entry["message"]
        and "127.0.0.1:9" not in entry["message"]
    ]
    assert not errors, errors
    requests = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            requests.add(message["params"]["request"]["url"].split("#")[0])
    own = Path(report).absolute().as_uri()
    # The browser's own pages are not the report's.
    local = ("data:", "blob:", "chrome:", "http://127.0.0.1:9/")
    foreign = {u for u in requests if u != own and not u.startswith(local)}
    assert not foreign, foreign


with report_browser.browse() as driver:
    for page in sys.argv[1:]:
        if page.startswith("--"):
            assert page in ("--no-pictures", "--numbers"), page
            saves_pictures, only_numbers = False, page == "--numbers"
            continue
        report, profile_path, *second_path = page.split(",")
        profile = report_browser.read_profile(profile_path)
        memory, steps = profile["memory"], profile["steps"]
        report_browser.open_report(driver, report)
        print(f"{Path(report).name}:", end="")
        check_page()
        check_network()
