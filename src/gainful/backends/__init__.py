"""The same evaluation where the data lives: arrays on a device, recommenders, warehouses, clusters."""
