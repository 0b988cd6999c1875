"""The public names of lazyarr, with their types. Made by tests/support/stubs.py: do not edit."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from numpy import asmatrix as asmatrix
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import busday_count as busday_count
from numpy import busday_offset as busday_offset
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import can_cast as can_cast
from numpy import cdouble as cdouble
from numpy import char as char
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import ctypeslib as ctypeslib
from numpy import datetime64 as datetime64
from numpy import datetime_as_string as datetime_as_string
from numpy import datetime_data as datetime_data
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import e as e
from numpy import emath as emath
from numpy import errstate as errstate
from numpy import euler_gamma as euler_gamma
from numpy import exceptions as exceptions
from numpy import finfo as finfo
from numpy import flatiter as flatiter
from numpy import flexible as flexible
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import generic as generic
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import half as half
from numpy import iinfo as iinfo
from numpy import index_exp as index_exp
from numpy import inexact as inexact
from numpy import inf as inf
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import is_busday as is_busday
from numpy import isdtype as isdtype
from numpy import isscalar as isscalar
from numpy import issubdtype as issubdtype
from numpy import iterable as iterable
from numpy import lib as lib
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import memmap as memmap
from numpy import min_scalar_type as min_scalar_type
from numpy import mintypecode as mintypecode
from numpy import nan as nan
from numpy import ndenumerate as ndenumerate
from numpy import ndim as ndim
from numpy import ndindex as ndindex
from numpy import newaxis as newaxis
from numpy import number as number
from numpy import object_ as object_
from numpy import pi as pi
from numpy import poly1d as poly1d
from numpy import printoptions as printoptions
from numpy import promote_types as promote_types
from numpy import rec as rec
from numpy import recarray as recarray
from numpy import record as record
from numpy import result_type as result_type
from numpy import s_ as s_
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall
from numpy import shape as shape
from numpy import short as short
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import size as size
from numpy import str_ as str_
from numpy import strings as strings
from numpy import testing as testing
from numpy import timedelta64 as timedelta64
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import typing as typing
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void
from numpy.typing import ArrayLike, DTypeLike

from lazyarr import cache as cache
from lazyarr import errors as errors
from lazyarr import executor as executor
from lazyarr import fft as fft
from lazyarr import linalg as linalg
from lazyarr import nn as nn
from lazyarr import optim as optim
from lazyarr import parallel as parallel
from lazyarr import polynomial as polynomial
from lazyarr import random as random
from lazyarr import special as special
from lazyarr.arrays.evaluation import evaluate as evaluate
from lazyarr.arrays.evaluation import persist as persist
from lazyarr.arrays.lazy_array import LazyArray as LazyArray
from lazyarr.arrays.sources import from_array as from_array
from lazyarr.control_flow import fori_loop as fori_loop
from lazyarr.control_flow import while_loop as while_loop
from lazyarr.core.config import Config as Config
from lazyarr.core.config import config as config
from lazyarr.core.config import get_config as get_config
from lazyarr.core.config import set_config as set_config
from lazyarr.differentiation import checkpoint as checkpoint
from lazyarr.differentiation import custom_vjp as custom_vjp
from lazyarr.differentiation import grad as grad
from lazyarr.differentiation import hessian as hessian
from lazyarr.differentiation import jacobian as jacobian
from lazyarr.differentiation import jvp as jvp
from lazyarr.differentiation import stop_gradient as stop_gradient
from lazyarr.differentiation import value_and_grad as value_and_grad
from lazyarr.differentiation import vjp as vjp
from lazyarr.function_transforms import jit as jit
from lazyarr.function_transforms.immediate import eager as eager
from lazyarr.function_transforms.vectorize import vectorize as vectorize
from lazyarr.inspect import explain as explain
from lazyarr.inspect import profile as profile
from lazyarr.inspect import to_networkx as to_networkx
from lazyarr.inspect import visualize as visualize
from lazyarr.interop.array_api import Info as Info
from lazyarr.interop.streams import stream as stream
from lazyarr.numpy_api.grids import bmat as bmat
from lazyarr.numpy_api.grids import c_ as c_
from lazyarr.numpy_api.grids import mgrid as mgrid
from lazyarr.numpy_api.grids import ogrid as ogrid
from lazyarr.numpy_api.grids import r_ as r_
from lazyarr.numpy_api.host_functions import broadcast as broadcast
from lazyarr.numpy_api.iteration import nditer as nditer
from lazyarr.numpy_api.ufunc import ufunc as ufunc

_Axis = int | Sequence[int] | None
_Shape = int | Sequence[int]
_Order = Literal["C", "F", "A", "K"] | None
_Out = TypeVar("_Out", bound=np.ndarray[Any, Any] | LazyArray)

class _Unary(ufunc):
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: None = ...,
        *,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> LazyArray: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Out | tuple[_Out],
        *,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> _Out: ...

class _Binary(ufunc):
    @overload
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: None = ...,
        *,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> LazyArray: ...
    @overload
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: _Out | tuple[_Out],
        *,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> _Out: ...
    @overload
    def reduce(
        self,
        array: ArrayLike,
        /,
        axis: _Axis = ...,
        dtype: DTypeLike | None = ...,
        out: None = ...,
        keepdims: builtins.bool = ...,
        initial: Any = ...,
        where: ArrayLike = ...,
    ) -> LazyArray: ...
    @overload
    def reduce(
        self,
        array: ArrayLike,
        /,
        axis: _Axis = ...,
        dtype: DTypeLike | None = ...,
        *,
        out: _Out,
        keepdims: builtins.bool = ...,
        initial: Any = ...,
        where: ArrayLike = ...,
    ) -> _Out: ...
    @overload
    def accumulate(
        self, array: ArrayLike, /, axis: int = ..., dtype: DTypeLike | None = ..., out: None = ...
    ) -> LazyArray: ...
    @overload
    def accumulate(
        self, array: ArrayLike, /, axis: int = ..., dtype: DTypeLike | None = ..., *, out: _Out
    ) -> _Out: ...
    @overload
    def reduceat(
        self,
        array: ArrayLike,
        /,
        indices: ArrayLike,
        axis: int = ...,
        dtype: DTypeLike | None = ...,
        out: None = ...,
    ) -> LazyArray: ...
    @overload
    def reduceat(
        self,
        array: ArrayLike,
        /,
        indices: ArrayLike,
        axis: int = ...,
        dtype: DTypeLike | None = ...,
        *,
        out: _Out,
    ) -> _Out: ...
    def outer(self, A: ArrayLike, B: ArrayLike, /, **keywords: Any) -> LazyArray: ...

class _UnaryPair(ufunc):
    def __call__(
        self,
        x: ArrayLike,
        /,
        *out: Any,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> tuple[LazyArray, LazyArray]: ...

class _BinaryPair(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        *out: Any,
        where: ArrayLike = ...,
        casting: str = ...,
        order: _Order = ...,
        dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> tuple[LazyArray, LazyArray]: ...

abs: _Unary
absolute: _Unary
acos: _Unary
acosh: _Unary
add: _Binary

@overload
def all(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def all(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
) -> _Out: ...
def allclose(
    a: ArrayLike, b: ArrayLike, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...
) -> LazyArray: ...
@overload
def amax(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def amax(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def amin(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def amin(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
def angle(z: ArrayLike, deg: Any = ...) -> LazyArray: ...
@overload
def any(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def any(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
) -> _Out: ...
def append(arr: ArrayLike, values: ArrayLike, axis: _Axis = ...) -> LazyArray: ...
def apply_over_axes(func: Any, a: ArrayLike, axes: Any) -> Any: ...
def arange(
    start: Any = ...,
    stop: Any = ...,
    step: Any = ...,
    dtype: DTypeLike | None = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...

arccos: _Unary
arccosh: _Unary
arcsin: _Unary
arcsinh: _Unary
arctan: _Unary
arctan2: _Binary
arctanh: _Unary

@overload
def argmax(
    a: ArrayLike, axis: _Axis = ..., out: None = ..., *, keepdims: builtins.bool = ...
) -> LazyArray: ...
@overload
def argmax(
    a: ArrayLike, axis: _Axis = ..., *, out: _Out, keepdims: builtins.bool = ...
) -> _Out: ...
@overload
def argmin(
    a: ArrayLike, axis: _Axis = ..., out: None = ..., *, keepdims: builtins.bool = ...
) -> LazyArray: ...
@overload
def argmin(
    a: ArrayLike, axis: _Axis = ..., *, out: _Out, keepdims: builtins.bool = ...
) -> _Out: ...
def argpartition(
    a: ArrayLike, kth: Any, axis: _Axis = ..., kind: Any = ..., order: Any = ...
) -> LazyArray: ...
def argsort(
    a: ArrayLike,
    axis: _Axis = ...,
    kind: Any = ...,
    order: Any = ...,
    *,
    stable: Any = ...,
    descending: Any = ...,
) -> LazyArray: ...
def argwhere(a: ArrayLike) -> LazyArray: ...
@overload
def around(a: ArrayLike, decimals: Any = ..., out: None = ...) -> LazyArray: ...
@overload
def around(a: ArrayLike, decimals: Any = ..., *, out: _Out) -> _Out: ...
def array(
    object: Any,
    dtype: DTypeLike | None = ...,
    *,
    copy: Any = ...,
    order: _Order = ...,
    subok: Any = ...,
    ndmin: Any = ...,
    ndmax: Any = ...,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: Any = ...) -> LazyArray: ...
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> LazyArray: ...
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: _Axis = ...) -> list[LazyArray]: ...
def asanyarray(
    a: ArrayLike,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    copy: Any = ...,
    like: Any = ...,
) -> LazyArray: ...
def asarray(
    a: Any,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    copy: Any = ...,
    like: Any = ...,
) -> LazyArray: ...
def asarray_chkfinite(
    a: ArrayLike, dtype: DTypeLike | None = ..., order: _Order = ...
) -> LazyArray: ...
def ascontiguousarray(
    a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...
) -> LazyArray: ...
def asfortranarray(
    a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...
) -> LazyArray: ...

asin: _Unary
asinh: _Unary

def astype(
    x: ArrayLike,
    dtype: DTypeLike | None,
    /,
    *,
    copy: Any = ...,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...

atan: _Unary
atan2: _Binary
atanh: _Unary

@overload
def atleast_1d(ary: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_1d(
    first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike
) -> tuple[LazyArray, ...]: ...
@overload
def atleast_2d(ary: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_2d(
    first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike
) -> tuple[LazyArray, ...]: ...
@overload
def atleast_3d(ary: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_3d(
    first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike
) -> tuple[LazyArray, ...]: ...
@overload
def average(
    a: ArrayLike,
    axis: _Axis = ...,
    weights: ArrayLike | None = ...,
    returned: Literal[False] = ...,
    *,
    keepdims: builtins.bool = ...,
) -> LazyArray: ...
@overload
def average(
    a: ArrayLike,
    axis: _Axis = ...,
    weights: ArrayLike | None = ...,
    *,
    returned: Literal[True],
    keepdims: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray]: ...
def bartlett(M: Any) -> LazyArray: ...
def bincount(
    x: ArrayLike, /, weights: ArrayLike | None = ..., minlength: Any = ...
) -> LazyArray: ...

bitwise_and: _Binary
bitwise_count: _Unary
bitwise_invert: _Unary
bitwise_left_shift: _Binary
bitwise_not: _Unary
bitwise_or: _Binary
bitwise_right_shift: _Binary
bitwise_xor: _Binary

def blackman(M: Any) -> LazyArray: ...
def block(arrays: Sequence[ArrayLike] | LazyArray) -> LazyArray: ...
def broadcast_arrays(*args: Any, subok: Any = ...) -> tuple[Any, ...]: ...
def broadcast_shapes(*args: Any) -> tuple[int, ...]: ...
def broadcast_to(array: ArrayLike, shape: _Shape, subok: Any = ...) -> LazyArray: ...

cbrt: _Unary
ceil: _Unary

@overload
def choose(a: ArrayLike, choices: Any, out: None = ..., mode: Any = ...) -> LazyArray: ...
@overload
def choose(a: ArrayLike, choices: Any, *, out: _Out, mode: Any = ...) -> _Out: ...
@overload
def clip(
    a: ArrayLike,
    a_min: Any = ...,
    a_max: Any = ...,
    out: None = ...,
    *,
    min: Any = ...,
    max: Any = ...,
    **keywords: Any,
) -> LazyArray: ...
@overload
def clip(
    a: ArrayLike,
    a_min: Any = ...,
    a_max: Any = ...,
    *,
    out: _Out,
    min: Any = ...,
    max: Any = ...,
    **keywords: Any,
) -> _Out: ...
def column_stack(tup: Any) -> LazyArray: ...
def common_type(*arrays: Any) -> type[Any]: ...
@overload
def compress(
    condition: ArrayLike, a: ArrayLike, axis: _Axis = ..., out: None = ...
) -> LazyArray: ...
@overload
def compress(condition: ArrayLike, a: ArrayLike, axis: _Axis = ..., *, out: _Out) -> _Out: ...
@overload
def concat(
    arrays: Sequence[ArrayLike] | LazyArray,
    /,
    axis: _Axis = ...,
    out: None = ...,
    *,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> LazyArray: ...
@overload
def concat(
    arrays: Sequence[ArrayLike] | LazyArray,
    /,
    axis: _Axis = ...,
    *,
    out: _Out,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> _Out: ...
@overload
def concatenate(
    arrays: Sequence[ArrayLike] | LazyArray,
    /,
    axis: _Axis = ...,
    out: None = ...,
    *,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> LazyArray: ...
@overload
def concatenate(
    arrays: Sequence[ArrayLike] | LazyArray,
    /,
    axis: _Axis = ...,
    *,
    out: _Out,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> _Out: ...

conj: _Unary
conjugate: _Unary

def convolve(a: ArrayLike, v: ArrayLike, mode: Any = ...) -> LazyArray: ...
def copy(a: ArrayLike, order: _Order = ..., subok: Any = ...) -> LazyArray: ...

copysign: _Binary

def copyto(dst: Any, src: Any, casting: Any = ..., where: ArrayLike = ...) -> None: ...
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = ..., rowvar: Any = ..., *, dtype: DTypeLike | None = ...
) -> LazyArray: ...
def correlate(a: ArrayLike, v: ArrayLike, mode: Any = ...) -> LazyArray: ...

cos: _Unary
cosh: _Unary

def count_nonzero(
    a: ArrayLike, axis: _Axis = ..., *, keepdims: builtins.bool = ...
) -> LazyArray: ...
def cov(
    m: ArrayLike,
    y: ArrayLike | None = ...,
    rowvar: Any = ...,
    bias: Any = ...,
    ddof: Any = ...,
    fweights: ArrayLike | None = ...,
    aweights: ArrayLike | None = ...,
    *,
    dtype: DTypeLike | None = ...,
) -> LazyArray: ...
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: Any = ...,
    axisb: Any = ...,
    axisc: Any = ...,
    axis: _Axis = ...,
) -> LazyArray: ...
@overload
def cumprod(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., out: None = ...
) -> LazyArray: ...
@overload
def cumprod(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., *, out: _Out
) -> _Out: ...
@overload
def cumsum(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., out: None = ...
) -> LazyArray: ...
@overload
def cumsum(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., *, out: _Out
) -> _Out: ...
@overload
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    include_initial: Any = ...,
) -> LazyArray: ...
@overload
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: _Out,
    include_initial: Any = ...,
) -> _Out: ...
@overload
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    include_initial: Any = ...,
) -> LazyArray: ...
@overload
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: _Out,
    include_initial: Any = ...,
) -> _Out: ...

deg2rad: _Unary
degrees: _Unary

def delete(arr: ArrayLike, obj: Any, axis: _Axis = ...) -> LazyArray: ...
def diag(v: ArrayLike, k: Any = ...) -> LazyArray: ...
def diag_indices(n: Any, ndim: Any = ...) -> tuple[LazyArray, ...]: ...
def diag_indices_from(arr: ArrayLike) -> tuple[LazyArray, ...]: ...
def diagflat(v: ArrayLike, k: Any = ...) -> LazyArray: ...
def diagonal(a: ArrayLike, offset: Any = ..., axis1: Any = ..., axis2: Any = ...) -> LazyArray: ...
def diff(
    a: ArrayLike, n: Any = ..., axis: _Axis = ..., prepend: Any = ..., append: Any = ...
) -> LazyArray: ...
def digitize(x: ArrayLike, bins: ArrayLike, right: Any = ...) -> LazyArray: ...

divide: _Binary
divmod: _BinaryPair

@overload
def dot(a: ArrayLike, b: ArrayLike, out: None = ...) -> LazyArray: ...
@overload
def dot(a: ArrayLike, b: ArrayLike, *, out: _Out) -> _Out: ...
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[LazyArray]: ...
def dstack(tup: Any) -> LazyArray: ...
def ediff1d(ary: ArrayLike, to_end: Any = ..., to_begin: Any = ...) -> LazyArray: ...
@overload
def einsum(
    *operands: Any,
    out: None = ...,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    casting: Any = ...,
    optimize: Any = ...,
) -> LazyArray: ...
@overload
def einsum(
    *operands: Any,
    out: _Out,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    casting: Any = ...,
    optimize: Any = ...,
) -> _Out: ...
def empty(
    shape: _Shape,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...
def empty_like(
    prototype: ArrayLike,
    /,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    subok: Any = ...,
    shape: _Shape | None = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...

equal: _Binary
exp: _Unary
exp2: _Unary

def expand_dims(a: ArrayLike, axis: _Axis) -> LazyArray: ...

expm1: _Unary

def extract(condition: ArrayLike, arr: ArrayLike) -> LazyArray: ...
def eye(
    N: Any,
    M: Any = ...,
    k: Any = ...,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...

fabs: _Unary

def fill_diagonal(a: ArrayLike, val: ArrayLike, wrap: Any = ...) -> None: ...
@overload
def fix(x: ArrayLike, out: None = ...) -> LazyArray: ...
@overload
def fix(x: ArrayLike, *, out: _Out) -> _Out: ...
def flatnonzero(a: ArrayLike) -> LazyArray: ...
def flip(m: ArrayLike, axis: _Axis = ...) -> LazyArray: ...
def fliplr(m: ArrayLike) -> LazyArray: ...
def flipud(m: ArrayLike) -> LazyArray: ...

float_power: _Binary
floor: _Unary
floor_divide: _Binary
fmax: _Binary
fmin: _Binary
fmod: _Binary
frexp: _UnaryPair

def from_dlpack(
    x: ArrayLike, /, *, device: Literal["cpu", "cuda"] | None = ..., copy: Any = ...
) -> LazyArray: ...
def frombuffer(
    buffer: Any,
    dtype: DTypeLike | None = ...,
    count: Any = ...,
    offset: Any = ...,
    *,
    like: Any = ...,
) -> LazyArray: ...
def fromfile(
    file: Any,
    dtype: DTypeLike | None = ...,
    count: Any = ...,
    sep: Any = ...,
    offset: Any = ...,
    *,
    like: Any = ...,
) -> LazyArray: ...
def fromfunction(
    function: Any, shape: _Shape, *, dtype: DTypeLike = ..., **keywords: Any
) -> Any: ...
def fromiter(
    iter: Any, dtype: DTypeLike | None, count: Any = ..., *, like: Any = ...
) -> LazyArray: ...
def frompyfunc(func: Any, /, nin: Any, nout: Any, **keywords: Any) -> Callable[..., Any]: ...
def fromregex(file: Any, regexp: Any, dtype: DTypeLike | None, encoding: Any = ...) -> Any: ...
def fromstring(*args: Any, **keywords: Any) -> LazyArray: ...
def full(
    shape: _Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    subok: Any = ...,
    shape: _Shape | None = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...

gcd: _Binary

def genfromtxt(
    fname: Any,
    dtype: DTypeLike | None = ...,
    comments: Any = ...,
    delimiter: Any = ...,
    skip_header: Any = ...,
    skip_footer: Any = ...,
    converters: Any = ...,
    missing_values: Any = ...,
    filling_values: Any = ...,
    usecols: Any = ...,
    names: Any = ...,
    excludelist: Any = ...,
    deletechars: Any = ...,
    replace_space: Any = ...,
    autostrip: Any = ...,
    case_sensitive: Any = ...,
    defaultfmt: Any = ...,
    unpack: Any = ...,
    usemask: Any = ...,
    loose: Any = ...,
    invalid_raise: Any = ...,
    max_rows: Any = ...,
    encoding: Any = ...,
    *,
    ndmin: Any = ...,
    like: Any = ...,
) -> Any: ...
def geomspace(
    start: Any,
    stop: Any,
    num: Any = ...,
    endpoint: Any = ...,
    dtype: DTypeLike | None = ...,
    axis: _Axis = ...,
) -> LazyArray: ...
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: int, edge_order: Literal[1, 2] = ...
) -> LazyArray: ...
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: _Axis = ..., edge_order: Literal[1, 2] = ...
) -> Any: ...

greater: _Binary
greater_equal: _Binary

def hamming(M: Any) -> LazyArray: ...
def hanning(M: Any) -> LazyArray: ...

heaviside: _Binary

def histogram(
    a: ArrayLike,
    bins: ArrayLike = ...,
    range: Any = ...,
    density: Any = ...,
    weights: ArrayLike | None = ...,
) -> tuple[LazyArray, LazyArray]: ...
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[LazyArray]: ...
def hstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: Any = ...) -> LazyArray: ...

hypot: _Binary

def i0(x: ArrayLike) -> LazyArray: ...
def identity(n: Any, dtype: DTypeLike | None = ..., *, like: Any = ...) -> LazyArray: ...
def imag(val: ArrayLike) -> LazyArray: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., sparse: Literal[False] = ...
) -> LazyArray: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., *, sparse: Literal[True]
) -> tuple[LazyArray, ...]: ...
def inner(a: ArrayLike, b: ArrayLike, /) -> LazyArray: ...
def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: _Axis = ...) -> LazyArray: ...
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any = ..., right: Any = ..., period: Any = ...
) -> LazyArray: ...
@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: builtins.bool = ...,
    return_indices: Literal[False] = ...,
) -> LazyArray: ...
@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: builtins.bool = ...,
    *,
    return_indices: Literal[True],
) -> tuple[LazyArray, LazyArray, LazyArray]: ...

invert: _Unary

def isclose(
    a: ArrayLike, b: ArrayLike, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...
) -> LazyArray: ...
def iscomplex(x: ArrayLike) -> LazyArray: ...
def iscomplexobj(x: ArrayLike) -> builtins.bool: ...

isfinite: _Unary

def isfortran(a: ArrayLike) -> builtins.bool: ...
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: Any = ...,
    invert: Any = ...,
    *,
    kind: Any = ...,
) -> LazyArray: ...

isinf: _Unary
isnan: _Unary

def isnat(
    x: ArrayLike,
    /,
    out: Any = ...,
    *,
    where: ArrayLike = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> Any: ...
@overload
def isneginf(x: ArrayLike, out: None = ...) -> LazyArray: ...
@overload
def isneginf(x: ArrayLike, *, out: _Out) -> _Out: ...
@overload
def isposinf(x: ArrayLike, out: None = ...) -> LazyArray: ...
@overload
def isposinf(x: ArrayLike, *, out: _Out) -> _Out: ...
def isreal(x: ArrayLike) -> LazyArray: ...
def isrealobj(x: ArrayLike) -> builtins.bool: ...
def kaiser(M: Any, beta: Any) -> LazyArray: ...
def kron(a: ArrayLike, b: ArrayLike) -> LazyArray: ...

lcm: _Binary
ldexp: _Binary
left_shift: _Binary
less: _Binary
less_equal: _Binary

@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = ...,
    endpoint: bool = ...,
    retstep: Literal[False] = ...,
    dtype: DTypeLike | None = ...,
    axis: int = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = ...,
    endpoint: bool = ...,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = ...,
    axis: int = ...,
    device: Literal["cpu", "cuda"] | None = ...,
) -> tuple[LazyArray, LazyArray]: ...
def load(
    file: Any,
    mmap_mode: Any = ...,
    allow_pickle: Any = ...,
    fix_imports: Any = ...,
    encoding: Any = ...,
    *,
    max_header_size: Any = ...,
) -> Any: ...
def loadtxt(
    fname: Any,
    dtype: DTypeLike | None = ...,
    comments: Any = ...,
    delimiter: Any = ...,
    converters: Any = ...,
    skiprows: Any = ...,
    usecols: Any = ...,
    unpack: Any = ...,
    ndmin: Any = ...,
    encoding: Any = ...,
    max_rows: Any = ...,
    *,
    quotechar: Any = ...,
    like: Any = ...,
) -> Any: ...

log: _Unary
log10: _Unary
log1p: _Unary
log2: _Unary
logaddexp: _Binary
logaddexp2: _Binary
logical_and: _Binary
logical_not: _Unary
logical_or: _Binary
logical_xor: _Binary

def logspace(
    start: Any,
    stop: Any,
    num: Any = ...,
    endpoint: Any = ...,
    base: Any = ...,
    dtype: DTypeLike | None = ...,
    axis: _Axis = ...,
) -> LazyArray: ...
def mask_indices(n: Any, mask_func: Any, k: Any = ...) -> tuple[LazyArray, ...]: ...
@overload
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: None = ...,
    *,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> LazyArray: ...
@overload
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    out: _Out,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> _Out: ...
def matrix_transpose(x: ArrayLike, /) -> LazyArray: ...
@overload
def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: None = ...,
    *,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> LazyArray: ...
@overload
def matvec(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    out: _Out,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> _Out: ...
@overload
def max(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def max(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...

maximum: _Binary

def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = ...) -> builtins.bool: ...
@overload
def mean(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def mean(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def median(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    keepdims: builtins.bool = ...,
) -> LazyArray: ...
@overload
def median(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    keepdims: builtins.bool = ...,
) -> _Out: ...
def meshgrid(
    *xi: Any, copy: Any = ..., sparse: Any = ..., indexing: Any = ...
) -> tuple[LazyArray, ...] | list[LazyArray]: ...
@overload
def min(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def min(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...

minimum: _Binary
mod: _Binary
modf: _UnaryPair

def moveaxis(a: ArrayLike, source: Any, destination: Any) -> LazyArray: ...

multiply: _Binary

def nan_to_num(
    x: ArrayLike, copy: Any = ..., nan: Any = ..., posinf: Any = ..., neginf: Any = ...
) -> LazyArray: ...
@overload
def nanargmax(
    a: ArrayLike, axis: _Axis = ..., out: None = ..., *, keepdims: builtins.bool = ...
) -> LazyArray: ...
@overload
def nanargmax(
    a: ArrayLike, axis: _Axis = ..., *, out: _Out, keepdims: builtins.bool = ...
) -> _Out: ...
@overload
def nanargmin(
    a: ArrayLike, axis: _Axis = ..., out: None = ..., *, keepdims: builtins.bool = ...
) -> LazyArray: ...
@overload
def nanargmin(
    a: ArrayLike, axis: _Axis = ..., *, out: _Out, keepdims: builtins.bool = ...
) -> _Out: ...
@overload
def nancumprod(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., out: None = ...
) -> LazyArray: ...
@overload
def nancumprod(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., *, out: _Out
) -> _Out: ...
@overload
def nancumsum(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., out: None = ...
) -> LazyArray: ...
@overload
def nancumsum(
    a: ArrayLike, axis: _Axis = ..., dtype: DTypeLike | None = ..., *, out: _Out
) -> _Out: ...
@overload
def nanmax(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def nanmax(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def nanmean(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def nanmean(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def nanmedian(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    keepdims: builtins.bool = ...,
) -> LazyArray: ...
@overload
def nanmedian(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    keepdims: builtins.bool = ...,
) -> _Out: ...
@overload
def nanmin(
    a: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def nanmin(
    a: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    weights: ArrayLike | None = ...,
) -> LazyArray: ...
@overload
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    weights: ArrayLike | None = ...,
) -> _Out: ...
@overload
def nanprod(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def nanprod(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    weights: ArrayLike | None = ...,
) -> LazyArray: ...
@overload
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    weights: ArrayLike | None = ...,
) -> _Out: ...
@overload
def nanstd(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> LazyArray: ...
@overload
def nanstd(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> _Out: ...
@overload
def nansum(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def nansum(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def nanvar(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> LazyArray: ...
@overload
def nanvar(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> _Out: ...

ndarray = LazyArray
negative: _Unary

def nested_iters(
    op: Any,
    axes: Any,
    flags: Any = ...,
    op_flags: Any = ...,
    op_dtypes: Any = ...,
    order: _Order = ...,
    casting: Any = ...,
    buffersize: Any = ...,
) -> tuple[Any, ...]: ...

nextafter: _Binary

def nonzero(a: ArrayLike) -> tuple[LazyArray, ...]: ...

not_equal: _Binary

def ones(
    shape: _Shape,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...
def ones_like(
    a: ArrayLike,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    subok: Any = ...,
    shape: _Shape | None = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...
@overload
def outer(a: ArrayLike, b: ArrayLike, out: None = ...) -> LazyArray: ...
@overload
def outer(a: ArrayLike, b: ArrayLike, *, out: _Out) -> _Out: ...
def pad(array: ArrayLike, pad_width: Any, mode: Any = ..., **keywords: Any) -> LazyArray: ...
def partition(
    a: ArrayLike, kth: Any, axis: _Axis = ..., kind: Any = ..., order: Any = ...
) -> LazyArray: ...
@overload
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    weights: ArrayLike | None = ...,
) -> LazyArray: ...
@overload
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    weights: ArrayLike | None = ...,
) -> _Out: ...
def permute_dims(a: ArrayLike, axes: Any = ...) -> LazyArray: ...
def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any: ...
def place(arr: ArrayLike, mask: ArrayLike, vals: Any) -> None: ...
def polyval(p: ArrayLike, x: ArrayLike) -> LazyArray: ...

positive: _Unary
pow: _Binary
power: _Binary

@overload
def prod(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def prod(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
@overload
def ptp(
    a: ArrayLike, axis: _Axis = ..., out: None = ..., keepdims: builtins.bool = ...
) -> LazyArray: ...
@overload
def ptp(a: ArrayLike, axis: _Axis = ..., *, out: _Out, keepdims: builtins.bool = ...) -> _Out: ...
def put(a: ArrayLike, ind: Any, v: ArrayLike, mode: Any = ...) -> None: ...
def put_along_axis(arr: ArrayLike, indices: Any, values: ArrayLike, axis: _Axis) -> None: ...
def putmask(a: ArrayLike, /, mask: ArrayLike, values: ArrayLike) -> None: ...
@overload
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    out: None = ...,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    weights: ArrayLike | None = ...,
) -> LazyArray: ...
@overload
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: _Axis = ...,
    *,
    out: _Out,
    overwrite_input: Any = ...,
    method: Any = ...,
    keepdims: builtins.bool = ...,
    weights: ArrayLike | None = ...,
) -> _Out: ...

rad2deg: _Unary
radians: _Unary

def ravel(a: ArrayLike, order: _Order = ...) -> LazyArray: ...
def real(val: ArrayLike) -> LazyArray: ...
def real_if_close(a: ArrayLike, tol: Any = ...) -> LazyArray: ...

reciprocal: _Unary
remainder: _Binary

def repeat(a: ArrayLike, repeats: Any, axis: _Axis = ...) -> LazyArray: ...
def require(
    a: ArrayLike, dtype: DTypeLike | None = ..., requirements: Any = ..., *, like: Any = ...
) -> LazyArray: ...
def reshape(
    a: ArrayLike, /, shape: _Shape, order: _Order = ..., *, copy: Any = ...
) -> LazyArray: ...
def resize(a: ArrayLike, new_shape: Any) -> LazyArray: ...

right_shift: _Binary
rint: _Unary

def roll(a: ArrayLike, shift: Any, axis: _Axis = ...) -> LazyArray: ...
def rollaxis(a: ArrayLike, axis: _Axis, start: Any = ...) -> LazyArray: ...
def rot90(m: ArrayLike, k: Any = ..., axes: Any = ...) -> LazyArray: ...
@overload
def round(a: ArrayLike, decimals: Any = ..., out: None = ...) -> LazyArray: ...
@overload
def round(a: ArrayLike, decimals: Any = ..., *, out: _Out) -> _Out: ...
def row_stack(tup: Any, *, dtype: DTypeLike | None = ..., casting: Any = ...) -> LazyArray: ...
def searchsorted(a: ArrayLike, v: ArrayLike, side: Any = ..., sorter: Any = ...) -> LazyArray: ...
def select(condlist: Any, choicelist: Any, default: ArrayLike = ...) -> LazyArray: ...
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: Any = ...) -> LazyArray: ...
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: Any = ...) -> LazyArray: ...
def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = ...) -> builtins.bool: ...

sign: _Unary
signbit: _Unary
sin: _Unary

def sinc(x: ArrayLike) -> LazyArray: ...

sinh: _Unary

def sliding_window_view(
    x: ArrayLike, window_shape: Any, axis: _Axis = ..., *, subok: Any = ..., writeable: Any = ...
) -> LazyArray: ...
def sort(
    a: ArrayLike,
    axis: _Axis = ...,
    kind: Any = ...,
    order: Any = ...,
    *,
    stable: Any = ...,
    descending: Any = ...,
) -> LazyArray: ...
def sort_complex(a: ArrayLike) -> LazyArray: ...

spacing: _Unary

def split(ary: ArrayLike, indices_or_sections: Any, axis: _Axis = ...) -> list[LazyArray]: ...

sqrt: _Unary
square: _Unary

def squeeze(a: ArrayLike, axis: _Axis = ...) -> LazyArray: ...
@overload
def stack(
    arrays: Sequence[ArrayLike] | LazyArray,
    axis: _Axis = ...,
    out: None = ...,
    *,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> LazyArray: ...
@overload
def stack(
    arrays: Sequence[ArrayLike] | LazyArray,
    axis: _Axis = ...,
    *,
    out: _Out,
    dtype: DTypeLike | None = ...,
    casting: Any = ...,
) -> _Out: ...
@overload
def std(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> LazyArray: ...
@overload
def std(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> _Out: ...

subtract: _Binary

@overload
def sum(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> LazyArray: ...
@overload
def sum(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    keepdims: builtins.bool = ...,
    initial: Any = ...,
    where: ArrayLike = ...,
) -> _Out: ...
def swapaxes(a: ArrayLike, axis1: Any, axis2: Any) -> LazyArray: ...
@overload
def take(
    a: ArrayLike, indices: Any, axis: _Axis = ..., out: None = ..., mode: Any = ...
) -> LazyArray: ...
@overload
def take(a: ArrayLike, indices: Any, axis: _Axis = ..., *, out: _Out, mode: Any = ...) -> _Out: ...
def take_along_axis(arr: ArrayLike, indices: Any, axis: _Axis = ...) -> LazyArray: ...

tan: _Unary
tanh: _Unary

def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = ...) -> LazyArray: ...
def tile(A: Any, reps: Any) -> LazyArray: ...
@overload
def trace(
    a: ArrayLike,
    offset: Any = ...,
    axis1: Any = ...,
    axis2: Any = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
) -> LazyArray: ...
@overload
def trace(
    a: ArrayLike,
    offset: Any = ...,
    axis1: Any = ...,
    axis2: Any = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
) -> _Out: ...
def transpose(a: ArrayLike, axes: Any = ...) -> LazyArray: ...
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = ..., dx: Any = ..., axis: _Axis = ...
) -> LazyArray: ...
def tri(
    N: Any, M: Any = ..., k: Any = ..., dtype: DTypeLike | None = ..., *, like: Any = ...
) -> LazyArray: ...
def tril(m: ArrayLike, k: Any = ...) -> LazyArray: ...
def tril_indices(n: Any, k: Any = ..., m: ArrayLike | None = ...) -> tuple[LazyArray, ...]: ...
def tril_indices_from(arr: ArrayLike, k: Any = ...) -> tuple[LazyArray, ...]: ...
def trim_zeros(filt: Any, trim: Any = ..., axis: _Axis = ...) -> LazyArray: ...
def triu(m: ArrayLike, k: Any = ...) -> LazyArray: ...
def triu_indices(n: Any, k: Any = ..., m: ArrayLike | None = ...) -> tuple[LazyArray, ...]: ...
def triu_indices_from(arr: ArrayLike, k: Any = ...) -> tuple[LazyArray, ...]: ...

true_divide: _Binary
trunc: _Unary

def union1d(ar1: ArrayLike, ar2: ArrayLike) -> LazyArray: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[False] = ...,
    return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ...,
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> LazyArray: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[True],
    return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ...,
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[False] = ...,
    return_inverse: Literal[True],
    return_counts: Literal[False] = ...,
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[True],
    return_inverse: Literal[True],
    return_counts: Literal[False] = ...,
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[False] = ...,
    return_inverse: Literal[False] = ...,
    return_counts: Literal[True],
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[True],
    return_inverse: Literal[False] = ...,
    return_counts: Literal[True],
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[False] = ...,
    return_inverse: Literal[True],
    return_counts: Literal[True],
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    *,
    return_index: Literal[True],
    return_inverse: Literal[True],
    return_counts: Literal[True],
    axis: _Axis = ...,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray, LazyArray, LazyArray]: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: builtins.bool = ...,
    return_inverse: builtins.bool = ...,
    return_counts: builtins.bool = ...,
    axis: _Axis = ...,
    *,
    equal_nan: builtins.bool = ...,
    sorted: builtins.bool = ...,
) -> Any: ...
def unique_all(x: ArrayLike) -> Any: ...
def unique_counts(x: ArrayLike) -> Any: ...
def unique_inverse(x: ArrayLike) -> Any: ...
def unique_values(x: ArrayLike) -> LazyArray: ...
def unstack(x: ArrayLike, /, *, axis: _Axis = ...) -> tuple[LazyArray, ...]: ...
def unwrap(
    p: ArrayLike, discont: Any = ..., axis: _Axis = ..., *, period: Any = ...
) -> LazyArray: ...
@overload
def var(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    out: None = ...,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    *,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> LazyArray: ...
@overload
def var(
    a: ArrayLike,
    axis: _Axis = ...,
    dtype: DTypeLike | None = ...,
    *,
    out: _Out,
    ddof: Any = ...,
    keepdims: builtins.bool = ...,
    where: ArrayLike = ...,
    mean: Any = ...,
    correction: Any = ...,
) -> _Out: ...
def vdot(a: ArrayLike, b: ArrayLike, /) -> LazyArray: ...
@overload
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: None = ...,
    *,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> LazyArray: ...
@overload
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    out: _Out,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> _Out: ...
@overload
def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: None = ...,
    *,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> LazyArray: ...
@overload
def vecmat(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    out: _Out,
    axes: Any = ...,
    axis: _Axis = ...,
    keepdims: builtins.bool = ...,
    casting: Any = ...,
    order: _Order = ...,
    dtype: DTypeLike | None = ...,
    subok: Any = ...,
    signature: Any = ...,
) -> _Out: ...
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[LazyArray]: ...
def vstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: Any = ...) -> LazyArray: ...
@overload
def where(condition: ArrayLike, /) -> tuple[LazyArray, ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> LazyArray: ...
def zeros(
    shape: _Shape,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
    like: Any = ...,
) -> LazyArray: ...
def zeros_like(
    a: ArrayLike,
    dtype: DTypeLike | None = ...,
    order: _Order = ...,
    subok: Any = ...,
    shape: _Shape | None = ...,
    *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...
def apply_along_axis(*args: Any, **keywords: Any) -> Any: ...
def array2string(*args: Any, **keywords: Any) -> str: ...
def array_repr(*args: Any, **keywords: Any) -> str: ...
def array_str(*args: Any, **keywords: Any) -> str: ...
def einsum_path(*args: Any, **keywords: Any) -> tuple[list[Any], str]: ...
def histogram2d(*args: Any, **keywords: Any) -> tuple[LazyArray, LazyArray, LazyArray]: ...
def histogram_bin_edges(*args: Any, **keywords: Any) -> LazyArray: ...
def histogramdd(*args: Any, **keywords: Any) -> tuple[LazyArray, list[LazyArray]]: ...
def ix_(*args: Any, **keywords: Any) -> tuple[LazyArray, ...]: ...
def lexsort(*args: Any, **keywords: Any) -> LazyArray: ...
def packbits(*args: Any, **keywords: Any) -> LazyArray: ...
def poly(*args: Any, **keywords: Any) -> LazyArray: ...
def polyadd(*args: Any, **keywords: Any) -> LazyArray: ...
def polyder(*args: Any, **keywords: Any) -> LazyArray: ...
def polydiv(*args: Any, **keywords: Any) -> tuple[LazyArray, LazyArray]: ...
def polyfit(*args: Any, **keywords: Any) -> Any: ...
def polyint(*args: Any, **keywords: Any) -> LazyArray: ...
def polymul(*args: Any, **keywords: Any) -> LazyArray: ...
def polysub(*args: Any, **keywords: Any) -> LazyArray: ...
def ravel_multi_index(*args: Any, **keywords: Any) -> Any: ...
def roots(*args: Any, **keywords: Any) -> LazyArray: ...
def save(*args: Any, **keywords: Any) -> None: ...
def savetxt(*args: Any, **keywords: Any) -> None: ...
def savez(*args: Any, **keywords: Any) -> None: ...
def savez_compressed(*args: Any, **keywords: Any) -> None: ...
def unpackbits(*args: Any, **keywords: Any) -> LazyArray: ...
def unravel_index(*args: Any, **keywords: Any) -> Any: ...
def vander(*args: Any, **keywords: Any) -> LazyArray: ...

bfloat16: type[np.generic]
__version__: str
__array_api_version__: str

def __array_namespace_info__() -> Info: ...
