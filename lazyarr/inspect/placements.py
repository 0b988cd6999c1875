"""The section of ``explain`` on the devices of an expression's parts."""

from __future__ import annotations

from typing import Any

from lazyarr.compiler.device_choice import Placement
from lazyarr.inspect.labels import bytes_text, seconds_text, type_text
from lazyarr.inspect.sections import Section

__all__ = ["placement_dict", "placement_sections"]


def placement_sections(placement: Placement) -> list[Section]:
    """Return the parts of a report that say where the groups run."""
    rows = [
        (
            group.name,
            ", ".join(dict.fromkeys(member.op.name for member in group.members)),
            seconds_text(group.processor),
            "not there" if group.gpu is None else seconds_text(group.gpu),
            "GPU" if group.on_gpu else "CPU",
        )
        for group in placement.groups
    ]
    header = ("part", "computes", "on the CPU", "on the GPU", "runs on")
    sections = [Section("where it runs", header, rows, "llrrl")]
    copies = [
        (
            type_text(copy.value),
            "to the GPU" if copy.to_gpu else "to the host",
            bytes_text(copy.nbytes),
            seconds_text(copy.seconds),
        )
        for copy in placement.copies
    ]
    if copies:
        sections.append(Section("", ("value", "copied", "bytes", "predicted"), copies, "llrr"))
    return [*sections, Section("", (), [(_reason(placement),)])]


def _reason(placement: Placement) -> str:
    """Return the sentence that compares the choices."""
    both = placement.parts is not None
    where = "on both devices" if both else "on the GPU" if placement.whole_on_gpu else "on the CPU"
    others = {
        "the CPU alone": (placement.processor, both or placement.whole_on_gpu),
        "the GPU for all that it computes": (placement.gpu, not placement.whole_on_gpu),
    }
    compared = [f"{seconds_text(s)} with {name}" for name, (s, shown) in others.items() if shown]
    return (
        f"It runs {where}: {seconds_text(placement.seconds)} predicted, copies included; "
        f"{' and '.join(compared)}." + (" The kernels shown are those of the CPU." if both else "")
    )


def placement_dict(placement: Placement) -> dict[str, Any]:
    """Return a placement as plain lists and dictionaries."""
    return {
        "device": placement.device,
        "seconds": placement.seconds,
        "processor": placement.processor,
        "gpu": placement.gpu,
        "groups": [
            {
                "name": group.name,
                "processor": group.processor,
                "gpu": group.gpu,
                "on_gpu": group.on_gpu,
            }
            for group in placement.groups
        ],
        "copies": [
            {
                "value": type_text(copy.value),
                "to_gpu": copy.to_gpu,
                "bytes": copy.nbytes,
                "seconds": copy.seconds,
            }
            for copy in placement.copies
        ],
    }
