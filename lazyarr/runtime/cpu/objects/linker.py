"""Loading object code: laying its sections out in memory, and filling in addresses.

This is what LLVM's MCJIT does with the object files that compilers make here, without LLVM. Its
library takes longer to load than a kernel on disk takes to be found and run. It knows x86-64 alone,
and of that what kernels consist of; the rest is `Unsupported`, and llvmlite's part.

Code goes into pages that are only run, constants into pages that are only read, variables into
pages that are only read and written. Unwinding tables are left out: nothing is thrown or cancelled
inside a kernel. Relocations are those of the System V ABI, AMD64 supplement, chapter 4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.runtime.cpu.objects import elf
from lazyarr.runtime.cpu.objects.elf import ObjectFile, Relocation, Section
from lazyarr.runtime.cpu.objects.executable_memory import (
    EXECUTABLE,
    PAGE,
    READ_ONLY,
    WRITABLE,
    Pages,
)

__all__ = ["Image", "Unsupported", "load"]

_X86_64 = 62
#: Flags of sections: written to, part of the process, run; for each thread, packed.
_WRITE, _ALLOC, _EXECUTE, _THREAD, _COMPRESSED = 1, 2, 4, 0x400, 0x800
_X86_64_UNWIND = 0x70000001
#: Kinds of symbols: one for each thread, and a function that says which function is meant.
_UNUSUAL_SYMBOLS = {6: "thread-local variables", 10: "indirect functions"}

_NONE = 0
_CALL = 4  # R_X86_64_PLT32


@dataclass(frozen=True, slots=True)
class _Field:
    """A kind of relocation: the written value, and its width.

    Attributes
    ----------
    name : str
        In the ABI, after ``R_X86_64_``.
    size : int
        Bytes.
    signed : bool
        Whether they hold a signed number.
    relative : bool
        Whether it counts from its own place.
    table : bool
        Whether the address is of an entry of the table of addresses, instead of the symbol's.
    """

    name: str
    size: int
    signed: bool
    relative: bool = False
    table: bool = False


_FIELDS = {
    1: _Field("64", 8, signed=False),
    2: _Field("PC32", 4, signed=True, relative=True),
    _CALL: _Field("PLT32", 4, signed=True, relative=True),
    9: _Field("GOTPCREL", 4, signed=True, relative=True, table=True),
    10: _Field("32", 4, signed=False),
    11: _Field("32S", 4, signed=True),
    24: _Field("PC64", 8, signed=True, relative=True),
    41: _Field("GOTPCRELX", 4, signed=True, relative=True, table=True),
    42: _Field("REX_GOTPCRELX", 4, signed=True, relative=True, table=True),
}

_ENTRY = 8  # bytes of an entry in the table of addresses
#: Jumps to the address in an entry of the table, from which its last four bytes count.
_JUMP = b"\xff\x25"
_STUB = 8  # bytes, of which a jump takes six
_TRAP = b"\xcc"
#: No kernel comes near; a damaged size does.
_LIMIT = 1 << 28


class Unsupported(Exception):
    """An object file has something that lazyarr's own loader does not know."""


@dataclass(frozen=True, eq=False, slots=True)
class Image:
    """Object code in memory.

    Attributes
    ----------
    pages : Pages
        The memory; it is freed with them.
    functions : dict of str to int
        Addresses of the functions that others may call.
    """

    pages: Pages
    functions: dict[str, int]


def load(file: ObjectFile, find: Callable[[str], int | None]) -> Image:
    """Return object code in memory, ready to run.

    Parameters
    ----------
    file : ObjectFile
        What to load.
    find : callable
        Returns where this process has a function or variable, or None.

    Raises
    ------
    Unsupported
        If there is something in it that only llvmlite can load.
    ContractError
        If it is damaged, if a symbol is missing, or if an address does not fit where it belongs.
    OSError
        If the system refuses the memory.
    """
    if file.machine != _X86_64:
        raise Unsupported(f"code for machine {file.machine} of ELF")
    return _Loading(file, find).image()


