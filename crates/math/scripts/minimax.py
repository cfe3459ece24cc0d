"""Derives the polynomial coefficients and split constants of src/elementary/.

    python3 crates/math/scripts/minimax.py        (needs mpmath; half a minute)

Each polynomial P minimises the largest weighted error |P(t) - f(t)| w(t) over an interval (the
Remez exchange), with w chosen so that the error is relative to the function's final value. The
coefficients are then rounded to the float type.
"""
import struct

from mpmath import (atan, cos, exp, expm1, floor, frexp, ldexp, log, lu_solve, matrix, mp, mpf, nstr,
                    pi, sin, sqrt)

mp.dps = 120


def round_to(x, bits):
    """x rounded to `bits` significant bits."""
    if x == 0:
        return mpf(0)
    mantissa, exponent = frexp(x)
    return ldexp(floor(ldexp(mantissa, bits) + mpf(1) / 2), exponent - bits)


def remez(f, weight, lo, hi, terms):
    """The `terms` coefficients that minimise the largest |P(t) - f(t)| weight(t), and that error."""
    chebyshev = lambda i, n: lo + (hi - lo) * (1 - cos(pi * i / n)) / 2
    points = [chebyshev(i, terms) for i in range(terms + 1)]
    grid = [chebyshev(i, 60 * terms) for i in range(60 * terms + 1)]
    for _ in range(20):
        # Coefficients and level such that the error is ±level in turn at the points.
        a, b = matrix(terms + 1), matrix(terms + 1, 1)
        for i, t in enumerate(points):
            for k in range(terms):
                a[i, k] = t**k * weight(t)
            a[i, terms] = (-1) ** i
            b[i] = f(t) * weight(t)
        solution = lu_solve(a, b)
        errors = [(sum(solution[k] * t**k for k in range(terms)) - f(t)) * weight(t) for t in grid]
        # Move the points to where the error is largest between its changes of sign.
        runs = []
        for t, e in zip(grid, errors):
            if runs and (runs[-1][1] > 0) == (e > 0):
                runs[-1] = max(runs[-1], (t, e), key=lambda run: abs(run[1]))
            else:
                runs.append((t, e))
        while len(runs) > terms + 1:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        assert len(runs) == terms + 1
        points = [t for t, _ in runs]
        sizes = [abs(e) for _, e in runs]
        if max(sizes) < mpf("1.001") * min(sizes):
            return [solution[k] for k in range(terms)], max(sizes)
    raise ArithmeticError("no convergence")


def show(name, f, weight, lo, hi, terms, bits):
    """Fits `terms` coefficients, rounded to `bits` bits, and prints them."""
    lo, hi = mpf(lo), mpf(hi)
    start = lo if lo else hi / 1000
    coefficients, ideal = remez(f, weight, start, hi, terms)
    rounded = [round_to(c, bits) for c in coefficients]
    if lo == 0:
        # The rounding of the first coefficient is felt: fit the others again to make up for it.
        rest, _ = remez(lambda t: (f(t) - rounded[0]) / t, lambda t: weight(t) * t, start, hi, terms - 1)
        rounded[1:] = [round_to(c, bits) for c in rest]
    grid = [lo + (hi - lo) * i / 999 for i in range(1000)]
    worst = max(abs((sum(c * t**k for k, c in enumerate(rounded)) - f(t)) * weight(t)) for t in grid)
    print(f"{name}: 2^{nstr(log(worst, 2), 4)} (2^{nstr(log(ideal, 2), 4)} before rounding)")
    for c in rounded:
        print("   ", repr(float(c)) if bits > 24 else single(c), ",")


def single(c):
    """The shortest decimal that rounds to the f32 nearest c."""
    packed = struct.pack("f", float(c))
    for digits in range(1, 12):
        text = f"{float(c):.{digits}e}"
        if struct.pack("f", float(text)) == packed:
            return text


