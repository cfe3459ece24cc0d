//! Every fault of a file says where it is and what to do.

use crate::support::Folder;

#[track_caller]
fn says(content: &str, options: &str, message: &str) {
    let name = std::thread::current().name().unwrap_or_default().replace("::", "_");
    let folder = Folder::new(&name);
    folder.put("a.csv", content);
    assert_eq!(folder.fault(&format!("files = \"a.csv\"\n{options}")), message);
}

#[test]
fn text_that_is_no_number() {
    says(
        "t,x\n# a comment\n\n0,1\n1,fast\n",
        "time = \"t\"",
        "a.csv:5: column \"x\": \"fast\" is not a number",
    );
    says(
        "t;x\n0;1\n1;1,5\n",
        "time = \"t\"",
        "a.csv:3: column \"x\": \"1,5\" is not a number; decimals are written with a point",
    );
    says(
        "0,oops\n1,2\n",
        "time = \"c0\"",
        "a.csv:1: column \"c1\": \"oops\" is not a number; if this row has the names of the columns, say \
         header = true; if the column is not needed, name those that are in [channels]",
    );
}

#[test]
fn numbers_that_are_not_there() {
    let gap = "where a number should be; set missing = \"gap\" if samples may be missing";
    says("t,x\n0,1\n1,\n", "time = \"t\"", &format!("a.csv:3: column \"x\": nothing {gap}"));
    says("t,x\n0,1\n1,NaN\n", "time = \"t\"", &format!("a.csv:3: column \"x\": \"NaN\" {gap}"));
    says("t,x\n0,NA\n1,2\n", "time = \"t\"", &format!("a.csv:2: column \"x\": \"NA\" {gap}"));
    says(
        "t,x\n0,1\n1,-inf\n",
        "time = \"t\"\nmissing = \"gap\"",
        "a.csv:3: column \"x\": \"-inf\" is not finite",
    );
    says(
        "t,x\n0,1\n,2\n",
        "time = \"t\"\nmissing = \"gap\"",
        "a.csv:3: column \"t\": nothing, but every sample needs its time",
    );
}

#[test]
fn numbers_of_301_digits() {
    let advice = "is too large for a measurement; if it marks a missing value, leave the cell empty and set missing = \
                  \"gap\"";
    says(
        "t,x\n0,1e300\n1,1e300\n",
        "time = \"t\"\nchannels = { x = \"rad\" }",
        &format!("a.csv:2: column \"x\": 1e300 {advice}"),
    );
    says(
        "t,x\n0,1\n1,-1e30\n",
        "time = \"t\"\nchannels = { x = \"1\" }",
        &format!("a.csv:3: column \"x\": -1e30 {advice}"),
    );
    says("t,x\n0,1\n1e300,1\n", "time = \"t\"", &format!("a.csv:3: column \"t\": 1e300 {advice}"));
    // A clock of nanoseconds among the columns is no measurement gone wrong.
    let folder = Folder::new("clock_of_nanoseconds");
    folder.put("a.csv", "t,stamp\n0,1763461200000000000\n1,1763461200010000000\n");
    assert_eq!(folder.read("files = \"a.csv\"\ntime = \"t\"").samples(), 2);
}

#[test]
fn time_that_does_not_go_on() {
    says(
        "t,x\n0,1\n200,1\n100,2\n",
        "time = { column = \"t\", unit = \"ms\" }",
        "a.csv:4: column \"t\": time goes back from 0.2 s to 0.1 s; if a new trajectory begins here, name the \
         column that tells them apart: trajectory = \"…\"",
    );
    says(
        "t,x\n0,1\n0.5,1\n0.5,2\n",
        "time = \"t\"",
        "a.csv:4: column \"t\": the time 0.5 s is repeated",
    );
}

#[test]
fn rows_of_another_width() {
    says("t,x\n0,1\n1,2,3\n", "time = \"t\"", "a.csv:3: 3 columns where line 1 has 2");
    says("t,x\n\n0\n", "time = \"t\"", "a.csv:3: 1 column where line 1 has 2");
    says(
        "0,1\n1,2\n",
        "rate = 1\ncolumns = [\"x\"]",
        "a.csv: it has 2 columns, but the option columns lists 1",
    );
    says(
        "t,x\n0,\"1\n",
        "time = \"t\"",
        "a.csv:2: a quotation mark that is not closed on its line",
    );
}

#[test]
fn columns_that_are_not_there() {
    says("time,x\n0,1\n", "time = \"tme\"", "a.csv: no column \"tme\"; did you mean \"time\"?");
    says("time,x\n0,1\n", "time = \"stamp\"", "a.csv: no column \"stamp\"; it has time, x");
    says("t,x,x\n0,1,2\n", "time = \"t\"", "a.csv: two columns are named \"x\"");
    says(
        "t,speed\n0,1\n",
        "time = \"t\"\nchannels = { v = { column = \"sped\", unit = \"m/s\" } }",
        "a.csv: no column \"sped\"; did you mean \"speed\"?",
    );
}

