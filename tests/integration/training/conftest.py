"""The training script's modules lie beside it."""

import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"
sys.path.insert(0, str(EXAMPLES))
