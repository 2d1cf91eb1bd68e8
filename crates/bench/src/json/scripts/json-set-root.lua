-- Stores a document, as text. ARGV: the text.
return redis.call('SET', KEYS[1], ARGV[1])
