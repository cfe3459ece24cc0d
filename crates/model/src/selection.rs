//! A selection of a model's numbers as one flat vector, for optimisers and gradients.
//!
//! Numbers are selected by the paths of `param_path.rs`, in which `*` matches any run of characters:
//!
//! ```
//! # use gradbody_math::{Inertia, Sym3, Vec3};
//! # use gradbody_model::{FrameId, JointSpec, ModelBuilder, Selection};
//! # let body = Inertia { mass: 2.0, com: Vec3::ZERO, rotational: Sym3::diagonal(Vec3::from_f64([1.0; 3])) };
//! # let mut robot = ModelBuilder::new("leg");
//! # robot.link("thigh", FrameId::WORLD, JointSpec::revolute("knee", Vec3::Y), body)?;
//! # let mut model = robot.build()?;
//! let selection = Selection::of(&model, ["link/*/mass", "joint/knee/damping"])?;
//! let mut x = selection.values(&model);
//! x[0] *= 1.1;
//! selection.apply(&mut model, &x)?;
//! assert_eq!(selection.names(), ["link/thigh/mass", "joint/knee/damping"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - The order is that of [`Topology::param_ids`], whatever the order of the patterns; a number that several patterns
//!   match is selected once.
//! - `link/NAME/log_cholesky` selects the ten numbers of [`LogCholesky`] in place of the link's mass, centre of mass
//!   and inertia: any values give a possible body. They are selected together (`link/NAME/log_cholesky/0` to `9`), and
//!   only by a pattern that ends in this way.
//! - An infinite number (the limit of an unlimited joint) has no derivative. Wildcards leave it out; selecting one by
//!   its path is an error. So is a pattern that selects nothing.
//! - [`Selection::tie`] makes several numbers one.
//! - Orientations are roll, pitch and yaw as [`Mat3::to_rpy`] gives them, with pitch between ±90°. The angles of one
//!   orientation are set together; those not selected do not change.

use std::collections::HashSet;

use gradbody_math::{Dual, Inertia, Mat3, Scalar, Sym3, Vec3, names};

use crate::{
    FrameId, InertiaFault, JointId, LinkId, LogCholesky, MaterialScalar, Model, ParamId, Params,
    ShapeId, Topology, UnknownParam,
};

/// An ordered selection of the numbers of models with one structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    names: Vec<String>,
    entries: Vec<Entry>,
    followers: Vec<Follower>,
}

/// A number of the model that is set to a multiple of a selected one.
#[derive(Clone, Debug, PartialEq)]
pub struct Follower {
    /// Its path.
    pub name: String,
    /// The index of the selected number that it follows.
    pub follows: usize,
    /// Its multiple of that number: 1, or −1 for a mirrored one.
    pub factor: f64,
    id: ParamId,
}

/// Numbers that are read and written together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    /// A single number.
    Number(ParamId),
    /// The selected ones of roll, pitch and yaw, in order.
    Angles { of: Orientation, selected: [bool; 3] },
    /// The ten numbers of a link's inertia.
    LogCholesky(LinkId),
}

/// A rotation among the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Orientation {
    Joint(JointId),
    Frame(FrameId),
    Shape(ShapeId),
}

/// Why numbers cannot be selected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SelectionError {
    /// A path or pattern that matches no parameter.
    #[error(transparent)]
    Unknown(#[from] UnknownParam),
    /// A number without a derivative, selected by its path or as the only match of a pattern.
    #[error("\"{0}\" is infinite, so nothing has a derivative by it; give it a finite value first")]
    Infinite(String),
    /// Two selected quantities set the same number.
    #[error("\"{0}\" and \"{1}\" set the same number; select one of them")]
    Overlap(String, String),
    /// A tie to a number that is not selected.
    #[error("\"{0}\" matches none of the numbers that are selected{1}")]
    TieUnknown(String, String),
    /// A tie of an angle, or of a number of an inertia's log-Cholesky form.
    #[error("\"{0}\" cannot be tied: angles and log_cholesky numbers are set together")]
    TieTogether(String),
    /// A number in two ties, or twice in one.
    #[error("\"{0}\" is tied more than once")]
    TiedTwice(String),
    /// A link whose inertia has no log-Cholesky numbers.
    #[error("\"{path}\": {fault}; nearest_consistent gives a body that has such numbers")]
    Inertia {
        /// The requested path.
        path: String,
        /// What is wrong with the link's inertia.
        fault: InertiaFault,
    },
}

