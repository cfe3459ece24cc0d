//! The known elements and attributes. As in MuJoCo, an unknown one is an error: otherwise a misspelt one would be
//! ignored silently.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::source::Tree;
use crate::import::ImportError;
use crate::import::xml::{did_you_mean, shown};

/// One element per line, followed by its attributes; the elements that can be inside it follow, indented. `*`: neither
/// attributes nor contents are checked, because none of it is read. `^`: it can contain the same elements as its
/// parent. `@`: a list of attributes that several elements share. These are the attributes of MuJoCo 4.0, and those of
/// earlier versions that a file may still have.
const SCHEMA: &str = "
@pose pos quat axisangle xyaxes zaxis euler
@joint type pos axis ref springref range limited armature damping stiffness frictionloss margin \
  springdamper springyield solreflimit solimplimit solreffriction solimpfriction group user \
  actuatorfrcrange actuatorfrclimited actuatorgravcomp
@geom type size fromto mesh hfield fitscale mass density shellinertia contype conaffinity condim \
  friction priority solmix solref solimp margin gap surfacevel adhesion fluidshape fluidcoef \
  material rgba group user castshadow
@site type size fromto mesh material rgba group user
@pair condim friction solref solreffriction solimp margin gap adhesion
@drive ctrllimited ctrlrange forcelimited forcerange gear cranklength armature damping \
  delay interp nsample group user
@target name class joint jointinparent tendon site refsite slidersite cranksite lengthrange
@general dyntype gaintype biastype dynprm gainprm biasprm actdim actearly actlimited actrange \
  inheritrange input velrange ffrange
@position kp kv dampratio timeconst inheritrange
@intvelocity kp kv dampratio actlimited actrange inheritrange

mujoco model
  compiler alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict \
    coordinate discardvisual eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir \
    passthrough savecanonical savecompiled saveinertial settotalmass strippath texturedir \
    usethread convexhull exactmeshinertia
    lengthrange *
  option timestep gravity density viscosity wind magnetic integrator cone jacobian solver impratio \
    iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance \
    ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance o_margin o_solref \
    o_solimp o_friction actuatorgroupdisable apirate collision mpr_iterations mpr_tolerance
    flag actuation autoreset clampctrl constraint contact damper diagexact energy equality \
      eulerdamp filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase \
      multiccd nativeccd override refsafe sensor sleep speculative spring warmstart passive
  default class
    default^ class
    joint @joint
    geom @geom @pose
    site @site @pose
    pair @pair
    general @drive @general
    motor @drive
    position @drive @position
    velocity @drive kv
    intvelocity @drive @intvelocity
    damper *
    cylinder *
    muscle *
    adhesion *
    pid *
    orientation *
    dcmotor *
    mesh scale inertia maxhullvert
    equality *
    tendon *
    texture *
    material *
    camera *
    light *
  worldbody
    body^ name childclass @pose mocap gravcomp sleep simple fuse user
    frame^ name childclass @pose scale massscale scaling
    replicate^ *
    inertial mass diaginertia fullinertia @pose
    joint name class @joint
    freejoint name group align
    geom name class @geom @pose
      plugin *
    site name class @site @pose
    plugin *
    attach *
    composite *
    flexcomp *
    camera *
    light *
  asset
    mesh name class file vertex normal texcoord face content_type scale refpos refquat inertia \
      maxhullvert smoothnormal builtin params material
      plugin *
    hfield *
    model *
    skin *
    texture *
    material *
  contact
    pair name class geom1 geom2 @pair
    exclude name body1 body2
  actuator
    general @target body @drive @general
    motor @target @drive
    position @target @drive @position
    velocity @target @drive kv
    intvelocity @target @drive @intvelocity
    damper *
    cylinder *
    muscle *
    adhesion *
    pid *
    orientation *
    dcmotor *
    plugin *
  keyframe
    key name time qpos qvel act ctrl mpos mquat plastic
  equality *
  tendon *
  sensor *
  deformable *
  extension *
  custom *
  size *
  statistic *
  visual *
