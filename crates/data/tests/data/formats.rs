//! What is in files of every kind.

use std::io::Write;

use gradbody_data::{Dimension, Fingerprint, ReadOptions};

use crate::support::Folder;

/// An NPY file.
pub(crate) fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn bytes<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

#[test]
fn delimiters_are_found() {
    let folder = Folder::new("delimiters");
    folder.put("comma.csv", "t,a,b\n0,1,2\n0.5,3,4\n");
    folder.put("semicolon.csv", "\u{feff}t; a; b\r\n0; 1; 2\r\n0.5; 3; 4\r\n");
    folder.put("tab.tsv", "t\ta\tb\n0\t1\t2\n0.5\t3\t4\n");
    folder.put("blanks.txt", "# head\n  t   a b\n  0   1 2\n\n0.5   3 4\n");
    folder.put("quoted.csv", "\"t\",\"a\",\"b\"\n0,\"1\",2\n0.5,3,\"4\"\n");
    for file in ["comma.csv", "semicolon.csv", "tab.tsv", "blanks.txt", "quoted.csv"] {
        let set = folder.read(&format!("files = \"{file}\"\ntime = \"t\""));
        let [run] = &set.trajectories[..] else { panic!("{file}: one trajectory") };
        assert_eq!(run.t, [0.0, 0.5], "{file}");
        assert_eq!(run.channel("a").expect("a").values, [1.0, 3.0], "{file}");
        assert_eq!(run.channel("b").expect("b").values, [2.0, 4.0], "{file}");
        assert_eq!(run.uniform_rate(), Some(2.0));
    }
}

#[test]
fn columns_without_header() {
    let folder = Folder::new("no_header");
    folder.put("a.csv", "1,2\n3,4\n");
    let set = folder.read("files = \"a.csv\"\nrate = 10");
    assert_eq!(set.trajectories[0].t, [0.0, 0.1]);
    assert_eq!(set.trajectories[0].channel("c1").expect("c1").values, [2.0, 4.0]);
    let set = folder.read("files = \"a.csv\"\nrate = 10\ncolumns = [\"u\", \"v\"]");
    assert_eq!(set.trajectories[0].channel("v").expect("v").values, [2.0, 4.0]);
    let error = set.trajectories[0].channel("vv").expect_err("no channel").to_string();
    assert_eq!(error, "trajectory \"a\": no channel \"vv\"; it has u, v");
}

#[test]
fn units_and_gaps() {
    let folder = Folder::new("units_and_gaps");
    folder.put("a.csv", "ms,hip,enc,note\n0,180,,ok\n5,nan,200,late\n");
    let set = folder.read(
        "files = \"a.csv\"\ntime = { column = \"ms\", unit = \"ms\" }\nmissing = \"gap\"\n[channels]\nhip = \"deg\"\n\
         knee = { column = \"enc\", unit = \"count\", scale = 0.5, of = \"mm\" }",
    );
    let run = &set.trajectories[0];
    assert_eq!(run.t, [0.0, 0.005]);
    let (hip, knee) = (run.channel("hip").expect("hip"), run.channel("knee").expect("knee"));
    assert_eq!((hip.values[0], hip.values[1].is_nan()), (std::f64::consts::PI, true));
    assert!(knee.values[0].is_nan() && (knee.values[1] - 0.1).abs() < 1e-15);
    assert_eq!(knee.unit.dimension, Dimension::Length);
    assert_eq!((run.missing(), run.channels.len()), (2, 2));
}

#[test]
fn trajectories_and_their_names() {
    let folder = Folder::new("names");
    folder.put("all.csv", "who,part,t,x\na,0,0,1\nb,0,0,2\na,0,1,3\na,1,0,4\n");
    let set = folder.read(
        "files = \"all.csv\"\ntime = \"t\"\ntrajectory = [\"who\", \"part\"]\nchannels = { x = \"m\" }",
    );
    let names: Vec<_> = set.trajectories.iter().map(|t| (t.name.as_str(), t.t.len())).collect();
    assert_eq!(names, [("all/a/0", 2), ("all/b/0", 1), ("all/a/1", 1)]);
    assert_eq!((set.samples(), set.trajectory("all/a/1").expect("a/1").t.len()), (4, 1));

    for run in [10, 2, 1] {
        folder.put(&format!("runs/r{run}/data.csv"), format!("{run}\n1\n"));
    }
    folder.put("runs/r3/.hidden.csv", "").put("runs/r3/notes.md", "");
    let set = folder.read("files = [\"runs/r*/*.csv\"]\nrate = 1");
    let names: Vec<_> = set.trajectories.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["runs/r1/data", "runs/r2/data", "runs/r10/data"], "2 is before 10");
    let twice = folder.fault("files = [\"runs/r?/*.csv\", \"runs/r1/data.csv\"]\nrate = 1");
    assert_eq!(twice, "two trajectories are named \"runs/r1/data\"");
}

