"""What comes with the package: documentation of everything, and an import that is fast."""

import inspect
import re
import subprocess
import sys

import gradbody as gb

# Processor time, which other programs on the machine disturb less [s].
LONGEST_IMPORT = 0.2
# A shape in a docstring: (n, nq), (nv), (..., nv, nv), (steps, nu).
SHAPE = re.compile(r"\((?:(?:\.\.\.|…|n|k|[a-z]+), )*(?:n|nq|nv|nu|na|k|6|steps|actions)(?:[ ,;][^)]*)?\)")


def test_the_import_is_fast_and_brings_numpy_only():
    script = (
        "import sys, time; begin = time.process_time(); import gradbody; print(time.process_time() - begin); "
        "print([name for name in ['torch', 'jax', 'gymnasium', 'stable_baselines3', 'matplotlib'] if name in sys.modules])"
    )
    found = []
    for _ in range(5):
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        seconds, others = run.stdout.splitlines()
        assert others == "[]"
        found.append(float(seconds))
    assert min(found) < LONGEST_IMPORT


def test_everything_public_is_documented():
    silent = []
    for name in gb.__all__:
        thing = getattr(gb, name)
        if name != "__version__" and not inspect.getdoc(thing):
            silent.append(name)
        if inspect.isclass(thing):
            own = [(key, member) for key, member in vars(thing).items() if not key.startswith("_")]
            silent += [f"{name}.{key}" for key, member in own if not inspect.getdoc(member)]
    assert not silent, f"without documentation: {silent}"


def test_arrays_are_documented_with_shapes():
    # What takes or returns arrays says their shapes, as in (n, nq).
    for thing in [gb.Batch.states, gb.Batch.set_states, gb.Batch.step, gb.Batch.rollout, gb.Batch.vjp, gb.Batch.jacobian,
                  gb.Batch.set_params, gb.Environments.step, gb.Environments.gradient, gb.step, gb.rollout, gb.linearise,
                  gb.hvp, gb.forward_dynamics, gb.inverse_dynamics, gb.mass_matrix, gb.kinematics, gb.jacobian]:
        assert SHAPE.search(inspect.getdoc(thing) or ""), thing
