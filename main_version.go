package main

// version is that of FyneApp.toml.
const version = "0.1.0"
