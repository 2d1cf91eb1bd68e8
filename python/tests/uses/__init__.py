"""The package as its users use it: their frameworks, redis-py's habits, bad networks."""
