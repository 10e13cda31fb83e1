"""The same evaluation where the data lives: arrays, recommenders, warehouses, clusters."""
