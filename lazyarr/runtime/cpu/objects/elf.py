"""Reading relocatable object files in ELF, 64-bit and little-endian.

The layout is that of the System V ABI, chapters 4 "Object Files" and 5 (``Elf64_Ehdr``,
``Elf64_Shdr``, ``Elf64_Sym``, ``Elf64_Rela``).
"""

from __future__ import annotations

import struct

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError

__all__ = ["ObjectFile", "Relocation", "Section", "Symbol", "read_object"]

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_MAGIC = b"\x7fELF\x02\x01\x01"
_RELOCATABLE = 1

#: Kinds of sections.
PROGBITS, SYMBOL_TABLE, RELOCATIONS, NOTE, NOBITS, SHORT_RELOCATIONS = 1, 2, 4, 7, 8, 9
#: Places of a symbol that are no section: it is elsewhere, a number, or not laid out yet.
UNDEFINED, ABSOLUTE, COMMON, RESERVED = 0, 0xFFF1, 0xFFF2, 0xFF00
#: Bindings of symbols.
LOCAL, WEAK = 0, 2

#: Linkers make this symbol themselves.
_OF_LINKERS = "_GLOBAL_OFFSET_TABLE_"


@dataclass(frozen=True, slots=True)
class Section:
    """One section; its bytes begin at `offset` in the file, unless it is NOBITS."""

    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol: `value` counts from the begin of its section, or is the alignment of a COMMON."""

    name: str
    kind: int
    binding: int
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Relocation:
    """A relocation at `offset` of a section: some sum of a symbol's address and `addend`."""

    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """A relocatable object file.

    Attributes
    ----------
    machine : int
        Number of the processor's architecture.
    content : bytes
        The file.
    sections : list of Section
        In the order of the file, from the empty one on.
    symbols : list of Symbol
        Likewise.
    relocations : dict of int to list of Relocation
        By the section that they change.
    """

    machine: int
    content: bytes
    sections: list[Section]
    symbols: list[Symbol]
    relocations: dict[int, list[Relocation]]

    def undefined(self) -> list[str]:
        """Return the names that something else must supply."""
        return [
            symbol.name
            for symbol in self.symbols
            if symbol.section == UNDEFINED
            and symbol.name not in ("", _OF_LINKERS)
            and symbol.binding != WEAK
        ]

    def bytes_of(self, section: Section) -> bytes:
        """Return the bytes of a section in the file; none of a NOBITS section."""
        if section.kind == NOBITS:
            return b""
        return self.content[section.offset : section.offset + section.size]


def read_object(content: bytes) -> ObjectFile | None:
    """Return an object file's parts, or None of a file in another format.

    Raises
    ------
    ContractError
        If it is ELF, but damaged: something lies beyond its end, or refers to what is not there.
    """
    if content[:7] != _MAGIC:
        return None
    try:
        return _read(content)
    except (struct.error, IndexError, ValueError) as error:
        raise ContractError(f"damaged object file: {error}") from error


def _read(content: bytes) -> ObjectFile:
    kind, machine, _, _, _, table, _, _, _, _, size, count, names = _HEADER.unpack_from(content)
    if kind != _RELOCATABLE or size != _SECTION.size:
        raise ValueError("it is not relocatable, or its section headers are not supported")
    headers = [_SECTION.unpack_from(content, table + k * size) for k in range(count)]
    for _, kind, _, _, offset, length, *_ in headers:
        if kind != NOBITS and offset + length > len(content):
            raise ValueError("a section extends beyond its end")
    titles = _strings(content, headers, names)
    sections = [
        Section(_text(titles, name), kind, flags, offset, length, link, info, max(1, alignment))
        for name, kind, flags, _, offset, length, link, info, alignment, _ in headers
    ]
    symbols: list[Symbol] = []
    relocations: dict[int, list[Relocation]] = {}
    for section in sections:
        data = content[section.offset : section.offset + section.size]
        if section.kind == SYMBOL_TABLE:
            if symbols:
                raise ValueError("it has two symbol tables")
            strings = _strings(content, headers, section.link)
            symbols = [
                Symbol(_text(strings, name), info & 15, info >> 4, place, value, length)
                for name, info, _, place, value, length in _SYMBOL.iter_unpack(data)
            ]
        elif section.kind == RELOCATIONS:
            relocations.setdefault(section.info, []).extend(
                Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend)
                for offset, info, addend in _RELOCATION.iter_unpack(data)
            )
    _check(sections, symbols, relocations)
    return ObjectFile(machine, content, sections, symbols, relocations)


def _strings(content: bytes, sections: list[tuple[int, ...]], index: int) -> bytes:
    offset, size = sections[index][4:6]
    return content[offset : offset + size]


def _text(strings: bytes, begin: int) -> str:
    return strings[begin : strings.index(b"\0", begin)].decode()


def _check(
    sections: list[Section], symbols: list[Symbol], relocations: dict[int, list[Relocation]]
) -> None:
    """Refuse references to something that is not there."""
    for symbol in symbols:
        if UNDEFINED < symbol.section < RESERVED:
            if symbol.value + symbol.size > sections[symbol.section].size:
                raise ValueError(f"{symbol.name} ends beyond its section")
    for index, own in relocations.items():
        size = sections[index].size
        for relocation in own:
            if relocation.offset >= size or relocation.symbol >= len(symbols):
                raise ValueError("a relocation refers to a missing symbol or section")
