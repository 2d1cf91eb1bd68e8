-- Ten commands on one hash, as a script does that keeps a record in order.
local key = KEYS[1]
redis.call('HSET', key, 'name', ARGV[1], 'visits', '0')
redis.call('HINCRBY', key, 'visits', 1)
redis.call('HSETNX', key, 'first', ARGV[1])
if redis.call('EXISTS', key) == 1 and redis.call('TYPE', key).ok == 'hash' then
    redis.call('EXPIRE', key, 3600)
end
redis.call('HGET', key, 'name')
redis.call('HMGET', key, 'name', 'visits', 'first')
redis.call('HDEL', key, 'last')
return redis.call('HLEN', key)
