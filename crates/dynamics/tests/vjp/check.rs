//! The check: ⟨ȳ, J dx⟩ by dual numbers against ⟨Jᵀ ȳ, dx⟩ by the adjoint, direction by direction.

use std::cell::RefCell;

use gradbody_dynamics::integrate;
use gradbody_math::{Dual, Scalar};
use gradbody_model::{Model, ParamId, Params};

use crate::stage::{Cotangents, Inputs, Stage};
use crate::trees::{Random, random_inputs};

/// Rounding of two ways to the same number, relative to the sizes of what is summed.
pub(crate) const FIRST: f64 = 1e-12;

/// Forward second derivatives of logarithms and soft limits lose some digits more.
const SECOND: f64 = 1e-10;

/// Random trees, with limits and without.
pub(crate) fn check(name: &str, stage: &impl Stage) {
    let mut worst = [0.0_f64; 2];
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let x = random_inputs(&mut random, seed % 2 == 0, stage);
        let errors = check_at(stage, &x, &mut random, &format!("{name}, seed {seed}"));
        for i in 0..2 {
            worst[i] = worst[i].max(errors[i]);
        }
    }
    println!("{name}: worst relative error {:.1e}, second {:.1e}", worst[0], worst[1]);
}

/// The worst relative error of first and second derivatives at one place.
pub(crate) fn check_at(
    stage: &impl Stage,
    x: &Inputs<f64>,
    random: &mut Random,
    what: &str,
) -> [f64; 2] {
    let y = stage.forward(x);
    let y_bar = random.numbers(y.len());
    let bar = stage.back(x, &y_bar);
    // All together, each part alone, then each parameter alone.
    let whole = Direction::random(x, random);
    let mut probes = vec![("everything".to_owned(), Direction::random(x, random))];
    let part = |name: &str, part: Direction| (name.to_owned(), part);
    probes.push(part("q", Direction { q: whole.q.clone(), ..Direction::none(x) }));
    probes.push(part("v", Direction { v: whole.v.clone(), ..Direction::none(x) }));
    probes.push(part("extra", Direction { extra: whole.extra.clone(), ..Direction::none(x) }));
    for id in finite_params(&x.model) {
        let path = x.model.topology.param_path(id);
        probes.push((path, Direction { params: vec![(id, 1.0)], ..Direction::none(x) }));
    }
    let mut worst = [0.0_f64; 2];
    let mut whole_scale = 0.0;
    for (i, (name, direction)) in probes.iter().enumerate() {
        let moved = along(x, direction);
        let rates = stage.forward(&moved);
        let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0])));
        let (back, size_back) = contract(&bar, direction, &moved);
        assert!(forward.is_finite(), "{what}: forward in {name}");
        let error = (forward - back).abs();
        let scale = size.max(size_back);
        if i == 0 {
            assert!(forward != 0.0, "{what}: the probed derivative is zero");
            whole_scale = scale;
        }
        // A derivative that is zero may be rounding.
        let allowed = FIRST * scale + f64::EPSILON * whole_scale;
        assert!(error <= allowed, "{what}: {name}: forward {forward:e}, back {back:e}");
        if scale > 1e-6 * whole_scale {
            worst[0] = worst[0].max(error / scale);
        }
    }

    // ∂/∂s ∂/∂t ⟨ȳ, f⟩ along two directions, s by duals of the adjoint.
    let (s, t) = (&probes[0].1, &whole);
    let at_s = along(x, s);
    let at_st = along(&at_s, t);
    let rates = stage.forward(&at_st);
    let (forward, size) = pair(y_bar.iter().zip(&rates).map(|(a, b)| (*a, b.eps[0].eps[0])));
    let y_bar: Vec<_> = y_bar.iter().map(|y| Dual::constant(*y)).collect();
    let (back, size_back) = contract(&stage.back(&at_s, &y_bar), t, &at_st);
    let back = back.eps[0];
    let scale = size.max(size_back);
    let error = (forward - back).abs();
    assert!(error <= SECOND * scale, "{what}: second: forward {forward:e}, back {back:e}");
    worst[1] = error / scale;
    worst
}

