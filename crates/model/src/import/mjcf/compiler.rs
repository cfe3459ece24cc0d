//! The `compiler` section: how to interpret the rest of the file.

use std::path::PathBuf;

use super::defaults::Settings;
use super::source::Tree;
use crate::import::ImportError;
use crate::import::xml::Element;

/// How to interpret the file.
pub(super) struct Compiler {
    /// The file's unit of angle in radians.
    pub(super) angle_unit: f64,
    /// Order and kind of Euler rotations.
    pub(super) euler: [EulerTurn; 3],
    /// Whether a range alone implies limits.
    pub(super) autolimits: bool,
    /// Where a body's inertia comes from.
    pub(super) inertia_from_geom: InertiaFromGeom,
    /// First and last group of the geoms that contribute to a body's inertia.
    pub(super) inertia_groups: [i32; 2],
    /// All masses and inertias are scaled to this total, if it is positive [kg].
    pub(super) total_mass: f64,
    /// Least mass of a body [kg].
    pub(super) bound_mass: f64,
    /// Least principal moment of inertia of a body [kg m²].
    pub(super) bound_inertia: f64,
    /// Whether moments of inertia that violate the triangle inequality are replaced by their mean.
    pub(super) balance_inertia: bool,
    /// Folder of the meshes, as given in the file.
    pub(super) mesh_folder: PathBuf,
}

/// A rotation about one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EulerTurn {
    /// 0, 1, 2 for x, y, z.
    pub(super) axis: usize,
    /// About the parent's axis, not the axis of the frame rotated so far.
    pub(super) extrinsic: bool,
}

/// Where a body's inertia comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    /// From `inertial` alone.
    Never,
    /// From the geoms, even if there is an `inertial`.
    Always,
    /// From the geoms if there is no `inertial`.
    Auto,
}

impl Compiler {
    /// Reads the section, which may occur several times: the last value of an attribute counts.
    pub(super) fn read(tree: &Tree<'_>) -> Result<Self, ImportError> {
        let mut sections = tree.sections("compiler");
        sections.reverse();
        sections.push(tree.root());
        let settings = Settings::list(sections);
        if settings.attr("coordinate").is_some_and(|c| c != "local") {
            let problem = "only local coordinates are supported, as in MuJoCo since 2.3.4";
            return Err(settings.attr_error("coordinate", problem));
        }
        let angle_unit = match settings.choice("angle", &["degree", "radian"])? {
            "radian" => 1.0,
            _ => std::f64::consts::PI / 180.0,
        };
        let inertia_from_geom =
            match settings.choice("inertiafromgeom", &["auto", "true", "false"])? {
                "true" => InertiaFromGeom::Always,
                "false" => InertiaFromGeom::Never,
                _ => InertiaFromGeom::Auto,
            };
        let groups = settings.array::<2>("inertiagrouprange")?.unwrap_or([0.0, 5.0]);
        let mesh_folder = settings.attr("meshdir").or(settings.attr("assetdir")).unwrap_or("");
        Ok(Compiler {
            angle_unit,
            euler: settings.holder("eulerseq").map_or(Ok(EULER_XYZ), euler_sequence)?,
            autolimits: settings.flag("autolimits")?.unwrap_or(true),
            inertia_from_geom,
            inertia_groups: groups.map(|g| g as i32),
            total_mass: settings.number("settotalmass")?.unwrap_or(0.0),
            bound_mass: settings.number("boundmass")?.unwrap_or(0.0),
            bound_inertia: settings.number("boundinertia")?.unwrap_or(0.0),
            balance_inertia: settings.flag("balanceinertia")?.unwrap_or(false),
            mesh_folder: mesh_folder.into(),
        })
    }
}

const EULER_XYZ: [EulerTurn; 3] = [
    EulerTurn { axis: 0, extrinsic: false },
    EulerTurn { axis: 1, extrinsic: false },
    EulerTurn { axis: 2, extrinsic: false },
];

fn euler_sequence(element: Element<'_>) -> Result<[EulerTurn; 3], ImportError> {
    let turn = |letter: u8| {
        let axis = b"xyz".iter().position(|l| *l == letter.to_ascii_lowercase())?;
        Some(EulerTurn { axis, extrinsic: letter.is_ascii_uppercase() })
    };
    let turns: Option<Vec<_>> = element.attr("eulerseq").unwrap_or("").bytes().map(turn).collect();
    turns.and_then(|t| t.try_into().ok()).ok_or_else(|| {
        let problem = "expected three letters of x, y, z (turning axes) or X, Y, Z (fixed axes)";
        element.attr_error("eulerseq", problem)
    })
}
