-- The text of a document that is stored as MessagePack.
return cjson.encode(cmsgpack.unpack(redis.call('GET', KEYS[1])))
