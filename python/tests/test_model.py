"""Models: loading, parameters by name, copies, messages."""

import copy
import pickle

import numpy as np
import pytest

import gradbody as gb


def test_a_built_in_model_has_names_and_sizes(laikago):
    assert (laikago.nq, laikago.nv) == (19, 18)
    assert laikago.name == "laikago"
    assert len(laikago.joint_names) == len(laikago.link_names) == 13
    assert laikago.frame_names[0] == "world"
    text = repr(laikago)
    assert text.startswith('<gradbody.Model "laikago": nq=19, nv=18')
    assert "free joint" in text and "revolute joint" in text


def test_every_built_in_model_loads_and_falls(tmp_path):
    assert len(gb.builtin_models()) > 20
    for name in gb.builtin_models():
        model = gb.load(name)
        motion = gb.rollout(model, gb.State(model), steps=5)
        assert motion.q.shape == (6, model.nq) and np.isfinite(motion.q).all(), name


def test_parameters_are_a_mapping_with_patterns(laikago):
    params = laikago.params
    mass = params["link/trunk/mass"]
    assert mass > 1
    masses = params["link/*/mass"]
    assert masses.shape == (13,)
    params["link/*/mass"] = 2 * masses
    assert params["link/trunk/mass"] == 2 * mass
    params["link/trunk/mass"] = 3
    assert params["link/trunk/mass"] == 3
    assert "link/trunk/mass" in params and len(list(params)) == len(params)
    assert params.names("gravity/z", "link/trunk/mass") == ["gravity/z", "link/trunk/mass"]


def test_an_unknown_parameter_is_a_key_error_with_a_hint(laikago):
    with pytest.raises(KeyError, match="did you mean|link/trunk/mass"):
        laikago.params["link/trunk/mas"]
    with pytest.raises(KeyError, match="no parameter"):
        laikago.params["nothing/*/here"]


def test_impossible_numbers_are_refused_and_change_nothing(laikago):
    before = laikago.params["link/*/mass"]
    with pytest.raises(ValueError, match="mass"):
        laikago.params["link/trunk/mass"] = -1
    with pytest.raises(ValueError):
        laikago.params["link/*/mass"] = np.full(13, np.nan)
    assert (laikago.params["link/*/mass"] == before).all()


def test_copies_are_apart_and_pickles_have_the_same_bits(laikago):
    laikago.params["link/trunk/mass"] = 12.25
    laikago.params["joint/*/placement/roll"] = 0.1
    for twin in [copy.copy(laikago), copy.deepcopy(laikago), pickle.loads(pickle.dumps(laikago))]:
        state = gb.State(laikago, v=np.linspace(0, 1, laikago.nv))
        ours = gb.rollout(laikago, state, steps=30)
        theirs = gb.rollout(twin, gb.State(twin, v=np.linspace(0, 1, laikago.nv)), steps=30)
        assert (ours.q == theirs.q).all() and (ours.v == theirs.v).all()
        twin.params["link/trunk/mass"] = 5
        assert laikago.params["link/trunk/mass"] == 12.25


def test_states_and_options_can_be_pickled(laikago):
    state = gb.State(laikago, v=np.arange(18.0), time=2)
    again = pickle.loads(pickle.dumps(state))
    assert (again.q == state.q).all() and (again.v == state.v).all() and again.time == 2
    options = gb.Options(2e-3, integrator="rk4", contact="hunt-crossley", gradient="smoothed", kappa=0.2, keep=7)
    assert pickle.loads(pickle.dumps(options)) == options


def test_export_and_import_give_the_same_motion(laikago):
    text = laikago.to_mjcf()
    again = gb.loads(text, file="again.xml")
    options = gb.Options(1e-3)
    ours = gb.rollout(laikago, gb.State(laikago), steps=20, options=options)
    theirs = gb.rollout(again, gb.State(again), steps=20, options=options)
    assert np.abs(ours.q - theirs.q).max() < 1e-9
    assert "<robot" in gb.load("pendulum2").to_urdf()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("laikagoo", "did you mean \"laikago\""),
        ("nothing.urdf", "no such file"),
        ("zzzz", "there are: a1"),
    ],
)
def test_a_missing_model_says_what_there_is(source, message):
    with pytest.raises(gb.GradbodyError, match=message):
        gb.load(source)


def test_a_broken_file_has_file_line_and_element(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r">\n<link name="a"/>\n<joint name="j" type="spin"/>\n</robot>')
    with pytest.raises(gb.GradbodyError, match=r"robot.urdf:3: joint"):
        gb.load(path)


def test_notes_tell_what_is_not_simulated(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1" fluidshape="ellipsoid"/></body></worldbody></mujoco>'
    )
    model = gb.load(path)
    assert any("robot.xml:1" in note for note in model.notes)
    with pytest.raises(gb.GradbodyError):
        gb.load(path, strict=True)


@pytest.mark.parametrize("ground", ["yes", float("nan"), [1]])
def test_a_strange_ground_is_refused(ground):
    with pytest.raises((TypeError, ValueError), match="ground"):
        gb.load("laikago", ground=ground)


def test_joints_that_mimic_others_can_be_freed(tmp_path):
    link = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    joint = "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/><axis xyz='0 1 0'/>{3}</joint>"
    text = f"<robot name='r'><link name='a'>{link}</link><link name='b'>{link}</link><link name='c'>{link}</link>"
    text += joint.format("j", "a", "b", "") + joint.format("k", "b", "c", "<mimic joint='j'/>") + "</robot>"
    with pytest.raises(gb.GradbodyError, match="free_mimic=True"):
        gb.loads(text, base="fixed")
    model = gb.loads(text, base="fixed", free_mimic=True)
    assert model.nv == 2 and pickle.loads(pickle.dumps(model)).nv == 2
