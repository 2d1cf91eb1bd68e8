-- A document from MessagePack and back to it; how long that is.
return #cmsgpack.pack(cmsgpack.unpack(redis.call('GET', KEYS[1])))
