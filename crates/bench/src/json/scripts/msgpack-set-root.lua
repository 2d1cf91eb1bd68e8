-- Stores a document as MessagePack. ARGV: its text.
return redis.call('SET', KEYS[1], cmsgpack.pack(cjson.decode(ARGV[1])))
