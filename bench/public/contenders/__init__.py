"""Who takes part: each module has one class `Contender` with the calls that its users would write."""
