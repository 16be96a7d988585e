"""Looks at reports that are easy to get wrong, in headless Chromium. The argument is the
folder with the reports and profiles that report-views.test writes. Prints what is as it
should be."""

import pathlib
import re
import sys
import urllib.parse
from collections import Counter

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "utils"))
import report_browser  # noqa: E402

folder = pathlib.Path(sys.argv[1])
driver = None


def find(selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def run(script, *arguments):
    return driver.execute_script(script, *arguments)


def show(hash_text):
    report_browser.show(driver, hash_text)


def wait_for(holds, what):
    report_browser.wait_for(driver, holds, what)


def open_report(name):
    """Opens a report and returns its profile."""
    report_browser.open_report(driver, folder / f"{name}.html")
    path = folder / f"{name}.json"
    return report_browser.read_profile(path) if path.exists() else None


def open_at(name, hash_text):
    """Opens a report by a link, without what was chosen in it before."""
    driver.get("about:blank")
    driver.get((folder / f"{name}.html").absolute().as_uri() + "#" + hash_text)


def number(text):
    return int(re.search(r"-?[\d,]+", text).group().replace(",", ""))


def cells(selector):
    return run(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
        ".filter(r => !r.hasAttribute('aria-hidden')).map(r => [...r.cells].map(c => c.textContent));",
        selector,
    )


def table(label):
    return f"table[aria-label='{label}']"


def column(label, title):
    headers = run(
        "return [...document.querySelectorAll(arguments[0] + ' th')].map(c => c.textContent)", table(label)
    )
    at = headers.index(title)
    return [row[at] for row in cells(table(label))]


def click_row(label, at=0):
    run("document.querySelectorAll(arguments[0] + ' tbody tr.link')[arguments[1]].click()", table(label), at)


def open_fold(title):
    run(
        "const fold = [...document.querySelectorAll('details')].find(d => d.firstChild.textContent.startsWith(arguments[0]));"
        "fold.firstChild.click()",
        title,
    )


def fill(selector, text):
    """Another text in a field."""
    field = find(selector)
    field.clear()
    field.send_keys(text + "\n")


def set_width(width):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False},
    )
    wait_for(lambda: run("return innerWidth") == width, "the size")
    driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 0))")


def point(canvas, x, y, click=False):
    """Puts the pointer at a place of a canvas, as seen from its corner."""
    run("scrollBy(0, arguments[0].getBoundingClientRect().top + arguments[1] - innerHeight / 2)", canvas, y)
    box = run("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]", canvas)
    pointer = ActionChains(driver)
    pointer.w3c_actions.pointer_action.move_to_location(int(box[0] + x), int(box[1] + y))
    (pointer.click() if click else pointer).perform()


def hook(canvas):
    """Notes in window.texts what is written on a canvas, and where."""
    run(
        "const own = CanvasRenderingContext2D.prototype.fillText, id = arguments[0]; window.texts = [];"
        "CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {"
        "  if (this.canvas.id === id) window.texts.push([text, x, y]); own.call(this, text, x, y); }",
        canvas,
    )


def get_colours(canvas):
    return run(
        "const c = document.getElementById(arguments[0]);"
        "return new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, Math.min(c.height, 4000)).data.buffer)).size",
        canvas,
    )


