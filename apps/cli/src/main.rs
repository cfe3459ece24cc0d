//! The program `gradbody`: everything is in the library beside it.

fn main() -> gradbody_cli::ExitStatus {
    gradbody_cli::main()
}
