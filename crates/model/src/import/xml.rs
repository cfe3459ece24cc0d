//! XML with positions: elements that know their line, and attribute readers with exact messages.
//!
//! Both importers use this layer, so that a wrong number gives the same message in both:
//! `robot.urdf:7: <mass> of link "arm": value="1,5": "1,5" is not a number`.

use std::path::{Path, PathBuf};

use gradbody_math::{Vec3, names};
use roxmltree::{Error, Node, TextPos};

use super::{ImportError, Note, NoteKind};

/// A parsed file.
pub(crate) struct Document<'t> {
    tree: roxmltree::Document<'t>,
    file: PathBuf,
    /// Offset of the first byte of each line.
    line_starts: Vec<usize>,
}

/// An element of a document. Cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    node: Node<'a, 'a>,
    doc: &'a Document<'a>,
}

impl<'t> Document<'t> {
    /// Parses `text`; `file` is used in messages only. It does not recurse, however deep the nesting.
    pub(crate) fn parse(text: &'t str, file: &Path) -> Result<Self, ImportError> {
        let tree = roxmltree::Document::parse(text).map_err(|e| {
            let (line, message) = explain(&e, text);
            ImportError { file: file.to_owned(), line: Some(line), element: String::new(), message }
        })?;
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Ok(Document { tree, file: file.to_owned(), line_starts })
    }

    /// The outermost element.
    pub(crate) fn root(&self) -> Element<'_> {
        Element { node: self.tree.root_element(), doc: self }
    }
}

impl<'a> Element<'a> {
    /// The tag as written in the file, with its prefix. An element of a different namespace than the outermost one's
    /// never has a known tag.
    pub(crate) fn tag(self) -> &'a str {
        let opening = &self.source()[self.node.range().start + 1..];
        let until = |end: fn(char) -> bool| opening.split(end).next().unwrap_or(opening);
        let tag = until(|c| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
        let root = self.doc.tree.root_element().tag_name().namespace();
        let is_foreign = self.node.tag_name().namespace() != root;
        // An element without a prefix is foreign because of its own `xmlns`, or that of an element around it.
        if is_foreign && !tag.contains(':') { until(|c| c == '>') } else { tag }
    }