/// A vector has the wrong length for a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given} numbers for a selection of {selected}; give one for each of its names, in their order"
)]
pub struct WrongCount {
    /// Number of values given.
    pub given: usize,
    /// Number of selected values.
    pub selected: usize,
}

const LOG_CHOLESKY: &str = "/log_cholesky";

impl Selection {
    /// The numbers that match any of the patterns.
    pub fn of<P: AsRef<str>>(
        model: &Model<f64>,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, SelectionError> {
        let topology = &model.topology;
        let ids = topology.param_ids();
        let paths: Vec<String> = ids.iter().map(|id| topology.param_path(*id)).collect();
        let mut chosen = vec![false; ids.len()];
        let mut free_inertia = vec![false; topology.links.len()];
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let mut found = false;
            let mut infinite = None;
            for (i, path) in
                paths.iter().enumerate().filter(|(_, path)| names::matches(pattern, path))
            {
                if model.get(ids[i]).is_finite() {
                    chosen[i] = true;
                    found = true;
                } else {
                    infinite = infinite.or(Some(path));
                }
            }
            for link in topology.link_ids() {
                let path = log_cholesky_path(topology, link);
                if pattern.ends_with(LOG_CHOLESKY) && names::matches(pattern, &path) {
                    LogCholesky::from_inertia(&model.params.links[link.index()])
                        .map_err(|fault| SelectionError::Inertia { path, fault })?;
                    free_inertia[link.index()] = true;
                    found = true;
                }
            }
            match infinite {
                _ if found => {}
                Some(path) => return Err(SelectionError::Infinite(path.clone())),
                None => {
                    let hint = hint(topology, pattern, &paths);
                    return Err(UnknownParam { path: pattern.to_owned(), hint }.into());
                }
            }
        }
        let numbers = ids.iter().zip(&paths).zip(&chosen).filter(|(_, chosen)| **chosen);
        Self::gather(topology, numbers.map(|((id, path), _)| (*id, path)), &free_inertia)
    }

    /// Every finite number of the model, with inertias as they are stored.
    pub fn all(model: &Model<f64>) -> Self {
        let mut selection = Selection::none();
        for id in model.topology.param_ids() {
            if model.get(id).is_finite() {
                selection.push(id, &model.topology.param_path(id));
            }
        }
        selection
    }

    /// Groups the chosen numbers, in order.
    fn gather<'a>(
        topology: &Topology,
        numbers: impl Iterator<Item = (ParamId, &'a String)>,
        free_inertia: &[bool],
    ) -> Result<Self, SelectionError> {
        let mut selection = Selection::none();
        let mut links = topology.link_ids().filter(|link| free_inertia[link.index()]).peekable();
        for (id, path) in numbers {
            if let Some(link) = inertia_of(id)
                && free_inertia[link.index()]
            {
                let whole = log_cholesky_path(topology, link);
                return Err(SelectionError::Overlap(path.clone(), whole));
            }
            // A link's log-Cholesky numbers take the place of its mass.
            while let Some(link) = links.next_if(|link| comes_before(*link, id)) {
                selection.push_log_cholesky(topology, link);
            }
            selection.push(id, path);
        }
        links.for_each(|link| selection.push_log_cholesky(topology, link));
        Ok(selection)
    }

    fn push(&mut self, id: ParamId, path: &str) {
        self.names.push(path.to_owned());
        let Some((orientation, angle)) = angle_of(id) else {
            return self.entries.push(Entry::Number(id));
        };
        // The angles of an orientation are consecutive.
        match self.entries.last_mut() {
            Some(Entry::Angles { of, selected }) if *of == orientation => selected[angle] = true,
            _ => {
                let mut selected = [false; 3];
                selected[angle] = true;
                self.entries.push(Entry::Angles { of: orientation, selected });
            }
        }
    }

    fn push_log_cholesky(&mut self, topology: &Topology, link: LinkId) {
        let path = log_cholesky_path(topology, link);
        self.names.extend((0..10).map(|i| format!("{path}/{i}")));
        self.entries.push(Entry::LogCholesky(link));
    }

    /// An empty selection.
    pub fn none() -> Self {
        Selection { names: Vec::new(), entries: Vec::new(), followers: Vec::new() }
    }

