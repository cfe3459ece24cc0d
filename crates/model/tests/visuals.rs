//! What is drawn of a model: read from both formats, written to both, and without any meaning for its motion.

use std::path::{Path, PathBuf};

use gradbody_math::{Transform, Vec3};
use gradbody_model::import::{ImportOptions, Imported, from_text, load};
use gradbody_model::{
    Figure, Form, FrameId, Material, Model, ShapeKind, ShapeParams, Visual, export, read_mesh,
};

const ROBOT: &str = r#"<robot name="r">
  <material name="steel"><color rgba="0.5 0.6 0.7 1"/></material>
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual name="hull"><origin xyz="0 0 1"/><geometry><box size="2 4 6"/></geometry><material name="steel"/></visual>
    <visual><geometry><mesh filename="meshes/Part.STL" scale="0.001 0.001 0.001"/></geometry>
      <material name="red"><color rgba="1 0 0 0.5"/></material></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="tip">
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry><material name="red"/></visual>
    <visual><geometry><sphere radius="0.2"/></geometry></visual>
  </link>
  <joint name="welded" type="fixed"><parent link="base"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>"#;

fn read(text: &str) -> Imported {
    from_text(text, Path::new("r.xml"), &ImportOptions { strict: true, ..Default::default() })
        .unwrap()
}

fn figure(visual: &Visual) -> &Figure {
    match &visual.form {
        Form::Figure(figure) => figure,
        Form::Shape(shape) => panic!("a shape, {shape:?}"),
    }
}

const RED: Option<[f32; 4]> = Some([1.0, 0.0, 0.0, 0.5]);
const STEEL: Option<[f32; 4]> = Some([0.5, 0.6, 0.7, 1.0]);

