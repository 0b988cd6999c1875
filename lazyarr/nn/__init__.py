"""Functions that neural networks are made of; parameters are arrays that the caller keeps.

Each builds an expression of lazyarr's own operations, which fuses with what is around it, and keeps
the dtype of its input; sums and exponentials of float16 and bfloat16 are computed in float32.
"""

from __future__ import annotations

from lazyarr.nn.activations import (
    celu,
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    mish,
    relu,
    selu,
    sigmoid,
    silu,
    softplus,
    softsign,
)
from lazyarr.nn.adaptive_pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
)
from lazyarr.nn.alignments import ctc_loss
from lazyarr.nn.convolutions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from lazyarr.nn.layers import dropout, embedding, linear
from lazyarr.nn.losses import (
    binary_cross_entropy,
    cross_entropy,
    kl_divergence,
    log_softmax,
    logsumexp,
    softmax,
)
from lazyarr.nn.normalization import batch_norm, group_norm, instance_norm, layer_norm, rms_norm
from lazyarr.nn.piecewise_activations import glu, hard_sigmoid, hard_swish, hard_tanh, prelu, relu6
from lazyarr.nn.pooling import (
    avg_pool1d,
    avg_pool2d,
    global_avg_pool,
    global_max_pool,
    max_pool1d,
    max_pool2d,
)
from lazyarr.nn.recurrent import gru_cell, lstm_cell
from lazyarr.nn.regression_losses import (
    huber_loss,
    mean_absolute_error,
    mean_squared_error,
    smooth_l1_loss,
)
from lazyarr.nn.resizing import upsample
from lazyarr.nn.scaled_products import attention, multi_head_attention
from lazyarr.nn.vectors import cosine_similarity, normalize, one_hot

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "attention",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "celu",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "global_avg_pool",
    "global_max_pool",
    "glu",
    "group_norm",
    "gru_cell",
    "hard_sigmoid",
    "hard_swish",
    "hard_tanh",
    "huber_loss",
    "instance_norm",
    "kl_divergence",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "lstm_cell",
    "max_pool1d",
    "max_pool2d",
    "mean_absolute_error",
    "mean_squared_error",
    "mish",
    "multi_head_attention",
    "normalize",
    "one_hot",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "softsign",
    "upsample",
]


def __dir__() -> list[str]:
    return sorted(__all__)