    /// Makes several selected numbers one: the first that `group` names stays selected, and the others follow it. Members
    /// are paths or patterns; one that begins with `-` has the opposite sign, as mirrored positions have.
    pub fn tie<P: AsRef<str>>(&mut self, group: &[P]) -> Result<(), SelectionError> {
        let ids = self.single_numbers();
        let mut members: Vec<(usize, f64)> = Vec::new();
        for pattern in group {
            let pattern = pattern.as_ref();
            let (path, factor) = match pattern.strip_prefix('-') {
                Some(path) => (path, -1.0),
                None => (pattern, 1.0),
            };
            if let Some(twice) = self.followers.iter().find(|f| names::matches(path, &f.name)) {
                return Err(SelectionError::TiedTwice(twice.name.clone()));
            }
            let all = self.names.iter().enumerate();
            let matching: Vec<usize> =
                all.filter(|(_, name)| names::matches(path, name)).map(|(k, _)| k).collect();
            if matching.is_empty() {
                let hint = names::did_you_mean(path, self.names.iter().map(String::as_str));
                return Err(SelectionError::TieUnknown(path.to_owned(), hint));
            }
            for k in matching {
                let has_followers = self.followers.iter().any(|f| f.follows == k);
                if has_followers || members.iter().any(|(other, _)| *other == k) {
                    return Err(SelectionError::TiedTwice(self.names[k].clone()));
                }
                if ids[k].is_none() {
                    return Err(SelectionError::TieTogether(self.names[k].clone()));
                }
                members.push((k, factor));
            }
        }
        let Some((&(leader, sign), others)) = members.split_first() else { return Ok(()) };
        let stays = |k: usize| others.iter().all(|(other, _)| *other != k);
        let left = |k: usize| (0..k).filter(|k| stays(*k)).count();
        for follower in &mut self.followers {
            follower.follows = left(follower.follows);
        }
        for &(k, factor) in others {
            let Some(id) = ids[k] else { continue };
            let name = self.names[k].clone();
            self.followers.push(Follower {
                name,
                follows: left(leader),
                factor: sign * factor,
                id,
            });
        }
        let tied: HashSet<ParamId> = others.iter().filter_map(|(k, _)| ids[*k]).collect();
        self.entries.retain(|entry| !matches!(entry, Entry::Number(id) if tied.contains(id)));
        let mut k = 0;
        self.names.retain(|_| {
            k += 1;
            stays(k - 1)
        });
        Ok(())
    }

    /// The number that each name stands for; None for angles and log-Cholesky numbers, which are set together.
    fn single_numbers(&self) -> Vec<Option<ParamId>> {
        let of = |entry: &Entry| match *entry {
            Entry::Number(id) => vec![Some(id)],
            Entry::Angles { selected, .. } => vec![None; selected.iter().filter(|s| **s).count()],
            Entry::LogCholesky(_) => vec![None; 10],
        };
        self.entries.iter().flat_map(of).collect()
    }

    /// The numbers that follow selected ones.
    pub fn followers(&self) -> &[Follower] {
        &self.followers
    }

    /// The path of each number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of selected values.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether models with this structure have all selected numbers.
    pub fn fits(&self, topology: &Topology) -> bool {
        let ids: HashSet<ParamId> = topology.param_ids().into_iter().collect();
        self.entries.iter().all(|entry| match *entry {
            Entry::Number(id) => ids.contains(&id),
            Entry::Angles { of: Orientation::Joint(j), .. } => {
                ids.contains(&ParamId::JointPlacement(j, 3))
            }
            Entry::Angles { of: Orientation::Frame(f), .. } => {
                ids.contains(&ParamId::FramePlacement(f, 3))
            }
            Entry::Angles { of: Orientation::Shape(s), .. } => {
                ids.contains(&ParamId::ShapePlacement(s, 3))
            }
            Entry::LogCholesky(link) => ids.contains(&ParamId::Mass(link)),
        }) && self.followers.iter().all(|follower| ids.contains(&follower.id))
    }

    /// The selected values of a model, which must have the structure of the one they were selected from.
    pub fn values<S: Scalar>(&self, model: &Model<S>) -> Vec<S> {
        let mut x = Vec::with_capacity(self.len());
        for entry in &self.entries {
            match *entry {
                Entry::Number(id) => x.push(model.get(id)),
                Entry::Angles { of, selected } => {
                    let rpy = of.rotation(&model.params).to_rpy();
                    x.extend((0..3).filter(|i| selected[*i]).map(|i| rpy[i]));
                }
                Entry::LogCholesky(link) => {
                    x.extend(log_cholesky(&model.params.links[link.index()]).0);
                }
            }
        }
        x
    }

