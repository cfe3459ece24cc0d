//! Default classes, and the attributes of an element together with those it inherits.
//!
//! A class is a list of elements. Their attributes apply wherever the class is used, unless the element itself or a
//! class nested further in sets them. A class inherits from the class around it; the outermost is `main` and applies to
//! everything. An element's class is the one it names, otherwise the `childclass` of the nearest body or frame around
//! it that has one.

use super::source::Tree;
use crate::import::ImportError;
use crate::import::xml::{Element, did_you_mean, shown};

/// All default classes of a file.
pub(super) struct Defaults<'a> {
    classes: Vec<Class<'a>>,
}

struct Class<'a> {
    name: &'a str,
    /// The class around it, and how many elements that had at this point: later ones do not count.
    parent: Option<(ClassId, usize)>,
    /// In the order of the file.
    elements: Vec<Element<'a>>,
}

/// A class of `Defaults`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClassId(usize);

impl ClassId {
    /// The outermost class.
    pub(super) const MAIN: ClassId = ClassId(0);
}

impl<'a> Defaults<'a> {
    /// Reads every `default` section.
    pub(super) fn read(tree: &'a Tree<'_>) -> Result<Self, ImportError> {
        let main = Class { name: "main", parent: None, elements: Vec::new() };
        let mut defaults = Defaults { classes: vec![main] };
        for section in tree.sections("default") {
            match section.attr("class") {
                None | Some("main") => defaults.read_class(tree, section, ClassId::MAIN)?,
                Some(_) => {
                    let problem = "the outermost class must be named \"main\"";
                    return Err(section.attr_error("class", problem));
                }
            }
        }
        Ok(defaults)
    }

    fn read_class(
        &mut self,
        tree: &'a Tree<'_>,
        section: Element<'a>,
        class: ClassId,
    ) -> Result<(), ImportError> {
        let mut waiting = vec![(section, class)];
        while let Some((section, class)) = waiting.pop() {
            let (nested, elements): (Vec<_>, Vec<_>) =
                tree.children(section).into_iter().partition(|e| e.tag() == "default");
            self.classes[class.0].elements.extend(elements);
            let parent = Some((class, self.classes[class.0].elements.len()));
            for section in nested {
                let name = section.required("class")?;
                if self.classes.iter().any(|c| c.name == name) {
                    return Err(section.attr_error("class", "another class has this name"));
                }
                waiting.push((section, ClassId(self.classes.len())));
                self.classes.push(Class { name, parent, elements: Vec::new() });
            }
        }
        Ok(())
    }

    /// The class that an attribute of an element names, if it has that attribute.
    pub(super) fn named(
        &self,
        element: Element<'_>,
        attribute: &str,
    ) -> Result<Option<ClassId>, ImportError> {
        let Some(name) = element.attr(attribute) else { return Ok(None) };
        match self.classes.iter().position(|c| c.name == name) {
            Some(class) => Ok(Some(ClassId(class))),
            None => {
                let hint = did_you_mean(name, self.classes.iter().map(|c| c.name));
                Err(element.error(format!("{attribute}=\"{}\": no such class{hint}", shown(name))))
            }
        }
    }

    /// The elements among `tags` of a class and of those around it, class by class, the outermost first.
    pub(super) fn levels(&self, class: ClassId, tags: &[&str]) -> Vec<Vec<Element<'a>>> {
        let mut levels = Vec::new();
        let mut next = Some((class, self.classes[class.0].elements.len()));
        while let Some((ClassId(class), count)) = next {
            let Class { elements, parent, .. } = &self.classes[class];
            let own = elements[..count].iter().filter(|e| tags.contains(&e.tag()));
            levels.push(own.copied().collect());
            next = *parent;
        }
        levels.reverse();
        levels
    }

    /// An element with its inherited attributes: from the class it names, otherwise from `class`.
    pub(super) fn settings(
        &self,
        element: Element<'a>,
        class: ClassId,
    ) -> Result<Settings<'a>, ImportError> {
        let class = self.named(element, "class")?.unwrap_or(class);
        Ok(Settings::inheriting(element, &self.levels(class, &[element.tag()])))
    }
}

/// The attributes of an element, its own and the inherited ones. Errors refer to the element that has the attribute,
/// which may be a default.
#[derive(Clone)]
pub(super) struct Settings<'a> {
    /// The element itself, then the defaults, the strongest first.
    chain: Vec<Element<'a>>,
}

impl<'a> Settings<'a> {
    /// An element that inherits nothing.
    pub(super) fn alone(element: Element<'a>) -> Self {
        Settings { chain: vec![element] }
    }

