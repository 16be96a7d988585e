# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of profiles in a headless Chromium: utils/install-deps --browser installs it."""

import contextlib
import json
import pathlib
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

ATTEMPTS = 3
TIMEOUT = 120  # Seconds; machines may be busy.


def make_options(profile_folder, width, height, has_bars):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (
        "--headless=new",
        # Tests may run as root, where there is no sandbox.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-extensions",
        "--disable-sync",
        "--no-first-run",
        "--force-device-scale-factor=1",
        "--force-color-profile=srgb",
        "--font-render-hinting=none",
        f"--window-size={width},{height}",
        f"--user-data-dir={profile_folder}",
    ):
        options.add_argument(flag)
    if not has_bars:
        options.add_argument("--hide-scrollbars")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return options


def start(profile_folder, width, height, has_bars):
    """A driver; on a busy machine the browser may not start in time at first."""
    for attempt in range(ATTEMPTS):
        try:
            driver = webdriver.Chrome(
                service=Service("/usr/bin/chromedriver"),
                options=make_options(f"{profile_folder}/{attempt}", width, height, has_bars),
            )
            break
        except WebDriverException:
            if attempt + 1 == ATTEMPTS:
                raise
            time.sleep(2)
    driver.set_page_load_timeout(TIMEOUT)
    driver.set_script_timeout(TIMEOUT)
    # The size of the page, not of the window.
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "light"}]},
    )
    return driver


@contextlib.contextmanager
def browse(report=None, width=1280, height=800, has_bars=False):
    """A driver that shows a report, on a page of fixed size in light colours. `has_bars` says
    whether windows have bars to scroll, as those of users."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = start(folder, width, height, has_bars)
        try:
            if report:
                open_report(driver, report)
            yield driver
        finally:
            driver.quit()


def open_report(driver, report):
    driver.get(pathlib.Path(report).absolute().as_uri())


def show(driver, hash_text):
    """Shows a view by its address."""
    # The page draws the view in a listener that was added before this one.
    driver.execute_async_script(
        """
        const [hash, done] = arguments;
        const before = location.hash;
        location.hash = hash;
        if (location.hash === before)
          return done();
        addEventListener("hashchange", () => done(), { once: true });
        """,
        hash_text,
    )
    view = dict(part.split("=") for part in hash_text.split("&"))["view"]
    wait_for(
        driver,
        lambda: driver.find_element(By.ID, "view").get_attribute("data-view") == view,
        f"view {view}",
    )


def follow(driver, element):
    """Clicks an element that leads to another address, and waits for its view."""
    driver.execute_script(
        "window.isFollowed = false; addEventListener('hashchange', () => { window.isFollowed = true; }, { once: true });"
    )
    element.click()
    wait_for(driver, lambda: driver.execute_script("return window.isFollowed"), "another address")


def wait_for(driver, holds, what="it"):
    def holds_now():
        try:
            return holds()
        except StaleElementReferenceException:
            # The view was drawn anew between two commands.
            return False

    end = time.monotonic() + TIMEOUT
    while not holds_now():
        assert time.monotonic() < end, f"{what} did not come"
        driver.execute_async_script("setTimeout(arguments[0], 20)")


def read_profile(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
