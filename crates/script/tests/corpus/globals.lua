local out = {}
local function dump(prefix, t, depth)
  for k, v in pairs(t) do
    out[#out + 1] = prefix .. tostring(k) .. '=' .. type(v) .. ((type(v) == 'number' or type(v) == 'string') and (':' .. tostring(v)) or '')
    if type(v) == 'table' and v ~= _G and depth < 2 then dump(prefix .. tostring(k) .. '.', v, depth + 1) end
  end
end
dump('', _G, 0)
table.sort(out)
return out
---
return _G._G == _G
---
return getmetatable(_G) and type(getmetatable(_G).__index)
---
local out = {} for k, v in pairs(getmetatable(_G)) do out[#out+1] = k .. type(v) end return out
---
return {getmetatable(redis) == nil, getmetatable(string) == nil, getmetatable(math) == nil, getmetatable(cjson) == nil}
---
return _VERSION
---
return {KEYS[1], KEYS[2], #KEYS, ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], #ARGV}
---
KEYS[1] = 'changed' ARGV.x = 1 return KEYS[1]
---
return KEYS[1]
---
return {type(gcinfo()), type(collectgarbage('count')), collectgarbage('step', 1) and 1 or 0}
---
return tostring(os)
---
return tostring(io)
---
return debug
---
return package
---
return require('x')
---
return print('x')
---
return newproxy(true)
---
return getfenv(1)
---
return setfenv(1, {})
---
return dofile('x')
---
return loadfile('x')
---
return module
---
return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM, redis.LOG_DEBUG, redis.LOG_WARNING, redis.REPL_ALL}
---
return _G[1]
---
return _G[true]
---
return _G[{}]
---
return _G['a\0b']
---
return rawget(_G, 'nothing')
---
local n = 0 for k in pairs(_G) do n = n + 1 end return n
