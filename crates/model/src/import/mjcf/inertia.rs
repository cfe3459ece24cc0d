//! The inertia of each body: as the file gives it, or from its geoms.

use gradbody_math::{Inertia, Sym3, Vec3};

use super::body::Body;
use super::compiler::{Compiler, InertiaFromGeom};
use super::geom::Weight;
use crate::import::ImportError;
use crate::principal_moments;

/// A body lighter than this counts as massless [kg] (as in MuJoCo).
const MIN_MASS: f64 = 1e-15;

/// The inertia of each body in its own frame.
pub(super) fn of_bodies(
    bodies: &[Body<'_>],
    compiler: &Compiler,
) -> Result<Vec<Inertia<f64>>, ImportError> {
    let mut inertias = vec![Inertia::ZERO];
    for body in &bodies[1..] {
        inertias.push(bounded(of_body(body, compiler)?, compiler));
    }
    let mass: f64 = inertias.iter().map(|i| i.mass).sum();
    if compiler.total_mass > 0.0 && mass > 0.0 {
        let factor = compiler.total_mass / mass;
        for inertia in &mut inertias {
            inertia.mass *= factor;
            inertia.rotational = inertia.rotational.map(|x| x * factor);
        }
    }
    Ok(inertias)
}

fn of_body(body: &Body<'_>, compiler: &Compiler) -> Result<Inertia<f64>, ImportError> {
    let given = body.inertial.unwrap_or(Inertia::ZERO);
    match compiler.inertia_from_geom {
        InertiaFromGeom::Never => return Ok(given),
        InertiaFromGeom::Auto if body.inertial.is_some() => return Ok(given),
        InertiaFromGeom::Auto | InertiaFromGeom::Always => {}
    }
    let [first, last] = compiler.inertia_groups;
    let mut whole = Inertia::ZERO;
    for geom in body.geoms.iter().filter(|g| (first..=last).contains(&g.group)) {
        match geom.weight {
            Weight::Known(part) => whole = whole.combined(&part),
            // The mass of a body that does not move is irrelevant.
            Weight::OfMesh if !body.moves && compiler.total_mass <= 0.0 => {}
            Weight::OfMesh => {
                return Err(geom.element.error(format!(
                    "its mass would come from its mesh's volume, which is not known; give body \"{}\" an \
                     inertial, or the geom mass=\"0\"",
                    body.name
                )));
            }
        }
    }
    match whole.mass < MIN_MASS {
        false => Ok(whole),
        true if body.inertial.is_some() => Ok(given),
        // This is where MuJoCo's boundmass adds a mass.
        true => Ok(Inertia { com: body.own_pos, ..Inertia::ZERO }),
    }
}

/// The same inertia with the least values and the balance that the compiler section requests.
fn bounded(inertia: Inertia<f64>, compiler: &Compiler) -> Inertia<f64> {
    let (moments, axes) = principal_moments(&inertia.rotational);
    let mut changed = moments.map(|m| m.max(compiler.bound_inertia));
    if compiler.bound_inertia <= 0.0 {
        changed = moments;
    }
    if compiler.balance_inertia && changed.x + changed.y < changed.z {
        let mean = (changed.x + changed.y + changed.z) / 3.0;
        changed = Vec3::new(mean, mean, mean);
    }
    let rotational = match changed == moments {
        true => inertia.rotational,
        false => Sym3::diagonal(changed).rotated(&axes),
    };
    Inertia { mass: inertia.mass.max(compiler.bound_mass), com: inertia.com, rotational }
}
