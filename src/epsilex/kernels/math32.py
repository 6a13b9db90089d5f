"""float32 mathematics for block kernels: the module behind the name `np` inside an operator's compiled function.

Polynomials instead of the scalar libm, so that LLVM turns their loops into vector code. Branch-free: a select per
element, never a jump. NaN in, NaN out; an argument out of range gives NaN or infinity, never a wrong number.
Every other name is NumPy's own.
"""

from __future__ import annotations

import numpy as np

from epsilex.kernels.compiling import inner

f32 = np.float32
i32 = np.int32


def __getattr__(name):
    return getattr(np, name)


@inner
def where(condition, a, b):
    return a if condition else b


@inner
def add(a, b):
    return a + b


@inner
def subtract(a, b):
    return a - b


@inner
def multiply(a, b):
    return a * b


@inner
def divide(a, b):
    return a / b


@inner
def negative(a):
    return -a


@inner
def reciprocal(a):
    return f32(1.0) / a


@inner
def square(a):
    return a * a


@inner
def absolute(a):
    return abs(a)



@inner
def sqrt(a):
    return np.sqrt(a)


@inner
def sign(a):
    return (f32(1.0) if a > f32(0.0) else f32(-1.0) if a < f32(0.0) else a)


@inner
def minimum(a, b):
    least = a if a < b else b  # b where either is NaN
    return least if a == a else a


@inner
def maximum(a, b):
    most = a if a > b else b
    return most if a == a else a


@inner
def power(a, b):
    """Through float64: `exp(b * log|a|)` in float32 would lose digits in proportion to the exponent."""
    return f32(np.float64(a) ** np.float64(b))


# Polynomials are grouped in pairs (Estrin): the chain of dependent operations, not their number, limits the speed.
# Adding ROUND to a small float leaves its nearest integer in the low bits: rounding and conversion in one.
ROUND = f32(12582912.0)  # 1.5 * 2**23


@inner
def exp(x):
    """2**k times a polynomial on [-ln2/2, ln2/2]; 0 below -86.9 (subnormals are slow), infinity above 88.72."""
    z = f32(89.0) if x > f32(89.0) else x
    z = f32(-87.0) if z < f32(-87.0) else z
    t = z * f32(1.44269504088896341) + ROUND
    k = t - ROUND
    r = z - k * f32(0.693359375) + k * f32(2.12194440e-4)
    s = r * r
    p = (f32(1.9875691500e-4) * r + f32(1.3981999507e-3)) * s + (f32(8.3334519073e-3) * r + f32(4.1665795894e-2))
    p = p * s + (f32(1.6666665459e-1) * r + f32(5.0000001201e-1))
    p = p * s + (r + f32(1.0))
    # 2**(k - 1), because k reaches 128; the other factor 2 goes to p.
    factor = i32(i32(f32(t).view(np.int32) + i32(126)) << i32(23)).view(np.float32)
    y = (p + p) * factor
    return f32(0.0) if x < f32(-86.9) else y


@inner
def log(x):
    """Exponent times ln 2 plus log m, m in [sqrt(1/2), sqrt(2)]; -infinity at 0 and for subnormals, NaN below.

    log m = 2 artanh((m - 1) / (m + 1)): a division costs less than the six additional terms of a polynomial in m.
    """
    bits = f32(x).view(np.int32)
    # Shift the mantissa's cut to sqrt(1/2), so that m lies around 1.
    e = i32(i32(bits - i32(0x3F3504F3)) >> i32(23))
    m = i32(bits - i32(e << i32(23))).view(np.float32)
    k = f32(e)
    s = (m - f32(1.0)) / (m + f32(1.0))
    z = s * s
    p = (f32(0.2987822775) * z + f32(0.3997727641)) * z + f32(0.6666677881)
    y = p * (z * s) + k * f32(-2.12194440e-4)
    y = (s + s) + y + k * f32(0.693359375)
    y = y if x < f32(np.inf) else x
    edge = f32(-np.inf) if x >= f32(0.0) else f32(np.nan)
    return edge if x < f32(1.17549435e-38) else y


REACH = f32(30000.0)  # beyond it the three-part reduction of sin and cos loses digits: NaN


@inner
def _half_turns(x, k, turns):
    """sin(x - k pi), its sign changed if the lowest bit of `turns` is set; NaN beyond REACH.

    pi is subtracted in three parts so that no digit is lost; the rest lies within [-pi/2, pi/2].
    """
    r = x - k * f32(3.140625) - k * f32(9.67502593994140625e-4) - k * f32(1.509957990978376432e-7)
    s = r * r
    # A minimax polynomial; the last digits of its coefficients are adjusted so that no result exceeds 1.
    p = (f32(2.6056971e-6) * s + f32(-1.980958041e-4)) * s + f32(8.333065547e-3)
    p = p * s + f32(-0.16666659713)
    y = p * (s * r) + r
    y = i32(f32(y).view(np.int32) ^ i32(turns << i32(31))).view(np.float32)
    return y if abs(x) <= REACH else f32(np.nan)


@inner
def sin(x):
    t = x * f32(0.31830988618379067) + ROUND
    return _half_turns(x, t - ROUND, f32(t).view(np.int32))


@inner
def cos(x):
    """sin(x + pi/2): k half-way between integers."""
    t = (x * f32(0.31830988618379067) - f32(0.5)) + ROUND
    return _half_turns(x, (t - ROUND) + f32(0.5), i32(f32(t).view(np.int32) + i32(1)))


@inner
def tanh(x):
    """A polynomial near 0, where 1 - 2 / (exp(2x) + 1) would cancel."""
    size = abs(x)
    s = x * x
    p = f32(-5.70498872745e-3)
    p = p * s + f32(2.06390887954e-2)
    p = p * s + f32(-5.37397155531e-2)
    p = p * s + f32(1.33314422036e-1)
    p = p * s + f32(-3.33332819422e-1)
    near = p * s * x + x
    far = f32(1.0) - f32(2.0) / (exp(size + size) + f32(1.0))
    far = -far if x < f32(0.0) else far
    return near if size < f32(0.625) else far


HALF_PI = f32(1.5707963267948966)


@inner
def _arcsine(x, s):
    """arcsin x for |x| up to 1/2 and s = x^2: a minimax polynomial."""
    p = (f32(0.04221856053) * s + f32(0.02414760426)) * s + f32(0.04547709835)
    p = (p * s + f32(0.07495241772)) * s + f32(0.1666675393)
    return p * (s * x) + x


@inner
def arcsin(x):
    """pi/2 - 2 arcsin(sqrt((1 - x) / 2)) where x is near 1; NaN beyond 1."""
    size = abs(x)
    s = f32(0.5) - f32(0.5) * size
    far = size > f32(0.5)
    s = s if far else x * x
    y = _arcsine(np.sqrt(s) if far else size, s)
    y = HALF_PI - (y + y) if far else y
    return -y if x < f32(0.0) else y


@inner
def arccos(x):
    """2 arcsin(sqrt((1 - x) / 2)) where x is near 1, so that no digit is lost there; NaN beyond 1."""
    size = abs(x)
    s = f32(0.5) - f32(0.5) * size
    far = size > f32(0.5)
    s = s if far else x * x
    y = _arcsine(np.sqrt(s) if far else x, s)
    around = (f32(2.0) * HALF_PI) - (y + y) if x < f32(0.0) else y + y
    return around if far else HALF_PI - y
