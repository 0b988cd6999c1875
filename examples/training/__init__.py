"""The parts of the training script: data, models, checkpoints, the loop."""
