//! Plans and controllers that use the derivatives of the simulation.