    fn source(self) -> &'a str {
        self.doc.tree.input_text()
    }

    /// The first non-blank text directly inside.
    pub(crate) fn text(self) -> Option<&'a str> {
        let texts = self.node.children().filter(Node::is_text);
        texts.filter_map(|n| n.text()).map(str::trim).find(|text| !text.is_empty())
    }

    /// The address of the tag's namespace; empty if it has none.
    pub(crate) fn namespace(self) -> &'a str {
        self.node.tag_name().namespace().unwrap_or("")
    }

    /// Line of the opening tag, from 1.
    pub(crate) fn line(self) -> u32 {
        self.doc.line_starts.partition_point(|&start| start <= self.node.range().start) as u32
    }

    /// The file that contains it.
    pub(crate) fn file(self) -> &'a Path {
        &self.doc.file
    }

    /// Its name in messages: `joint "knee"`, or `<limit> of joint "knee"`.
    pub(crate) fn label(self) -> String {
        if let Some(name) = self.attr("name").filter(|name| !name.is_empty()) {
            return format!("{} \"{}\"", shown(self.tag()), shown(name));
        }
        let named =
            self.node.ancestors().skip(1).find(|n| !n.attribute("name").unwrap_or("").is_empty());
        match named {
            // The outermost element's name adds nothing to the file's name.
            Some(node) if node != self.doc.tree.root_element() => {
                let owner = Element { node, doc: self.doc };
                format!("<{}> of {}", shown(self.tag()), owner.label())
            }
            _ => format!("<{}>", shown(self.tag())),
        }
    }

    /// The elements directly inside, in the order of the file.
    pub(crate) fn children(self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let doc = self.doc;
        self.node.children().filter(Node::is_element).map(move |node| Element { node, doc })
    }

    /// The elements directly inside that have this tag.
    pub(crate) fn children_named(
        self,
        tag: &'a str,
    ) -> impl Iterator<Item = Element<'a>> + use<'a> {
        self.children().filter(move |c| c.tag() == tag)
    }

    /// The first element directly inside that has this tag.
    pub(crate) fn child(self, tag: &'a str) -> Option<Element<'a>> {
        self.children_named(tag).next()
    }

    /// The first element directly inside with this tag; an error if there is none.
    pub(crate) fn required_child(self, tag: &'a str) -> Result<Element<'a>, ImportError> {
        self.child(tag).ok_or_else(|| self.error(format!("it has no <{tag}>")))
    }

    /// Itself and everything inside, in the order of the file.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let doc = self.doc;
        self.node.descendants().filter(Node::is_element).map(move |node| Element { node, doc })
    }

    /// The element around it.
    pub(crate) fn parent(self) -> Option<Element<'a>> {
        self.node.parent_element().map(|node| Element { node, doc: self.doc })
    }

    /// An error about it.
    pub(crate) fn error(self, message: impl Into<String>) -> ImportError {
        ImportError {
            file: self.file().to_owned(),
            line: Some(self.line()),
            element: self.label(),
            message: message.into(),
        }
    }

    /// A note about it.
    pub(crate) fn note(self, kind: NoteKind, what: impl Into<String>) -> Note {
        Note {
            kind,
            file: self.file().to_owned(),
            line: self.line(),
            element: self.label(),
            what: what.into(),
        }
    }

    /// Names, with their prefixes, and values of its attributes.
    pub(crate) fn attrs(self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        // The end of a name with many thousand characters is wrong, and may be inside a character.
        let name = move |range| self.source().get(range);
        self.node.attributes().map(move |a| (name(a.range_qname()).unwrap_or(a.name()), a.value()))
    }

    /// An attribute as text.
    pub(crate) fn attr(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// A required attribute that is not empty.
    pub(crate) fn required(self, name: &str) -> Result<&'a str, ImportError> {
        match self.attr(name) {
            Some("") => Err(self.error(format!("attribute \"{name}\" is empty"))),
            Some(text) => Ok(text),
            None => Err(self.error(format!("attribute \"{name}\" is missing"))),
        }
    }

    /// An attribute that is one of a few words.
    pub(crate) fn choice(
        self,
        name: &str,
        words: &[&'a str],
    ) -> Result<Option<&'a str>, ImportError> {
        match self.attr(name) {
            None => Ok(None),
            Some(text) if words.contains(&text) => Ok(Some(text)),
            Some(text) => {
                let hint = did_you_mean(text, words.iter().copied());
                let hint =
                    if hint.is_empty() { format!("; use {}", words.join(", ")) } else { hint };
                Err(self.error(format!("{name}=\"{}\" is not known{hint}", shown(text))))
            }
        }
    }

    /// An attribute that is a finite number.
    pub(crate) fn number(self, name: &str) -> Result<Option<f64>, ImportError> {
        Ok(self.array::<1>(name)?.map(|[x]| x))
    }

    /// A required finite number.
    pub(crate) fn required_number(self, name: &str) -> Result<f64, ImportError> {
        self.required(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }

    /// An attribute that is three finite numbers.
    pub(crate) fn vec3(self, name: &str) -> Result<Option<Vec3<f64>>, ImportError> {
        Ok(self.array::<3>(name)?.map(|[x, y, z]| Vec3::new(x, y, z)))
    }

    /// Three required finite numbers.
    pub(crate) fn required_vec3(self, name: &str) -> Result<Vec3<f64>, ImportError> {
        self.required(name)?;
        Ok(self.vec3(name)?.unwrap_or_default())
    }

    /// An attribute that is exactly `N` finite numbers.
    pub(crate) fn array<const N: usize>(self, name: &str) -> Result<Option<[f64; N]>, ImportError> {
        let Some(numbers) = self.numbers(name)? else { return Ok(None) };
        let found = numbers.len();
        <[f64; N]>::try_from(numbers).map(Some).map_err(|_| {
            let expected = if N == 1 { "1 number".into() } else { format!("{N} numbers") };
            self.attr_error(name, &format!("expected {expected}, found {found}"))
        })
    }

    /// An attribute that is a list of finite numbers, separated by spaces.
    pub(crate) fn numbers(self, name: &str) -> Result<Option<Vec<f64>>, ImportError> {
        let Some(text) = self.attr(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in text.split_ascii_whitespace() {
            let Ok(number) = word.parse::<f64>() else {
                let hint = if word.contains(',') && !word.contains("${") {
                    "; separate numbers by spaces, decimals by a point"
                } else {
                    ""
                };
                let problem = format!("\"{}\" is not a number{hint}", shown(word));
                return Err(self.attr_error(name, &problem));
            };
            if !number.is_finite() {
                return Err(
                    self.attr_error(name, &format!("\"{}\" is not a finite number", shown(word)))
                );
            }
            numbers.push(number);
        }
        Ok(Some(numbers))
    }

    /// An error about an attribute's value, which is shown.
    pub(crate) fn attr_error(self, name: &str, problem: &str) -> ImportError {
        let text = self.attr(name).unwrap_or("");
        self.error(format!("{name}=\"{}\": {problem}", shown(text)))
    }
}

/// A value as shown in messages: on one line and not too long.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return on_one_line(text);
    }
    let start: String = text.chars().take(LONGEST).chain(['…']).collect();
    on_one_line(&start)
}

/// The text with control characters such as line breaks escaped as `\n`.
pub(crate) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}

/// `; did you mean "x"?`, or nothing if no candidate is similar.
pub(crate) fn did_you_mean<'a>(given: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    names::hint(names::nearest(given, candidates).map(shown).as_deref())
}

/// Line and message for a text that is not valid XML.
fn explain(error: &Error, text: &str) -> (u32, String) {
    let TextPos { row, col } = error.pos();
    let last_line = text.lines().count().max(1) as u32;
    match error {
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            (last_line, "the file ends inside an element that is not closed; is it cut off?".into())
        }
        Error::NoRootNode => (last_line, "there is no XML element in it; is it empty?".into()),
        Error::DtdDetected => {
            let before = text.split("<!DOCTYPE").next().unwrap_or("");
            let line = before.matches('\n').count() as u32 + 1;
            (line, "a document type (<!DOCTYPE>) is not read; remove it".into())
        }
        Error::UnexpectedCloseTag(expected, found, _) => {
            (row, format!("</{found}> found where </{expected}> was expected"))
        }
        Error::UnknownNamespace(prefix, _) if prefix == "xacro" => {
            (row, format!("this is a xacro file; {RUN_XACRO}"))
        }
        Error::UnknownNamespace(prefix, _) => {
            let hint = format!("add xmlns:{prefix}=\"{prefix}\" to the outermost element");
            (row, format!("the prefix \"{prefix}:\" is not declared; {hint}"))
        }
        Error::DuplicatedAttribute(name, _) => {
            (row, format!("attribute \"{name}\" is given twice"))
        }
        other => {
            let message = other.to_string().replace(&format!(" at {row}:{col}"), "");
            (row, format!("not XML at column {col}: {message}"))
        }
    }
}

/// Advice for a xacro file.
pub(crate) const RUN_XACRO: &str = "run `xacro FILE > robot.urdf` first and load the result";
