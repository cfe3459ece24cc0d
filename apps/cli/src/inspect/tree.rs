//! The tree of links as a drawing.

use gradbody::model::{Axis, JointKind, LinkId, Topology};

use crate::text::{Align, Table};

/// Draws the tree: a line a link, with the joint that moves it, and one for every frame that is
/// fixed to a link under a name of its own.
pub(super) fn draw(topology: &Topology, out: &mut String) {
    out.push_str("\ntree\n");
    let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
    table.row(vec!["world".into(), String::new()]);
    // Children still to be drawn, next one last, so that no tree is too deep.
    let mut open = children(topology, None, "");
    while let Some(Child { node, before, last }) = open.pop() {
        let branch = match (&node, last) {
            (Node::Link(_), false) => "├─ ",
            (Node::Link(_), true) => "└─ ",
            (Node::Frame(_), false) => "├╌ ",
            (Node::Frame(_), true) => "└╌ ",
        };
        match node {
            Node::Link(id) => {
                let link = &topology.links[id.index()];
                let joint = format!("{}, {}", link.joint.name, kind(link.joint.kind));
                table.row(vec![format!("{before}{branch}{}", link.name), joint]);
                let before = format!("{before}{}", if last { "   " } else { "│  " });
                open.extend(children(topology, Some(id), &before));
            }
            Node::Frame(i) => {
                let name = &topology.frames[i].name;
                table.row(vec![format!("{before}{branch}{name}"), "fixed".into()]);
            }
        }
    }
    table.write(out);
}

enum Node {
    Link(LinkId),
    /// By its place among the frames.
    Frame(usize),
}

struct Child {
    node: Node,
    /// What stands before its branch.
    before: String,
    last: bool,
}

/// What hangs on a link (or on the world), last first.
fn children(topology: &Topology, parent: Option<LinkId>, before: &str) -> Vec<Child> {
    let own_name = parent.map_or("world", |id| topology.links[id.index()].name.as_str());
    let frames = topology.frames.iter().enumerate();
    let frames = frames
        .filter(|(_, frame)| frame.link == parent && frame.name != own_name)
        .map(|(i, _)| Node::Frame(i));
    let links = topology.link_ids().filter(|id| topology.links[id.index()].parent == parent);
    let mut nodes: Vec<Node> = frames.chain(links.map(Node::Link)).collect();
    nodes.reverse();
    let child = |(i, node)| Child { node, before: before.to_owned(), last: i == 0 };
    nodes.into_iter().enumerate().map(child).collect()
}

/// `revolute x`, `free`.
pub(super) fn kind(kind: JointKind) -> String {
    let axis = match kind {
        JointKind::Revolute(axis) | JointKind::Prismatic(axis) => axis,
        _ => return kind.name().to_owned(),
    };
    match axis {
        Axis::X => format!("{} x", kind.name()),
        Axis::Y => format!("{} y", kind.name()),
        Axis::Z => format!("{} z", kind.name()),
        Axis::Any => kind.name().to_owned(),
    }
}