    /// Sets the selected values of a model, which must have the structure of the one they were selected from. It does
    /// not allocate.
    pub fn apply<S: Scalar>(&self, model: &mut Model<S>, x: &[S]) -> Result<(), WrongCount> {
        self.check_count(x)?;
        let mut rest = x.iter().copied();
        let mut next = || rest.next().expect("the length of x was checked above");
        for entry in &self.entries {
            match *entry {
                Entry::Number(id) => model.set(id, next()),
                Entry::Angles { of, selected } => {
                    let rot = of.rotation_mut(&mut model.params);
                    let mut rpy = rot.to_rpy();
                    for i in (0..3).filter(|i| selected[*i]) {
                        rpy[i] = next();
                    }
                    *rot = Mat3::from_rpy(rpy);
                }
                Entry::LogCholesky(link) => {
                    let free = LogCholesky(core::array::from_fn(|_| next()));
                    model.params.links[link.index()] = free.to_inertia();
                }
            }
        }
        for follower in &self.followers {
            model.set(follower.id, x[follower.follows] * S::from_f64(follower.factor));
        }
        Ok(())
    }

    /// Checks that there is a number for each name.
    pub fn check_count<T>(&self, x: &[T]) -> Result<(), WrongCount> {
        let (given, selected) = (x.len(), self.len());
        if given == selected { Ok(()) } else { Err(WrongCount { given, selected }) }
    }

    /// The gradient with respect to the selected values, from that with respect to every number of the model (for a
    /// rotation, its nine entries).
    pub fn gradient<S: Scalar>(&self, model: &Model<S>, params_bar: &Params<S>) -> Vec<S> {
        let mut gradient = Vec::with_capacity(self.len());
        for entry in &self.entries {
            match *entry {
                Entry::Number(id) => gradient.push(params_bar.get(id)),
                Entry::Angles { of, selected } => {
                    let rpy_bar = rpy_bar(of.rotation(&model.params), of.rotation(params_bar));
                    gradient.extend((0..3).filter(|i| selected[*i]).map(|i| rpy_bar[i]));
                }
                Entry::LogCholesky(link) => {
                    let free = log_cholesky(&model.params.links[link.index()]);
                    let bars = ten_numbers(&params_bar.links[link.index()]);
                    gradient.extend(free.jacobian_transposed_times(&bars));
                }
            }
        }
        for follower in &self.followers {
            gradient[follower.follows] +=
                params_bar.get(follower.id) * S::from_f64(follower.factor);
        }
        gradient
    }
}

impl Orientation {
    fn rotation<S: Scalar>(self, params: &Params<S>) -> &Mat3<S> {
        match self {
            Orientation::Joint(j) => &params.joints[j.index()].placement.rot,
            Orientation::Frame(f) => &params.frames[f.index()].rot,
            Orientation::Shape(s) => &params.shapes[s.index()].placement.rot,
        }
    }

    fn rotation_mut<S: Scalar>(self, params: &mut Params<S>) -> &mut Mat3<S> {
        match self {
            Orientation::Joint(j) => &mut params.joints[j.index()].placement.rot,
            Orientation::Frame(f) => &mut params.frames[f.index()].rot,
            Orientation::Shape(s) => &mut params.shapes[s.index()].placement.rot,
        }
    }
}

/// The orientation that the parameter is an angle of, and which angle.
fn angle_of(id: ParamId) -> Option<(Orientation, usize)> {
    let (orientation, i) = match id {
        ParamId::JointPlacement(j, i) => (Orientation::Joint(j), i),
        ParamId::FramePlacement(f, i) => (Orientation::Frame(f), i),
        ParamId::ShapePlacement(s, i) => (Orientation::Shape(s), i),
        _ => return None,
    };
    Some((orientation, usize::from(i.checked_sub(3)?)))
}

/// The link whose inertia the parameter is a number of.
fn inertia_of(id: ParamId) -> Option<LinkId> {
    match id {
        ParamId::Mass(link) | ParamId::Com(link, _) | ParamId::Inertia(link, _) => Some(link),
        _ => None,
    }
}

/// Whether the inertia of `link` comes before `id` among the parameters.
fn comes_before(link: LinkId, id: ParamId) -> bool {
    match id {
        ParamId::Gravity(_) => false,
        id => inertia_of(id).is_none_or(|other| link < other),
    }
}

fn log_cholesky_path(topology: &Topology, link: LinkId) -> String {
    format!("link/{}{LOG_CHOLESKY}", topology.links[link.index()].name)
}

