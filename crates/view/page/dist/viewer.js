// Replaced by the built page.
