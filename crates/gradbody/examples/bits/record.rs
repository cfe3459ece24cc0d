//! Writes cases, and lists the numbers of states, gradients and the like in a fixed order.

use std::cell::RefCell;
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

use gradbody::contact::Contact;
use gradbody::math::{Scalar, Vec3};
use gradbody::model::Params;
use gradbody::sim::{InputCotangents, State, StateCotangents};

/// The numbers of a case, or the reason why it has none.
pub(crate) type Found = Result<Vec<f64>, String>;

/// Where cases are written.
pub(crate) struct Record<W> {
    to: W,
    line: String,
}

impl<W: Write> Record<W> {
    pub(crate) fn new(to: W) -> Self {
        Record { to, line: String::new() }
    }

    /// Writes a case.
    pub(crate) fn case(&mut self, name: impl Display, found: &Found) -> io::Result<()> {
        self.line.clear();
        match found {
            Ok(numbers) => {
                for x in numbers {
                    let space = if self.line.is_empty() { "" } else { " " };
                    // Writing to a string does not fail.
                    let _ = write!(self.line, "{space}{:016x}", x.to_bits());
                }
            }
            Err(why) => {
                let _ = write!(self.line, "failed: {why}");
            }
        }
        writeln!(self.to, "{name}\t{}", self.line)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Configuration, velocity, actuator states and the memory of networks.
pub(crate) fn state_numbers<S: Scalar>(state: &State<S>) -> impl Iterator<Item = f64> {
    let State { q, v, activation, memory, .. } = state;
    q.iter().chain(v).chain(activation).chain(memory).map(|x| x.lane(0))
}

/// The point, gap and force of each contact.
pub(crate) fn contact_numbers<S: Scalar>(contacts: &[Contact<S>]) -> Vec<f64> {
    let mut numbers = Vec::new();
    for contact in contacts {
        numbers.push(contact.gap.lane(0));
        for vector in [contact.point_w, contact.normal_w, contact.force_w, contact.torque_w] {
            numbers.extend(of_vector(vector));
        }
    }
    numbers
}

/// The cotangents of a start.
pub(crate) fn start_numbers(start: &StateCotangents<f64>) -> impl Iterator<Item = f64> {
    let StateCotangents { q, v, activation, memory, .. } = start;
    q.iter().chain(v).chain(activation).chain(memory).copied()
}

/// The cotangents of the input of each step.
pub(crate) fn input_numbers(inputs: &[InputCotangents<f64>]) -> Vec<f64> {
    let mut numbers = Vec::new();
    for InputCotangents { control, tau, external, signals } in inputs {
        numbers.extend(control.iter().chain(tau).chain(signals));
        for motion in external {
            numbers.extend(of_vector(motion.ang).into_iter().chain(of_vector(motion.lin)));
        }
    }
    numbers
}

/// Every parameter.
pub(crate) fn param_numbers(params: &Params<f64>) -> Vec<f64> {
    let numbers = RefCell::new(Vec::new());
    params.map(|x| {
        numbers.borrow_mut().push(x);
        x
    });
    numbers.into_inner()
}

fn of_vector<S: Scalar>(vector: Vec3<S>) -> [f64; 3] {
    vector.to_array().map(|x| x.lane(0))
}
