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
---
local out, seed = {}, 7 local function next(n) seed = (seed * 16807) % 2147483647 return seed % n end for size = 0, 40 do local t = {} for i = 1, size do t[i] = {next(6), i} end table.sort(t, function(a, b) out[#out+1] = a[2] * 100 + b[2] return a[1] < b[1] end) for i = 1, size do out[#out+1] = t[i][2] end end return out
---
local out, seed = {}, 11 local function next(n) seed = (seed * 16807) % 2147483647 return seed % n end for size = 1, 60 do local t, calls = {}, 0 for i = 1, size do t[i] = i end local ok, e = pcall(table.sort, t, function(a, b) calls = calls + 1 if calls > 3000 then error('enough') end return next(2) == 0 end) out[#out+1] = tostring(ok) .. ' ' .. tostring(e) .. ' ' .. calls for i = 1, size do out[#out+1] = tostring(t[i]) end end return out
---
local out = {} for size = 1, 30 do local t, calls = {}, 0 for i = 1, size do t[i] = (i * 7) % 5 end local ok, e = pcall(table.sort, t, function(a, b) calls = calls + 1 if calls > 500 then error('enough') end return a <= b end) out[#out+1] = tostring(ok) .. ' ' .. tostring(e) .. ' ' .. calls for i = 1, size + 1 do out[#out+1] = tostring(t[i]) end end return out
---
local t = {} for i = 1, 20 do t[i] = (i * 7) % 20 end local n = 0 pcall(table.sort, t, function(a, b) n = n + 1 t[n % 20 + 1] = n return a < b end) return t
---
local t, n = {}, 0 for i = 1, 2000 do t[i] = i end table.sort(t, function(a, b) n = n + 1 return a > b end) return {n, t[1], t[2000]}
---
local t = {} for i = 1, 300 do t[i] = ('%03d'):format((i * 77) % 300) end table.sort(t) return t
---
return {tostring(pcall(table.sort, {1, 'a', 2, {}})), select(2, pcall(table.sort, {1, 'a', 2, {}}))}
---
return {select(2, pcall(table.sort, {1, 2}, 3)), select(2, pcall(table.sort)), select(2, pcall(table.sort, {2, 1}, nil, 5))}
---
local m = {__lt = function(a, b) return a.n < b.n end} local t = {} for i = 1, 30 do t[i] = setmetatable({n = (i * 7) % 11}, m) end table.sort(t) local out = {} for i = 1, 30 do out[i] = t[i].n end return out
---
local co co = coroutine.create(function() local inner = coroutine.create(function() return coroutine.status(co), coroutine.resume(co) end) local out = {coroutine.status(co), coroutine.resume(inner)} out[#out+1] = coroutine.status(inner) local ok, e = coroutine.resume(coroutine.running()) out[#out+1] = tostring(ok) out[#out+1] = e return unpack(out) end) local out = {coroutine.status(co), coroutine.resume(co)} for i = 1, #out do out[i] = tostring(out[i]) end out[#out+1] = coroutine.status(co) return out
---
local f f = coroutine.wrap(function() return f() end) return {pcall(f)}
---
local f = coroutine.wrap(function() return 1 end) f() return {select(2, pcall(f)), select(2, pcall(f, 1, 2, 3))}
---
local f = coroutine.wrap(function() return 1 end) f() f(2)
---
local out = {} for _, e in ipairs({'text', 5, 0.1, true, {err = 'a table'}, {7}}) do local co = coroutine.create(function() error(e) end) local ok, got = coroutine.resume(co, 1, 2) out[#out+1] = {tostring(ok), tostring(got == e), type(got), type(got) ~= 'table' and tostring(got) or 'table', coroutine.status(co), select('#', coroutine.resume(co, 1, 2, 3)), select(2, coroutine.resume(co, 4))} local f = coroutine.wrap(function() error(e) end) local ok, got = pcall(f) out[#out+1] = {tostring(ok), type(got), type(got) ~= 'table' and tostring(got) or 'table'} end return out
---
local co = coroutine.create(function() error() end) return {coroutine.resume(co), select('#', coroutine.resume(co)), select('#', pcall(coroutine.wrap(function() error() end)))}
---
local function n(...) return select('#', ...) end local co = coroutine.create(function(...) local a = n(...) while true do a = n(coroutine.yield(a, nil, nil)) end end) return {n(coroutine.resume(co)), n(coroutine.resume(co, nil, nil)), select(2, coroutine.resume(co, nil, nil, nil)), select(2, coroutine.resume(co))}
---
local t = {} for i = 1, 7900 do t[i] = i end local co = coroutine.create(function(...) return coroutine.yield(select('#', ...)) end) local ok, e = pcall(coroutine.resume, co, unpack(t)) local ok2, e2 = pcall(coroutine.resume, co, unpack(t, 1, 50)) return {tostring(ok), tostring(e), tostring(ok2), tostring(e2)}
---
local t = {} for i = 1, 7900 do t[i] = i end local function many(co) return coroutine.resume(co, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100, unpack(t)) end local over = coroutine.create(function() end) coroutine.resume(over) local out = {} for _, co in ipairs({coroutine.create(function(...) return select('#', ...) end), over}) do local ok, a, b = pcall(many, co) out[#out+1] = {tostring(ok), tostring(a), tostring(b)} end return out
---
local t = {} for i = 1, 7990 do t[i] = i end local co = coroutine.create(function() return 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32, unpack(t) end) local ok, e = pcall(coroutine.resume, co) local f = coroutine.wrap(function() return 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32, unpack(t) end) local ok2, e2 = pcall(f) return {tostring(ok), tostring(e), tostring(ok2), tostring(e2)}
---
local n = 0 local function f() n = n + 1 local co = coroutine.wrap(f) return co() end local ok, e = pcall(f) return {n, tostring(ok), e}
---
local n = 0 local function f() n = n + 1 return coroutine.resume(coroutine.create(f)) end local out = {f()} for i = 1, #out do out[i] = tostring(out[i]) end out[#out+1] = n return out
---
local out = {} for _, f in ipairs({coroutine.resume, coroutine.wrap, coroutine.create}) do for _, v in ipairs({1, 'x', {}, print or tostring}) do out[#out+1] = select(2, pcall(f, v)) end out[#out+1] = select(2, pcall(f)) end return out
---
return {pcall(coroutine.wrap(function() coroutine.yield(1) return pcall(coroutine.yield, 2) end))}
---
local f = coroutine.wrap(function() return pcall(coroutine.yield, 2) end) local a = {f()} for i = 1, #a do a[i] = tostring(a[i]) end return a
---
local f = coroutine.wrap(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield(a) return a < b end) end) return {pcall(f)}
---
local out = {} for _, e in ipairs({'x', 1, true, {err = 'an error'}, {err = 5}, {err = {}}, {err = false}, {1}, setmetatable({}, {__index = {err = 'inherited'}})}) do local got = {pcall(error, e)} out[#out+1] = {#got, select('#', pcall(error, e)), tostring(got[1]), type(got[2]), type(got[2]) ~= 'table' and tostring(got[2]) or 'table', type(got[3])} end return out
---
local function all(...) local o = {select('#', ...)} for i = 1, select('#', ...) do o[i + 1] = tostring((select(i, ...))) end return o end return {all(pcall(function() end)), all(pcall(function(...) return ... end, nil, nil)), all(pcall(unpack, {1, 2, 3})), all(pcall(nil)), all(pcall(5, 6))}
---
local t = {} for i = 1, 7990 do t[i] = 1 end local function f() return unpack(t) end return {select('#', pcall(f)), select('#', xpcall(f, tostring)), select('#', pcall(pcall, f))}
---
local function all(...) local o = {select('#', ...)} for i = 1, select('#', ...) do o[i + 1] = tostring((select(i, ...))) end return o end return {all(xpcall(function(...) return select('#', ...), 'a', nil end, error, 1, 2)), all(xpcall(error, function(e) return type(e), 1 end)), all(xpcall(nil, function(e) return 'got ' .. e end)), all(pcall(xpcall, error)), all(pcall(xpcall))}
---
local function all(...) local o = {select('#', ...)} for i = 1, select('#', ...) do o[i + 1] = tostring((select(i, ...))) end return o end local out = {} for _, at in ipairs({-2, 0, 1, 2, 4, 5, 9, 2147483647, 4294967298, 2.7}) do local t = {1, 2, 3, 4} out[#out+1] = all(pcall(table.insert, t, at, 'x')) local keys = {} for k, v in pairs(t) do keys[#keys+1] = tostring(k) .. '=' .. tostring(v) end table.sort(keys) out[#out+1] = keys out[#out+1] = all(pcall(table.remove, t, at)) out[#out+1] = {#t, unpack(t, 1, 4)} end return out
---
local function all(...) local o = {select('#', ...)} for i = 1, select('#', ...) do o[i + 1] = tostring((select(i, ...))) end return o end local t = {} return {all(pcall(table.insert, t)), all(pcall(table.insert, t, 1, 2, 3)), all(pcall(table.insert, t, 'x', 2)), all(pcall(table.insert, 5, 1)), all(pcall(table.insert, t, nil)), all(table.remove(t)), all(table.remove({7})), all(pcall(table.remove)), all(table.remove({1, 2}, 5))}
---
local o = {} local function see(k, v) o[#o+1] = tostring(k) .. tostring(v) if v == 3 then return 'found' end end o[#o+1] = tostring(table.foreach({1, 2, 3, 4, x = 5}, see)) o[#o+1] = tostring(table.foreachi({1, 2, 3, 4, x = 5}, see)) o[#o+1] = tostring(table.foreach({x = 5}, see)) o[#o+1] = tostring(table.foreachi({}, see)) o[#o+1] = select(2, pcall(table.foreach, {1})) o[#o+1] = select(2, pcall(table.foreachi, {1}, 1)) o[#o+1] = tostring(table.foreach({1}, function() return false end)) return o
