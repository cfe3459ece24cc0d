//! A server on the loopback address: who gets in, what is refused, and what pages are sent.

mod client;

use std::fs;
use std::time::{Duration, Instant};

use client::{Page, Served, model_file, subject};
use gradbody_sim::Simulation;
use gradbody_view::{Content, Server, page};

#[test]
fn only_who_knows_the_token_gets_in_and_no_page_of_another_origin() {
    let served = Served::file(&model_file("pendulum1.urdf"), false, 1);
    let path = format!("/?token={}", served.token());
    let (status, body) = served.get(&path, &[]);
    assert_eq!(status, 200);
    assert!(body.contains("gradbodyView(") && body.contains("id=\"viewer\""));
    let own = format!("http://127.0.0.1:{}", served.port);
    assert_eq!(served.get(&path, &[("Origin", &own)]).0, 200);
    // Through a tunnel the port is another one.
    assert_eq!(served.get(&path, &[("Host", "localhost:9000")]).0, 200);
    let wrong = format!("/?token={}", "0".repeat(served.token().len()));
    for (path, headers) in [
        ("/", [("Accept", "*/*")]),
        ("/?token=", [("Accept", "*/*")]),
        (wrong.as_str(), [("Accept", "*/*")]),
        (path.as_str(), [("Origin", "http://example.com")]),
        (path.as_str(), [("Origin", "null")]),
        (path.as_str(), [("Host", "example.com")]),
        (path.as_str(), [("Host", "127.0.0.1.example.com:8470")]),
        ("/ws", [("Accept", "*/*")]),
    ] {
        let (status, body) = served.get(path, &headers);
        assert_eq!(status, 403, "{path} {headers:?}");
        assert_eq!(body.lines().count(), 1, "{body}");
    }
    let refused = |token: &str, origin| Page::connect(served.port, token, origin).err();
    assert!(refused("wrong", None).is_some_and(|e| e.contains("403")));
    let foreign = refused(served.token(), Some("http://example.com"));
    assert!(foreign.is_some_and(|e| e.contains("403")));
    assert!(Page::connect(served.port, served.token(), Some(&own)).is_ok());
}

#[test]
fn a_port_that_is_taken_is_named_and_without_a_wish_the_next_one_is_used() {
    let saved = || Content::Saved(String::new());
    let first = Server::open(saved(), None).expect("a free port");
    let second = Server::open(saved(), None).expect("another one");
    assert_ne!(first.address(), second.address());
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let error = Server::open(saved(), Some(port)).expect_err("taken").to_string();
    assert!(error.starts_with(&format!("port {port} is taken")), "{error}");
    assert_eq!(error.lines().count(), 1);
}

