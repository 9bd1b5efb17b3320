"""Moving in and out: memories of other programs come in through `importing`, ours go out as files that others know."""
