//! Which pairs of shapes may touch, by the structure of a model alone.
//!
//! The first rule that applies decides. A pair listed in `Topology::contact_pairs` may touch. Shapes on one link may
//! not, nor shapes that are both fixed to the world, nor shapes of a link and its parent (they meet at the joint; the
//! world does not count as a parent), nor shapes of excluded frames. All other pairs may touch if their collision
//! groups allow it.

use gradbody_model::{
    ContactLaw, FrameId, FrictionKnown, FrictionOf, LinkId, PairId, Shape, ShapeId, Topology,
};

/// The filter of pairs.
#[derive(Clone, Debug)]
pub struct Candidates {
    shapes: Vec<Filter>,
    parents: Vec<Option<LinkId>>,
    /// Sorted, a before b.
    pairs: Vec<(ShapeId, ShapeId, Rule)>,
    /// Sorted, the lower frame first.
    excludes: Vec<(FrameId, FrameId)>,
}

#[derive(Clone, Copy, Debug)]
struct Filter {
    link: Option<LinkId>,
    frame: FrameId,
    group: u32,
    with: u32,
    law: ContactLaw,
    turning: bool,
    friction: FrictionKnown,
}

/// How two shapes touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Rigid or compliant.
    pub law: ContactLaw,
    /// Whether torsional and rolling friction act.
    pub resists_turning: bool,
    /// The pair that defines the surface, if the shapes themselves do not.
    pub pair: Option<PairId>,
    /// Whose friction counts, if no pair defines the surface; a is the shape with the lower number.
    pub friction: FrictionOf,
}

impl Candidates {
    /// Makes the filter of a model.
    pub fn new(topology: &Topology) -> Self {
        let filter = |s: &Shape| Filter {
            link: topology.frames[s.frame.index()].link,
            frame: s.frame,
            group: s.collision_group,
            with: s.collides_with,
            law: s.law,
            turning: s.resists_turning,
            friction: s.friction_known(),
        };
        let mut pairs: Vec<_> = topology
            .contact_pairs
            .iter()
            .enumerate()
            .map(|(i, pair)| {
                let rule = Rule {
                    law: pair.law,
                    resists_turning: pair.resists_turning,
                    pair: Some(PairId::new(i)),
                    friction: FrictionOf::Larger,
                };
                (pair.a.min(pair.b), pair.a.max(pair.b), rule)
            })
            .collect();
        pairs.sort_by_key(|(a, b, _)| (*a, *b));
        let mut excludes: Vec<_> =
            topology.contact_excludes.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
        excludes.sort_unstable();
        Candidates {
            shapes: topology.shapes.iter().map(filter).collect(),
            parents: topology.links.iter().map(|l| l.parent).collect(),
            pairs,
            excludes,
        }
    }

    /// How two shapes touch; `None` if they may not.
    pub fn rule(&self, a: ShapeId, b: ShapeId) -> Option<Rule> {
        let (a, b) = (a.min(b), a.max(b));
        let own = self.pairs.binary_search_by_key(&(a, b), |(a, b, _)| (*a, *b));
        if let Ok(i) = own {
            return Some(self.pairs[i].2);
        }
        let (a, b) = (&self.shapes[a.index()], &self.shapes[b.index()]);
        let groups = (a.group & b.with) | (b.group & a.with);
        if a.link == b.link || groups == 0 || self.parent_and_child(a.link, b.link) {
            return None;
        }
        let frames = (a.frame.min(b.frame), a.frame.max(b.frame));
        if self.excludes.binary_search(&frames).is_ok() {
            return None;
        }
        let compliant = a.law == ContactLaw::Compliant || b.law == ContactLaw::Compliant;
        Some(Rule {
            law: if compliant { ContactLaw::Compliant } else { ContactLaw::Rigid },
            resists_turning: a.turning || b.turning,
            pair: None,
            friction: FrictionOf::between(a.friction, b.friction),
        })
    }

    fn parent_and_child(&self, a: Option<LinkId>, b: Option<LinkId>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return false };
        self.parents[a.index()] == Some(b) || self.parents[b.index()] == Some(a)
    }

    /// The link that carries a shape; `None` for the world.
    #[inline(always)]
    pub fn link(&self, shape: ShapeId) -> Option<LinkId> {
        self.shapes[shape.index()].link
    }
}
