// Nothing: the one source of a target that only precompiles headers for others.
