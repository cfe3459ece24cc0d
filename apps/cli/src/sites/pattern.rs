//! Which sites a filter selects.

use gradbody::augment::GROUPS;
use gradbody::math::names::{is_pattern, matches};

/// A name, a part of one, or a group of a link's sites: any of these patterns.
pub(super) struct Pattern {
    any: Vec<String>,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        let members = GROUPS.into_iter().filter_map(|(group, members)| {
            let link = text.strip_suffix(group)?;
            Some(members.map(|member| format!("{link}{member}")))
        });
        Pattern { any: members.flatten().chain([text.to_owned()]).collect() }
    }

    /// Whether the name contains the pattern or, for a pattern with `*` or `?`, matches it or is in a group that does.
    pub(super) fn fits(&self, name: &str) -> bool {
        self.any.iter().any(|pattern| match is_pattern(pattern) {
            false => name.contains(pattern),
            true => matches(pattern, name) || matches(&format!("{pattern}/*"), name),
        })
    }
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
