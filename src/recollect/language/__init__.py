"""Knowledge of natural languages: dates, word forms, kinship terms, lexica."""