class _Loading:
    """The layout of one object file, and its memory while it is written."""

    def __init__(self, file: ObjectFile, find: Callable[[str], int | None]) -> None:
        self._file = file
        self._find = find
        self._places: dict[int, int] = {}  # offsets of sections
        self._commons: dict[int, int] = {}  # offsets of variables without a section, by symbol
        self._entries: dict[int, int] = {}  # offsets of entries in the table, by symbol
        self._stubs: dict[int, int] = {}  # offsets of jumps, by symbol
        self._addresses: dict[int, int] = {}  # of symbols
        self._size = 0
        self._segments: list[tuple[int, int, int]] = []  # offset, size, and what is allowed there
        self._loaded = {
            index: section for index, section in enumerate(file.sections) if _is_loaded(section)
        }

    def image(self) -> Image:
        self._require_known()
        self._lay_out()
        if self._size > _LIMIT:
            raise ContractError(f"damaged object file: it needs {self._size:,} bytes")
        pages = Pages(max(self._size, 1))
        content = bytearray(self._size)
        for index, section in self._loaded.items():
            data = self._file.bytes_of(section)
            content[self._places[index] : self._places[index] + len(data)] = data
        self._link(content, pages.address)
        pages.write(0, bytes(content))
        for offset, size, how in self._segments:
            pages.protect(offset, size, how)
        return Image(pages, self._functions(pages.address))

    def _require_known(self) -> None:
        file = self._file
        for symbol in file.symbols:
            if symbol.kind in _UNUSUAL_SYMBOLS:
                raise Unsupported(f"{_UNUSUAL_SYMBOLS[symbol.kind]} ({symbol.name})")
            if symbol.section >= elf.RESERVED:
                if symbol.section not in (elf.ABSOLUTE, elf.COMMON):
                    raise Unsupported(f"symbols in a section of a special kind ({symbol.name})")
        for section in file.sections:
            if section.kind == elf.SHORT_RELOCATIONS and section.info in self._loaded:
                raise Unsupported("relocations without addends")
        for _, relocation in self._relocations():
            if relocation.kind not in _FIELDS:
                raise Unsupported(f"relocations of kind {relocation.kind} of x86-64")

    def _lay_out(self) -> None:
        """Lay out executable, read-only and writable sections."""
        parts: dict[int, list[int]] = {EXECUTABLE: [], READ_ONLY: [], WRITABLE: []}
        for index, section in self._loaded.items():
            parts[_allowed(section)].append(index)
        for how, indices in parts.items():
            begin = self._size
            for index in indices:
                section = self._loaded[index]
                self._places[index] = self._reserve(section.size, section.alignment)
            if how == EXECUTABLE:
                for called in self._called():
                    self._stubs[called] = self._reserve(_STUB, _STUB)
            elif how == READ_ONLY:
                for read in self._called() | self._tabled():
                    self._entries[read] = self._reserve(_ENTRY, _ENTRY)
            else:
                for number, symbol in enumerate(self._file.symbols):
                    if symbol.section == elf.COMMON:
                        self._commons[number] = self._reserve(symbol.size, max(1, symbol.value))
            self._size = -(-self._size // PAGE) * PAGE
            if self._size > begin:
                self._segments.append((begin, self._size - begin, how))

    def _reserve(self, size: int, alignment: int) -> int:
        if alignment & (alignment - 1):
            raise ContractError(f"damaged object file: an alignment of {alignment}")
        if alignment > PAGE:
            raise Unsupported(f"a section that begins at a multiple of {alignment}")
        place = -(-self._size // alignment) * alignment
        self._size = place + size
        return place

    def _relocations(self) -> Iterable[tuple[int, Relocation]]:
        for index in self._loaded:
            for relocation in self._file.relocations.get(index, ()):
                if relocation.kind != _NONE:
                    yield index, relocation

    def _called(self) -> dict[int, None]:
        """Return the functions elsewhere that are called with an address of 32 bits."""
        symbols = self._file.symbols
        return {
            relocation.symbol: None
            for _, relocation in self._relocations()
            if relocation.kind == _CALL and symbols[relocation.symbol].section == elf.UNDEFINED
        }

    def _tabled(self) -> dict[int, None]:
        """Return the symbols whose addresses are read from the table."""
        return {
            relocation.symbol: None
            for _, relocation in self._relocations()
            if _FIELDS[relocation.kind].table
        }

    def _link(self, content: bytearray, base: int) -> None:
        """Write the addresses that belong into the content, which will begin at `base`."""
        for symbol, place in self._entries.items():
            content[place : place + _ENTRY] = self._address(symbol, base).to_bytes(_ENTRY, "little")
        for symbol, place in self._stubs.items():
            jump = place + len(_JUMP) + 4
            distance = (self._entries[symbol] - jump).to_bytes(4, "little", signed=True)
            content[place : place + _STUB] = (_JUMP + distance).ljust(_STUB, _TRAP)
        for index, relocation in self._relocations():
            field = _FIELDS[relocation.kind]
            place = self._places[index] + relocation.offset
            if relocation.offset + field.size > self._loaded[index].size:
                raise ContractError("damaged object file: a relocation ends beyond its section")
            if field.table:
                value = base + self._entries[relocation.symbol]
            elif relocation.kind == _CALL and relocation.symbol in self._stubs:
                value = base + self._stubs[relocation.symbol]
            else:
                value = self._address(relocation.symbol, base)
            value += relocation.addend
            if field.relative:
                value -= base + place
            try:
                written = value.to_bytes(field.size, "little", signed=field.signed)
            except OverflowError as error:
                name = self._file.symbols[relocation.symbol].name
                raise ContractError(
                    f"the address of {name or 'a section'} does not fit into R_X86_64_{field.name}"
                ) from error
            content[place : place + field.size] = written

    def _address(self, number: int, base: int) -> int:
        address = self._addresses.get(number)
        if address is None:
            address = self._addresses[number] = self._find_address(number, base)
        return address

    def _find_address(self, number: int, base: int) -> int:
        symbol = self._file.symbols[number]
        if symbol.section == elf.ABSOLUTE:
            return symbol.value
        if symbol.section == elf.COMMON:
            return base + self._commons[number]
        if symbol.section != elf.UNDEFINED:
            if symbol.section not in self._places:
                raise Unsupported(f"an address in a section that is not loaded ({symbol.name})")
            return base + self._places[symbol.section] + symbol.value
        address = self._find(symbol.name) if symbol.name else None
        if address is None and symbol.binding != elf.WEAK:
            raise ContractError(f"no library supplies {symbol.name or 'a symbol without a name'}")
        return address or 0

    def _functions(self, base: int) -> dict[str, int]:
        return {
            symbol.name: base + self._places[symbol.section] + symbol.value
            for symbol in self._file.symbols
            if symbol.binding != elf.LOCAL
            and symbol.section in self._places
            and self._loaded[symbol.section].flags & _EXECUTE
        }


def _is_loaded(section: Section) -> bool:
    """Return whether a section is part of the process, unless it is of a kind not known here."""
    if not section.flags & _ALLOC:
        return False
    if section.kind == _X86_64_UNWIND or section.name == ".eh_frame":
        return False
    if section.flags & (_THREAD | _COMPRESSED):
        raise Unsupported(f"thread-local or compressed sections ({section.name})")
    if section.kind not in (elf.PROGBITS, elf.NOBITS, elf.NOTE):
        raise Unsupported(f"sections of kind {section.kind:#x} ({section.name})")
    if section.name.startswith((".ctors", ".dtors")):
        raise Unsupported(f"initialisation or termination code ({section.name})")
    return True


def _allowed(section: Section) -> int:
    if section.flags & _EXECUTE:
        if section.flags & _WRITE:
            raise Unsupported(f"writable code sections ({section.name})")
        return EXECUTABLE
    return WRITABLE if section.flags & _WRITE else READ_ONLY
