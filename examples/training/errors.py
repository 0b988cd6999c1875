"""Errors of training, each with a message that says what to do."""


class TrainingError(Exception):
    """Training cannot begin or go on."""


class DataError(TrainingError):
    """A data file is missing, cut short, or not what its name says."""


class CheckpointError(TrainingError):
    """A checkpoint cannot be written, read, or does not fit the model."""
