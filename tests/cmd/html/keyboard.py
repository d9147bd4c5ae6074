#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each page by keyboard alone, and on a narrow screen. usage: keyboard.py PAGE.html"""
import json
import pathlib
import sys

from browser import Browser

PAGES = ("overview", "findings", "kernels", "source&file=a.hip&line=13", "samples", "timeline", "timeline&event=1&area=0-100000", "compare", "run", "glossary")
FOCUSABLE = """(() => {
	window.controls = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
		.filter((e) => e.tabIndex >= 0 && e.getClientRects().length &&
			(e.tagName === "SUMMARY" || !e.closest("details:not([open])")));
	return controls.length;
})()"""
FOCUSED = """(() => {
	const e = document.activeElement, style = getComputedStyle(e);
	return [controls.indexOf(e), style.outlineStyle, e.outerHTML.slice(0, 80)];
})()"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def check(right, text):
    if not right:
        sys.exit(f"keyboard: {text}")


def show(browser, page):
    """A page by its address, with focus nowhere."""
    browser.evaluate(f"document.activeElement.blur(); location.hash = {json.dumps('#page=' + page)}; 0")
    name = page.split("&")[0]
    browser.wait_for("document.querySelector('nav [aria-current]').getAttribute('href').startsWith("
                     f"{json.dumps('#page=' + name)})")
    browser.evaluate(FRAMES)


def walk(browser, page):
    """Tab visits every control once, in the order of the page, and each shows that it has focus."""
    show(browser, page)
    count = browser.evaluate(FOCUSABLE)
    for expected in range(count):
        browser.press("Tab")
        at, outline, text = browser.evaluate(FOCUSED)
        check(at == expected, f"page {page}: control {expected} of {count} expected, not {at}: {text}")
        check(outline != "none", f"page {page}: focus cannot be seen on {text}")


def focus_stays(browser):
    show(browser, "overview")
    browser.evaluate("document.querySelectorAll('nav a')[2].focus()")
    browser.press("Enter")
    # The address changes before the page does.
    browser.wait_for("document.querySelector('nav [aria-current]').textContent === 'Kernels' && document.querySelector('main td a')")
    check(browser.evaluate("document.activeElement.textContent") == "Kernels", "a link of the navigation lost focus")
    browser.evaluate("document.querySelector('main td a').focus()")
    browser.press("Enter")
    browser.wait_for("location.hash.startsWith('#page=findings') && document.querySelector('main .filters')")
    check(browser.evaluate("document.activeElement.id") == "main", "after a link of the content, focus is not in the content")
    browser.press("Tab")
    check(browser.evaluate("document.activeElement.closest('main') !== null"), "Tab left the content")
    browser.evaluate("""(() => {
		const kind = document.querySelector("main select[aria-label=Kind]");
		kind.focus();
		kind.value = "bank conflicts";
		kind.dispatchEvent(new Event("change"));
	})()""")
    browser.wait_for("location.hash.includes('kind=bank')")
    browser.evaluate(FRAMES)
    check(browser.evaluate("document.activeElement.getAttribute('aria-label')") == "Kind", "a filter lost focus")


def rows_open(browser):
    """j and k choose rows, are announced with their content, and Enter opens the row."""
    for page, then in (("kernels", "#page=findings&kernel="), ("samples", "#page=source&"),
                       ("timeline", "#page=timeline&event="), ("source&file=a.hip", "#page=source&")):
        show(browser, page)
        browser.press("j")
        said = browser.evaluate("document.getElementById('live').textContent")
        check(said.startswith("row 1 of ") and len(said) > len("row 1 of 10: "), f"page {page}: j announces {said!r}")
        browser.press("Enter")
        browser.wait_for(f"location.hash.startsWith({json.dumps(then)}) && location.hash !== {json.dumps('#page=' + page)}")


def keys(browser):
    show(browser, "overview")
    browser.press("/")
    check(browser.evaluate("document.activeElement.id") == "query", "/ does not go to the search")
    browser.press("Escape")
    browser.press("?")
    check(browser.evaluate("document.getElementById('help').open"), "? does not show the keys")
    browser.press("Escape")
    browser.wait_for("!document.getElementById('help').open")
    browser.press("t")
    theme = browser.evaluate("document.documentElement.dataset.theme")
    browser.press("t")
    check({theme, browser.evaluate("document.documentElement.dataset.theme")} == {"dark", "light"}, "t has no effect")


def narrow(browser):
    """No page scrolls sideways, also at 400 pixels, as in a window beside an editor."""
    for screen in (1280, 400):
        browser.resize(screen, 800)
        for page in PAGES:
            show(browser, page)
            width = browser.evaluate("document.documentElement.scrollWidth")
            check(width <= screen, f"page {page} is {width} pixels wide on a screen of {screen}")


with Browser() as chromium:
    chromium.open(pathlib.Path(sys.argv[1]).resolve().as_uri(), "document.querySelector('main')")
    for each in PAGES:
        walk(chromium, each)
    focus_stays(chromium)
    rows_open(chromium)
    keys(chromium)
    narrow(chromium)
    check(not chromium.console, f"the console is not empty: {chromium.console}")
