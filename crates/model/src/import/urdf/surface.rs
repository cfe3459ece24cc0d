//! Surfaces of links: PyBullet's `<contact>`, and the friction of Gazebo's `<gazebo>`.
//!
//! | `<contact>` of the link | becomes |
//! |---|---|
//! | `lateral_friction` | friction, static and sliding |
//! | `spinning_friction`, `rolling_friction` | torsional and rolling friction; a link that has one of them resists turning |
//! | `restitution` | restitution |
//! | `contact_erp` | the fraction of a penetration that a step corrects |
//! | `contact_cfm` | the same, which PyBullet gives per time step |
//! | `stiffness`, `damping` | a compliant contact, whose force grows linearly with depth |
//!
//! `<gazebo reference="LINK"><mu1>` is the friction of a link without `lateral_friction`.

use super::elements::magnitude;
use crate::import::notes::Notes;
use crate::import::xml::{Element, shown};
use crate::import::{ImportError, NoteKind};
use crate::{ContactLaw, Material};

/// PyBullet's time step, by which its `contact_cfm` is divided [s].
pub(crate) const BULLET_STEP: f64 = 1.0 / 240.0;

/// PyBullet's damping is a force per speed, ours grows with the depth: they are equal at this depth [m].
pub(crate) const DAMPING_DEPTH: f64 = 1e-3;

/// PyBullet's values of `stiffness` and `damping` if only the other one is given.
const BULLET_SPRING: (f64, f64) = (1e4, 1.0);

/// The surface of a link's shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub(super) material: Material<f64>,
    pub(super) law: ContactLaw,
    pub(super) resists_turning: bool,
    /// Whether the file gives its friction.
    pub(super) friction_given: bool,
}

/// Reads the surface of a link; `gazebo` has the elements that refer to it.
pub(super) fn read(
    link: Element<'_>,
    gazebo: &[Element<'_>],
    notes: &mut Notes,
) -> Result<Surface, ImportError> {
    let mut material = Material::DEFAULT;
    let (mut law, mut resists_turning) = (ContactLaw::Rigid, false);
    let contact = link.child("contact");
    let element = |tag: &'static str| contact.and_then(|c| c.child(tag));

    let friction = match element("lateral_friction") {
        Some(lateral) => Some(amount(lateral)?),
        None => gazebo_friction(gazebo, notes)?,
    };
    if let Some(friction) = friction {
        material = Material::with_friction(friction);
    }
    let (spinning, rolling) = (element("spinning_friction"), element("rolling_friction"));
    if spinning.is_some() || rolling.is_some() {
        material.torsional_friction = spinning.map_or(Ok(0.0), amount)?;
        material.rolling_friction = rolling.map_or(Ok(0.0), amount)?;
        resists_turning = material.torsional_friction > 0.0 || material.rolling_friction > 0.0;
    }
    if let Some(restitution) = element("restitution") {
        material.restitution = fraction(restitution)?;
    }
    if let Some(erp) = element("contact_erp") {
        material.position_gain = fraction(erp)?;
    }
    if let Some(cfm) = element("contact_cfm") {
        material.cfm = amount(cfm)? / BULLET_STEP;
        let what = "converted with PyBullet's time step of 1/240 s, whatever the actual step";
        notes.kind(NoteKind::Approximated, "contact_cfm", cfm, what);
    }
    let (stiffness, damping) = (element("stiffness"), element("damping"));
    if let Some(spring) = stiffness.or(damping) {
        material.stiffness = stiffness.map_or(Ok(BULLET_SPRING.0), amount)?;
        material.damping = damping.map_or(Ok(BULLET_SPRING.1), amount)? / DAMPING_DEPTH;
        material.exponent = 1.0;
        law = ContactLaw::Compliant;
        let what = "a compliant contact: its damping grows with the depth, and is the given one at \
                    1 mm";
        notes.kind(NoteKind::Approximated, "contact spring", spring, what);
    }
    Ok(Surface { material, law, resists_turning, friction_given: friction.is_some() })
}

/// The required `value`, which must not be negative.
fn amount(element: Element<'_>) -> Result<f64, ImportError> {
    element.required("value")?;
    Ok(magnitude(element, "value")?.unwrap_or_default())
}

/// The required `value`, between 0 and 1.
fn fraction(element: Element<'_>) -> Result<f64, ImportError> {
    match amount(element)? {
        value if value > 1.0 => Err(element.attr_error("value", "it must be between 0 and 1")),
        value => Ok(value),
    }
}

/// The first `<mu1>`, as text or as `value`.
fn gazebo_friction(gazebo: &[Element<'_>], notes: &mut Notes) -> Result<Option<f64>, ImportError> {
    let first = |tag: &'static str| gazebo.iter().find_map(|g| g.child(tag));
    let (mu1, mu2) = (first("mu1"), first("mu2"));
    let Some(element) = mu1.or(mu2) else { return Ok(None) };
    let friction = coefficient(element)?;
    if let (Some(_), Some(mu2)) = (mu1, mu2)
        && coefficient(mu2)? != friction
    {
        let what = "friction is the same in all directions: mu1 is used";
        notes.kind(NoteKind::Approximated, "mu2", mu2, what);
    }
    Ok(Some(friction))
}

fn coefficient(element: Element<'_>) -> Result<f64, ImportError> {
    let Some(text) = element.text() else { return amount(element) };
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(element.error(format!("\"{}\" is not a coefficient of friction", shown(text)))),
    }
}
