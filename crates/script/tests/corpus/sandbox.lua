redis.x = 1
---
redis.call = nil
---
rawset(redis, 'x', 1)
---
rawset(_G, 'x', 1)
---
setmetatable(_G, {})
---
setmetatable(redis, {})
---
getmetatable(_G).__index = nil
---
rawset(getmetatable(_G), '__index', nil)
---
setmetatable(getmetatable(_G), {})
---
string.x = 1
---
string.rep = nil
---
table.insert(string, 1)
---
table.insert(math, 1, 2)
---
table.remove(string)
---
table.sort(string)
---
table.sort(redis)
---
rawset(string, 1, 1)
---
getmetatable('').__index = 1
---
getmetatable('').__len = function() return 1 end
---
return getmetatable('').__index == string
---
setmetatable(getmetatable(''), {})
---
return getmetatable('') == getmetatable('x')
---
cjson.encode = 1
---
local j = cjson.new() j.encode = 1 return j.encode
---
cmsgpack.x = 1
---
bit.x = 1
---
struct.x = 1
---
coroutine.x = 1
---
math.random = nil
---
KEYS = 1
---
ARGV = nil
---
_G.x = 1
---
_G._G = nil
---
local ok, e = pcall(rawset, _G, 'x', 1) return {tostring(ok), e}
---
local ok, e = pcall(function() _G.x = 1 end) return {tostring(ok), e}
---
return tostring(next(_G) ~= nil)
---
local t = setmetatable({}, {__index = string}) t.rep = 1 return {type(t.rep), type(string.rep)}
---
local t = setmetatable({}, {__newindex = string}) t.zzz = 1
---
local t = setmetatable({}, {__newindex = _G}) t.zzz = 1
---
table.setn(string, 3)
---
table.foreach(string, function(k) return k end) return 1
---
return loadstring(string.dump(function() return 1 end))
---
local f, e = loadstring(string.dump(function() return 1 end)) return {tostring(f), e}
---
local f, e = loadstring('\27Lua') return {tostring(f), e}
---
local n = 0 local f, e = load(function() n = n + 1 if n == 1 then return '\27Lua' end end) return {tostring(f), e}
---
return {type(string.dump(function() end)), string.byte(string.dump(function() end), 1, 6)}
---
string.dump(tostring)
---
local f = loadstring('return x') return f()
---
local f = loadstring('x = 1') return f()
---
local f = loadstring('return ...') return f(5)
---
local f, e = loadstring('x y') return {tostring(f), e}
---
local f, e = loadstring('x y', 'chunk') return {tostring(f), e}
---
local parts = {'return ', '1', ' + 2'} local n = 0 return load(function() n = n + 1 return parts[n] end)()
---
local f, e = load(function() error('reader') end) return {tostring(f), e}
---
local n = 0 local f, e = load(function() n = n + 1 if n < 3 then return n end end) return {tostring(f), tostring(e)}
---
local f, e = load(function() return {} end) return {tostring(f), type(e)}
---
load('x')
---
local t = {} setmetatable(t, {__metatable = 'locked'}) return {getmetatable(t), tostring(pcall(setmetatable, t, {}))}
---
local t = setmetatable({}, {__gc = function() error('gc') end}) t = nil collectgarbage() return 1
---
local t = setmetatable({}, {__mode = 'k'}) t[{}] = 1 collectgarbage() return next(t) == nil
---
return tostring(setmetatable({}, {__tostring = function() return 'mine' end}))
---
return tostring(setmetatable({}, {__tostring = function() return 1 end}))
---
local t = setmetatable({}, {__call = function(self, x) return x end}) return t(3)
---
local t = setmetatable({}, {__eq = function() return true end}) local u = setmetatable({}, getmetatable(t)) return t == u
---
local co = coroutine.create(function() return redis.call('ping') end) local ok, r = coroutine.resume(co) return r
---
local co = coroutine.create(function() _G.x = 1 end) local ok, r = coroutine.resume(co) return {tostring(ok), r}
---
return pcall(string.rep, 'x', -1)
---
return select('#', xpcall(error, function() return 1, 2 end))
---
local s = 0 for w in string.gfind('one two', '%a+') do s = s + #w end return s
---
collectgarbage('setpause', 200) collectgarbage('stop') collectgarbage('restart') return collectgarbage('setstepmul', 200)
---
collectgarbage('nonsense')
