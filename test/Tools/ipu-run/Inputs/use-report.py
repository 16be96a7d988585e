"""Uses a report in headless Chromium in ways that lose or hide things in many pages.
Arguments: the report and the profile, of LeNet. Prints what is as it should be."""

import copy
import json
import pathlib
import sys
import tempfile

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "utils"))
import edited_profiles  # noqa: E402
import report_browser  # noqa: E402

report, profile_path = sys.argv[1:]
profile = report_browser.read_profile(profile_path)
driver = None


def find(selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def run(script, *arguments):
    return driver.execute_script(script, *arguments)


def show(hash_text):
    report_browser.show(driver, hash_text)


def wait_for(holds, what):
    report_browser.wait_for(driver, holds, what)


def set_width(width, height=800):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    wait_for(lambda: run("return innerWidth") == width, "the size")
    run_frame()


def run_frame():
    """Until what was asked for is drawn."""
    driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 0))")


def set_colours(scheme):
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    run_frame()


def get_pixels(selector):
    return run("return document.querySelector(arguments[0]).toDataURL()", selector)


def check_kept(get, canvas=None):
    """`get` returns the same, whatever happens to colours and the size of the window."""
    before = get()
    for change, restore in (
        (lambda: find("#theme").click(), lambda: find("#theme").click()),
        (lambda: set_colours("dark"), lambda: set_colours("light")),
        (lambda: set_width(1000), lambda: set_width(1280)),
    ):
        pixels = canvas and get_pixels(canvas)
        change()
        run_frame()
        assert get() == before, (get(), before)
        # It is drawn in the new colours or size, and back.
        assert not canvas or get_pixels(canvas) != pixels
        restore()
        run_frame()
        assert get() == before, (get(), before)
        assert not canvas or get_pixels(canvas) == pixels
        # The switch of the page counts more than the system from now on.
        run("delete document.documentElement.dataset.theme")


def check_states():
    show("view=operations")
    find("#view input[type=search]").send_keys("conv")
    find("table[aria-label='operations'] th button").click()
    run("document.querySelector('table[aria-label=operations] tbody tr.link').click()")
    find("#view select option[value=compute]").click()

    def get_table():
        return run(
            "const view = document.getElementById('view');"
            "return [view.querySelector('input').value, view.querySelector('select').value, location.hash,"
            " [...view.querySelectorAll('th')].map(e => e.ariaSort),"
            " [...view.querySelectorAll('table[aria-label=operations] tr[data-row]')].map(e => [e.textContent, e.ariaSelected])]"
        )

    rows = get_table()[-1]
    assert 0 < len(rows) < len(profile["ops"])
    check_kept(get_table)

    show("view=trace&step=20")
    find("#trace").send_keys("wwwd")
    whole = f"cycles 0 to {profile['cycles']:,} of {profile['cycles']:,}"
    assert find("#range").text != whole
    check_kept(lambda: [find("#range").text, find("#trace-step").text], "#trace")

    show("view=memory&tile=0")
    find("#tile-entry").send_keys(",3\n")
    find("#category option[value='1']").click()
    get_tiles = lambda: [find("#tile-entry").get_attribute("value"), find("#tile-details").text]
    check_kept(get_tiles, "#tile-map")

    show("view=liveness")
    find("#tiles-of option[value=all]").click()
    get_steps = lambda: [find("#tiles-of").get_attribute("value"), find("#step-details").text]
    check_kept(get_steps, ".plot canvas")
    show("view=program")
    # Its colours are the same on light and on dark.
    check_kept(lambda: find("#view").text)
    show("view=replicas")
    check_kept(lambda: find("#view").text, "#clocks")
    for view, canvas in (("trace", "trace"), ("program", "icicle"), ("replicas", "clocks")):
        show(f"view={view}")
        set_width(1000)
        assert run("return document.getElementById(arguments[0]).clientWidth", canvas) == 968
        set_width(1280)


def drop(text, name="x.json"):
    run(
        "const files = new DataTransfer(); files.items.add(new File([arguments[0]], arguments[1]));"
        "document.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))",
        text,
        name,
    )


def check_drop():
    """A file may be dropped on any view; what is wrong with it is said where it would be."""
    for view in ("summary", "compare"):
        show("view=replicas")
        show(f"view={view}")
        assert not any(e.is_displayed() for e in driver.find_elements(By.ID, "compare-error"))
        drop("{")
        message = "x.json: expects a profile but got invalid or truncated JSON"
        get_texts = lambda: [e.text for e in driver.find_elements(By.ID, "compare-error")]
        wait_for(lambda: get_texts() == [message], "the message")
        assert "view=compare" in driver.current_url
    # It is said once.
    show("view=summary")
    show("view=compare")
    assert not find("#compare-error").is_displayed()
    show("view=memory")
    drop(json.dumps(profile))
    wait_for(lambda: driver.find_elements(By.ID, "compare-totals"), "the comparison")