#[test]
fn messages_that_are_too_long_or_no_json_close_the_connection_and_strange_ones_are_told() {
    let served = Served::file(&model_file("pendulum1.urdf"), false, 1);
    let mut page = served.page();
    page.send(r#"{"dance": true}"#);
    page.until(|page| page.error().contains("dance"));
    page.send(r#"{"speed": 100}"#);
    page.until(|page| page.error().contains("1/32"));
    page.send(r#"{"parameter": {"name": "link/link1/mas", "value": 1}}"#);
    page.until(|page| page.error().contains("no parameter"));
    page.send(r#"{"speed": 0.5}"#);
    page.until(|page| page.error().is_empty() && page.settings["speed"] == 0.5);
    for (message, why) in [
        ("not JSON".to_owned(), "not JSON"),
        (r#"{"play": tr"#.to_owned(), "not JSON"),
        (format!("\"{}\"", "x".repeat(10 << 20)), "1048576"),
    ] {
        let mut page = served.page();
        // The server may have closed before all of a long message was sent.
        let _ = page.try_send(&message);
        page.until_closed();
        // What was said may be lost with the connection, if the message was not read to its end.
        if message.len() < 100 {
            assert!(page.refused.as_ref().is_some_and(|said| said.contains(why)), "{message}");
        }
    }
    page.send(r#"{"speed": 1}"#);
    page.until(|page| page.settings["speed"] == 1.0);
}

#[test]
fn two_pages_see_the_same_and_frames_are_the_simulations() {
    let file = model_file("ant.xml");
    let served = Served::file(&file, false, 1);
    let (mut one, mut other) = (served.page(), served.page());
    assert_eq!(one.scene["bodies"].as_array().map(Vec::len), Some(one.frame.bodies));
    assert_eq!(one.scene["notes"][0], "a note");
    assert_eq!(one.scene, other.scene);
    one.send(r#"{"step": 40}"#);
    let subject = subject(&file).expect("a model");
    let mut world = Simulation::new(&subject.model, subject.options).from_state(subject.start);
    world.run(40).expect("steps");
    let time = world.state.time;
    for page in [&mut one, &mut other] {
        page.until(|page| page.frame.time == time);
        assert_eq!(page.frame.flags, 3, "newest and paused");
        let kin = gradbody_dynamics::Kinematics::at(&subject.model, &world.state.q, &world.state.v);
        for (k, body) in kin.bodies.iter().enumerate() {
            let pose = &page.frame.poses[7 * (k + 1)..][..7];
            for (shown, is) in pose.iter().zip(body.pos_w.to_array()) {
                assert!((f64::from(*shown) - is).abs() < 1e-5);
            }
        }
        assert!((page.channel("q:root/z") - world.state.q[2]).abs() < 1e-5);
    }
    drop(one);
    // The page was closed and is opened again.
    let mut again = served.page();
    again.send(r#"{"step": 1}"#);
    again.until(|page| page.frame.time > time);
    other.until(|page| page.frame.time > time);
}

#[test]
fn a_page_that_takes_no_frames_gets_two_and_slows_nothing() {
    // It falls freely, so every step shows.
    let file = model_file("cube.urdf");
    let served = Served::file(&file, true, 1);
    let mut fast = served.page();
    let mut watched = |slow: &mut Option<Page>| {
        let (begin, from) = (Instant::now(), fast.frame.time);
        let mut of_slow = Vec::new();
        while begin.elapsed() < Duration::from_secs(2) {
            fast.listen();
            if let Some(slow) = slow {
                slow.listen();
                of_slow.push(slow.frame.time);
            }
        }
        of_slow.dedup();
        (fast.frame.time - from, of_slow)
    };
    let (alone, _) = watched(&mut None);
    let mut slow = Some(Page::connect_slow(served.port, served.token()));
    let (beside, of_slow) = watched(&mut slow);
    // Before the first frame it has the time 0.
    assert!(of_slow.len() <= 3, "{of_slow:?}");
    // Half leaves room for a busy machine.
    assert!(beside > 0.5 * alone, "{beside} s beside a slow page, {alone} s alone");
    // Frames were dropped, not steps: the state is that after each step up to this time.
    fast.send(r#"{"play": false}"#);
    fast.until(|page| page.frame.flags == 3);
    let subject = subject(&file).expect("a model");
    let dt = subject.options.dt;
    let steps = (fast.frame.time / dt).round();
    assert!((fast.frame.time - steps * dt).abs() < 1e-3 * dt, "{} s", fast.frame.time);
    let mut world = Simulation::new(&subject.model, subject.options).from_state(subject.start);
    world.run(steps as usize).expect("steps");
    let height = format!("q:{}", subject.model.topology.position_names()[2]);
    let (shown, is) = (fast.channel(&height), world.state.q[2]);
    // Frames are f32.
    assert!((shown - is).abs() < 1e-6 * is.abs(), "{shown} after {steps} steps, not {is}");
}

#[test]
fn a_motion_that_is_not_finite_pauses_says_where_and_leaves_its_past() {
    let served = Served::file(&model_file("double_pendulum.urdf"), false, 1);
    let mut page = served.page();
    // Off the balance, where no gravity moves it.
    page.send(r#"{"joint": {"q": 0, "value": 0.5}}"#);
    page.send(r#"{"step": 100}"#);
    page.until(|page| page.frame.history[1] > 0.09);
    page.send(r#"{"gravity": [0, 0, -1e300]}"#);
    page.send(r#"{"play": true}"#);
    page.until(|page| page.error().contains("is not finite after step"));
    assert!(page.error().contains("link \""), "{}", page.error());
    assert_eq!(page.error().lines().count(), 1);
    page.until(|page| page.settings["playing"] == false);
    page.send(r#"{"seek": 0.05}"#);
    page.until(|page| (page.frame.time - 0.05).abs() < 0.006 && page.error().is_empty());
    assert!(page.frame.poses.iter().all(|x| x.is_finite()));
}

#[test]
fn a_model_file_that_changes_is_read_again_and_the_state_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("robot.urdf");
    let text = fs::read_to_string(model_file("double_pendulum.urdf")).expect("a model");
    fs::write(&file, &text).expect("written");
    let served = Served::file(&file, false, 1);
    let mut page = served.page();
    page.send(r#"{"joint": {"q": 0, "value": 0.7}}"#);
    page.until(|page| (page.frame.channels[0] - 0.7).abs() < 1e-6);
    fs::write(&file, text.replacen("<robot ", "<!-- changed --><robot ", 1)).expect("written");
    page.until(|page| page.settings["message"].as_str().is_some_and(|m| m.contains("read again")));
    page.until(|page| (page.frame.channels[0] - 0.7).abs() < 1e-6);
    fs::write(&file, "<robot").expect("written");
    page.until(|page| page.error().contains("cannot be read"));
    assert!(page.error().contains("robot.urdf"), "{}", page.error());
    let other = fs::read_to_string(model_file("pendulum3.urdf")).expect("a model");
    fs::write(&file, other).expect("written");
    page.until(|page| page.settings["message"].as_str().is_some_and(|m| m.contains("anew")));
    page.until(|page| {
        page.scene["bodies"].as_array().is_some_and(|b| b.len() == page.frame.bodies)
    });
}

#[test]
fn a_mesh_that_is_missing_is_drawn_as_a_box_and_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("robot.urdf");
    let text = r#"<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <visual><geometry><mesh filename="nowhere.stl"/></geometry></visual></link>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"#;
    fs::write(&file, text).expect("written");
    let page = Served::file(&file, false, 1).page();
    let missing = |g: &&serde_json::Value| g["missing"] == true;
    let geometries = page.scene["geometries"].as_array().expect("geometries");
    assert_eq!(geometries.iter().filter(missing).count(), 1);
    let notes = page.scene["notes"].to_string();
    assert!(notes.contains("nowhere.stl"), "{notes}");
}

#[test]
fn a_body_is_pulled_and_let_go_when_its_page_is_closed() {
    let served = Served::file(&model_file("double_pendulum.urdf"), true, 1);
    let (mut hand, mut watching) = (served.page(), served.page());
    hand.send(r#"{"drag": {"body": 2, "point": [0, 0, -0.5], "target": [2, 0, 0]}}"#);
    watching.until(|page| page.frame.drag[0] >= 1.0 && page.channel("energy/pull") != 0.0);
    let [_, body, .., x, y, z] = watching.frame.drag[..] else { panic!() };
    assert_eq!(body, 2.0);
    let force = f64::from(x).hypot(f64::from(y)).hypot(f64::from(z));
    let limit = watching.settings["drag_limit"].as_f64().expect("a limit");
    assert!(force > 0.0 && force <= limit * (1.0 + 1e-6), "{force} N of at most {limit} N");
    assert!((watching.channel("pull/force") / force - 1.0).abs() < 1e-5);
    assert!((watching.channel("energy/total") - watching.frame.energy).abs() < 1e-3);
    hand.send(r#"{"drag": {"body": 7, "point": [0, 0, 0], "target": [2, 0, 0]}}"#);
    hand.until(|page| page.error().contains("body 7"));
    drop(hand);
    watching.until(|page| page.frame.drag[0] == 0.0);
}

#[test]
fn a_robot_that_stands_is_held_by_the_forces_shown() {
    let served = Served::file(&model_file("ant.xml"), true, 1);
    let mut page = served.page();
    let model = subject(&model_file("ant.xml")).expect("a model").model;
    let mass: f64 = model.params.links.iter().map(|link| link.mass).sum();
    let up = |page: &Page| page.frame.contacts.iter().map(|c| f64::from(c[5])).sum::<f64>();
    // It stands after some time.
    page.until(|page| page.frame.time > 2.0 && (up(page) / (9.81 * mass) - 1.0).abs() < 0.01);
    let shown = up(&page);
    assert!((page.channel("contact/force/z") - shown).abs() < 1e-3 * shown, "{shown}");
    assert!(page.frame.contacts.iter().any(|contact| contact[6] == 1.0), "feet stick");
}

#[test]
fn many_worlds_start_apart_and_one_is_followed() {
    let served = Served::file(&model_file("double_pendulum.urdf"), false, 5);
    let mut page = served.page();
    assert_eq!((page.frame.worlds, page.frame.poses.len()), (5, 5 * page.frame.bodies * 7));
    let first = page.channel("q:joint1");
    page.send(r#"{"follow": 3}"#);
    page.until(|page| page.settings["followed"] == 3);
    page.until(|page| page.channel("q:joint1") != first);
    page.send(r#"{"follow": 5}"#);
    page.until(|page| page.error().contains("there are 5"));
}

#[test]
fn a_page_has_all_in_it_and_loads_nothing() {
    let text = page::live("<ant>", "</script>");
    assert!(text.contains("<title>&lt;ant&gt;</title>"));
    assert!(!text.contains("token=</script>"));
    for from_elsewhere in ["src=\"http", "href=\"http", "@import"] {
        assert!(!text.contains(from_elsewhere), "{from_elsewhere}");
    }
}
