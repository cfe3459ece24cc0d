//! The program `gradbody`: everything is in the library beside it.

fn main() -> std::process::ExitCode {
    gradbody_cli::main()
}
