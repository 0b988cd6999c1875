"""Where plans run: times on the processor and on a GPU, predicted from a calibration."""
