"""The prompts of the earlier designs: the order of their sections and their headers.

Sections that a document knows nothing of have their place too, should someone turn their layers on.
"""
