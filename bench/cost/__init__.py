"""What learning costs: a real chat through the public object, with a model server that counts."""
