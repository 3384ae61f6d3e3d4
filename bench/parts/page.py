"""The figures as a table, and the table in its place on the page."""

import os
import platform
import re
import statistics
from pathlib import Path

BEGIN = "<!-- figures: written by bench/run --write; do not edit -->"
END = "<!-- end of figures -->"


def machine(bench, server):
    """What it was measured on, in words; nothing that names the machine or where things lie on it."""
    engine, facts = bench.engine.version(), bench.engine.facts()
    kernel = re.match(r"[0-9]+(\.[0-9]+)*", platform.release()).group()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return ", ".join([
        f"{os.cpu_count()} cores ({platform.machine()})",
        f"{memory:.0f} GiB of memory",
        f"Linux {kernel}",
        f"JDK {server.java()}",
        f"Docker Engine {engine['Version']} ({facts['Driver']}, cgroup v{facts.get('CgroupVersion', '1')})",
        f"Berth {server.facts()['version']}",
        f"load before it began {bench.load:.1f}",
    ])


def table(rows):
    lines = ["| what | Berth | against | ratio of the medians | of the minima | n | aim |",
             "|---|---|---|---|---|---|---|"]
    for row in rows:
        cells = [row.what, figure(row.ours.median(), row.unit),
                 f"{row.theirs.name}: {figure(row.theirs.median(), row.unit)}",
                 ratio(row.ratio(statistics.median)), ratio(row.ratio(min)),
                 str(min(len(row.ours.values), len(row.theirs.values))), row.aim()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def figure(value, unit):
    if unit == "s":
        if value >= 1:
            return f"{value:.2f} s"
        return f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.2f} ms"
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.2f} {unit}"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


def figures(bench, server_words, rows):
    return f"{BEGIN}\n\n{server_words}. Each figure is a median of n.\n\n{table(rows)}\n\n{END}"


def write(page, text):
    page = Path(page)
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise RuntimeError(f"{page.name} does not have the lines '{BEGIN}' and '{END}', between which the figures go")
    page.write_text(before + text + after, encoding="utf-8")
