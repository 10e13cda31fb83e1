"""Metrics, callbacks and logging for training libraries and experiment trackers.

Each module needs the package that it is named after, which it imports when a function is called:
`sklearn`, `lightgbm`, `xgboost`, `transformers`, `sentence_transformers`, `lightning`, `mlflow`,
`wandb` and `dvc`.
"""
