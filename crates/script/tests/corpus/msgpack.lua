local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(0))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(127))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(128))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(255))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(256))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(65535))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(65536))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^31))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^32-1))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^32))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^53))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^62))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^63))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(2^64))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-1))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-32))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-33))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-127))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-128))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-129))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-32768))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-32769))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-2^31))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-2^31-1))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-2^53))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-2^63))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-2^63-2048))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1.5))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(0.1))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1e300))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-0.0))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1/0))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(-1/0))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(3.4028234663852886e38))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1e39))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1e-46))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(nil))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(true))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(false))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(''))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack('a'))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(('x'):rep(31)))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(('x'):rep(32)))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(('x'):rep(255)))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(('x'):rep(256)))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({1,2,3}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({a=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({1,2,x=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[1]=1,[3]=3}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[2]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[0]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[1.5]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[-1]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[true]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({nil,1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({1,nil,3}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(function() end))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(cjson.null))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(coroutine.create(function() end)))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({function() end}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({{{}}}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({a={b={c=1}}}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(setmetatable({},{__index={1}})))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[2^31]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[2^53]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[1e300]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack({[1/0]=1}))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end local t={} for i=1,15 do t[i]=i end local a=hex(cmsgpack.pack(t)) t[16]=16 return {a,hex(cmsgpack.pack(t))}
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end local t={} for i=1,15 do t['k'..i]=i end local a=#cmsgpack.pack(t) t.k16=1 return {a,hex(cmsgpack.pack(t))}
---
return redis.sha1hex(cmsgpack.pack(('x'):rep(65535)))
---
return redis.sha1hex(cmsgpack.pack(('x'):rep(65536)))
---
local t={} for i=1,65536 do t[i]=1 end return redis.sha1hex(cmsgpack.pack(t))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end local t={} local u=t for i=1,20 do u[1]={} u=u[1] end return hex(cmsgpack.pack(t))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end local t={} t.t=t return hex(cmsgpack.pack(t))
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end return hex(cmsgpack.pack(1,'a',nil,{}))
---
return cmsgpack.pack()
---
return #cmsgpack.pack(unpack({},1,200))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack(''))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\127'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\128'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\161\097\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\144'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\145\192'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\147\001\192\002'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\160'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\161\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\162'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\192'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\193'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\194'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\195'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\196\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\197\000\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\198\000\000\000\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\199'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\202\063\192\000\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\202\063'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\203\063\248\000\000\000\000\000\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\203\127\240\000\000\000\000\000\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\204\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\204'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\205\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\205\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\206\255\255\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\207\000\000\000\000\000\000\000\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\207\255\255\255\255\255\255\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\208\128'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\209\128\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\210\128\000\000\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\211\128\000\000\000\000\000\000\000'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\212\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\213'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\217'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\217\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\217\002'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\218\000\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\218'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\219\000\000\000\001\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\219\255\255\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\220\000\001\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\220'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\220\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\221\000\000\000\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\221\255\255\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\221\127\255\255\255\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\222\000\001\001\161\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\222\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\223\000\000\000\001\001\161\097'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\223\255\255\255\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\224'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\255'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\001\002\003\004\005'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\192\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\203\127\248\000\000\000\000\000\000\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\146'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\161'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\130\128\001\128\002'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\130\194\001\195\002'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\145\144'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\145'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\145\145\145'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\001\193'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\154\001\002\003'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\129\144\161'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\130\161\097\001\161\097\002'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\146\001'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\221\000\000\000\002\192\192'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack())
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack(1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack(nil))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack({}))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\1',2))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack('\1\2',true))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one())
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',0))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',2))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',3))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',4))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',-1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3','x'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3','1'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',1.7))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('',0))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\193',0))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\146\1'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one('\1\2\3',nil))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one(nil))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_one(1,2^40))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit())
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',0))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',3))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',4))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',-1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2,1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2,2))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2,3))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2,4))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',2,-1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3',0,1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\2\3','x'))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('',1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('',0))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\193',1))
---
local function f(v) if type(v)=='table' then local n=0 for k in pairs(v) do n=n+1 end return 'T'..n..':'..#v..cjson.encode(v) elseif type(v)=='number' then return string.format('%.17g',v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(cmsgpack.unpack_limit('\1\193',2))
---
return #{cmsgpack.unpack(('\1'):rep(7000))}
---
return #{cmsgpack.unpack(('\1'):rep(9000))}
---
local t=cmsgpack.unpack(('\145'):rep(500)..'\1') local n=0 while type(t)=='table' do t=t[1] n=n+1 end return n
---
return cmsgpack.unpack(('\145'):rep(100000))
---
local t=cmsgpack.unpack(cmsgpack.pack({1,2,3,4,5,6,7})) t[4]=nil return {#t}
---
local function hex(s) return (s:gsub('.',function(c) return string.format('%02x',c:byte()) end)) end local s={} for i=1,40 do s['key'..i]=i end return hex(cmsgpack.pack(cmsgpack.unpack(cmsgpack.pack(s))))
---
return {cmsgpack._NAME,cmsgpack._VERSION,cmsgpack._COPYRIGHT,cmsgpack._DESCRIPTION}
