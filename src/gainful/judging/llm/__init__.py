"""Judging by language models: prompts, answers, requests and labels."""
