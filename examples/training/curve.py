"""A picture of the losses: by Matplotlib where it is installed, otherwise an SVG written here."""

import math
import tempfile
from pathlib import Path

from training.errors import TrainingError


def draw(path: Path, losses: list[float], accuracies: list[float], title: str) -> Path:
    """Draw the loss of each epoch and the accuracy on the test set; return the file's name.

    The picture is drawn in a folder beside the file, and takes its place once it is whole.

    Raises
    ------
    TrainingError
        If it cannot be written, or Matplotlib does not know the file's ending.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            drawn = _drawn(Path(folder) / path.name, losses, accuracies, title)
            return drawn.replace(path.with_name(drawn.name))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TrainingError(f"{path}: the curve cannot be written: {reason}") from error


def _drawn(path: Path, losses: list[float], accuracies: list[float], title: str) -> Path:
    try:
        import matplotlib as mpl
    except ImportError:
        path = path.with_suffix(".svg")
        path.write_text(_svg(losses, accuracies, title), encoding="utf-8")
        return path
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    epochs = range(1, len(losses) + 1)
    axes.plot(epochs, losses, color="tab:blue")
    axes.set(xlabel="epoch", ylabel="training loss", title=title, yscale="log")
    other = axes.twinx()
    other.plot(epochs, accuracies, color="tab:orange")
    other.set_ylabel("test accuracy")
    figure.savefig(path)
    plt.close(figure)
    return path


_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 400, 60, 40


def _line(values: list[float], low: float, high: float, color: str) -> str:
    wide, tall = _WIDTH - 2 * _LEFT, _HEIGHT - 2 * _TOP
    spread = (high - low) or 1.0
    points = " ".join(
        f"{_LEFT + wide * k / max(len(values) - 1, 1):.1f},"
        f"{_TOP + tall * (1 - (value - low) / spread):.1f}"
        for k, value in enumerate(values)
    )
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'


def _svg(losses: list[float], accuracies: list[float], title: str) -> str:
    """Return losses on a logarithmic scale, on the left, and accuracies, on the right."""
    logs = [math.log10(max(loss, 1e-12)) for loss in losses]
    low, high = (math.floor(min(logs)), math.ceil(max(logs))) if logs else (0, 1)
    bottom = min(accuracies, default=0.0)
    base = _HEIGHT - _TOP
    right = _WIDTH - _LEFT
    texts = [
        (_WIDTH / 2, 22, "middle", title, "black"),
        (_WIDTH / 2, _HEIGHT - 10, "middle", f"epochs 1 to {len(losses)}", "black"),
        (_LEFT - 6, base, "end", f"1e{low}", "#1f77b4"),
        (_LEFT - 6, _TOP + 8, "end", f"1e{high}", "#1f77b4"),
        (_LEFT, _TOP - 6, "middle", "loss", "#1f77b4"),
        (right + 6, base, "start", f"{bottom:.1%}", "#ff7f0e"),
        (right + 6, _TOP + 8, "start", "100%", "#ff7f0e"),
        (right, _TOP - 6, "middle", "accuracy", "#ff7f0e"),
    ]
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            'font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<path d="M{_LEFT},{_TOP} V{base} H{right} V{_TOP}" fill="none" stroke="#888"/>',
        _line(logs, low, high, "#1f77b4"),
        _line(accuracies, bottom, 1.0, "#ff7f0e"),
        *(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{text}</text>'
            for x, y, anchor, text, color in texts
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"
