"""Train a model: gradients and updates are one compiled step.

Images are the bundled digits (8 × 8), or with --data a folder of IDX files (MNIST) or CIFAR-10's.
Usage: python examples/train.py [-m logreg|mlp|cnn|resnet|seq2seq] [-e EPOCHS] [--data DIR]
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from rich.console import Console
from training import loop
from training.curve import draw
from training.errors import REPORTED, report

HELP = {
    "batch": (int, "images or sequences in a batch"),
    "rate": (float, "learning rate"),
    "optimizer": (str, "sgd, adam, adamw or rmsprop"),
    "momentum": (float, "of sgd (Nesterov's) and rmsprop"),
    "decay": (float, "weight decay"),
    "schedule": (str, "constant, cosine or steps"),
    "warmup": (int, "steps in which the rate grows"),
    "clip": (float, "largest norm of the gradients"),
    "seed": (int, "of parameters and order"),
    "devices": (int, "GPUs, or workers, that share a batch and average their gradients"),
    "threads": (int, "of kernels and products; small models need but one"),
}


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("-m", "--model", choices=loop.NAMES, default="logreg")
    parser.add_argument("-d", "--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("-e", "--epochs", type=int)
    parser.add_argument("--data", metavar="DIR", help="folder of IDX or CIFAR-10 files")
    for name, (kind, text) in HELP.items():
        parser.add_argument(f"--{name}", type=kind, help=text)
    parser.add_argument("--save", type=Path, metavar="FILE", help="checkpoint of each epoch (npz)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="checkpoint to go on from")
    parser.add_argument("--curve", type=Path, metavar="FILE", help="picture of the losses")
    arguments = vars(parser.parse_args())
    console = Console()
    try:
        settings, data = loop.prepare(arguments)
        run = loop.train(
            settings, data, arguments["save"] or arguments["resume"], arguments["resume"]
        )
        if arguments["curve"] is not None:
            title = f"{settings.model}, {data.name if data else 'sequences'}"
            console.print("curve:", draw(arguments["curve"], run.losses, run.accuracies, title))
    except REPORTED as error:
        return report(error, arguments["save"] or arguments["resume"])
    console.print(f"{settings.model}: {run.accuracies[-1]:.2%} of the test set correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
