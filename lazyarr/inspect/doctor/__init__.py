"""``lazyarr doctor``: a script's use of lazyarr, line by line."""