#[test]
fn files_without_rows() {
    let empty = "a.csv: empty: it has no rows of numbers";
    says("", "rate = 1", empty);
    says("# nothing\n\n", "rate = 1", empty);
    says("t,x\n", "time = \"t\"", empty);
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new("files_that_are_none");
    folder
        .put("run_1.csv", "t\n0\n")
        .put("photo.csv", b"\x89PNG\0\0\x01")
        .put("latin.csv", b"t\n\xe9\n");
    folder
        .put("a.dunno", "1\n")
        .put("b.npz", "no archive")
        .put("c.npy", "no array")
        .put("e.npy", "");
    for (options, message) in [
        ("files = \"run1.csv\"\nrate = 1", "run1.csv: no such file; did you mean \"run_1.csv\"?"),
        ("files = \"xyz/1.csv\"\nrate = 1", "xyz/1.csv: no such file"),
        ("files = \"runs/*.csv\"\nrate = 1", "runs/*.csv: no file matches this pattern"),
        (
            "files = \"photo.csv\"\nrate = 1",
            "photo.csv: a binary file, not text; NPY, NPZ and MCAP files are recognised by their extension, or set format",
        ),
        (
            "files = \"latin.csv\"\nrate = 1",
            "latin.csv:2: not UTF-8; save the file with that encoding",
        ),
        (
            "files = \"a.dunno\"\nrate = 1",
            "a.dunno: unknown extension; set format = \"csv\", \"npy\", \"npz\" or \"mcap\"",
        ),
        ("files = \"c.npy\"\nrate = 1", "c.npy: the array is not in the NPY format"),
        ("files = \"e.npy\"\nrate = 1", "e.npy: empty: it has no rows of numbers"),
    ] {
        assert_eq!(folder.fault(options), message);
    }
    assert!(folder.fault("files = \"b.npz\"\nrate = 1").starts_with("b.npz: not an NPZ file: "));
    folder.put("deep/1.csv", "1\n");
    assert_eq!(
        folder.fault("files = \"deep\"\nrate = 1").matches("deep").count(),
        2,
        "names the folder and a pattern for its files"
    );
}

#[test]
fn options_that_contradict() {
    let folder = Folder::new("options_that_contradict");
    folder.put("a.csv", "t,x\n0,1\n");
    for (options, message) in [
        (
            "files = \"a.csv\"\ntime = \"t\"\nrate = 1",
            "data options: time and rate are both given; give only one of them",
        ),
        ("files = \"a.csv\"\nrate = 0", "data options: rate must be a positive number [Hz]"),
        ("files = []\nrate = 1", "data options: files lists no files"),
        (
            "files = \"a.csv\"",
            "data options: a.csv: neither time nor rate is given; give the time column, time = \"…\" (it \
             has t, x), or the sample rate in Hz, rate = …",
        ),
        (
            "files = \"a.csv\"\ntime = { column = \"t\", unit = \"deg\" }",
            "column \"t\" is a time, but \"deg\" is a unit of an angle",
        ),
        (
            "files = \"a.csv\"\ntime = \"t\"\nchannels = { x = \"count\" }",
            "data options: channel \"x\": a count needs a scale: { unit = \"count\", scale = 0.0015, of = \"rad\" }",
        ),
        (
            "files = \"a.csv\"\ntime = \"t\"\nchannels = { x = { unit = \"rad\", of = \"m\" } }",
            "data options: channel \"x\": \"of\" is the unit that counts are converted to; set unit = \"count\"",
        ),
    ] {
        assert_eq!(folder.fault(options), message);
    }
    let unknown = folder.fault("files = \"a.csv\"\nrat = 1");
    assert!(unknown.contains("unknown field `rat`"), "{unknown}");
    let wrong = folder.fault("files = 3");
    assert!(wrong.contains("a name or a list of names"), "{wrong}");
}

#[test]
fn no_bytes_bring_the_readers_down() {
    let folder = Folder::new("no_bytes");
    let good = crate::formats::npy("<f8", "(2, 2)", &[0; 32]);
    for cut in 0..good.len() {
        folder.put("a.npy", &good[..cut]);
        folder.fault("files = \"a.npy\"\nrate = 1");
    }
    for (kind, shape) in [
        ("<f8", "(99999999999999, 99999999999)"),
        ("<f8", "(2, 0)"),
        ("<f8", "()"),
        ("<c16", "(2,)"),
        ("'", ")"),
    ] {
        folder.put("a.npy", crate::formats::npy(kind, shape, &[0; 32]));
        folder.fault("files = \"a.npy\"\nrate = 1");
    }
}