/// A direction to move inputs in: all numbers, or one of its parts.
pub(crate) struct Direction {
    q: Vec<f64>,
    v: Vec<f64>,
    extra: Vec<f64>,
    params: Vec<(ParamId, f64)>,
}

impl Direction {
    fn none(x: &Inputs<f64>) -> Self {
        let zero = vec![0.0; x.model.nv()];
        Direction { q: zero.clone(), v: zero, extra: vec![0.0; x.extra.len()], params: vec![] }
    }

    pub(crate) fn random(x: &Inputs<f64>, random: &mut Random) -> Self {
        let nv = x.model.nv();
        Direction {
            q: random.numbers(nv),
            v: random.numbers(nv),
            extra: random.numbers(x.extra.len()),
            params: finite_params(&x.model).iter().map(|id| (*id, random.unit())).collect(),
        }
    }
}

/// The inputs as functions of the way along a direction.
pub(crate) fn along<S: Scalar>(x: &Inputs<S>, direction: &Direction) -> Inputs<Dual<S, 1>> {
    let moving = |x: S, rate: f64| Dual { re: x, eps: [S::from_f64(rate)] };
    let lift = |x: &[S], rates: &[f64]| -> Vec<Dual<S, 1>> {
        x.iter().zip(rates).map(|(x, rate)| moving(*x, *rate)).collect()
    };
    let mut params = x.model.params.map(Dual::constant);
    for (id, rate) in &direction.params {
        let now = params.get(*id);
        params.set(*id, now + moving(S::ZERO, *rate));
    }
    let model = Model { topology: x.model.topology.clone(), params };
    let mut q: Vec<_> = x.q.iter().map(|q| Dual::constant(*q)).collect();
    let still = vec![S::ZERO; x.v.len()];
    integrate(&model, &mut q, &lift(&still, &direction.q));
    Inputs { model, q, v: lift(&x.v, &direction.v), extra: lift(&x.extra, &direction.extra) }
}

/// ⟨x̄, dx⟩ with dx the change of `moved`.
pub(crate) fn contract<S: Scalar>(
    bar: &Cotangents<S>,
    direction: &Direction,
    moved: &Inputs<Dual<S, 1>>,
) -> (S, f64) {
    let rates = |x: &[f64]| x.iter().map(|x| S::from_f64(*x)).collect::<Vec<_>>();
    let (q, v, extra) = (rates(&direction.q), rates(&direction.v), rates(&direction.extra));
    let params = flat(&moved.model.params);
    let state =
        bar.q.iter().zip(&q).chain(bar.v.iter().zip(&v)).chain(bar.extra.iter().zip(&extra));
    let bars = flat(&bar.params);
    assert!(
        bar.q.iter().chain(&bar.v).chain(&bar.extra).chain(&bars).all(|x| x.is_finite()),
        "a cotangent is not finite"
    );
    pair(state.map(|(a, b)| (*a, *b)).chain(bars.iter().zip(&params).map(|(a, b)| (*a, b.eps[0]))))
}

/// ⟨a, b⟩ and the size of what it sums.
pub(crate) fn pair<S: Scalar>(pairs: impl Iterator<Item = (S, S)>) -> (S, f64) {
    pairs.fold((S::ZERO, 0.0), |(sum, size), (a, b)| {
        let product = if b == S::ZERO { S::ZERO } else { a * b };
        (sum + product, size + product.lane(0).abs())
    })
}

/// All numbers of parameters, in a fixed order.
pub(crate) fn flat<S: Scalar>(params: &Params<S>) -> Vec<S> {
    let numbers = RefCell::new(vec![]);
    params.map(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    numbers.into_inner()
}

fn finite_params(model: &Model<f64>) -> Vec<ParamId> {
    let ids = model.topology.param_ids();
    ids.into_iter().filter(|id| model.get(*id).is_finite()).collect()
}
