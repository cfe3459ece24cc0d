//! Names with `*` for anything.

use gradbody::augment::GROUPS;

/// A name, a part of one, or a group of a link's sites: any of these patterns, in parts between stars.
pub(super) struct Pattern {
    any: Vec<Vec<String>>,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        let parts = |text: &str| text.split('*').map(str::to_owned).collect();
        let members = GROUPS.into_iter().filter_map(|(group, members)| {
            let link = text.strip_suffix(group)?;
            Some(members.map(|member| parts(&format!("{link}{member}"))))
        });
        Pattern { any: members.flatten().chain([parts(text)]).collect() }
    }

    /// Whether it is part of a name or, if it has a `*`, the name or a group that the name is in.
    pub(super) fn fits(&self, name: &str) -> bool {
        self.any.iter().any(|parts| match &parts[..] {
            [part] => name.contains(part.as_str()),
            [first, rest @ ..] => name.strip_prefix(first.as_str()).is_some_and(|n| ends(n, rest)),
            [] => true,
        })
    }
}

/// Whether a name goes on as these parts do, with anything before each.
fn ends(name: &str, parts: &[String]) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return name.is_empty() || name.starts_with('/');
    };
    // A last `*` stands for all that follows.
    if part.is_empty() && rest.is_empty() {
        return true;
    }
    name.match_indices(part.as_str()).any(|(at, _)| ends(&name[at + part.len()..], rest))
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn stars_stand_for_anything_between_whole_names() {
        for (pattern, name, fits) in [
            ("velocity", "joint/knee/end_velocity", true),
            ("joint/*/velocity", "joint/knee/velocity", true),
            ("joint/*/velocity", "joint/root/velocity/vx", true),
            ("joint/*/velocity", "joint/knee/end_velocity", false),
            ("joint/*/velocity", "link/knee/velocity/x", false),
            ("joint/*/vel", "joint/knee/velocity", false),
            ("link/*", "link/trunk/mass", true),
            ("*/x", "link/trunk/position/x", true),
            ("*foot*force*", "link/left_foot/force/x", true),
            ("*foot*force", "link/left_foot/torque/x", false),
            ("contact/*/gap", "contact/*/gap", true),
            ("link/trunk/wrench", "link/trunk/torque/x", true),
            ("link/trunk/wrench", "link/trunk/local_torque/x", false),
            ("link/*/pose", "link/trunk/orientation/yaw", true),
            ("link/*/pose", "link/trunk/velocity/x", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), fits, "{pattern} and {name}");
        }
    }
}
