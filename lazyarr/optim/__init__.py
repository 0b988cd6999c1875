"""Optimisers, schedules of learning rates, clipping and loss scaling, for parameters in containers.

An optimiser is a pair of functions: ``init(parameters)`` returns a state, and
``update(gradients, state, parameters)`` the next parameters and state. Neither keeps anything, so
that a step of training is one function, which :func:`lazyarr.jit` compiles with its gradients.
"""

from __future__ import annotations

from lazyarr.optim.adaptive_optimizers import adadelta, adagrad, adamax, lamb, lion, radam
from lazyarr.optim.averages import moving_average
from lazyarr.optim.clipping import all_finite, clip_by_norm, clip_by_value, global_norm
from lazyarr.optim.mixed_precision import LossScaling, loss_scaling
from lazyarr.optim.optimizers import adam, adamw, rmsprop, sgd
from lazyarr.optim.packing import Packed, pack
from lazyarr.optim.rules import Optimizer
from lazyarr.optim.schedules import cosine, exponential, piecewise, warmup

__all__ = [
    "LossScaling",
    "Optimizer",
    "Packed",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "all_finite",
    "clip_by_norm",
    "clip_by_value",
    "cosine",
    "exponential",
    "global_norm",
    "lamb",
    "lion",
    "loss_scaling",
    "moving_average",
    "pack",
    "piecewise",
    "radam",
    "rmsprop",
    "sgd",
    "warmup",
]


def __dir__() -> list[str]:
    return sorted(__all__)