#[test]
fn options_survive_being_written() {
    let text = "files = \"a.csv\"\ntime = \"t\"\ntrajectory = \"k\"\nmissing = \"gap\"\ndelimiter = \";\"\n\
                channels = { x = \"mm\", y = { column = \"why\", unit = \"count\", scale = 2.0 } }";
    let options = ReadOptions::from_toml(text).expect("options");
    let written = toml::to_string(&options).expect("TOML");
    assert_eq!(ReadOptions::from_toml(&written).expect(&written), options);
}

#[test]
fn arrays_of_numpy() {
    let folder = Folder::new("numpy");
    let f8 = npy("<f8", "(2, 3)", &bytes([0.0f64, 1.0, 2.0, 0.5, 3.0, 4.0].map(f64::to_le_bytes)));
    folder.put("a.npy", &f8);
    let set = folder.read("files = \"a.npy\"\ntime = \"c0\"");
    assert_eq!(set.trajectories[0].t, [0.0, 0.5]);
    assert_eq!(set.trajectories[0].channel("c2").expect("c2").values, [2.0, 4.0]);

    let parts = [
        ("t", npy("<i8", "(2,)", &bytes([0i64, 500].map(i64::to_le_bytes)))),
        ("f4", npy("<f4", "(2,)", &bytes([1.5f32, -2.5].map(f32::to_le_bytes)))),
        ("i4", npy("<i4", "(2, 2)", &bytes([1i32, -2, 3, -4].map(i32::to_le_bytes)))),
        ("odd", npy("<f8", "(1,)", &bytes([7.0f64].map(f64::to_le_bytes)))),
        ("nan", npy("<f8", "(2,)", &bytes([7.0, f64::NAN].map(f64::to_le_bytes)))),
        ("wide", npy("<c16", "(2,)", &[0; 32])),
        ("big", npy(">f8", "(2,)", &[0; 16])),
        ("deep", npy("<f8", "(2, 1, 1)", &[0; 16])),
    ];
    for (file, method) in
        [("b.npz", zip::CompressionMethod::Stored), ("c.npz", zip::CompressionMethod::Deflated)]
    {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let how = zip::write::SimpleFileOptions::default().compression_method(method);
        for (name, content) in &parts {
            archive.start_file(format!("{name}.npy"), how).expect("an entry");
            archive.write_all(content).expect("an entry");
        }
        folder.put(file, archive.finish().expect("an archive").into_inner());
        let with = |channels: &str| {
            format!(
                "files = \"{file}\"\ntime = {{ column = \"t\", unit = \"ms\" }}\nchannels = {{ {channels} }}"
            )
        };
        let set = folder.read(&with("f4 = \"m\", \"i4.1\" = \"1\""));
        let run = &set.trajectories[0];
        assert_eq!(run.t, [0.0, 0.5]);
        assert_eq!(run.channel("f4").expect("f4").values, [1.5, -2.5]);
        assert_eq!(run.channel("i4.1").expect("i4.1").values, [-2.0, -4.0]);
        let use_f8 = "; only <f4, <f8, <i4 and <i8 are supported: use .astype(\"<f8\")";
        for (name, why) in [
            ("odd", "\"t\" has 2 rows, but \"odd\" has 1".to_owned()),
            ("wide", format!("\"wide\" has numbers of type \"<c16\"{use_f8}")),
            ("big", format!("\"big\" has numbers of type \">f8\"{use_f8}")),
            ("deep", "\"deep\" has 3 dimensions; only one or two are supported".to_owned()),
        ] {
            assert_eq!(folder.fault(&with(&format!("{name} = \"1\""))), format!("{file}: {why}"));
        }
        let nan = folder.fault(&with("nan = \"1\""));
        assert!(nan.starts_with(&format!("{file}: row 2: column \"nan\": \"NaN\" where")), "{nan}");
    }
}

