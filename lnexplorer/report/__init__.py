"""Exports: tables, scripts, notebooks, reports; plain functions from runs to text, bytes or files."""
