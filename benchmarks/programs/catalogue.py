"""All programs, by name."""

from __future__ import annotations

from benchmarks.programs import flows, numerics, records, stencils, sweeps
from benchmarks.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program
    for module in (stencils, flows, numerics, records, sweeps)
    for program in module.PROGRAMS
}