#[test]
fn a_changed_file_is_noticed() {
    let folder = Folder::new("changed");
    folder.put("a.csv", "1\n2\n");
    let [print] = &folder.read("files = \"a.csv\"\nrate = 1").files[..] else { panic!("one file") };
    // FNV-1a of nothing and of "a", as its authors give them.
    assert_eq!(Fingerprint::new("", b"").hash, 0xcbf2_9ce4_8422_2325);
    assert_eq!(Fingerprint::new("", b"a").hash, 0xaf63_dc4c_8601_ec8c);
    assert_eq!(print.check(&folder.0), Ok(()));
    let written = toml::to_string(print).expect("TOML");
    assert_eq!(&toml::from_str::<Fingerprint>(&written).expect("a fingerprint"), print);
    folder.put("a.csv", "1\n3\n");
    let error = print.check(&folder.0).expect_err("another file").to_string();
    assert!(error.starts_with("a.csv: changed since it was read: it had 4 bytes, "), "{error}");
}

#[cfg(not(feature = "mcap"))]
#[test]
fn mcap_needs_its_feature() {
    let folder = Folder::new("no_mcap");
    folder.put("a.mcap", "…");
    let message = "a.mcap: to read MCAP files, build gradbody with the feature \"mcap\"";
    assert_eq!(folder.fault("files = \"a.mcap\""), message);
}

#[cfg(feature = "mcap")]
#[test]
fn messages_of_a_robot() {
    use mcap::records::MessageHeader;

    let folder = Folder::new("mcap");
    let mut out = mcap::Writer::new(std::io::Cursor::new(Vec::new())).expect("a writer");
    let none = Default::default();
    let joints = out.add_channel(0, "/joints", "json", &none).expect("a channel");
    let imu = out.add_channel(0, "/imu", "json", &none).expect("a channel");
    let camera = out.add_channel(0, "/camera", "protobuf", &none).expect("a channel");
    let start = 1_700_000_000_000_000_000;
    for (channel_id, ms, data) in [
        (joints, 0, r#"{"name": "knee", "position": [0.5, 1.5], "on": true}"#),
        (imu, 5, r#"{"gyro": {"z": -2.5}}"#),
        (joints, 10, r#"{"name": "knee", "position": [0.75, null], "on": false}"#),
        (camera, 11, "…"),
    ] {
        let log_time = start + ms * 1_000_000;
        let header = MessageHeader { channel_id, sequence: 0, log_time, publish_time: 0 };
        out.write_to_known_channel(&header, data.as_bytes()).expect("a message");
    }
    out.finish().expect("a file");
    let content = out.into_inner().into_inner();
    folder.put("a.mcap", &content).put("cut.mcap", &content[..content.len() / 2]);

    let asked = "[channels]\n\"/joints.position.0\" = \"rad\"\n\"/imu.gyro.z\" = \"rad/s\"";
    let set = folder.read(&format!("files = \"a.mcap\"\n{asked}"));
    let run = &set.trajectories[0];
    assert!(run.t.iter().zip([0.0, 0.005, 0.01]).all(|(a, b)| (a - b).abs() < 1e-12));
    let knee = &run.channel("/joints.position.0").expect("knee").values;
    assert_eq!((knee[0], knee[1].is_nan(), knee[2]), (0.5, true, 0.75));
    assert_eq!(run.channel("/imu.gyro.z").expect("gyro").values[1], -2.5);
    let refused =
        "a.mcap: \"/camera\" has messages of the encoding \"protobuf\"; only \"json\" is supported";
    assert_eq!(folder.fault("files = \"a.mcap\""), refused);
    let field = "files = \"a.mcap\"\nchannels = { x = { column = \"/camera.x\" } }";
    assert_eq!(folder.fault(field), refused);
    let cut = folder.fault("files = \"cut.mcap\"");
    assert!(cut.starts_with("cut.mcap: not a complete MCAP file: "), "{cut}");
    let rate = folder.fault(&format!("files = \"a.mcap\"\nrate = 5\n{asked}"));
    assert!(rate.contains("its rows have their own times"), "{rate}");
}
