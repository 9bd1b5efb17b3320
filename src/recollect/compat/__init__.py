"""Five earlier designs: their profiles, rankers, file formats and routes. Behaves like a third-party package."""
