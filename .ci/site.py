"""Gives each message of docs/messages.md a page of its own in the site, whose title is the message. mkdocs calls these functions."""

import re
from collections import Counter

from mkdocs.structure.files import File

MESSAGE = re.compile(r"^### (?P<title>.+)\n(?P<text>(?:(?!##|<!--).*\n)*)", re.MULTILINE)
INDEX = "messages.md"


def messages(text):
    """Yields the match, the name of the page and the content of the page of each message."""
    names = Counter()
    for m in MESSAGE.finditer(text):
        name = re.sub(r"[^a-z0-9]+", "-", m["title"].lower()).strip("-")[:80]
        names[name] += 1
        again = f"-{names[name]}" if names[name] > 1 else ""
        yield m, f"messages/{name}{again}.md", f"# {m['title']}\n{m['text']}\n`spandrel check PATH` says what happened to your file. [All messages](../{INDEX})\n"


def on_files(files, config):
    for _, path, text in messages(files.get_file_from_path(INDEX).content_string):
        files.append(File.generated(config, path, content=text))


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri != INDEX:
        return markdown
    paths = {m.start(): path for m, path, _ in messages(markdown)}
    return MESSAGE.sub(lambda m: f"* [{m['title']}]({paths[m.start()]})\n", markdown)
