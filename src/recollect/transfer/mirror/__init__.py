"""Files that follow the store, for people and other programs to read; deleting them loses nothing.

`MirrorWriter` writes memories, summaries, exchanges and the snapshot; `DailyLog` writes the daily logs, as a job.
"""