def split(name, x, bits):
    """x as a sum of parts with the given numbers of significant bits."""
    print(f"{name}:")
    for b in bits:
        part = round_to(x, b)
        print("   ", single(part) if bits[-1] <= 24 else repr(float(part)), ",")
        x -= part


def even_part(g):
    """The function of t = r² that g is, continued to t = 0 by a limit."""
    return lambda t: g(sqrt(t)) if t > mpf("1e-30") else g(mpf("1e-15"))


# Reduced arguments may pass the ends of their interval by rounding.
quarter = (pi / 4 * mpf("1.00001")) ** 2
half_ln2 = log(2) / 2 * mpf("1.00001")
third = ((sqrt(2) - 1) / (sqrt(2) + 1) * mpf("1.00001")) ** 2  # s = (m − 1)/(m + 1), √½ ≤ m ≤ √2
eighth = ((sqrt(2) - 1) * mpf("1.00001")) ** 2  # tan(π/8)

for bits, sines, cosines, exps, logs, atans in ((53, 6, 6, 10, 7, 11), (24, 3, 3, 5, 3, 5)):
    print(f"---- {bits} bits")
    show("sin: (sin r − r)/r³ in r²", even_part(lambda r: (sin(r) - r) / r**3),
         even_part(lambda r: r**3 / sin(r)), 0, quarter, sines, bits)
    show("cos: (cos r − 1 + r²/2)/r⁴ in r²", even_part(lambda r: (cos(r) - 1 + r * r / 2) / r**4),
         even_part(lambda r: r**4 / cos(r)), 0, quarter, cosines, bits)
    near = lambda g: lambda r: g(r) if abs(r) > mpf("1e-24") else g(mpf("1e-24"))
    show("exp: (e^r − 1 − r − r²/2)/r³ in r", near(lambda r: (exp(r) - 1 - r - r * r / 2) / r**3),
         lambda r: (r**2 + mpf("0.001")) * r / expm1(r) if r else mpf("0.001"), -half_ln2, half_ln2, exps, bits)
    show("ln: (ln((1+s)/(1−s)) − 2s)/s³ in s²", even_part(lambda s: (log((1 + s) / (1 - s)) - 2 * s) / s**3),
         even_part(lambda s: s**3 / log((1 + s) / (1 - s))), 0, third, logs, bits)
    show("atan: (atan z − z)/z³ in z²", even_part(lambda z: (atan(z) - z) / z**3),
         even_part(lambda z: z**3 / atan(z)), 0, eighth, atans, bits)

print("---- power")
show("ln in two parts, f64: (ln((1+s)/(1−s)) − 2s − 2s³/3)/s⁵ in s²",
     even_part(lambda s: (log((1 + s) / (1 - s)) - 2 * s - 2 * s**3 / 3) / s**5),
     even_part(lambda s: s**5 / log((1 + s) / (1 - s))), 0, third, 8, 53)
show("ln in two parts, f32",
     even_part(lambda s: (log((1 + s) / (1 - s)) - 2 * s - 2 * s**3 / 3) / s**5),
     even_part(lambda s: s**5 / log((1 + s) / (1 - s))), 0, third, 4, 24)

print("---- constants")
split("π/2 in f64", pi / 2, (53, 29, 53))
split("π/2 in f32", pi / 2, (24, 11, 24))
split("ln 2 in f64", log(2), (53, 53))
split("ln 2 in f32", log(2), (24, 24))
split("ln 2 in f64, short", log(2), (42, 53))
split("ln 2 in f32, short", log(2), (15, 24))
split("π/4 in f64", pi / 4, (53, 53))
split("π/4 in f32", pi / 4, (24, 24))
split("2/3 in f64", mpf(2) / 3, (53, 53))
split("2/3 in f32", mpf(2) / 3, (24, 24))

mp.prec = 1400
print("2/π, 20 words of 64 bits, the first after the binary point first:")
digits = int(floor(2 / pi * 2**1280))
for i in range(20):
    print("    0x%016x," % ((digits >> (1280 - 64 * (i + 1))) & (2**64 - 1)))
