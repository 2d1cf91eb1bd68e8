return redis.sha1hex('')
---
return redis.sha1hex('abc')
---
return redis.sha1hex(12)
---
return redis.sha1hex({})
---
return redis.sha1hex(nil)
---
return redis.sha1hex()
---
return redis.sha1hex('a', 'b')
---
return redis.log()
---
return redis.log(1)
---
return redis.log('a', 'b')
---
return redis.log(9, 'x')
---
return redis.log(-1, 'x')
---
return redis.log('0', 'x')
---
return redis.log(redis.LOG_DEBUG, 'x', 'y', 1, nil, {})
---
return redis.setresp()
---
return redis.setresp(4)
---
return redis.setresp('x')
---
return redis.setresp('3')
---
return redis.setresp(2.5)
---
return redis.setresp(2, 3)
---
return redis.set_repl()
---
return redis.set_repl(9)
---
return redis.set_repl(1, 2)
---
return redis.set_repl('x')
---
redis.set_repl(redis.REPL_NONE) redis.set_repl(redis.REPL_ALL) return 1
---
return {redis.breakpoint()}
---
return {redis.debug('x')}
---
return redis.replicate_commands()
---
return redis.acl_check_cmd()
---
return redis.acl_check_cmd('nonsense')
---
return redis.acl_check_cmd('get', 'a')
---
return redis.acl_check_cmd('set', 'a', 1)
---
return redis.acl_check_cmd({})
---
return redis.status_reply('x')
---
return redis.status_reply('x\r\ny')
---
return redis.status_reply()
---
return redis.status_reply({})
---
return redis.status_reply('a', 'b')
---
return redis.status_reply(1)
---
return redis.error_reply()
---
return redis.error_reply(1)
---
return redis.error_reply('a', 'b')
---
return tostring(redis.register_function)
---
return redis.nothing
---
return redis.call()
---
return redis.pcall()
---
return redis.call({})
---
return redis.call('ping', nil)
---
return redis.call('PING')
---
return redis.pcall('ping', 'x', 'y', 'z')
---
local r = redis.pcall('get', 'a', 'b') return {r.err}
---
return {redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA, redis.REPL_NONE}
---
local t = {} for i = 1, 300 do t[i] = 'k' .. i end return #redis.call('mget', unpack(t))
---
return redis['call']('ping')
---
local call = redis.call return call('ping')
---
return redis.call('set', 'k', 'v', nil)
---
redis.call('set', 'k', 'v') redis.pcall('set', 'k', 'w') local a = redis.call('get', 'k') redis.call('get', 'k') redis.call('incr', 'n') redis.call('hset', 'h', 'f', 'v') redis.call('hgetall', 'h') redis.call('lrange', 'l', 0, -1) redis.pcall('incr', 'k') return {a, redis.call('get', 'n'), redis.call('hgetall', 'h')}
---
redis.call('set', 'k', 'v') redis.call('incr', 'k') return 1
---
local function f(...) return select('#', ...) end redis.call('set', 'k', 'v') return {f(redis.call('get', 'k')), f(redis.pcall('get', 'k'), 1), f(pcall(redis.call, 'get', 'k')), f((redis.call('get', 'missing')))}
---
redis.call('lpush', 'l', 1, 1.5, 'x', -0, 2^53) redis.call('nosuch', 1) return 1
---
redis.call('set', 'x', 0.1) redis.call('set', 'y', 1e17) redis.call('set', 'z', -0.5) return {redis.call('get', 'x'), redis.call('get', 'y'), redis.call('get', 'z')}
---
redis.setresp(3) redis.call('smembers', 's') redis.call('hgetall', 'h') redis.call('sadd', 's', 'a') redis.call('zadd', 'zz', 1.5, 'm') redis.call('zscore', 'zz', 'm') return redis.call('smembers', 's')
---
local t = {} for i = 1, 2000 do t[i % 7] = {i, tostring(i)} redis.call('set', 'k' .. i % 3, i) end return {redis.call('get', 'k1'), t[3][2]}
