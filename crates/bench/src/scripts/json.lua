-- A document from text and back to text; how long that is.
return #cjson.encode(cjson.decode(redis.call('GET', KEYS[1])))
