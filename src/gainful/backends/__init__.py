"""The same evaluation where the data lives: on devices, in warehouses, on clusters."""
