"""The file store: each memo as a page of Markdown that people read, edit, add and delete, as in Obsidian.

`PageWriter` writes them, `PageSync` applies what people did to them, `Watch` does so whenever they change.
"""
