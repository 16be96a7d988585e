"""Checks a report without a browser: that it is well formed, that its policy
forbids the network, that it names nothing outside of itself, and that the
profiles in it are the files that are given, in their order.
Arguments: the report and the profiles."""

import html.parser
import json
import sys

VOID = {"meta", "input", "br", "link", "img"}
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.profiles, self.policy = [], set(), [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert not {"src", "href", "action"} & set(attributes), (tag, attributes)
        if "id" in attributes:
            assert attributes["id"] not in self.ids
            self.ids.add(attributes["id"])
        if attributes.get("http-equiv") == "Content-Security-Policy":
            # Before anything that it is for.
            assert self.open == ["html", "head"] and self.policy is None
            self.policy = attributes["content"]
        if tag in ("script", "style"):
            assert self.policy
        if attributes.get("class") == "profile":
            assert attributes["type"] == "application/json"
            self.profiles.append("")
        if tag not in VOID:
            self.open.append((tag) if tag != "script" else "script")
        self.in_profile = attributes.get("class") == "profile"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        self.in_profile = False

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and self.in_profile:
            self.profiles[-1] += data


report, *paths = sys.argv[1:]
with open(report, encoding="utf-8") as file:
    text = file.read()
reader = Reader()
reader.feed(text)
reader.close()
assert not reader.open, reader.open
assert reader.policy == POLICY
assert {"header", "view", "help"} <= reader.ids
assert "Copyright (c) 2022 Leon Sorokin" in text and "The MIT License" in text
assert len(reader.profiles) == len(paths)
for embedded, path in zip(reader.profiles, paths):
    assert "<" not in embedded
    with open(path, encoding="utf-8") as file:
        assert json.loads(embedded)["profile"] == json.load(file)
    print("profile", json.loads(embedded)["name"])
