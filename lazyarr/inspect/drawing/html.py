"""The HTML page: all stages in tabs, in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lazyarr.inspect.drawing.style import SANS, STYLE
from lazyarr.inspect.explanation import Explanation

__all__ = ["page_text"]

_PAGE_STYLE = f"""
:root{{color-scheme:light dark;--ground:#ffffff;--text:#1c1e21;--soft:#5d6167;--line:#d9dce1;
--mark:#3a7fb8;--code:#f5f6f8}}
@media (prefers-color-scheme: dark){{:root{{--ground:#16181c;--text:#e8eaed;--soft:#a4a9b1;
--line:#33373e;--mark:#62a8df;--code:#1f2228}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--ground);color:var(--text);font:14px/1.5 {SANS}}}
header{{padding:16px 24px 0}}
h1{{font-size:18px;margin:0 0 2px}}
p{{margin:0 0 12px;color:var(--soft)}}
main>input{{position:absolute;opacity:0}}
main>label{{display:inline-block;padding:8px 16px;margin-left:8px;cursor:pointer;
border-bottom:3px solid transparent;color:var(--soft)}}
main>label:first-of-type{{margin-left:16px}}
main>input:checked+label{{color:var(--text);border-bottom-color:var(--mark);font-weight:600}}
main>input:focus-visible+label{{outline:2px solid var(--mark)}}
main>section{{display:none;border-top:1px solid var(--line);overflow:auto}}
.fit{{float:right;margin:8px 24px;color:var(--soft)}}
main:has(#fit:checked)>section>svg{{max-width:100%;height:auto}}
pre{{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;
margin:0;padding:16px 24px;overflow:auto}}
details{{margin:0 24px 8px;border:1px solid var(--line);border-radius:6px;background:var(--code)}}
summary{{padding:8px 12px;cursor:pointer;font-weight:600}}
h2{{font-size:15px;margin:8px 24px}}
.la-vertex,.la-cluster{{cursor:default}}
svg.lit .la-way{{opacity:.18}}
svg.lit .la-way.on{{opacity:1}}
svg.lit .la-way.on .la-edge{{stroke-width:2.6}}
"""

# Pointing at a box lights the edges that begin or end there. The page says all without it.
_SCRIPT = """
for (const box of document.querySelectorAll("g.la-vertex[data-key]")) {
  const picture = box.closest("svg"), key = box.dataset.key;
  const ways = [...picture.querySelectorAll(".la-way")].filter(
    way => way.dataset.source === key || way.dataset.target === key);
  const light = on => () => {
    picture.classList.toggle("lit", on);
    for (const way of ways) way.classList.toggle("on", on);
  };
  box.addEventListener("mouseenter", light(true));
  box.addEventListener("mouseleave", light(false));
}
"""


def page_text(pictures: Sequence[tuple[str, str]], chosen: str, explanation: Explanation) -> str:
    """Return the page.

    Parameters
    ----------
    pictures : sequence of (str, str)
        Stage and its SVG, which need not be standalone.
    chosen : str
        The stage whose tab is open.
    explanation : Explanation
        For the last tab.
    """
    tabs = [*pictures, ("report", _report(explanation))]
    shown = ",".join(f"#{name}:checked~.{name}" for name, _ in tabs)
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>lazyarr</title>",
        f"<style>{STYLE}\n{_PAGE_STYLE}\n{shown}{{display:block}}</style></head><body>",
        f"<header><h1>lazyarr</h1><p>{escape(explanation.summary)}</p></header>",
        '<main><span class="fit"><input type="checkbox" id="fit">',
        '<label for="fit">fit to window</label></span>',
    ]
    for name, _ in tabs:
        checked = " checked" if name == chosen else ""
        lines.append(f'<input type="radio" name="stage" id="{name}"{checked}>')
        lines.append(f'<label for="{name}">{name}</label>')
    for name, content in tabs:
        lines.append(f'<section class="{name}">{content}</section>')
    lines.append(f"</main><script>{_SCRIPT}</script></body></html>")
    return "\n".join(lines) + "\n"


def _report(explanation: Explanation) -> str:
    lines = [f"<pre>{escape(str(explanation))}</pre>"]
    if explanation.kernels:
        lines.append("<h2>Generated kernels</h2>")
    for kernel in explanation.kernels:
        lines.append(f"<details><summary>{escape(kernel.name)}</summary>")
        lines.append(f"<pre>{escape(kernel.source)}</pre></details>")
    return "\n".join(lines)
