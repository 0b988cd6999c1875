"""``lazyarr doctor``: what a script does with lazyarr, line by line."""
