from collections.abc import Callable
from typing import Any

SOURCE: str

class SmallCall:
    def __init__(
        self,
        arguments: tuple[tuple[Any, tuple[int, ...], tuple[int, ...], int], ...],
        results: tuple[tuple[Any, tuple[int, ...], tuple[int, ...], int], ...],
        bases: tuple[tuple[int, int], ...],
        steps: tuple[tuple[int, int, bytes, tuple[tuple[int, int, int], ...], bytearray], ...],
        memory_bytes: int,
        status_words: int,
        report: Callable[[tuple[Any, ...], bytes], object],
        finish: Callable[[list[Any]], Any] | None,
        owner: object,
    ) -> None: ...
    def __call__(self, /, *args: Any, **keywords: Any) -> Any: ...
