-- A document that is stored as text.
return redis.call('GET', KEYS[1])
