return tostring(math.random())
---
return tostring(math.random(10))
---
return tostring(math.random(5,10))
---
return tostring(math.random(0))
---
return tostring(math.random(10,5))
---
return tostring(math.random(1,2,3))
---
return tostring(math.random('x'))
---
return tostring(math.random(-5,5))
---
return tostring(math.random(2^31-1))
---
return tostring(math.random(1.5))
---
return tostring(math.random(2^31))
---
return tostring(math.random(-2^31,2^31-1))
---
return tostring(math.randomseed())
---
return tostring(math.randomseed('x'))
---
math.randomseed(0) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(1) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(42) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(-1) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(2^31) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(2^32+5) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed(1.9) local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
math.randomseed('7') local o={} for i=1,20 do o[i]=tostring(math.random()) end for i=21,40 do o[i]=math.random(1000) end return o
---
return {tostring(math.random()),math.random(100)}
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.byte('abc'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.byte('abc',2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.byte('abc',-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.byte('abc',1,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.byte('',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.char())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.char(97,98))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.char(256))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.char(-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','l'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','l',4))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','xyz'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','.',1,true))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','(l)(l)'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('hello','',10))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a.b','%.'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a','['))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a','%'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a','('))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a',')'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('a','%f[a]'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.find('THE (quick) fox','%((%a+)%)'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%d',3.7))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%-5d)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%05d)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%+d)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%x)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%X)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%o)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%e)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%g)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%c)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%s)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%q)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%s',{} ~= nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%s',nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%d','x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%y',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%10.123f',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%s'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%.20s',('x'):rep(50)))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%i',5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%u',5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%a',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gmatch('a=1,b=2','(%w)=(%w)')())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','l','L'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','l','L',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','(l)','<%1>'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','l',{l='x'}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','.',function(c) if c=='l' then return '!' end end))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('hello','','-'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('abc','%w','%0%0'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('abc','%w','%2'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('abc','b','%'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('abc','b',true))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.gsub('abc','.',function() return {} end))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.len('a\0b'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.lower('AbC\192'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.upper('aBc'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.match('key=val','(%w+)=(%w+)'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.match('  x','^%s*(.-)%s*$'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.match('abc','()b()'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.match('x','%b()'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.match('(a(b))','%b()'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.rep('ab',3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.rep('ab',-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.rep('',1e3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.reverse('abc'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.sub('hello',2,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.sub('hello',-3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.sub('hello',2,-2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.sub('hello',10))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.sub('hello',0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('x'):len())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(#'abc')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('10'+5)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('0x10'+0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(10 ..20)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('a'..1.5)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(2^53)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(1e15)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(1e16)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(123456789012)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(0.1+0.2)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(-0.0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(1/0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(-1/0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(10%3)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(-10%3)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(10%-3)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(5.5%2)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(2^0.5)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(7/2)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('abc'<'abd')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('Z'<'a')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(''<'a')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all('a\0b'<'a\0c')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(not nil)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(nil==false)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(1=='1')
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({1,2,3},','))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({1,2,3}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({1,2,3},',',2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({1,2,3},',',2,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({1,{},3}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.concat({},'x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.getn({1,2}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.maxn({1,2,[10]=1}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.insert({},1,2,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.insert({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.insert(nil,1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.remove({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.remove({1,2,3}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.remove({1,2,3},1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.setn({},1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.sort({3,1,2}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.sort({1,'x'}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.unpack)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.foreach({10},function(k,v) return k+v end))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(table.foreachi({10,20},function(i,v) if i==2 then return v end end))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(unpack({1,2,3}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(unpack({1,2,3},2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(unpack({1,2,3},2,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(unpack({},1,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(unpack({},1,1e8))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select('#'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select('#',nil,nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select(2,'a','b','c'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select(-1,'a','b'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(select('x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('10'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('0x1F'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('  5  '))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('5x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('z',36))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('ff',16))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('8',8))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('1e1'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber(''))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber(nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('10',99))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('inf'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber('nan'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tonumber({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(1.5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(1e100))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(-0.0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(true))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring('x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(2^63))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(1e14))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(tostring(123456.789))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(type(nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(type())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(type(type))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(rawequal('a','a'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(rawequal({},{}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(rawget({5},1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(rawset({},1,2)[1])
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(rawget(1,2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(next({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(next({1}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(next({},'x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(ipairs({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(pairs(nil))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(ipairs())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(pcall())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(pcall(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(xpcall())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(assert(1,2))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.abs(-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.acos(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.asin(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.atan(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.atan2(1,1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.ceil(1.1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.ceil(-1.1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.cos(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.cosh(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.deg(math.pi))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.exp(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.floor(1.9))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.floor(-1.1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.fmod(7,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.fmod(-7,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.fmod(1,0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.mod(7,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.frexp(8))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.ldexp(1,4))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.log(10))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.log10(100))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.max(1,5,3))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.max())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.min(1,-5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.modf(3.7))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.modf(-3.7))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.modf(1/0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.pow(2,10))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.rad(180))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.sin(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.sinh(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.sqrt(16))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.sqrt(-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.tan(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.tanh(0))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.pi)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.huge)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.floor('x'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(math.floor('3.7'))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.running())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.status(coroutine.create(function() end)))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.resume(coroutine.create(function(a) return a end),5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.resume(coroutine.create(function(a) local b=coroutine.yield(a) return b end),5))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.wrap(function() return 1,2 end)())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.create(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.resume(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(coroutine.status(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(collectgarbage('count')>0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(gcinfo()>0)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(_VERSION)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(next({a=1}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(#{1,2,nil,4})
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(#{nil})
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(({...})[1])
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(getmetatable({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(setmetatable({},1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(setmetatable({}))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(loadstring('return 1+1')())
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(loadstring(1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(%-5s)
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%q',1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('%d'):format(2^31))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('%d'):format(-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('%x'):format(-1))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('%d'):format(2^63))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(('%c%c'):format(0,65))
---
local function f(v) if type(v)=='number' then return string.format('%.17g',v) elseif type(v)=='table' or type(v)=='function' or type(v)=='thread' then return type(v) else return type(v)..':'..tostring(v) end end local function all(...) local o={} for i=1,select('#',...) do o[i]=f((select(i,...))) end return o end return all(string.format('%5.2f|%-5d|%05d|%+d|%x|%X|%o|%e|%g|%c|%s|%%',1.234,1,2,3,255,255,8,1.5,1e20,65,'s'))
---
local t={5,3,8,1,9,2} table.sort(t) return t
---
local t={5,3,8,1,9,2} table.sort(t,function(a,b) return a>b end) return t
---
local t={5,3,8,1,9,2,7,7,7} table.sort(t,function(a,b) return true end) return t
---
local t={} for i=1,50 do t[i]=(i*37)%17 end table.sort(t,function(a,b) return true end) return t
---
local t={3,2,nil,1} table.sort(t) return t
---
local t={1,2,3} table.insert(t,2,9) return t
---
local t={1,2,3} table.insert(t,9,9) return t[9]
---
local s='' for k,v in string.gmatch('a=1, b=2','(%w+)=(%w+)') do s=s..k..v end return s
---
local t={} for i=10,1,-3 do t[#t+1]=i end return t
---
local t={} for i=1,2,0.5 do t[#t+1]=tostring(i) end return t
---
local i=0 repeat i=i+1 until i>=5 return i
---
local function f(...) return select('#',...) end return f(nil,nil)
---
local a,b=(function() return 1,2 end)() return {a,b}
---
do local x=1 end return x
---
local t={f=function(self,x) return x end} return t:f(4)
---
return string.rep('x',100000):len()
---
local s='x' for i=1,16 do s=s..s end return #s
---
local t=setmetatable({},{__add=function() return 'add' end,__concat=function() return 'cat' end,__unm=function() return 'neg' end,__lt=function() return true end,__le=function() return false end,__len=function() return 9 end}) return {t+1,t..'x',-t,tostring(t<t),tostring(t<=t),#t}
---
return ('x'):rep(10):gsub('x','%%')
---
return [==[long
string]==]
---
return '\65\066\n\x'
---
return 0x10
---
return 1e
---
return 3..2
---
return 08
---
return pcall(string.rep)
---
return {pcall(string.find,('a'):rep(2500),'.-b')}
---
return {pcall(string.match,('('):rep(40),('('):rep(40))}
---
return {pcall(string.gsub,'x',('(x)'):rep(33),'')}
---
return #tostring({})>0
---
local co=coroutine.wrap(function(...) local a=... while true do a=coroutine.yield(a*2) end end) return {co(1),co(2),co(3)}
---
local co=coroutine.create(function() coroutine.yield() end) coroutine.resume(co) coroutine.resume(co) local ok,e=coroutine.resume(co) return {tostring(ok),e}
---
local function gen(n) return coroutine.wrap(function() for i=1,n do coroutine.yield(i) end end) end local s=0 for v in gen(10) do s=s+v end return s
---
local r={} for i=1,3 do local ok,e=pcall(function() if i==2 then error({code=i}) end return i end) r[i]=ok and e or e.code end return r
---
local t = {} for i = 1, 500 do t[('k'):rep(i % 28) .. i] = i end for i = 1, 500, 3 do t[('k'):rep(i % 28) .. i] = nil end for i = 600, 700 do t['n' .. i] = i end local out = {} for k, v in pairs(t) do out[#out+1] = #k .. ':' .. v end return out
---
local a, b = {}, {} for i = 1, 60 do a['x' .. i] = i b[i] = 'x' .. i end local n = 0 for i = 61, 90 do if a['x' .. i] ~= nil then n = n + 1 end a['x' .. i] = b end local out = {n} for k, v in pairs(a) do out[#out+1] = k end return out
---
local t = {} for i = 1, 40 do t[i * 3] = i t['s' .. i] = i t[i + 0.5] = i t[i % 2 == 0] = i end local out = {} for k in pairs(t) do out[#out+1] = tostring(k) end return out
---
local t = {} for i = 0, 30 do t[('\0'):rep(i)] = i t[('\255'):rep(i) .. 'a'] = i end local out = {} for k, v in pairs(t) do out[#out+1] = #k .. ':' .. v end return out
---
local t = cjson.decode('{"a":1,"b":[1,2,{"c":3}],"dd":{},"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeee":1,"f":null}') t.g = t.a t.a = nil t.h = 1 return {cjson.encode(t), cmsgpack.pack(t), cjson.encode(cmsgpack.unpack(cmsgpack.pack(t)))}
---
local t = {} for i = 1, 20 do t[i] = i end t[7] = nil t[20] = nil t.x = {1, {2}, {}} return {cjson.encode(t), cmsgpack.pack(t), cmsgpack.pack({[{}] = {1}, [true] = false}), cmsgpack.pack({1, 2, nil, 4})}
---
return {cjson.encode('a/b"c\\d\n\127\1' .. ('plain text '):rep(5) .. '/'), cjson.encode('12345678'), cjson.encode('1234567/'), cjson.encode('/2345678'), cjson.encode('\195\164\226\130\172 end'), cjson.encode({['a/b'] = '"', ['\0'] = '\0'})}
