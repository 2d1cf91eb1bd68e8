error('boo')
---
error('boo', 0)
---
error('boo', 1)
---
error('boo', 2)
---
error('boo', 3)
---
error(12)
---
error({err = 'boo'})
---
error({err = 'MY boo'})
---
error({err = 'MY boo\r\nmore'})
---
error('MY boo\r\nmore')
---
error({err = 12})
---
error({err = 'x', source = 'there', line = 7})
---
local function f() error('in f') end
f()
---
local function f()
  error('tail')
end
return f()
---
return nil + 1
---
local t = nil
return t.x
---
return ({}).x.y
---
return #nil
---
return 'a' < 1
---
return {} < {}
---
return ('x')()
---
local x = 'a' + 1
---
return {} .. 'x'
---
return -{}
---
for i = 1, 'x' do end
---
for i = 1, 10, 'x' do end
---
nothing()
---
local a = nothing
---
nothing = 1
---
function f() end
---
x y z
---
return 1 +
---
'unclosed
---
return "\300"
---
if true then
---
goto x
---
return return
---
local function f() return ... end
---
return redis.call('nonsense')
---
return redis.call('get')
---
return redis.call('get', 'a', 'b')
---
redis.call('set', 'str', 'x') return redis.call('lpush', 'str', 1)
---
return redis.call('incr', 'str')
---
return redis.pcall('incr', 'str')
---
return redis.pcall('nonsense')
---
return redis.pcall('incr', 'str').err
---
local e = redis.pcall('incr', 'str') local o = {} for k, v in pairs(e) do o[#o + 1] = k .. '=' .. tostring(v) end table.sort(o) return o
---
local ok, e = pcall(redis.call, 'incr', 'str') local o = {tostring(ok)} for k, v in pairs(e) do o[#o + 1] = k .. '=' .. tostring(v) end table.sort(o) return o
---
local ok, e = pcall(redis.call) local o = {tostring(ok)} for k, v in pairs(e) do o[#o + 1] = k .. '=' .. tostring(v) end table.sort(o) return o
---
local ok, e = pcall(redis.call, 'incr', 'str') return e
---
local ok, e = pcall(redis.call, 'incr', 'str') error(e)
---
local ok, e = pcall(error, 'x') return {tostring(ok), e}
---
local ok, e = pcall(error) return {tostring(ok), tostring(e)}
---
local ok, e = pcall(error, {1, 2}) return {tostring(ok), e}
---
local ok, e = xpcall(function() error('x') end, function(m) return m .. '!' end) return {tostring(ok), e}
---
local ok, e = xpcall(function() error('x') end, function(m) error('again') end) return {tostring(ok), tostring(e)}
---
local ok, e = xpcall(function() return redis.call('nonsense') end, __redis__err__handler) local o = {tostring(ok)} for k, v in pairs(e) do o[#o + 1] = k .. '=' .. tostring(v) end table.sort(o) return o
---
return redis.error_reply('x')
---
return redis.error_reply('MY x')
---
error(redis.error_reply('MY x'))
---
return redis.error_reply('-MY x')
---
return redis.error_reply('')
---
return redis.error_reply('-')
---
return redis.error_reply('x\r\n')
---
return redis.error_reply('MY \r\nx\r\n')
---
return redis.error_reply('a\0b c')
---
return redis.error_reply('--x y')
---
return __redis__err__handler('a').err
---
return __redis__err__handler({err = 'b'})
---
local e = __redis__err__handler({}) return {e.source, e.line}
---
return __redis__err__handler(nil).err
---
return __redis__err__handler().err
---
return __redis__err__handler(true).err
---

local function a() return redis.call('nonsense') end
local function b()
  local x = a()
  return x
end
return b()
---
local f = loadstring('error("inside")') f()
---
local f = loadstring('error("inside")', 'name') f()
---
local f = loadstring('error("inside")', '@name') f()
---
local f = loadstring('error("inside")', '=name') f()
---
string.rep()
---
('x'):rep({})
---
setmetatable(1, {})
---
local t = setmetatable({}, {__index = function() error('idx') end}) return t.x
---
table.sort({3, 2, 1}, function() error('cmp') end)
---
('abc'):gsub('.', function() error('cb') end)
---
select(0)
---
tostring()
---
local co = coroutine.create(function() error('in co') end) local ok, e = coroutine.resume(co) return {tostring(ok), e}
---
local co = coroutine.wrap(function() error('in co') end) co()
---
local co = coroutine.wrap(function() redis.call('nonsense') end) co()
---
local co = coroutine.wrap(function() coroutine.yield(redis.call('ping').ok) end) return co()
---
coroutine.yield(1)
---
return coroutine.resume(coroutine.running())
---
assert(false)
---
assert(nil, 'why')
---
assert(false, {err = 'T x'})
---
return assert(1, 'x')
---
local function r() return r() + 1 end return r()
---
local function r() local ok, e = pcall(r) return ok end return tostring(r())
---
return cjson.decode('[1,')
---
error('a' .. string.rep('b', 300))
---
error(string.rep('x', 3))
---
#!lua
return 1
---
#!lua flags=abc
return 1
---
#!lua flags=no-writes,allow-oom
error('x')
---
#!lua flags=
return 1
---
#!lua flags=allow-oom,
return 1
---
#!lua flags=,allow-oom
return 1
---
#!lua name=x
return 1
---
#!lua "flags=no-writes"
return 1
---
#!lua "flags=no-writes
return 1
---
#!lua foo
return 1
---
#!LUA
return 1
---
#!
return 1
---
#! lua
return 1
---
#!lua5
return 1
---
#!lua
---
#!lua flags=no-writes flags=allow-oom
return 2
---
# comment
return 1
---
#!lua
x y