#[test]
fn a_urdf_keeps_its_visuals_where_they_are() {
    let model = read(ROBOT).model;
    let visuals = &model.topology.visuals;
    let colours: Vec<_> = visuals.iter().map(|visual| visual.colour).collect();
    assert_eq!(colours, [STEEL, RED, RED, None]);
    let names: Vec<&str> = visuals.iter().map(|visual| &*figure(visual).name).collect();
    assert_eq!(names, ["hull", "base", "tip", "tip"]);
    let hull = figure(&visuals[0]);
    assert_eq!((&hull.kind, hull.size), (&ShapeKind::Box, Vec3::new(1.0, 2.0, 3.0)));
    assert_eq!(hull.placement.pos, Vec3::new(0.0, 0.0, 1.0));
    let part = figure(&visuals[1]);
    let ShapeKind::Mesh(mesh) = &part.kind else { panic!("{part:?}") };
    assert_eq!(
        (mesh.path.to_str(), &mesh.hull, part.size.x),
        (Some("meshes/Part.STL"), &None, 0.001)
    );
    // What a fixed joint welds to a link goes along.
    let tip = figure(&visuals[2]);
    assert_eq!(model.topology.frames[tip.frame.index()].name, "tip");
    assert_eq!(tip.placement.pos, Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(visuals[2].link(&model.topology), visuals[0].link(&model.topology));
}

/// Everything that decides how a model moves, as text.
fn moving_parts(model: &Model<f64>) -> String {
    let mut model = model.clone();
    model.topology.visuals.clear();
    format!("{model:?}")
}

#[test]
fn visuals_change_no_number() {
    let start = ROBOT.find("<visual name").unwrap();
    let end = ROBOT.find("<collision>").unwrap();
    let tip = ROBOT.find("<visual><geometry><cylinder").unwrap();
    let without =
        [&ROBOT[..start], &ROBOT[end..tip], &ROBOT[ROBOT.rfind("</link>").unwrap()..]].concat();
    let bare = read(&without).model;
    assert!(bare.topology.visuals.is_empty());
    assert_eq!(moving_parts(&read(ROBOT).model), moving_parts(&bare));
}

#[test]
fn what_is_wrong_with_a_visual_is_noted_and_never_an_error() {
    for (good, bad, expected, left) in [
        ("radius=\"0.2\"", "radius=\"-0.2\"", "not drawn: radius=\"-0.2\"", 3),
        ("rgba=\"1 0 0 0.5\"", "rgba=\"1 0\"", "drawn without its colour: rgba=\"1 0\"", 4),
        ("<sphere radius=\"0.2\"/>", "", "not drawn: it is empty", 3),
    ] {
        let imported = read(&ROBOT.replace(good, bad));
        let notes: Vec<String> = imported.report.notes.iter().map(|n| n.what.clone()).collect();
        assert!(notes.iter().any(|note| note.starts_with(expected)), "{bad}: {notes:?}");
        assert_eq!(imported.model.topology.visuals.len(), left, "{bad}");
    }
}

const SCENE: &str = r#"<mujoco><default><geom rgba="0.5 0.5 0.5 1"/>
    <default class="seen"><geom contype="0" conaffinity="0" group="2" material="gold"/></default></default>
  <asset><texture name="t" type="cube" builtin="flat" rgb1="0.5 1 1"/>
    <material name="gold" rgba="1 0.8 0 1"/><material name="cloth" texture="t" rgba="1 1 0.5 1"/>
    <mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="b"><freejoint/><geom name="core" size="0.1" group="3"/>
      <geom name="both" size="0.2" rgba="0 0 1 1" material="gold"/>
      <geom name="shell" class="seen" size="0.3"/>
      <geom name="cape" class="seen" material="cloth" size="0.3"/>
      <geom name="horn" class="seen" type="mesh" mesh="m" mass="0"/>
      <site name="s" size="0.4"/></body></worldbody></mujoco>"#;

#[test]
fn an_mjcf_shows_the_groups_that_mujoco_shows() {
    let model = read(SCENE).model;
    let shown = |visual: &Visual| match visual.form {
        Form::Shape(shape) => model.topology.shapes[shape.index()].name.clone(),
        Form::Figure(_) => panic!("every geom is a shape"),
    };
    let drawn: Vec<_> = model.topology.visuals.iter().map(|v| (shown(v), v.colour)).collect();
    let gold = Some([1.0, 0.8, 0.0, 1.0]);
    let expected = [
        ("floor", None),
        ("both", Some([0.0, 0.0, 1.0, 1.0])),
        ("shell", gold),
        ("cape", Some([0.5, 1.0, 0.5, 1.0])),
        ("horn", gold),
    ];
    assert_eq!(drawn, expected.map(|(name, colour)| (name.to_owned(), colour)));
    let horn = &model.topology.shapes[model.topology.shape("horn").unwrap().index()];
    assert!(matches!(&horn.kind, ShapeKind::Mesh(mesh) if mesh.hull.is_some()));
    // If no body shows anything, there is nothing to choose from.
    let hidden = SCENE
        .replace("group=\"2\"", "group=\"4\"")
        .replace("name=\"both\"", "name=\"both\" group=\"3\"");
    assert!(read(&hidden).model.topology.visuals.is_empty());
    let unknown = read(&SCENE.replace("material=\"cloth\"", "material=\"clot\""));
    let note = &unknown.report.notes[0].what;
    assert!(note.contains("no material is named \"clot\"; did you mean \"cloth\"?"), "{note}");
}

/// Kind, size, place and colour of everything drawn.
fn drawn(model: &Model<f64>) -> Vec<String> {
    let of = |visual: &Visual| {
        let (kind, size, pose) = match &visual.form {
            Form::Shape(id) => {
                let params = &model.params.shapes[id.index()];
                (&model.topology.shapes[id.index()].kind, params.size, params.placement)
            }
            Form::Figure(figure) => (&figure.kind, figure.size, figure.placement),
        };
        let kind = format!("{kind:?}").split(['(', ' ']).next().unwrap().to_owned();
        let frame = &model.topology.frames[visual.frame(&model.topology).index()].name;
        format!("{kind} {size:?} {:?} {frame} {:?}", pose.pos, visual.colour)
    };
    let mut all: Vec<String> = model.topology.visuals.iter().map(of).collect();
    all.sort();
    all
}

#[test]
fn exporters_write_visuals_back() {
    let robot = read(ROBOT).model;
    let written = export::urdf(&robot).unwrap();
    let lost = "the mesh file of visual \"base\" was not found: its path is as in the source";
    assert!(written.notes.iter().any(|note| note == lost), "{:?}", written.notes);
    assert_eq!(drawn(&read(&written.text).model), drawn(&robot));
    // MJCF: all but the mesh, whose file is not there.
    let written = export::mjcf(&robot).unwrap();
    let lost = "what is drawn of visual \"base\" is not written";
    assert!(written.notes.iter().any(|note| note == lost), "{:?}", written.notes);
    let mut expected = drawn(&robot);
    expected.retain(|line| !line.starts_with("Mesh"));
    assert_eq!(drawn(&read(&written.text).model), expected);
    // From MJCF: shapes that are not drawn stay so.
    let scene = read(SCENE).model;
    let back = read(&export::mjcf(&scene).unwrap().text).model;
    assert_eq!(drawn(&back), drawn(&scene));
    assert_eq!(back.topology.visuals.len(), 5);
}

#[test]
fn models_in_one_world_keep_what_is_drawn() {
    let robot = read(ROBOT).model;
    let mut ball = robot.clone();
    ball.topology.visuals.clear();
    // One with visuals, one without: its shapes are drawn as before.
    let mut both = robot.clone();
    both.append(&ball, "b/").unwrap();
    assert_eq!(both.topology.visuals.len(), 5);
    assert!(matches!(both.topology.visuals[4].form, Form::Shape(shape) if shape.index() == 1));
    let mut both = ball.clone();
    both.append(&robot, "r/").unwrap();
    assert!(matches!(both.topology.visuals[0].form, Form::Shape(shape) if shape.index() == 0));
    assert_eq!(both.topology.visuals.len(), 5);
    let last = &both.topology.visuals[4];
    assert_eq!((&*figure(last).name, last.link(&both.topology).unwrap().index()), ("r/tip", 1));
    // A shape that is added is drawn; the ground is a grid in any case.
    let size = Vec3::new(0.1, 0.0, 0.0);
    let params = ShapeParams { placement: Transform::IDENTITY, size, material: Material::DEFAULT };
    both.add_shape("stone", FrameId::WORLD, ShapeKind::Sphere, params).unwrap();
    both.add_ground(0.0, Material::DEFAULT).unwrap();
    assert_eq!(both.topology.visuals.len(), 6);
}

/// A triangle twice, moved and mirrored by nodes, in two colours and millimetres.
static COLLADA: &str = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
  <asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
    <diffuse><color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="red"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="1" material="m"><input semantic="VERTEX" source="#v" offset="1"/>
      <input semantic="NORMAL" source="#n" offset="0"/><vcount>4</vcount><p>9 0 9 1 9 2 9 3</p></polylist>
    <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate><node>
      <matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix><instance_geometry url="#g"><bind_material>
      <technique_common><instance_material symbol="m" target="#red"/></technique_common></bind_material>
      </instance_geometry></node></node>
    <node><scale>-1 1 1</scale><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node></visual_scene>
  </library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("gradbody-visuals-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    folder
}

#[test]
fn collada_has_units_nodes_and_colours() {
    let folder = folder("collada");
    let file = folder.join("part.dae");
    std::fs::write(&file, COLLADA).unwrap();
    let parts = read_mesh(&file).unwrap();
    assert_eq!(parts.len(), 2, "red, and without a colour");
    assert_eq!(parts[0].colour, Some([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(parts[0].triangles, [[0, 1, 2], [0, 2, 3]]);
    let near = |a: Vec3<f64>, b: [f64; 3]| (a - Vec3::from_slice(&b)).norm() < 1e-15;
    assert!(near(parts[0].vertices[2], [0.011, 0.001, 0.005]), "{:?}", parts[0].vertices);
    // The triangle in place, then the quad and the triangle turned and mirrored, inside out again.
    assert_eq!(parts[1].triangles, [[0, 1, 2], [3, 5, 4], [3, 6, 5], [7, 9, 8]]);
    assert!(near(parts[1].vertices[8], [0.0, 0.001, 0.0]), "{:?}", parts[1].vertices);
    // It collides too.
    let text = ROBOT.replace("<sphere radius=\"0.1\"/>", "<mesh filename=\"part.dae\"/>");
    std::fs::write(folder.join("r.urdf"), text).unwrap();
    let model = load(folder.join("r.urdf"), &ImportOptions::default()).unwrap().model;
    let ShapeKind::Mesh(mesh) = &model.topology.shapes[0].kind else { panic!() };
    assert_eq!(mesh.hull.as_ref().unwrap().vertices.len(), 8);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_damaged_collada_never_panics() {
    let folder = folder("damaged");
    let file = folder.join("part.dae");
    let pieces = ["-1", "4", "99999999999999999999", "1e999", "", "x", "#s", "#g", "0 0 0 0"];
    let words: Vec<(usize, &str)> = COLLADA
        .split(|c: char| c.is_whitespace() || "\"<>".contains(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '#' || c == '-'))
        .map(|word| (word.as_ptr() as usize - COLLADA.as_ptr() as usize, word))
        .collect();
    for (at, word) in words {
        for piece in pieces {
            let text = [&COLLADA[..at], piece, &COLLADA[at + word.len()..]].concat();
            std::fs::write(&file, text).unwrap();
            let _ = read_mesh(&file);
        }
    }
    let own = COLLADA.replace("<instance_geometry url=\"#g\"/>", "<instance_node url=\"#own\"/>");
    let own = own.replace("<node><scale>", "<node id=\"own\"><scale>");
    std::fs::write(&file, own).unwrap();
    assert!(read_mesh(&file).unwrap_err().contains("refer to themselves"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_binary_stl_may_begin_like_a_text_and_an_obj_has_materials() {
    let folder = folder("files");
    let mut stl = [b' '; 80].to_vec();
    stl[..5].copy_from_slice(b"solid");
    stl.extend(1u32.to_le_bytes());
    stl.extend(
        [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
            .map(f32::to_le_bytes)
            .concat(),
    );
    stl.extend([0, 0]);
    let file = folder.join("a.stl");
    std::fs::write(&file, stl).unwrap();
    assert_eq!(read_mesh(&file).unwrap()[0].triangles, [[0, 1, 2]]);
    let file = folder.join("a.obj");
    std::fs::write(folder.join("a.mtl"), "newmtl green\nKd 0 1 0\n").unwrap();
    std::fs::write(&file, "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl green\nf 1 2 3\n")
        .unwrap();
    assert_eq!(read_mesh(&file).unwrap()[0].colour, Some([0.0, 1.0, 0.0, 1.0]));
    assert_eq!(read_mesh(&folder.join("none.obj")).unwrap_err(), "no such file");
    std::fs::remove_dir_all(folder).unwrap();
}
