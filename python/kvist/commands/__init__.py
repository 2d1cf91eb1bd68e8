"""Modules at the places where redis-py has them, for programs that import from there."""
