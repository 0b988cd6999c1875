from typing import Any

SOURCE: str

class Form:
    @property
    def repeated(self) -> frozenset[int]: ...

def evaluate(
    roots: tuple[Any, ...],
    settings: object,
    generation: object,
    rows: object,
    reuse: bool,
    dear: bool,
    /,
) -> Form | tuple[Any, list[Any]] | None: ...
def enter(
    form: Form,
    head: tuple[object, ...],
    stored: tuple[Any, ...],
    leaves: tuple[Any, ...],
    scalars: tuple[Any, ...],
    launches: tuple[Any, ...] | None,
    /,
) -> None: ...
def clear() -> None: ...
def install(functions: object, /, **fields: Any) -> None: ...