";

struct Rule {
    tag: &'static str,
    attributes: Vec<&'static str>,
    /// Whether its contents are not checked.
    open: bool,
    /// The rule of its parent element.
    parent: usize,
    /// The rule whose contents can be inside it: itself, or with `^` its parent.
    contents: usize,
}

/// The outermost element's rule comes first.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut lists: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut rules: Vec<Rule> = Vec::new();
    // A stack of the rules that the next line may belong to, with their indentation.
    let mut around: Vec<(usize, usize)> = Vec::new();
    for line in SCHEMA.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        let words: Vec<&'static str> = words.collect();
        if let Some(list) = first.strip_prefix('@') {
            lists.insert(list, words);
            continue;
        }
        let expand = |word: &&'static str| match word.strip_prefix('@') {
            Some(list) => lists[list].clone(),
            None => vec![*word],
        };
        let indent = line.len() - line.trim_start().len();
        around.retain(|(_, outer)| *outer < indent);
        let parent = around.last().map_or(0, |(rule, _)| *rule);
        let contents = if first.ends_with('^') { parent } else { rules.len() };
        around.push((rules.len(), indent));
        rules.push(Rule {
            tag: first.trim_end_matches('^'),
            attributes: words.iter().flat_map(expand).collect(),
            open: words == ["*"],
            parent,
            contents,
        });
    }
    rules
});

/// Fails if a file has an element or attribute that MJCF does not have.
pub(super) fn check(tree: &Tree<'_>) -> Result<(), ImportError> {
    let rules = &*RULES;
    let mut waiting = vec![(tree.root(), 0)];
    while let Some((element, index)) = waiting.pop() {
        let rule = &rules[index];
        let known = |name: &str| rule.attributes.contains(&name);
        let unknown = element.attrs().find(|(name, _)| !known(name));
        if let Some((name, _)) = unknown.filter(|_| !rule.open) {
            let hint = did_you_mean(name, rule.attributes.iter().copied());
            return Err(element.error(format!("unknown attribute \"{}\"{hint}", shown(name))));
        }
        if rule.open && rule.contents == index {
            continue;
        }
        let inside = |(_, r): &(usize, &Rule)| r.parent == rule.contents;
        for child in tree.children(element).into_iter().rev() {
            let mut possible = rules.iter().enumerate().skip(1).filter(inside);
            let Some((child_rule, _)) = possible.find(|(_, r)| r.tag == child.tag()) else {
                let tags = rules.iter().enumerate().skip(1).filter(inside).map(|(_, r)| r.tag);
                let hint = did_you_mean(child.tag(), tags);
                let around = element.tag();
                return Err(child.error(format!("unknown element inside <{around}>{hint}")));
            };
            waiting.push((child, child_rule));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &str) -> &'static Rule {
        let mut at = 0;
        for tag in path.split('/') {
            let inside = |(i, r): &(usize, &Rule)| *i > 0 && r.parent == RULES[at].contents;
            let found = RULES.iter().enumerate().filter(inside).find(|(_, r)| r.tag == tag);
            at = found.unwrap_or_else(|| panic!("no rule for {tag} of {path}")).0;
        }
        &RULES[at]
    }

    #[test]
    fn the_table_reads_as_meant() {
        assert_eq!(RULES[0].tag, "mujoco");
        assert!(rule("worldbody/body/frame/body/joint").attributes.contains(&"axis"));
        assert!(rule("worldbody/geom").attributes.contains(&"euler"));
        assert!(rule("default/default/default/position").attributes.contains(&"ctrlrange"));
        assert!(rule("visual").open && !rule("worldbody/body").open);
        assert!(rule("worldbody").attributes.is_empty());
        assert!(RULES.iter().flat_map(|r| &r.attributes).all(|a| !a.starts_with('@')));
    }
}
