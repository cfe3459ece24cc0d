//! The dual numbers that steps are tested on.

use gradbody::math::Dual;

/// Wide enough for every test of this program: a step is compiled anew for each number of directions, which takes
/// longer than the tests do, and directions that a test does not use cost it little.
pub(crate) type Duals = Dual<f64, 8>;
