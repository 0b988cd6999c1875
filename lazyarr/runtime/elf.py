"""Reading which symbols a 64-bit little-endian ELF object file expects from elsewhere.

The layout is that of the System V ABI, chapters 4 "Object Files" and 5 (``Elf64_Ehdr``,
``Elf64_Shdr``, ``Elf64_Sym``).
"""

from __future__ import annotations

import struct

__all__ = ["undefined_symbols"]

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_WEAK = 2


def undefined_symbols(object_code: bytes) -> list[str]:
    """Return the names that must be resolved to load an object file.

    Files of another format give an empty list.
    """
    if object_code[:6] != b"\x7fELF\x02\x01":
        return []
    (table,) = struct.unpack_from("<Q", object_code, 0x28)
    size, count = struct.unpack_from("<HH", object_code, 0x3A)
    sections = [_SECTION.unpack_from(object_code, table + i * size) for i in range(count)]
    names: list[str] = []
    for _, kind, _, _, offset, length, link, _, _, _ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        strings = sections[link][4]
        for at in range(offset, offset + length, _SYMBOL.size):
            name, flags, _, section, _, _ = _SYMBOL.unpack_from(object_code, at)
            if name and section == 0 and flags >> 4 != _WEAK:
                begin = strings + name
                end = object_code.index(b"\0", begin)
                names.append(object_code[begin:end].decode())
    # The linker itself makes this one.
    return [name for name in names if name != "_GLOBAL_OFFSET_TABLE_"]
