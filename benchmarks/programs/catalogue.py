"""All programs, by name."""

from __future__ import annotations

from benchmarks.programs import flows, numerics, stencils
from benchmarks.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program for program in (*stencils.PROGRAMS, *flows.PROGRAMS, *numerics.PROGRAMS)
}
