//! The tree of links as a drawing.

use gradbody::model::{Axis, JointKind, LinkId, Topology};

use gradbody_report::text::{Align, Table};

/// Levels that are indented; deeper ones are numbered, so that a long chain stays readable.
const INDENTED: usize = 24;

/// Draws the tree: a line for each link with its joint, and one for each frame that is fixed to a link under another
/// name.
pub(super) fn draw(topology: &Topology, out: &mut String) {
    out.push_str("\ntree\n");
    let mut table = Table::new(&[("", Align::Left), ("", Align::Left)]);
    table.row(vec!["world".into(), String::new()]);
    let mut children = children(topology);
    // A stack of what is still to be drawn: recursion could overflow on a deep tree.
    let mut open: Vec<Place> = places(std::mem::take(&mut children[0]), "", 1).collect();
    while let Some(Place { node, before, depth, last }) = open.pop() {
        let branch = match (&node, last) {
            (Node::Link(_), false) => "├─ ",
            (Node::Link(_), true) => "└─ ",
            (Node::Frame(_), false) => "├╌ ",
            (Node::Frame(_), true) => "└╌ ",
        };
        let deep = if depth > INDENTED { format!("… depth {depth} ") } else { String::new() };
        let (name, joint) = match node {
            Node::Link(id) => {
                let link = &topology.links[id.index()];
                (&link.name, format!("{}, {}", link.joint.name, kind(link.joint.kind)))
            }
            Node::Frame(i) => (&topology.frames[i].name, "fixed".into()),
        };
        table.row(vec![format!("{before}{deep}{branch}{name}"), joint]);
        if let Node::Link(id) = node {
            let bar = match (depth < INDENTED, last) {
                (false, _) => "",
                (true, false) => "│  ",
                (true, true) => "   ",
            };
            let nodes = std::mem::take(&mut children[id.index() + 1]);
            open.extend(places(nodes, &format!("{before}{bar}"), depth + 1));
        }
    }
    table.write(out);
}

#[derive(Clone, Copy)]
enum Node {
    Link(LinkId),
    /// By its index.
    Frame(usize),
}

struct Place {
    node: Node,
    /// Text before its branch.
    before: String,
    /// Depth below the world.
    depth: usize,
    /// Whether it is the last child of its parent.
    last: bool,
}

/// Places for the children of one parent, last first.
fn places(nodes: Vec<Node>, before: &str, depth: usize) -> impl Iterator<Item = Place> + '_ {
    let place = move |(i, node)| Place { node, before: before.to_owned(), depth, last: i == 0 };
    nodes.into_iter().rev().enumerate().map(place)
}

/// Children of the world, then of each link: frames, then links.
fn children(topology: &Topology) -> Vec<Vec<Node>> {
    let mut children = vec![Vec::new(); topology.links.len() + 1];
    let place = |parent: Option<LinkId>| parent.map_or(0, |id| id.index() + 1);
    for (i, frame) in topology.frames.iter().enumerate() {
        let own_name = frame.link.map_or("world", |id| topology.links[id.index()].name.as_str());
        if frame.name != own_name {
            children[place(frame.link)].push(Node::Frame(i));
        }
    }
    for id in topology.link_ids() {
        children[place(topology.links[id.index()].parent)].push(Node::Link(id));
    }
    children
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
