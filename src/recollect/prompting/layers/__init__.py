"""The layers of a prompt; each module is one layer, found by its name.

A layer's `create` gets the settings and lists what it uses of them in a protocol of its own.
"""
