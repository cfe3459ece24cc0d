//! Task files, and what is said about those that are wrong.

use gradbody_train::{Setup, Task, builtin};

use crate::runs::POLE;

/// What is said about a task with a change.
fn told(old: &str, new: &str) -> String {
    let text = POLE.replace(old, new);
    assert_ne!(text, POLE, "the change changes nothing");
    let error = match Task::from_toml(&text, "pole.toml") {
        Ok(task) => Setup::new(task).map(|_| ()).expect_err("refused"),
        Err(error) => error,
    };
    error.in_file(&text, "pole.toml")
}

#[test]
fn wrong_tasks_are_refused_with_the_line_and_a_hint() {
    for (old, new, message) in [
        (
            "\"InvertedPendulum\"",
            "\"InvertedPendulu\"",
            "pole.toml:2: environment: there is no environment \"InvertedPendulu\"; did you mean \"InvertedPendulum\"?",
        ),
        (
            "method = \"ppo\"",
            "method = \"pop\"",
            "pole.toml:3: method = \"pop\": unknown name \"pop\"; did you mean \"ppo\"?",
        ),
        (
            "seed = 5",
            "sead = 5",
            "pole.toml:4: sead = 5: unknown key \"sead\"; did you mean \"seed\"?",
        ),
        (
            "return = 950",
            "return = 1200",
            "pole.toml:5: limits.return: 1200: an episode of InvertedPendulum returns 1000 at most",
        ),
        (
            "samples = 60000",
            "samples = 0.5",
            "pole.toml:5: limits.samples: a whole number from 1 on is needed, such as 2e6",
        ),
        (
            "samples = 60000",
            "seconds = -1",
            "pole.toml:5: limits.seconds: a positive time is needed [s]",
        ),
        (
            "episodes = 5",
            "episodes = 0",
            "pole.toml:7: evaluate.episodes: from 1 to 10000 episodes",
        ),
        (
            "\"4000 samples\"",
            "\"4000\"",
            "pole.toml:8: [evaluate] every = \"4000\": \"4000\" is neither a time such as \"10 s\" nor a number of samples such as \"1e5 samples\"",
        ),
        ("seed = 5", "worlds = 0", "pole.toml:4: worlds: from 1 to 1048576 worlds"),
        ("seed = 5", "set = { \"link/pol/mass\" = 2 }", "pole.toml:4: set.\"link/pol/mass\": "),
        ("seed = 5", "set = { \"link/pole/mass\" = -2 }", "pole.toml:4: set.\"link/pole/mass\": "),
        (
            "[evaluate]",
            "[randomise.factor]\n\"link/*/mas\" = [0.5, 2]\n[evaluate]",
            "pole.toml:7: randomise.factor.\"link/*/mas\": no parameter matches it",
        ),
        (
            "[evaluate]",
            "[randomise.factor]\n\"link/*/mass\" = [2, 0.5]\n[evaluate]",
            "pole.toml:7: randomise.factor.\"link/*/mass\": the lower end 2 is above the upper 0.5",
        ),
        (
            "[evaluate]",
            "[randomise.factor]\n\"link/*/mass\" = [0.5, 2, 3]\n[evaluate]",
            "pole.toml:7: ",
        ),
        (
            "[evaluate]",
            "[randomise]\npushes = { speed = 1, every = 2 }\n[evaluate]",
            "pole.toml:7: randomise.pushes: InvertedPendulum has no floating base that could be pushed",
        ),
        (
            "method = \"ppo\"",
            "forces = true\nmethod = \"shac\"",
            "pole.toml:3: forces: SHAC cannot observe forces: ",
        ),
        (
            "seed = 5",
            "worlds = 4\nppo = { worlds = 8 }",
            "pole.toml:5: ppo.worlds: worlds are given for the whole task too; leave out one of the two",
        ),
        (
            "[evaluate]",
            "[randomise]\ndelay = [3, 2]\n[evaluate]",
            "pole.toml:7: randomise.delay: the fewest steps, 3, are more than the most, 2",
        ),
    ] {
        let told = told(old, new);
        assert!(told.starts_with(message), "{told}\nnot {message}");
    }
}

#[test]
fn a_task_reads_back_as_it_was_written() {
    let text = format!(
        "{POLE}[randomise]\ndelay = [0, 2]\n[randomise.factor]\n\"link/*/mass\" = [0.8, 1.2]\n"
    );
    let task = Task::from_toml(&text, "pole.toml").expect("a task");
    assert_eq!(task.name, "pole");
    let written = task.to_toml().expect("text");
    assert_eq!(Task::from_toml(&written, "other.toml").expect("a task"), task);
    let setup = Setup::new(task).expect("an environment");
    assert_eq!((setup.varied.randomise.len(), setup.environment.randomise.len()), (1, 0));
    assert_eq!((setup.varied.delay.most, setup.environment.delay.most), (2, 0));
    let masses = setup.environment.model.params.links.iter().map(|inertia| inertia.mass);
    let expected: Vec<(f64, f64)> = masses.map(|mass| (0.8 * mass, 1.2 * mass)).collect();
    let ranges: Vec<(f64, f64)> = setup.ranges.iter().map(|r| (r.low, r.high)).collect();
    assert_eq!(ranges.len(), expected.len());
    for range in ranges {
        assert!(expected.contains(&range), "{range:?} {expected:?}");
    }
}

#[test]
fn built_in_tasks_have_environments() {
    let mut names: Vec<&str> = builtin::BUILTINS.iter().map(|task| task.name).collect();
    for builtin::Builtin { name, text } in &builtin::BUILTINS {
        let task = Task::from_toml(text, name);
        let task = task.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(task.name, *name);
        Setup::new(task).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    names.sort_unstable();
    assert_eq!(names, builtin::BUILTINS.map(|task| task.name));
    assert_eq!(builtin::hint("ants"), "; did you mean \"ant\"?");
}
