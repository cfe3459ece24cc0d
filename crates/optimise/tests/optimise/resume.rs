//! Searches written down and read back, and searches on several threads, have the same bits.

use crate::local::local_methods;
use crate::problems::{beale, rastrigin, rosenbrock};
use gradbody_optimise::{
    Adam, BasinHopping, CmaEs, Islands, Method, Objective, OptimiseError, Progress, Refinement,
    Search, Trouble,
};

fn all_methods() -> Vec<Method> {
    let mut methods = local_methods().to_vec();
    let islands = Islands { migrate_every: 3, ..Islands::default() };
    let refinement = Refinement { slice: 1, iterations: 7, ..Refinement::default() };
    methods.extend([
        Method::Adam(Adam { learning_rate: 0.02, ..Adam::default() }),
        Method::CmaEs(CmaEs::default()),
        Method::BasinHopping(BasinHopping { slice: 2, ..BasinHopping::default() }),
        Method::Islands(Islands { refinement: Some(refinement), ..islands.clone() }),
        Method::Islands(islands),
    ]);
    methods
}

/// A sum of squares within bounds, that every method can take.
fn objective() -> impl Objective {
    beale(vec![(-4.5, 4.5); 2])
}

fn begin(method: &Method) -> Search {
    Search::begin(method, &objective(), vec![-2.0, -1.5], 11).unwrap()
}

fn bits(search: &Search) -> Vec<u64> {
    let (x, cost) = search.best();
    x.iter().chain([&cost]).chain(search.current()).map(|x| x.to_bits()).collect()
}

#[test]
fn a_search_read_back_after_any_iteration_goes_on_with_the_same_bits() {
    for method in all_methods() {
        let mut whole = begin(&method);
        let mut broken = begin(&method);
        let mut moved = 0;
        for iteration in 0..40 {
            let text = serde_json::to_string(&broken).unwrap();
            broken = serde_json::from_str(&text).unwrap();
            let before = bits(&whole);
            assert_eq!(whole.advance(&objective()), broken.advance(&objective()));
            assert_eq!(bits(&whole), bits(&broken), "{method:?}, iteration {iteration}");
            assert_eq!(whole, broken, "{method:?}, iteration {iteration}");
            moved += usize::from(bits(&whole) != before);
        }
        assert!(moved >= 3, "{method:?} moved {moved} times only");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let on_threads = |threads: usize, method: &Method| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut search = Search::begin(method, &rastrigin(3), vec![3.0; 3], 4).unwrap();
            for _ in 0..40 {
                search.advance(&rastrigin(3));
            }
            search
        })
    };
    for method in all_methods().into_iter().skip(2) {
        assert_eq!(on_threads(1, &method), on_threads(4, &method), "{method:?}");
    }
}

#[test]
fn seeds_matter() {
    for method in all_methods().into_iter().skip(4) {
        let mut other = Search::begin(&method, &objective(), vec![-2.0, -1.5], 12).unwrap();
        let mut search = begin(&method);
        for _ in 0..3 {
            search.advance(&objective());
            other.advance(&objective());
        }
        assert_ne!(bits(&search), bits(&other), "{method:?}");
    }
}

#[test]
fn a_search_does_not_go_on_with_another_objective() {
    for method in all_methods() {
        let mut search = begin(&method);
        search.advance(&objective());
        let before = search.clone();
        let progress = search.advance(&rosenbrock(3));
        assert_eq!(progress, Progress::Stuck(Trouble::OtherObjective), "{method:?}");
        assert_eq!(search, before);
    }
}

#[test]
fn methods_are_written_as_in_a_settings_file() {
    for method in all_methods() {
        let text = toml::to_string(&method).unwrap();
        assert_eq!(toml::from_str::<Method>(&text).unwrap(), method, "{text}");
    }
    let text = "method = 'basin-hopping'\nsearchers = 3\n[local]\nmethod = 'levenberg-marquardt'\ndamping = 1.0";
    let Method::BasinHopping(hopping) = toml::from_str(text).unwrap() else { panic!() };
    assert!(hopping.searchers == 3 && matches!(*hopping.local, Method::LevenbergMarquardt(_)));
    let unknown = toml::from_str::<Method>("method = 'adam'\nlearning-speed = 1").unwrap_err();
    assert!(unknown.to_string().contains("learning-speed"), "{unknown}");
}

#[test]
fn what_cannot_begin_is_refused_with_a_reason() {
    let refused = |method: Method, objective: &dyn Objective, x: Vec<f64>| {
        Search::begin(&method, objective, x, 0).map(|_| ()).unwrap_err()
    };
    let [lm, gauss_newton, lbfgs] = local_methods();
    let valley = rosenbrock(2);
    assert_eq!(refused(lm.clone(), &rastrigin(2), vec![1.0; 2]), OptimiseError::NoQuadratic);
    assert_eq!(refused(gauss_newton, &rastrigin(2), vec![1.0; 2]), OptimiseError::NoQuadratic);
    let length = OptimiseError::StartLength { given: 3, needed: 2 };
    assert_eq!(refused(lbfgs.clone(), &valley, vec![0.0; 3]), length);
    assert_eq!(
        refused(lbfgs.clone(), &valley, vec![0.0, f64::NAN]),
        OptimiseError::Start { index: 1 }
    );
    assert_eq!(refused(lm, &valley, vec![1e200, 0.0]), OptimiseError::StartCost);
    assert_eq!(refused(lbfgs, &valley, vec![1e200, 0.0]), OptimiseError::StartCost);
    let crossed = beale(vec![(0.0, 1.0), (2.0, 1.0)]);
    let bounds = OptimiseError::Bounds { index: 1, lower: 2.0, upper: 1.0 };
    assert_eq!(refused(Method::Adam(Adam::default()), &crossed, vec![0.0; 2]), bounds);
    let local = Box::new(Method::Islands(Islands::default()));
    let nested = Method::BasinHopping(BasinHopping { local, ..BasinHopping::default() });
    assert_eq!(refused(nested, &valley, vec![0.0; 2]), OptimiseError::NotLocal);
    let still = Method::Adam(Adam { learning_rate: 0.0, ..Adam::default() });
    assert!(matches!(
        refused(still, &valley, vec![0.0; 2]),
        OptimiseError::Option { option: "learning-rate", .. }
    ));
}
