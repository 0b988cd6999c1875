"""The memory plan as a picture: which buffer is live when, and where the peak is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass
from lazyarr.inspect.drawing.layout import Box
from lazyarr.inspect.drawing.style import KINDS, clipped, text_width
from lazyarr.inspect.drawing.svg import MARGIN, document, legend, rectangle, text_at
from lazyarr.inspect.labels import bytes_text, type_text

if TYPE_CHECKING:
    from lazyarr.schedule.memory import Buffer, Plan

__all__ = ["live_bytes", "memory_svg"]

MOST_ROWS = 60
_ROW = 26.0
_CURVE = 130.0


def live_bytes(plan: Plan) -> list[int]:
    """Return the bytes live during each step: buffers, and the scratch of the threads."""
    count = len(plan.steps)
    change = [0] * (count + 1)
    for buffer in plan.buffers:
        change[min(max(buffer.first, 0), count)] += buffer.nbytes
        change[min(buffer.last + 1, count)] -= buffer.nbytes
    live, total = [], plan.scratch_bytes
    for delta in change[:count]:
        total += delta
        live.append(total)
    return live


@dataclass(frozen=True, slots=True)
class _Axes:
    """The axes of the timeline: positions of steps on the page."""

    left: float
    column: float
    count: int

    @property
    def right(self) -> float:
        return self.left + self.column * self.count

    def x(self, step: int) -> float:
        return self.left + self.column * step


def memory_svg(plan: Plan, standalone: bool = True) -> str:
    """Return the picture: live bytes over the steps, and below one bar a buffer.

    Parameters
    ----------
    plan : Plan
        Whose buffers are drawn, the largest if there are many.
    standalone : bool
        Whether the SVG has a namespace and a style of its own; within a page it needs neither.
    """
    shown = sorted(plan.buffers, key=lambda buffer: -buffer.nbytes)[:MOST_ROWS]
    shown.sort(key=lambda buffer: (buffer.first, buffer.last, buffer.name))
    hidden = len(plan.buffers) - len(shown)
    labels = [step.group.name for step in plan.steps]
    count = max(len(labels), 1)
    longest = max((text_width(label, 11) for label in labels), default=0.0) + 14
    column = min(max(longest, 60.0), 1400.0 / count)
    names = max((text_width(_name(buffer), 11) for buffer in shown), default=0.0)
    axes = _Axes(MARGIN + max(names + 12, 80.0), column, count)
    top = MARGIN + 44
    body = [
        text_at(MARGIN, MARGIN + 2, _caption(plan), "la-title"),
        *legend(_kinds(shown), MARGIN, MARGIN + 22)[0],
        *_curve(plan, axes, top),
    ]
    y = top + _CURVE + 24
    bottom = y + _ROW * len(shown)
    body += _step_labels(axes, labels, y - 8, bottom)
    for buffer in shown:
        body += _bar(buffer, axes, y)
        y += _ROW
    if hidden:
        rest = sum(buffer.nbytes for buffer in plan.buffers) - sum(b.nbytes for b in shown)
        note = f"… {hidden:,} smaller buffers, {bytes_text(rest)} together …"
        body.append(text_at(MARGIN, y + 16, note, "la-small la-soft"))
        y += _ROW
    width = max(axes.right + 150, MARGIN + text_width(_caption(plan), 13, bold=True) + MARGIN)
    return document(body, width, y + MARGIN, "buffer lifetimes", standalone)


def _caption(plan: Plan) -> str:
    return (
        f"planned peak {bytes_text(plan.peak_bytes)}: arena {bytes_text(plan.arena_bytes)}, "
        f"scratch {bytes_text(plan.scratch_bytes)}; {len(plan.buffers)} buffers, "
        f"{len(plan.steps)} steps"
    )


def _kinds(buffers: Sequence[Buffer]) -> list[str]:
    seen = {buffer.kind for buffer in buffers}
    return [kind for kind in KINDS if kind in seen]


def _curve(plan: Plan, axes: _Axes, top: float) -> list[str]:
    live = live_bytes(plan)
    most = max([*live, plan.peak_bytes, 1])
    floor = top + _CURVE

    def height(nbytes: int) -> float:
        return floor - (_CURVE - 16) * nbytes / most

    points = [f"M{axes.left:.1f} {floor:.1f}"]
    for step, nbytes in enumerate(live):
        points.append(f"V{height(nbytes):.1f}H{axes.x(step + 1):.1f}")
    points.append(f"V{floor:.1f}Z")
    lines = [
        text_at(axes.left - 10, floor - 4, "0", "la-small la-soft", "end"),
        text_at(axes.left - 10, top + 12, "live bytes", "la-small la-soft", "end"),
        f'<path class="la-live" d="{"".join(points)}"/>',
        f'<path class="la-axis" d="M{axes.left:.1f} {floor:.1f}H{axes.right:.1f}"/>',
    ]
    level = height(plan.peak_bytes)
    lines.append(f'<path class="la-peak" d="M{axes.left:.1f} {level:.1f}H{axes.right + 8:.1f}"/>')
    at = live.index(max(live)) if live else 0
    text = f"peak {bytes_text(plan.peak_bytes)}"
    lines.append(text_at(axes.right + 12, level + 1, text, "la-small la-alarm"))
    lines.append(text_at(axes.right + 12, level + 15, f"in step {at}", "la-small la-soft"))
    for step, nbytes in enumerate(live if len(live) <= 400 else []):
        name = plan.steps[step].group.name
        box = Box(axes.x(step), top, axes.column, _CURVE)
        title = escape(f"step {step}, {name}: {bytes_text(nbytes)} live")
        lines.append(f'<g fill-opacity="0"><title>{title}</title>{rectangle(box, "")}</g>')
    return lines


def _step_labels(axes: _Axes, labels: Sequence[str], y: float, bottom: float) -> list[str]:
    lines = []
    longest = max((text_width(label, 11) for label in labels), default=0.0)
    has_room = longest + 4 <= axes.column
    every = 1
    while every * axes.column < (0 if has_room else 34):
        every *= 10 if every in (1, 10, 100, 1000) else 2
    for step in range(0, len(labels), every):
        x = axes.x(step)
        lines.append(f'<path class="la-grid" d="M{x:.1f} {y + 4:.1f}V{bottom:.1f}"/>')
        text = labels[step] if has_room else str(step)
        middle = x + (axes.column / 2 if has_room or every == 1 else 0)
        lines.append(text_at(middle, y - 3, text, "la-small la-soft", "middle"))
    lines.append(f'<path class="la-grid" d="M{axes.right:.1f} {y + 4:.1f}V{bottom:.1f}"/>')
    return lines


def _name(buffer: Buffer) -> str:
    """Return a buffer's name with its last value."""
    operation = f" {buffer.values[-1].op.name}" if buffer.values else ""
    return clipped(buffer.name + operation, 28)


def _bar(buffer: Buffer, axes: _Axes, y: float) -> list[str]:
    x = axes.x(buffer.first)
    width = max(axes.x(buffer.last + 1) - x - 2, 2.0)
    values = [type_text(value) for value in buffer.values]
    listed = "\n".join(values[:8] + ([f"… {len(values) - 8} more"] if len(values) > 8 else []))
    hover = (
        f"{buffer.name}: {bytes_text(buffer.nbytes)}, {KINDS[buffer.kind].label}\n"
        f"live in steps {buffer.first} to {buffer.last}\n{listed}"
    )
    text = bytes_text(buffer.nbytes)
    if len(values) > 1:
        text += f", {len(values)} values"
    is_inside = text_width(text, 11) + 12 <= width
    return [
        f'<g class="la-vertex"><title>{escape(hover)}</title>',
        text_at(axes.left - 10, y + 15, _name(buffer), "la-small", "end"),
        rectangle(Box(x + 1, y + 2, width, _ROW - 6), f"la-{buffer.kind}", 4),
        text_at(x + 8 if is_inside else x + width + 6, y + 16, text, "la-small"),
        "</g>",
    ]
