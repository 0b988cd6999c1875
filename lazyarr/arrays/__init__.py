"""Arrays that stand for expressions: what they are made of, their keys, their values."""