/// The cotangents of roll, pitch and yaw from those of the nine entries of the rotation.
fn rpy_bar<S: Scalar>(rot: &Mat3<S>, rot_bar: &Mat3<S>) -> [S; 3] {
    let Vec3 { x: roll, y: pitch, z: yaw } = rot.to_rpy();
    let turned: Mat3<Dual<S, 3>> = Mat3::from_rpy(Vec3::new(
        Dual::variable(roll, 0),
        Dual::variable(pitch, 1),
        Dual::variable(yaw, 2),
    ));
    core::array::from_fn(|k| {
        let slopes = turned.cols.map(|col| col.map(|entry| entry.eps[k]));
        slopes.iter().zip(&rot_bar.cols).fold(S::ZERO, |sum, (slope, bar)| sum + slope.dot(*bar))
    })
}

/// The coordinates of an inertia in any scalar: [`LogCholesky::from_inertia`] without its checks; NaN for a body
/// without mass or extent.
fn log_cholesky<S: Scalar>(inertia: &Inertia<S>) -> LogCholesky<S> {
    S::in_registers(
        #[inline(always)]
        || log_cholesky_of(inertia),
    )
}

#[inline(always)]
fn log_cholesky_of<S: Scalar>(inertia: &Inertia<S>) -> LogCholesky<S> {
    let Inertia { mass, com, rotational: Sym3 { xx, yy, zz, xy, xz, yz } } = *inertia;
    // A Aᵀ = Σ / m with Σ = ½ tr(I) 1 − I, solved from its last row up.
    let half = S::from_f64(0.5);
    let second = |a: S, b: S, c: S| half * (a + b - c) / mass;
    let a3 = second(xx, yy, zz).sqrt();
    let (s13, s23) = (-xz / mass / a3, -yz / mass / a3);
    let a2 = (second(xx, zz, yy) - s23 * s23).sqrt();
    let s12 = (-xy / mass - s13 * s23) / a2;
    let a1 = (second(yy, zz, xx) - s12 * s12 - s13 * s13).sqrt();
    LogCholesky([half * mass.ln(), a1.ln(), a2.ln(), a3.ln(), s12, s23, s13, com.x, com.y, com.z])
}

/// In the order of [`LogCholesky::jacobian`].
fn ten_numbers<S: Scalar>(inertia: &Inertia<S>) -> [S; 10] {
    let Inertia { mass, com: Vec3 { x, y, z }, rotational } = *inertia;
    let [xx, yy, zz, xy, xz, yz] = rotational.to_array();
    [mass, x, y, z, xx, yy, zz, xy, xz, yz]
}

/// What to ask for in place of a pattern that matches nothing.
fn hint(topology: &Topology, pattern: &str, paths: &[String]) -> Option<String> {
    if let Some(link) = pattern.strip_suffix(LOG_CHOLESKY) {
        let of_mass = hint(topology, &format!("{link}/mass"), paths)?;
        return Some(of_mass.replace("/mass\"", &format!("{LOG_CHOLESKY}\"")));
    }
    if let Some((link, _)) = pattern.rsplit_once("/log_cholesky/") {
        return Some(format!("the ten numbers come together: \"{link}{LOG_CHOLESKY}\""));
    }
    if pattern.starts_with("contact/") && topology.contact_pairs.is_empty() {
        let end = pattern.rsplit('/').next().unwrap_or_default();
        let known = MaterialScalar::ALL.iter().map(|m| m.name()).find(|name| *name == end);
        return Some(format!(
            "no pair of shapes of this model has its own surface: use \"shape/*/{}\"",
            known.unwrap_or("…")
        ));
    }
    if !names::is_pattern(pattern) {
        return topology.param_id(pattern).err()?.hint;
    }
    let general = general_paths(topology);
    let candidates = general.iter().chain(paths).map(String::as_str);
    names::nearest(pattern, candidates).map(names::question)
}

/// The paths of a structure with a star in place of every name.
fn general_paths(topology: &Topology) -> Vec<String> {
    let mut general = topology.clone();
    for link in &mut general.links {
        link.name = "*".to_owned();
        link.joint.name = "*".to_owned();
    }
    let frames = general.frames.iter_mut().map(|f| &mut f.name);
    let shapes = general.shapes.iter_mut().map(|s| &mut s.name);
    let actuators = general.actuators.iter_mut().map(|a| &mut a.name);
    frames.chain(shapes).chain(actuators).for_each(|name| *name = "*".to_owned());
    let ids = general.param_ids();
    let mut paths: Vec<String> = ids.iter().map(|id| general.param_path(*id)).collect();
    paths.sort();
    paths.dedup();
    paths.iter().map(|path| path.replace("/*-*/", "/*/")).collect()
}