def check_edited():
    show("view=compare")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        for edited, message in edited_profiles.get_edits(profile):
            file.seek(0)
            file.truncate()
            json.dump(edited, file)
            file.flush()
            find("#compare-file").send_keys(file.name)
            wait_for(lambda: message in find("#compare-error").text, message)
        for number, edited in enumerate(edited_profiles.get_equal(profile)):
            drop(json.dumps(edited), f"equal{number}.json")
            wait_for(lambda: f"B is equal{number}.json" in find("#view").text, "the comparison")
            assert find("#compare-totals tr[data-name=cycles]").text.endswith("same")


def get_matches():
    return run("return [...document.querySelectorAll('#matches > *')].map(e => e.textContent)")


def check_search():
    word = "conv"
    find("#search").send_keys(word)
    texts = {
        "op": [op["name"] for op in profile["ops"]],
        "variable": [f"{v['name']} {v['location']}" for v in profile["variables"]],
        "step": [f"{s['index']} {s['name']} {s['kind']} {s['location']}" for s in profile["steps"]],
    }
    numbers = {kind: sum(word in text.lower() for text in found) for kind, found in texts.items()}
    assert numbers["variable"] > 8 and numbers["step"] > 8, numbers
    for kind, number in numbers.items():
        shown = [text for text in get_matches() if text.startswith(kind)]
        assert len(shown) == min(number, 8), (kind, shown)
        more = [text for text in get_matches() if text.endswith((f" more {kind}s", f" more {kind}"))]
        assert [int(text.split()[0]) for text in more] == ([number - 8] if number > 8 else []), more
    # More of one kind, by the keyboard, and no less of the others.
    run("document.querySelector('#matches [data-more=steps]').focus()")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    steps = [text for text in get_matches() if text.startswith("step")]
    assert len(steps) == min(numbers["step"], 32)
    assert driver.switch_to.active_element.text == steps[8]
    assert sum(text.startswith("variable") for text in get_matches()) == 8
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)


def check_csv():
    """Names that spreadsheets would take for formulas are text; numbers stay numbers."""
    other = copy.deepcopy(profile)
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\ry", "a=b"]
    for op, name in zip(other["ops"], names):
        op["name"] = name
    show("view=compare")
    drop(json.dumps(other))
    wait_for(lambda: "B is x.json" in find("#view").text, "the comparison")
    run(
        "const own = URL.createObjectURL;"
        "URL.createObjectURL = blob => { blob.text().then(t => { window.saved = t; }); return own(blob); };"
    )
    find("#view .csv").click()
    wait_for(lambda: run("return window.saved"), "the file")
    lines = run("return window.saved").split("\r\n")
    for name in names:
        shown = name if name[0] == "a" else f"'{name}"
        shown = f'"{shown}"' if "\r" in shown else shown
        assert any(line.startswith(f"{shown},only in B,0,") for line in lines), (shown, lines)
    # Ops that are only in A take less in B: a negative number.
    gone = profile["ops"][0]
    cycles = gone["cycles"]
    assert any(line.endswith(f",only in A,{cycles},0,-{cycles},{cycles}") for line in lines), lines


def check_keys():
    show("view=summary")
    for key in ("k", "K"):
        find("body").send_keys(key)
        assert driver.switch_to.active_element.get_attribute("id") == "search", key
        driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    find("body").send_keys("?")
    assert find("#help").get_attribute("open") is not None
    for key in ("3", "k", "?"):
        find("#help").send_keys(key)
        assert find("#view").get_attribute("data-view") == "summary", key
        assert find("#help").get_attribute("open") is not None, key
    find("#help").send_keys(Keys.ESCAPE)
    find("body").send_keys("3")
    wait_for(lambda: find("#view").get_attribute("data-view") == "liveness", "the view")


def check_axis():
    """Numbers of the axis of the trace are whole, at any zoom."""
    show("view=trace")
    run(
        "const own = CanvasRenderingContext2D.prototype.fillText; window.ends = [];"
        "CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {"
        "  if (this.canvas.id === 'trace' && y === 11) window.ends.push(x + this.measureText(text).width);"
        "  own.call(this, text, x, y); }"
    )
    width = run("return document.getElementById('trace').clientWidth")
    for _ in range(12):
        find("#trace").send_keys("wd")
        ends = run("return window.ends.splice(0)")
        assert ends and max(ends) <= width, (ends, width)


with report_browser.browse(report) as driver:
    for check in (check_states, check_drop, check_edited, check_search, check_csv, check_keys, check_axis):
        check()
        print(check.__name__.removeprefix("check_"), flush=True)
    errors = [entry["message"] for entry in driver.get_log("browser")]
    assert not errors, errors
