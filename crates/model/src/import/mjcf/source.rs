//! The file and those it includes, read as one tree.
//!
//! `<include file="legs.xml"/>` is replaced by the contents of the outermost element of that file. As in MuJoCo, names
//! are relative to the folder of the main file, even in included files, and each file can be included once. Elements
//! keep their own file and line.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::import::xml::{Document, Element, shown};
use crate::import::{ImportError, NO_SUCH_FILE, read_text};

/// The texts of the main file, which comes first, and of all it includes.
pub(super) struct Texts {
    texts: Vec<Text>,
}

struct Text {
    path: PathBuf,
    /// Identifies the file: equal for two paths to the same file.
    identity: PathBuf,
    /// As the `include` names it; for the main file its own name.
    name: String,
    content: String,
    /// Index of the text that includes it; the main file has its own.
    parent: usize,
}

impl Texts {
    /// Reads every included file.
    pub(super) fn gather(text: &str, file: &Path) -> Result<Self, ImportError> {
        let name = file.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let (path, content) = (file.to_owned(), text.to_owned());
        let mut texts = vec![Text { identity: identity(&path), path, name, content, parent: 0 }];
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut next = 0;
        while next < texts.len() {
            let Text { content, path, .. } = &texts[next];
            let document = Document::parse(content, path)?;
            refuse_text(&document)?;
            let mut found: Vec<Text> = Vec::new();
            for include in document.root().descendants().filter(|e| e.tag() == "include") {
                let name = include.required("file")?.to_owned();
                if include.children().next().is_some() {
                    return Err(include.error("an include cannot have elements inside"));
                }
                let path = folder.join(&name);
                let identity = identity(&path);
                if let Some(problem) = includes_itself(&texts, next, &identity) {
                    return Err(include.attr_error("file", &problem));
                }
                if texts.iter().chain(&found).any(|t| t.identity == identity) {
                    let problem = "the file is included already; a file can be included once";
                    return Err(include.attr_error("file", problem));
                }
                let content = read(include, &path)?;
                found.push(Text { path, identity, name, content, parent: next });
            }
            texts.extend(found);
            next += 1;
        }
        Ok(Texts { texts })
    }
}

/// Elements must not contain text: it may be an attribute outside its tag, which would be ignored silently.
fn refuse_text(document: &Document<'_>) -> Result<(), ImportError> {
    for element in document.root().descendants() {
        if let Some(text) = element.text() {
            return Err(element.error(format!("unexpected text \"{}\" inside it", shown(text))));
        }
    }
    Ok(())
}

fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The cycle, if a text that includes `file` is itself part of that file.
fn includes_itself(texts: &[Text], includer: usize, file: &Path) -> Option<String> {
    let mut chain = vec![includer];
    while let Some(&last) = chain.last().filter(|i| **i != 0) {
        chain.push(texts[last].parent);
    }
    let at = chain.iter().position(|&i| texts[i].identity == file)?;
    let way = chain[..=at].iter().rev().chain([&chain[at]]);
    let names: Vec<&str> = way.map(|&i| &*texts[i].name).collect();
    Some(format!("the file includes itself: {}", names.join(" → ")))
}

fn read(include: Element<'_>, path: &Path) -> Result<String, ImportError> {
    let problem = |what: &str| Err(include.attr_error("file", what));
    let content = match read_text(path) {
        Ok(content) => content,
        Err(what) if what == NO_SUCH_FILE => {
            return problem(&format!("{what}; names are relative to the folder of the main file"));
        }
        Err(what) => return problem(&what),
    };
    if Document::parse(&content, path)?.root().children().next().is_none() {
        return problem("the file is empty");
    }
    Ok(content)
}

/// The documents of all texts, as one tree.
pub(super) struct Tree<'t> {
    /// In the order of `Texts`.
    documents: Vec<Document<'t>>,
    /// Which document an `include` stands for, by its `file` attribute.
    included: HashMap<&'t str, usize>,
}

impl<'t> Tree<'t> {
    /// Parses all texts.
    pub(super) fn parse(texts: &'t Texts) -> Result<Self, ImportError> {
        let documents: Result<Vec<_>, _> =
            texts.texts.iter().map(|t| Document::parse(&t.content, &t.path)).collect();
        let names = texts.texts.iter().enumerate().skip(1);
        let included = names.map(|(i, t)| (&*t.name, i)).collect();
        Ok(Tree { documents: documents?, included })
    }

    /// The outermost element of the main file.
    pub(super) fn root(&self) -> Element<'_> {
        self.documents[0].root()
    }

    /// The index of a file among all files that were read: the main file is first.
    pub(super) fn file_order(&self, file: &Path) -> usize {
        self.documents.iter().position(|d| d.root().file() == file).unwrap_or(0)
    }

    /// The child elements of an element, with includes replaced by their contents.
    pub(super) fn children<'a>(&'a self, element: Element<'a>) -> Vec<Element<'a>> {
        let mut children = Vec::new();
        // A stack of elements to visit.
        let mut waiting: Vec<Element<'a>> = element.children().collect();
        waiting.reverse();
        while let Some(child) = waiting.pop() {
            let file = child.attr("file").and_then(|name| self.included.get(name));
            match file {
                Some(&document) if child.tag() == "include" => {
                    let inside: Vec<_> = self.documents[document].root().children().collect();
                    waiting.extend(inside.into_iter().rev());
                }
                _ => children.push(child),
            }
        }
        children
    }

    /// The elements with a tag directly inside the outermost element: a section of the file may occur several times.
    pub(super) fn sections<'a>(&'a self, tag: &str) -> Vec<Element<'a>> {
        let mut sections = self.children(self.root());
        sections.retain(|e| e.tag() == tag);
        sections
    }

    /// Every element, each before those inside it, with the tag of the element around it.
    pub(super) fn all(&self) -> Vec<(Element<'_>, &str)> {
        let mut all = Vec::new();
        let mut waiting = vec![(self.root(), "")];
        while let Some((element, around)) = waiting.pop() {
            all.push((element, around));
            let inside = self.children(element).into_iter().rev();
            waiting.extend(inside.map(|child| (child, element.tag())));
        }
        all
    }
}