def check_pointer():
    """The tile under the pointer is chosen and named, at any width."""
    profile = open_report("lenet")
    tiles = profile["target"]["tiles"]
    columns = next(n for n in range(1, tiles) if n * n >= tiles * 2)
    rows = -(-tiles // columns)
    for width in (1280, 1000, 1440):
        set_width(width)
        for view, name in (("memory", "tile-map"), ("exchange", "traffic-map")):
            show("view=summary")
            show(f"view={view}&tile=0")
            canvas = find(f"#{name}")
            box = canvas.rect
            row = (box["height"] - 18) / rows
            for tile in (20, columns - 1, columns * (rows // 2) + columns - 5, tiles - 1):
                x, y = (tile % columns + 0.5) * box["width"] / columns, 16 + (tile // columns + 0.5) * row
                point(canvas, x, y, click=True)
                assert driver.current_url.endswith(f"tile={tile}"), (width, view, tile, driver.current_url)
                assert find(".tip").text.startswith(f"tile {tile}:"), (width, view, tile, find(".tip").text)
    set_width(1280)


def check_bars():
    """Pictures have the size that they are drawn for, also beside the bars of a window."""
    open_report("lenet")
    for view, canvas in (("trace", "trace"), ("program", "icicle"), ("memory", "tile-map"), ("replicas", "clocks")):
        for width in (1280, 1000):
            set_width(width)
            show("view=summary")
            show(f"view={view}")
            drawn, seen, inner = run(
                "const c = document.getElementById(arguments[0]);"
                "return [c.width, c.getBoundingClientRect().width, document.documentElement.clientWidth]",
                canvas,
            )
            assert inner < width, "there is no bar"
            assert abs(drawn - seen) <= 0.5, (view, width, drawn, seen)
            assert run("return document.documentElement.scrollWidth") <= inner
    set_width(1280)


def get_lanes():
    """Where the names of the lanes of the trace are."""
    run("window.texts.length = 0")
    find("#trace").send_keys("f")
    return {text: y for text, x, y in run("return window.texts") if x == 4}


def get_tip(canvas, x, y):
    point(canvas, x, y)
    return find(".tip").text


def check_lanes():
    """What I/O tiles do hides nothing of the others, and waits can be seen."""
    profile = open_report("io")
    steps, times = profile["steps"], profile["timelines"][0]["ipus"][0]
    show("view=trace")
    hook("trace")
    lanes = get_lanes()
    used = {s["kind"] for s in steps if "on_io_tiles" not in s}
    assert set(lanes) - {"tiles at work"} == {"op", "wait", "I/O tiles"} | used, lanes
    canvas = find("#trace")
    width = canvas.rect["width"]
    to_x = lambda cycles: 130 + cycles / profile["cycles"] * (width - 130)
    seen = set()
    for step in steps:
        start, end = times["start"][step["index"]], times["end"][step["index"]]
        if (end - start) / profile["cycles"] * (width - 130) < 4:
            continue
        lane = "I/O tiles" if step.get("on_io_tiles") else step["kind"]
        tip = get_tip(canvas, to_x((start + end) / 2), lanes[lane])
        assert tip.startswith(f"step {step['index']}: {step['kind']} "), (step["index"], tip)
        seen.add(lane)
    assert {"host", "I/O tiles"} <= seen, seen
    clock = profile["clocks"][0]
    open_fold("waits")
    waits = list(zip(map(number, column("waits", "from")), map(number, column("waits", "to"))))
    assert sum(b - a for a, b in waits) == clock["sync_wait"] > 0
    for (start, end), text in zip(waits, column("waits", "before step")):
        if (end - start) / profile["cycles"] * (width - 130) >= 4:
            tip = get_tip(canvas, to_x((start + end) / 2), lanes["wait"])
            assert tip == f"IPU 0 waits {end - start:,} cycles before step {number(text)}", tip


def check_sums():
    """Cycles of steps on I/O tiles are beside the others, in all views."""
    profile = open_report("io")
    clock, steps = profile["clocks"][0], profile["steps"]
    assert clock["io"] > 0
    show("view=summary")
    assert number(find("#io").text.split(":")[1]) == clock["io"]
    assert sum(number(row[1]) for row in cells("#kinds")) == clock["cycles"]
    show("view=program&step=0")
    shown = "return [...document.querySelectorAll(arguments[0])].reduce((sum, e) => sum + Number(e.dataset[arguments[1]]), 0)"
    assert run(shown, ".tree [data-cycles]", "cycles") == clock["cycles"] - clock["sync_wait"]
    assert run(shown, ".tree [data-io]", "io") == clock["io"]
    show("view=exchange")
    listed = "collectives and transfers"
    for kind, _, size, cycles, io, rate in cells("#transfers"):
        assert number(cycles) == clock[kind], kind
        if kind == "host":
            assert number(io) == clock["io"]
            assert number(rate) == number(size) // (number(cycles) + number(io))
            assert sum(map(number, column(listed, "cycles"))) == clock[kind]
            assert sum(map(number, column(listed, "I/O tiles"))) == clock["io"]
    show("view=operations")
    rows = dict(zip(column("operations", "op"), zip(column("operations", "mostly"), column("operations", "I/O tiles"))))
    for op in profile["ops"]:
        io = sum(steps[i]["count"] * steps[i]["cycles"][0] for i in op["steps"] if "on_io_tiles" in steps[i])
        mostly, shown = rows[op["name"]]
        assert number(shown) == io, op
        assert (mostly == "I/O tiles") == (io > 0 and op["cycles"] == 0), (op["name"], mostly)
    assert "I/O tiles" in {mostly for mostly, _ in rows.values()}
    find("#op-kind option[value='I/O tiles']").click()
    assert set(column("operations", "mostly")) == {"I/O tiles"}


def check_matches():
    """Ops without a name are the same after lines have moved and an op was added."""
    open_report("edited")
    show("view=compare")
    label = "differences of operations"
    rows = [(text.split()[0], how, number(a), number(b)) for text, how, a, b, *_ in cells(table(label))]
    assert sorted(rows) == [
        ("named", "both", 6000, 6000),
        ("pop.add", "both", 1000, 1000),
        ("pop.add", "both", 5000, 5000),
        ("pop.add", "only in B", 0, 500),
        ("pop.exp", "both", 4000, 4000),
        ("pop.mul", "both", 2000, 2000),
    ], rows
    # Where each of them is now.
    for name, other in zip(column(label, "op"), column(label, "name in B")):
        assert name == "named" or not other or re.sub(r":\d+:", "", name).replace("before", "after") == re.sub(r":\d+:", "", other)
    assert sum(bool(name) for name in column(label, "name in B")) == 4


def check_groups():
    """Pictures of many IPUs have a bounded height, and all of them can be seen."""
    profile = open_report("ipus")
    ipus = profile["target"]["ipus"]
    for view, canvas in (("memory", "tile-map"), ("trace", "trace"), ("replicas", "clocks"), ("exchange", "traffic-map")):
        show(f"view={view}")
        assert run("return document.getElementById(arguments[0]).height", canvas) <= 8000, view
        assert get_colours(canvas) > 1, view
        hook(canvas)
        last = find(".group select option:last-child")
        assert last.text.endswith(f"to {ipus - 1}"), last.text
        last.click()
        assert any(f"IPU {ipus - 1}" in text for text, *_ in run("return window.texts")), view
    shown = {tuple(map(number, row)) for row in cells(table("bytes between IPUs"))}
    assert shown and shown <= {tuple(moved) for moved in profile["exchange"]["links"]}
    # The field shows the IPU of a tile.
    show("view=memory&tile=0")
    fill("#tile-entry", str(ipus * 2 - 1))
    assert find(".group select").get_attribute("value") == str(ipus - 16)
    box = find("#tile-map").rect
    point(find("#tile-map"), box["width"] / 4, box["height"] / 16 * 0.5 + 8, click=True)
    assert driver.current_url.endswith(f"tile={(ipus - 16) * 2}"), driver.current_url


def check_filter():
    """The filter of the program looks into functions."""
    open_report("calls")
    show("view=program")
    names = lambda: run("return [...document.querySelectorAll('.tree li[data-step] > .row .name')].map(e => e.title)")
    find("#view input[type=search]").send_keys("needle")
    assert names().count("needle") == 1, names()
    assert "other" not in names()
    find("#view input[type=search]").send_keys("x")
    assert not names()


def check_lists():
    """Long lists say how much more there is, and show it."""
    profile = open_report("reads")
    variable = max(
        range(len(profile["variables"])), key=lambda v: sum(v in step["reads"] for step in profile["steps"])
    )
    readers = [s["index"] for s in profile["steps"] if variable in s["reads"]]
    show(f"view=liveness&variable={variable}&step={readers[0]}")
    get_links = lambda: [int(e.text) for e in find("dd[data-term='read by steps']").find_elements(By.TAG_NAME, "a")]
    assert get_links() == readers[:20] != readers
    button = find("dd[data-term='read by steps'] button")
    assert button.text == f"and {len(readers) - 20} more"
    button.click()
    assert get_links() == readers


def is_in_sight(selector):
    """Whether an element is in the part of its box that is seen, below the header."""
    return run(
        "const e = document.querySelector(arguments[0]); if (!e) return false;"
        "const box = e.closest('.scroll').getBoundingClientRect(), own = e.getBoundingClientRect();"
        "const head = e.closest('table')?.tHead.getBoundingClientRect().height || 0;"
        "return own.top >= box.top + head - 1 && own.top + 20 <= box.bottom",
        selector,
    )


def check_reveal():
    """A link to a step or op shows it in trees and tables, whatever keys are pressed."""
    open_at("long", "view=program&step=1100")
    assert is_in_sight(".tree li[aria-selected=true] > .row")
    assert find(".tree li[aria-selected=true]").get_attribute("data-step") == "1100"
    open_at("long", "view=trace&step=1100")
    assert is_in_sight("table[aria-label='steps by time'] tr[aria-selected=true]")
    open_at("long", "view=operations&op=op599")
    assert is_in_sight("table[aria-label='operations'] tr[aria-selected=true]")
    open_at("long", "view=program")
    button = ".tree > ul > button"
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_DOWN, Keys.ARROW_UP):
        run("document.querySelector(arguments[0]).focus()", button)
        driver.switch_to.active_element.send_keys(key)
    run("document.querySelector(arguments[0]).focus()", button)
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert driver.switch_to.active_element.get_attribute("data-step") == "500"
    # In a function.
    profile = open_report("calls")
    step = next(s["index"] for s in profile["steps"] if s["location"] == "needle")
    open_at("calls", f"view=program&step={step}")
    assert is_in_sight(".tree li[aria-selected=true] > .row")
    assert f"step={step}" in driver.current_url


def check_liveness():
    """The field has the step; the table of variables keeps its filter, order and focus."""
    profile = open_report("lenet")
    show("view=liveness&step=5")
    run("[...document.querySelectorAll('button')].find(b => b.textContent === 'peak').click()")
    peak = str(profile["memory"]["peak_step"])
    assert find("#step-entry").get_attribute("value") == peak != "5"
    for text in ("", "999999"):
        fill("#step-entry", text)
        assert find("#step-entry").get_attribute("value") == peak
    label = "live variables"
    field = "#live input[type=search]"
    find(field).send_keys("conv")
    run("document.querySelector(arguments[0] + ' th button').click()", table(label))
    shown = cells(table(label))
    assert 0 < len(shown)
    run("document.querySelector(arguments[0] + ' tbody tr.link').focus()", table(label))
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert find(field).get_attribute("value") == "conv" and cells(table(label)) == shown
    assert driver.switch_to.active_element.get_attribute("aria-selected") == "true"
    fill("#step-entry", str(int(peak) + 1))
    assert find(field).get_attribute("value") == "conv"
    assert all("conv" in " ".join(row).lower() for row in cells(table(label)))


def check_ticks():
    """The axes of the live bytes fit the program, and have whole steps and bytes."""
    for name, has_loops in (("lenet", False), ("loops", True)):
        profile = open_report(name)
        show("view=summary")
        run(
            "const own = CanvasRenderingContext2D.prototype.fillText; window.texts = [];"
            "CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {"
            "  window.texts.push([text, x, y]); own.call(this, text, x, y); }"
        )
        show("view=liveness")
        wait_for(lambda: run("return window.texts.length") > 0, "the ticks")
        ticks = [(text, x, y) for text, x, y in run("return window.texts") if re.search(r"\d", str(text))]
        assert all(re.fullmatch(r"[\d,]+", text) for text, *_ in ticks), ticks
        # Ticks of steps have one height, and ticks of bytes one distance from the left.
        height = max(y for _, _, y in ticks)
        steps = {number(text) for text, _, y in ticks if y == height}
        sizes = {number(text) for text, _, y in ticks if y != height}
        last = len(profile["steps"]) - 1
        most = max(e["bytes"] for e in profile["memory"]["live"])
        assert len(steps) > 1 and min(steps) == 0 and last / 2 <= max(steps) <= last + 1, (name, steps, last)
        assert len(sizes) > 1 and most / 2 <= max(sizes) <= 2 * most, (name, sizes, most)
        text = "each loop is shown by its first iteration"
        assert (text in find("#view").text) == has_loops, name


def check_iterations():
    """Further iterations of all loops, and further calls, have a block."""
    profile = open_report("loops")
    show("view=trace")
    hook("trace")
    find("#trace").send_keys("f")
    texts = {text for text, x, _ in run("return window.texts") if x > 4}
    assert {"4 more of repeat", "3 more of repeat", "2 more of repeat", "f again"} <= texts, texts
    # What is no block, no step and no wait was none.
    assert profile["clocks"][0]["sync_wait"] == 0
    assert find("#waits").text.startswith("waits: 0"), find("#waits").text


def check_ways():
    """The card of a step has the executions of the replicas that are shown."""
    profile = open_report("apart")
    way, step, count = next(
        (way, step["index"], timeline["counts"][step["index"]])
        for way, timeline in enumerate(profile["timelines"])
        for step in profile["steps"]
        if timeline["counts"][step["index"]] not in (0, step["count"])
    )
    show(f"view=trace&way={way}&step={step}")
    assert number(find("#trace-step dd[data-term='executions']").text) == count
    for timeline in profile["timelines"]:
        show(f"view=trace&way={profile['timelines'].index(timeline)}")
        own = [c for c in profile["clocks"] if c["replica"] == timeline["replicas"][0]]
        waits = number(find("#waits").text)
        if waits:
            open_fold("waits")
            lengths = map(number, column("waits", "cycles"))
            assert sum(lengths) <= sum(c["sync_wait"] for c in own)


def check_layers():
    """The picture of ops has the rows, the parts and the op under the pointer of a placed program."""
    open_at("layers", "view=operations")
    parts = find("#parts").text.splitlines()
    assert [part.split(":")[0] for part in parts] == ["IPU 0", "IPU 1"], parts
    first, last = parts[0].split(", ")[1].split(" to ")
    canvas = find("#layers")
    tip = get_tip(canvas, 58, 10)
    assert " cycles on IPU 0" in tip, tip
    assert set(column("operations", "IPUs")) >= {"0", "1"}, column("operations", "IPUs")
    assert {first, last} <= set(column("operations", "op"))
    # A program on one IPU has no such picture.
    open_at("lenet", "view=operations")
    assert not driver.find_elements("css selector", "#layers")


def check_pipeline():
    """The picture of calls has a row for each IPU, and the first calls are at its left end."""
    profile = open_report("pipeline")
    show("view=operations")
    calls = profile["timelines"][0]["calls"]
    names = [profile["functions"][call[0]]["name"] for call in calls]
    assert names.count("pipeline_stage_0") == names.count("pipeline_stage_1") == 4, names
    tip = get_tip(find("#calls"), 58, 10)
    _, _, start, end = calls[0]
    assert tip == f"pipeline_stage_0, call 0 on IPU 0: cycles {start:,} to {end:,}", tip
    # A program without calls has no such picture.
    open_at("layers", "view=operations")
    assert not driver.find_elements("css selector", "#calls")


def catch_file(act):
    """The text of the file that the page saves."""
    run(
        "window.saved = null; const own = URL.createObjectURL;"
        "URL.createObjectURL = blob => { blob.text().then(t => { window.saved = t; }); URL.createObjectURL = own; return own(blob); };"
    )
    act()
    wait_for(lambda: run("return window.saved !== null"), "the file")
    return run("return window.saved")


def check_header():
    """The header of a table that is scrolled is over the rows, also in a picture."""
    open_report("lenet")
    show("view=trace")
    run("document.querySelector('#view .scroll').scrollTop = 205")
    driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 0))")
    text = catch_file(lambda: find("#save-svg").click())
    at = text.index(">executions<")
    rows = [m.start() for m in re.finditer(r">(compute|exchange)</text>", text[text.index(">CSV<") :])]
    assert rows and text.index(">CSV<") + max(rows) < at


def check_tiles():
    """Tiles that are none are refused; several are in the address, and all are shown."""
    profile = open_report("lenet")
    last = profile["target"]["tiles"] - 1
    show("view=memory&tile=3")
    before = find("#tile-details").text
    for text, message in (
        ("7,", f"expects tiles from 0 to {last:,}, such as 0 or 0,{last}, but got '7,'"),
        ("", f"expects tiles from 0 to {last:,}, such as 0 or 0,{last}, but got ''"),
        (str(last + 1), f"expects tiles from 0 to {last:,}, such as 0 or 0,{last}, but got '{last + 1}'"),
        ("5,5", "expects each tile once but got tile 5 twice"),
    ):
        fill("#tile-entry", text)
        assert find("#tile-error").text == message, find("#tile-error").text
        assert find("#tile-details").text == before
        assert find("#tile-entry").get_attribute("aria-invalid") == "true"
    fill("#tile-entry", f"{last}, 1")
    assert not find("#tile-error").is_displayed()
    assert driver.current_url.endswith(f"tile={last},1")
    details = find("#tile-details").text
    driver.refresh()
    assert find("#tile-details").text == details
    assert find("#tile-entry").get_attribute("value") == f"{last},1"
    # Each at its own peak, as when it is alone.
    label = "variables of the tiles"
    names = column(label, "variable")

    def add_up(names, sizes):
        # Several variables may have one name.
        sums = Counter()
        for name, size in zip(names, map(number, sizes)):
            sums[name] += size
        return +sums

    both = {tile: add_up(names, column(label, f"on tile {tile}")) for tile in (last, 1)}
    for tile in (last, 1):
        show(f"view=memory&tile={tile}")
        alone = add_up(column("variables of the tile", "variable"), column("variables of the tile", "bytes"))
        assert alone == both[tile], tile
        assert f"tile {tile} in step " in details
    find("#tile-map").send_keys(Keys.SHIFT + Keys.ARROW_LEFT + Keys.NULL)
    assert driver.current_url.endswith("tile=1,0")


def check_numbers():
    """Each picture has a table with its numbers."""
    profile = open_report("lenet")
    memory = profile["memory"]
    show("view=memory")
    open_fold("bytes of all tiles")
    by_tile = {t: c for c in memory["tile_classes"] for a, b in c["tiles"] for t in range(a, b)}
    shown = cells(table("bytes by tile"))
    assert len(shown) > 30
    for tile, size, *categories in shown:
        assert [number(c) for c in categories] == by_tile[number(tile)]["categories"]
        assert number(size) == by_tile[number(tile)]["bytes"]
    open_fold("numbers of the bars")
    assert [number(text) for text in column("tiles by bytes", "tiles")] == memory["histogram"]["tiles"]
    show("view=exchange")
    open_fold("bytes of all tiles")
    moved = {t: (r, s) for a, b, s, r in profile["exchange"]["tiles"] for t in range(a, b)}
    for tile, received, sent in cells(table("bytes that tiles exchange")):
        assert (number(received), number(sent)) == moved.get(number(tile), (0, 0)), tile
    show("view=liveness")
    open_fold("bytes of all steps")
    curve = {e["step"]: e["bytes"] for e in memory["live"]}
    expected, now = [], 0
    for step in range(len(profile["steps"])):
        now = curve.get(step, now)
        expected.append(now)
    shown = [number(text) for text in column("bytes by step", "most on a tile")]
    assert shown == expected[: len(shown)] and len(shown) > 30


def check_failures():
    """A picture that the browser cannot make is no silence."""
    open_report("lenet")
    show("view=summary")
    run("HTMLCanvasElement.prototype.toBlob = done => done(null)")
    find("#save-png").click()
    wait_for(lambda: "the browser cannot save a picture of" in find("#message").text, "the message")
    show("view=memory")
    assert not find("#message").is_displayed()


CHECKS = [
    check_pointer,
    check_bars,
    check_lanes,
    check_sums,
    check_matches,
    check_groups,
    check_filter,
    check_lists,
    check_reveal,
    check_liveness,
    check_ticks,
    check_iterations,
    check_ways,
    check_layers,
    check_pipeline,
    check_header,
    check_tiles,
    check_numbers,
    check_failures,
]

with report_browser.browse(has_bars=True) as driver:
    for check in CHECKS:
        check()
        errors = [entry["message"] for entry in driver.get_log("browser")]
        assert not errors, (check.__name__, errors)
        print(check.__name__.removeprefix("check_"), flush=True)
