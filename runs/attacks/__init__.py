"""The attacks of runs/attack.py, by what they are aimed at."""
