"""Rerankers, found by name: `onnx`, a model in a file, and `fastembed`, a model of its list."""