    /// An element that inherits from classes, the outermost first.
    pub(super) fn inheriting(element: Element<'a>, levels: &[Vec<Element<'a>>]) -> Self {
        let inherited = levels.iter().rev().flat_map(|level| level.iter().rev().copied());
        Settings { chain: std::iter::once(element).chain(inherited).collect() }
    }

    /// Elements to be read as one, the strongest first; at least one.
    pub(super) fn list(chain: Vec<Element<'a>>) -> Self {
        Settings { chain }
    }

    /// The element itself.
    pub(super) fn element(&self) -> Element<'a> {
        self.chain[0]
    }

    /// An error about the element itself.
    pub(super) fn error(&self, message: impl Into<String>) -> ImportError {
        self.element().error(message)
    }

    /// The element that gives an attribute.
    pub(super) fn holder(&self, name: &str) -> Option<Element<'a>> {
        self.chain.iter().copied().find(|e| e.attr(name).is_some())
    }

    /// The strongest element that gives one of several attributes.
    pub(super) fn holder_of_any(&self, names: &[&str]) -> Option<Element<'a>> {
        self.chain.iter().copied().find(|e| names.iter().any(|n| e.attr(n).is_some()))
    }

    /// An error about an attribute's value.
    pub(super) fn attr_error(&self, name: &str, problem: &str) -> ImportError {
        self.holder(name).unwrap_or(self.element()).attr_error(name, problem)
    }

    /// An attribute as text.
    pub(super) fn attr(&self, name: &str) -> Option<&'a str> {
        self.holder(name)?.attr(name)
    }

    /// One of a few words; the first if the attribute is missing.
    pub(super) fn choice(&self, name: &str, words: &[&'a str]) -> Result<&'a str, ImportError> {
        match self.holder(name) {
            Some(element) => Ok(element.choice(name, words)?.unwrap_or(words[0])),
            None => Ok(words[0]),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, ImportError> {
        let Some(element) = self.holder(name) else { return Ok(None) };
        Ok(element.choice(name, &["true", "false"])?.map(|word| word == "true"))
    }

    /// A number.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, ImportError> {
        self.holder(name).map_or(Ok(None), |e| e.number(name))
    }

    /// A number that cannot be negative.
    pub(super) fn magnitude(&self, name: &str) -> Result<Option<f64>, ImportError> {
        match self.number(name)? {
            Some(x) if x < 0.0 => Err(self.attr_error(name, "it cannot be negative")),
            x => Ok(x),
        }
    }

    /// A whole number.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i32>, ImportError> {
        let Some(x) = self.number(name)? else { return Ok(None) };
        let whole = x as i32;
        if f64::from(whole) == x {
            Ok(Some(whole))
        } else {
            Err(self.attr_error(name, "expected a whole number"))
        }
    }

    /// Exactly `N` numbers.
    pub(super) fn array<const N: usize>(
        &self,
        name: &str,
    ) -> Result<Option<[f64; N]>, ImportError> {
        self.holder(name).map_or(Ok(None), |e| e.array(name))
    }

    /// Up to `N` numbers; missing ones are inherited, ultimately from `default`.
    pub(super) fn leading<const N: usize>(
        &self,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], ImportError> {
        let mut values = default;
        for element in self.chain.iter().rev() {
            let Some(given) = element.numbers(name)? else { continue };
            if given.len() > N {
                let problem = format!("expected at most {N} numbers, found {}", given.len());
                return Err(element.attr_error(name, &problem));
            }
            values[..given.len()].copy_from_slice(&given);
        }
        Ok(values)
    }

    /// The range that `limited` and `range` give together, if there is one.
    pub(super) fn range(
        &self,
        range: &str,
        limited: &str,
        autolimits: bool,
    ) -> Result<Range, ImportError> {
        let given = self.array::<2>(range)?;
        let [lower, upper] = given.unwrap_or_default();
        match self.choice(limited, &["auto", "true", "false"])? {
            "true" if lower < upper => Ok(Range::Limited([lower, upper])),
            "true" if given.is_none() => {
                Err(self.error(format!("{limited} is true, but there is no {range}")))
            }
            "true" => Err(self.attr_error(range, "the lower end must be below the upper end")),
            "false" => Ok(Range::None),
            _ if lower == 0.0 && upper == 0.0 => Ok(Range::None),
            _ if !autolimits => {
                let problem = format!("say {limited}=\"true\" or \"false\", or set autolimits");
                Err(self.attr_error(range, &problem))
            }
            _ if lower < upper => Ok(Range::Limited([lower, upper])),
            _ => Ok(Range::Reversed),
        }
    }
}

/// What an element specifies about a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    /// No limits.
    None,
    /// These limits.
    Limited([f64; 2]),
    /// A range whose upper end is not above its lower end; it counts as no limits.
    Reversed,
}
