//! `gradbody demo`.

use std::fs;

use crate::support::{folder, gradbody_in};

#[test]
fn the_demo_writes_a_page_that_stands_alone() {
    let folder = folder("demo");
    let ran = gradbody_in(&folder, &["demo", "--out", "a/b"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("report.html"));
    let page = fs::read_to_string(folder.join("a/b/report.html")).expect("a page");
    assert_eq!(page.matches("<canvas").count(), 2);
    assert_eq!(page.matches("<figure class=\"plot\">").count(), 8);
    for part in
        ["double pendulum", "Laikago", "parabola", "Angular momentum", "prefers-color-scheme"]
    {
        assert!(page.contains(part), "{part}");
    }
    for address in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(address), "a page that stands alone has no {address}");
    }
    assert!(!page.contains("NaN") && !page.contains("inf "));
}
