return 1
---
return 'x'
---
return ''
---
return 'a\0b\r\n'
---
return nil
---
return
---
return true
---
return false
---
return 3.99
---
return -3.99
---
return 1e15
---
return 1e18
---
return 2^63
---
return -2^63
---
return 1e300
---
return 1/0
---
return -1/0
---
return 0/0
---
return {}
---
return {1, 2, 3}
---
return {1, nil, 3}
---
return {1, 2, nil, 4, x = 5}
---
return {1, {2, {3, {}}}, 'x', true, false}
---
return {false, 1}
---
return {ok = 'fine'}
---
return {ok = 'fi\r\nne\n'}
---
return {ok = 'a\0b'}
---
return {ok = '\255\254'}
---
return {ok = 12}
---
return {err = 'bad'}
---
return {err = 'MY bad'}
---
return {err = '-MY bad'}
---
return {err = 'ERR b\r\nad\r\n'}
---
return {err = 'a\0b c'}
---
return {err = ''}
---
return {err = 12}
---
return {err = 'x', ok = 'y'}
---
return {{err = 'inner'}, {ok = 'inner'}, 1}
---
return {double = 3.5}
---
return {double = 1e300}
---
return {double = 1/0}
---
return {double = -1/0}
---
return {double = 0.1}
---
return {double = 3}
---
return {double = 'x'}
---
return {map = {a = 1}}
---
return {map = {a = {map = {b = 2}}}}
---
return {map = {}}
---
return {map = 1}
---
return {map = {'x'}}
---
return {map = {[true] = {1, 2}}}
---
return {map = {[1.5] = 'x'}}
---
return {set = {a = 1}}
---
return {set = {}}
---
return {set = {[2] = true}}
---
return {set = 'x'}
---
return {big_number = '123456789012345678901234567890'}
---
return {big_number = '12\r\n3'}
---
return {big_number = 12}
---
return {verbatim_string = {string = 'abc', format = 'txt'}}
---
return {verbatim_string = {string = 'abc', format = 'markdown'}}
---
return {verbatim_string = {string = 'abc', format = 'm'}}
---
return {verbatim_string = {string = 'abc', format = ''}}
---
return {verbatim_string = {string = 'abc'}}
---
return {verbatim_string = {}}
---
return {verbatim_string = 'x'}
---
return {verbatim_string = {string = 1, format = 'txt'}}
---
return function() end
---
return {function() end, coroutine.create(function() end), cjson.null}
---
return cjson.null
---
return tostring
---
return 1, 2, 3
---
return setmetatable({}, {__index = function(t, k) return k end})
---
return setmetatable({}, {__index = {err = 'through'}})
---
redis.setresp(3) return true
---
redis.setresp(3) return false
---
redis.setresp(3) return {true, false, nil}
---
redis.setresp(3) return {map = {[true] = false}}
---
redis.setresp(3) return {double = 3.5}
---
redis.setresp(3) return nil
---
local t = {} t[1] = t return t
---
local t = {} t[1] = {map = {x = t}} return t
---
local t = {} local u = t for i = 1, 5000 do u[1] = {} u = u[1] end return t
---
local t = {} local u = t for i = 1, 8100 do u[1] = {} u = u[1] end return t
---
redis.call('flushall') redis.call('set', 's', 'v') return redis.call('get', 's')
---
return redis.call('get', 'none')
---
return type(redis.call('get', 'none'))
---
return {type(redis.call('get', 'none')), redis.call('set', 'x', 1).ok, redis.call('incr', 'x')}
---
redis.setresp(3) return {type(redis.call('get', 'none'))}
---
redis.setresp(3) return {redis.call('get', 'none'), 1}
---
return redis.call('set', 'x', 1)
---
redis.call('rpush', 'l', 'a', 'b', 'c') return redis.call('lrange', 'l', 0, -1)
---
return #redis.call('lrange', 'l', 0, -1)
---
return redis.call('lrange', 'nolist', 0, -1)
---
redis.call('hset', 'h', 'f', 'v') return redis.call('hgetall', 'h')
---
redis.setresp(3) return redis.call('hgetall', 'h')
---
redis.setresp(3) local r = redis.call('hgetall', 'h') return {type(r.map), r.map.f}
---
redis.setresp(3) local r = redis.call('hgetall', 'nohash') return {type(r.map), next(r.map) == nil}
---
redis.call('sadd', 'm', 'e') redis.setresp(3) local r = redis.call('smembers', 'm') return {type(r.set), r.set.e}
---
redis.setresp(3) return redis.call('smembers', 'm')
---
return redis.call('smembers', 'm')
---
redis.call('zadd', 'z', '1.5', 'e') return redis.call('zscore', 'z', 'e')
---
redis.setresp(3) return redis.call('zscore', 'z', 'e')
---
redis.setresp(3) return redis.call('zscore', 'z', 'e').double * 2
---
return redis.call('mget', 's', 'none', 's')
---
redis.setresp(3) return redis.call('mget', 's', 'none', 's')
---
return redis.call('ping')
---
return redis.call('ping').ok
---
return redis.call('echo', 'a\0b')
---
return redis.call('echo', 1)
---
return redis.call('echo', 1.5)
---
return redis.call('echo', 0.1)
---
return redis.call('echo', -0.0)
---
return redis.call('echo', 1e100)
---
return redis.call('echo', 123456789012345678)
---
return redis.call('echo', 12345678901234567)
---
return redis.call('echo', 1/0)
---
return redis.call('echo', -1/0)
---
return redis.call('echo', 1e-7)
---
return redis.call('echo', 2^53)
---
return redis.call('mget', 1, 's', 2.5, 's', 3)
---
return redis.call('echo', true)
---
return redis.call('echo', nil)
---
return redis.call('echo', {})
---
return redis.pcall('echo', {})
---
return redis.pcall('echo')
---
return {redis.pcall('nonsense'), 1}
---
redis.setresp(2) return redis.call('hgetall', 'h')
