//! Times heaps of boxes in Rapier as `cargo measure` times its own: the same boxes, time step, friction and settling
//! time, one thread, double precision. Everything else is at Rapier's defaults, except that sleeping is off.
//!
//! `rapier-peer [--time MS] pile10 …` prints one JSON object per line.

use std::time::{Duration, Instant};

use rapier3d_f64::prelude::*;

#[path = "../../../../experiments/measure/boxes.rs"]
#[allow(dead_code)]
mod boxes;

use boxes::{FallingBox, Heap};

/// Measured steps, and smallest number of repetitions.
const STEPS: usize = 20;
const REPETITIONS: usize = 5;

fn main() -> Result<(), String> {
    let mut time = Duration::from_millis(300);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--time" {
            let ms = args.next().and_then(|ms| ms.parse().ok()).ok_or("--time MS")?;
            time = Duration::from_millis(ms);
            continue;
        }
        let number = arg.strip_prefix("pile").and_then(|n| n.parse().ok());
        measure(number.ok_or_else(|| format!("{arg}: expected pileN"))?, time);
    }
    Ok(())
}

fn measure(n: usize, time: Duration) {
    let mut world = heap(n);
    for _ in 0..boxes::SETTLE {
        world.step();
    }
    // Every repetition has the same steps, so the sum of the shortest time of each step is the
    // undisturbed time.
    let settled = Settled::of(&world);
    let mut shortest = [f64::INFINITY; STEPS];
    let mut figures = Vec::new();
    let (mut contacts, mut counted) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < time || figures.len() < REPETITIONS {
        settled.restore(&mut world);
        let mut whole = 0.0;
        for shortest in &mut shortest {
            let start = Instant::now();
            world.step();
            let took = start.elapsed().as_secs_f64() * 1e6;
            whole += took;
            *shortest = shortest.min(took);
            contacts += number_of_contacts(&world);
            counted += 1;
        }
        figures.push(whole / STEPS as f64);
    }
    figures.sort_by(f64::total_cmp);
    println!(
        "{{\"peer\":\"rapier-f64\",\"version\":\"{}\",\"fn\":\"step\",\"scalar\":\"f64\",\
         \"model\":\"pile{n}\",\"nv\":{},\"us_min\":{:.4},\"us_median\":{:.4},\"contacts\":{:.2},\
         \"iterations\":{},\"fastest\":{:.2e},\"deepest\":{:.2e}}}",
        rapier3d_f64::VERSION,
        6 * n,
        shortest.iter().sum::<f64>() / STEPS as f64,
        figures[figures.len() / 2],
        f64::from(contacts) / f64::from(counted),
        world.integration_parameters.num_solver_iterations,
        fastest(&world),
        deepest(&world),
    );
}

fn heap(n: usize) -> PhysicsWorld {
    let Heap { half_width, boxes } = Heap::new(n);
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = boxes::DT;
    let mut plane = |normal: Vector, at: Vector| {
        let shape = ColliderBuilder::new(SharedShape::halfspace(normal));
        world.insert(RigidBodyBuilder::fixed().translation(at), shape.friction(boxes::FRICTION));
    };
    plane(Vector::Z, Vector::ZERO);
    for inwards in [Vector::X, -Vector::X, Vector::Y, -Vector::Y] {
        plane(inwards, inwards * -half_width);
    }
    for FallingBox { half: [a, b, c], position, rotation: [w, x, y, z] } in boxes {
        let rotation = Rotation::from_xyzw(x, y, z, w);
        let pose = Pose::from_parts(Vector::from(position), rotation);
        let body = RigidBodyBuilder::dynamic().pose(pose).can_sleep(false);
        let shape = ColliderBuilder::cuboid(a, b, c);
        world.insert(body, shape.friction(boxes::FRICTION).density(boxes::DENSITY));
    }
    world
}

/// The number of contact points in Rapier's solver.
fn number_of_contacts(world: &PhysicsWorld) -> i32 {
    let of_pair = |pair: &ContactPair| -> usize {
        pair.solver_manifolds().iter().map(|m| m.data.solver_contacts.len()).sum()
    };
    world.contact_pairs().map(of_pair).sum::<usize>() as i32
}

/// Largest speed, to check that the heap is at rest [m/s].
fn fastest(world: &PhysicsWorld) -> f64 {
    world.bodies.iter().map(|(_, body)| body.linvel().length()).fold(0.0, f64::max)
}

/// Largest penetration [m].
fn deepest(world: &PhysicsWorld) -> f64 {
    let manifolds = world.contact_pairs().flat_map(|pair| pair.solver_manifolds());
    manifolds.flat_map(|m| m.points.iter()).map(|p| -p.dist).fold(0.0, f64::max)
}

/// The changing part of a world, saved for restarts.
struct Settled {
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
}

impl Settled {
    fn of(world: &PhysicsWorld) -> Self {
        Settled {
            islands: world.islands.clone(),
            broad_phase: world.broad_phase.clone(),
            narrow_phase: world.narrow_phase.clone(),
            bodies: world.bodies.clone(),
            colliders: world.colliders.clone(),
        }
    }

    fn restore(&self, world: &mut PhysicsWorld) {
        world.islands = self.islands.clone();
        world.broad_phase = self.broad_phase.clone();
        world.narrow_phase = self.narrow_phase.clone();
        world.bodies = self.bodies.clone();
        world.colliders = self.colliders.clone();
    }
}
