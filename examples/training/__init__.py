"""What the training script is made of: data, models, checkpoints, the loop."""
