"""All programs, by name."""

from __future__ import annotations

from benchmarks.programs import flows, in_place, numerics, records, stencils
from benchmarks.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program
    for module in (stencils, flows, numerics, records, in_place)
    for program in module.PROGRAMS
}
