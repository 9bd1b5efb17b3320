"""Five earlier designs: their profiles, rankers, file formats and routes. Behaves like a package of an outsider."""
