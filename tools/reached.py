"""Names that no module of the package mentions, for `vulture`; each group says who uses them.

A name that no module defines any more is to be taken out: a test checks that.
"""

_: object

# Methods of generators: NumPy's names, called by users.
_.binomial
_.chisquare
_.dirichlet
_.gamma
_.geometric
_.gumbel
_.hypergeometric
_.laplace
_.logistic
_.lognormal
_.logseries
_.multivariate_hypergeometric
_.multivariate_normal
_.negative_binomial
_.noncentral_chisquare
_.noncentral_f
_.pareto
_.permutation
_.poisson
_.rand
_.randint
_.randn
_.random_integers
_.rayleigh
_.standard_cauchy
_.standard_gamma
_.standard_t
_.tomaxint
_.triangular
_.vonmises
_.wald
_.weibull
_.zipf

# Attributes of numbers: NumPy's names, read by users.
_.as_integer_ratio

# Fields of factorisations: NumPy's names, read by users.
_.Q
_.U
_.Vh
_.eigenvalues
_.eigenvectors

# Offsets and flags that native_pool_ir.py puts into the pool's LLVM IR by their names.
_.ASLEEP
_.AVOIDED
_.PARKING_CONDITION
_.PARKING_MUTEX
_.PROCESSOR
_.BUSY
_.LONG
_.CALLED
_.CLOSED
_.EPOCH
_.GATE
_.INSIDE
_.IN_SLOT
_.JOINED
_.LAST
_.MASK
_.MASK_BYTES
_.OWNER
_.RANGES_AT
_.RANGE_SIZE
_.SLOT_CONDITION
_.SLOT_MUTEX
_.SPINNING
_.STOP

# Parameters that Numba passes by position to what it compiles: a typing context.
_.typing

# Attributes of objects of Numba and llvmlite, which read them.
_.boundscheck
_.data_layout
_.error_model
_._finalize_final_module
_._get_reference
_._optimize_final_module
_._optimize_functions
_._finalized
_.define_pipelines
_.load_additional_registries
_.no_cfunc_wrapper
_.no_compile
_.no_cpython_wrapper
_.noalias
_.slp_vectorization

# Functions of complex numbers that the op table looks up by their names.
_.arccosh
_.arcsinh
_.arctan
_.exp2
_.expm1
_.log10
_.log2
_.tan

# NumPy's attributes, methods and parameters, for users.
_.behaved
_.coords
_.farray
_.fortran
_.nd
_.numiter
_.setflags
_.uic
_.writebackifcopy

# Called by Python, IPython, polars, ctypes and array consortium's standard by their names.
_.__getattr__
_.__signature__
_._fields_
_._repr_svg_
_._typ
_.capabilities
_.default_device
_.default_dtypes
_.n_buffers
_.requested_schema

# Public: results and methods that users read.
_.to_numpy
_.cache_clear
_.cache_info
_.every_value_bytes
_.held
_.iters
_.mappings
_.unshared_bytes

# A parameter that is the key of a cache and nothing else.
_.with_scipy

# Methods that Python calls: of types, and of objects that are called.
_.__call__
_.__instancecheck__
_.__subclasscheck__
