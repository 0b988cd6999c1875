"""Random views, reshapes, joins and gathers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.drawing import Drawing, Skip


class Movement(Drawing):
    """Draws operations that move elements."""

    def view(self) -> None:
        x = self.value(ndim=1)
        ndim, shape = x.eager.ndim, x.eager.shape
        which = self.choose(9)
        axis = self.choose(ndim)
        if which in (0, 1):
            key = []
            for size in shape:
                step = self.pick((1, 1, 2, -1, -2, 3))
                if self.choose(3) == 0:
                    key.append(slice(None, None, step))
                elif size and self.choose(5) == 0:
                    key.append(self.choose(size) - (size if self.choose(2) else 0))
                else:
                    key.append(slice(self.choose(size + 2) - 1, self.choose(size + 2), step))
            if self.choose(5) == 0:
                key.insert(self.choose(len(key) + 1), None)
            index = tuple(key)
            text = str(index).replace("{", "")
            self.add(f"{{0}}[{text}]", lambda v: v[index], [x], x.error)
        elif which == 2:
            axes = list(range(ndim))
            for k in range(ndim):
                j = self.choose(ndim)
                axes[k], axes[j] = axes[j], axes[k]
            self.add(f"transpose({{0}}, {axes})", lambda v: np.transpose(v, axes), [x], x.error)
        elif which == 3:
            self.add(f"flip({{0}}, {axis})", lambda v: np.flip(v, axis), [x], x.error)
        elif which == 4:
            at = self.choose(ndim + 1)
            self.add(f"expand_dims({{0}}, {at})", lambda v: np.expand_dims(v, at), [x], x.error)
        elif which == 5:
            self.add("squeeze({0})", np.squeeze, [x], x.error)
        elif which == 6 and ndim >= 2:
            offset = self.choose(3) - 1
            self.add(f"diagonal({{0}}, {offset})", lambda v: np.diagonal(v, offset), [x], x.error)
        elif which == 7 and shape[axis] >= 2:
            window = np.lib.stride_tricks.sliding_window_view
            self.add(f"window({{0}}, 2, {axis})", lambda v: window(v, 2, axis=axis), [x], x.error)
        else:
            size = self.pick((1, 2, 3))
            target = (size, *shape)
            self.add(f"broadcast_to({{0}}, {target})", lambda v: np.broadcast_to(v, target), [x],
                     x.error)  # fmt: skip

    def reshape(self) -> None:
        x = self.value()
        size = x.eager.size
        if self.choose(3) == 0:
            target: tuple[int, ...] = (-1,)
        else:
            parts = [n for n in (1, 2, 3, 4, 5, 6) if size % n == 0] if size else [1, 2, 3]
            first = self.pick(parts)
            rest = size // first
            more = [n for n in (1, 2, 3) if rest % n == 0] if rest else [1]
            second = self.pick(more)
            target = (first, second, rest // second)
            if self.choose(2):
                target = (first, rest)
        self.add(f"reshape({{0}}, {target})", lambda v: v.reshape(target), [x], x.error)

    def join(self) -> None:
        x, y = self.value(ndim=1), self.value(ndim=1)
        if x.eager.ndim != y.eager.ndim:
            y = x
        axis = self.choose(x.eager.ndim)
        operands = [x, y] if self.choose(3) else [x, y, x]
        error = max(v.error for v in operands)
        if error and len({v.eager.dtype for v in operands}) > 1:
            raise Skip
        name = self.pick(("concatenate", "concatenate", "concatenate", "stack"))
        function = getattr(np, name)
        text = ", ".join(f"{{{k}}}" for k in range(len(operands)))
        self.add(f"{name}([{text}], {axis})", lambda *v: function(v, axis=axis), operands, error)

    def rearrange(self) -> None:
        x = self.value(ndim=1)
        ndim = x.eager.ndim
        axis = self.choose(ndim)
        which = self.choose(5)
        if which == 0:
            widths = [(self.choose(3), self.choose(3)) for _ in range(ndim)]
            self.add(f"pad({{0}}, {widths})", lambda v: np.pad(v, widths), [x], x.error)
        elif which == 1:
            by = self.choose(5) - 2
            self.add(f"roll({{0}}, {by}, {axis})", lambda v: np.roll(v, by, axis), [x], x.error)
        elif which == 2:
            times = self.choose(3)
            self.add(f"tile({{0}}, {times})", lambda v: np.tile(v, times), [x], x.error)
        elif which == 3:
            times = self.choose(3)
            self.add(f"repeat({{0}}, {times}, {axis})", lambda v: np.repeat(v, times, axis), [x],
                     x.error)  # fmt: skip
        else:
            self.add(f"diff({{0}}, {axis})", lambda v: np.diff(v, axis=axis), [x],
                     2 * x.error + (4 * x.eps * x.bound if x.error else 0.0))  # fmt: skip

    def gather(self) -> None:
        """Choose elements at computed positions, some of them from the end."""
        x = self.value(ndim=1)
        places = self.value("iu", exact=True)
        axis = self.choose(x.eager.ndim)
        size = x.eager.shape[axis]
        if not size:
            raise Skip
        back = self.choose(2) * size

        def position(v: Any) -> Any:
            return v.astype(np.int64) % size - back

        which = self.choose(4)
        if which == 0:
            text = f"swapaxes({{0}}, 0, {axis})[{{1}} % {size} - {back}]"
            self.add(text, lambda v, w: v.swapaxes(0, axis)[position(w)], [x, places], x.error)
        elif which == 1:
            key = (slice(None),) * axis
            text = f"take({{0}}, {{1}} % {size} - {back}, {axis})"
            self.add(text, lambda v, w: v[(*key, position(w))], [x, places], x.error)
        elif which == 2 and x.eager.ndim >= 2 and x.eager.shape[1]:
            rows, columns = x.eager.shape[:2]
            text = f"{{0}}[{{1}} % {rows}, -1 - {{1}} % {columns}]"

            def both(v: Any, w: Any) -> Any:
                w = w.astype(np.int64)
                return v[w % rows, -1 - w % columns]

            self.add(text, both, [x, places], x.error)
        else:
            if places.eager.ndim != x.eager.ndim:
                raise Skip

            def along(v: Any, w: Any) -> Any:
                return np.take_along_axis(v, position(w), axis)

            text = f"take_along_axis({{0}}, {{1}} % {size} - {back}, {axis})"
            self.add(text, along, [x, places], x.error)
