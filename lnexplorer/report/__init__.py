"""Exports of runs, sweeps and experiments: tables, scripts, notebooks, reports."""
