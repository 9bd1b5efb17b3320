"""Benchmarks: what speed and quality are, measured beside what they have to beat."""
