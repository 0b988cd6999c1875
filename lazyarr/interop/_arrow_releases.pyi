SOURCE: str

def install(
    exports: dict[int, object], capsules: dict[int, object], /
) -> tuple[int, int, int, int]: ...
