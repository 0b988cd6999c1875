"""Functions that neural networks are made of; parameters are arrays that the caller keeps.

Each builds an expression of lazyarr's own operations, which fuses with what is around it, and keeps
the dtype of its input; sums and exponentials of float16 and bfloat16 are computed in float32.
"""

from __future__ import annotations

from lazyarr.nn.activations import (
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    relu,
    sigmoid,
    silu,
    softplus,
)
from lazyarr.nn.convolutions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from lazyarr.nn.layers import dropout, embedding, linear
from lazyarr.nn.losses import (
    binary_cross_entropy,
    cross_entropy,
    log_softmax,
    logsumexp,
    mean_squared_error,
    softmax,
)
from lazyarr.nn.normalization import batch_norm, layer_norm, rms_norm
from lazyarr.nn.pooling import (
    avg_pool1d,
    avg_pool2d,
    global_avg_pool,
    global_max_pool,
    max_pool1d,
    max_pool2d,
)
from lazyarr.nn.recurrent import gru_cell, lstm_cell
from lazyarr.nn.scaled_products import attention, multi_head_attention

__all__ = [
    "attention",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "global_avg_pool",
    "global_max_pool",
    "gru_cell",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "lstm_cell",
    "max_pool1d",
    "max_pool2d",
    "mean_squared_error",
    "multi_head_attention",
    "relu",
    "rms_norm",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
]


def __dir__() -> list[str]:
    return sorted(__all__)
