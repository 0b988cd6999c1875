"""Advice for a line of a script, derived from its counters."""

from __future__ import annotations

from lazyarr.arrays.early_evaluation import INDEX_CAUSE
from lazyarr.inspect.doctor.lines import LineReport
from lazyarr.inspect.labels import bytes_text, seconds_text

__all__ = ["advice_of"]

#: Evaluations of one line that were forced, from which on they are worth a change.
_FORCED = 3
#: Kernels that one line compiled, from which on its forms may be too many.
_COMPILED = 8
#: Share of a line's time that a library call or overhead takes to be worth a word.
_SHARE = 0.5
#: Times below it are no reason to change anything.
_SECONDS = 1e-3
#: A line that is slower than NumPy by less may be so by chance.
_SLOWER = 0.02
_TOGETHER = "evaluate several values together with lazyarr.evaluate(a, b)"
#: What else avoids evaluations, by what asks for them.
_INSTEAD = {
    "bool(x)": ", or use lazyarr.where instead of if",
    INDEX_CAUSE[0]: ", or replace selections by lazyarr.where(mask, x, 0) or where= of a reduction",
}


def advice_of(entry: LineReport) -> list[str]:
    """Return the changes that would make a line faster, the surest first."""
    advice = []
    for (by, why), count in entry.forced.items():
        if count >= _FORCED:
            advice.append(
                f"{by} forced {count} evaluations here ({why}): {_TOGETHER}{_INSTEAD.get(by, '')}"
            )
    advice += [
        f"{name} was traced again {count} ×: {hint}"
        for (name, _, hint), count in _by_hint(entry).items()
        if hint
    ]
    for (operation, reason), call in entry.library.items():
        if call.seconds > max(_SECONDS, _SHARE * entry.seconds):
            advice.append(
                f"{operation} takes most of this line's time ({seconds_text(call.seconds)}), and "
                f"no kernel computes it: {reason}"
            )
    if entry.compiled >= _COMPILED:
        advice.append(
            f"{entry.compiled} kernels were compiled for this line: expressions of the same form "
            "share kernels if their arrays have the same dtypes and layouts"
        )
    if entry.overhead_seconds > max(_SECONDS, entry.seconds) and entry.evaluations > 1:
        mean = entry.evaluated_bytes // entry.evaluations
        advice.append(
            f"{entry.evaluations} evaluations took {seconds_text(entry.overhead_seconds)} outside "
            f"of kernels, of {bytes_text(mean)} each: work on larger arrays at once, or put the "
            "work into a function with lazyarr.jit"
        )
    slower = entry.seconds - entry.eager_seconds
    if entry.eager_seconds and slower > max(_SLOWER, 0.2 * entry.eager_seconds):
        advice.append(
            f"this line took {seconds_text(entry.seconds)}, and takes NumPy "
            f"{seconds_text(entry.eager_seconds)}: see lazyarr.explain of its value for what goes "
            "through memory"
        )
    return advice


def _by_hint(entry: LineReport) -> dict[tuple[str, str, str], int]:
    """Return the number of traces made again for each hint, with one of their guards."""
    counts: dict[tuple[str, str, str], int] = {}
    seen: dict[tuple[str, str], tuple[str, str, str]] = {}
    for key, count in entry.retraced.items():
        first = seen.setdefault((key[0], key[2]), key)
        counts[first] = counts.get(first, 0) + count
    return counts
