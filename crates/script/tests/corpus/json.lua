return cjson.encode({})
---
return cjson.encode({1,2,3})
---
return cjson.encode({a=1})
---
return cjson.encode({a={b={c={}}}})
---
return cjson.encode('x')
---
return cjson.encode('')
---
return cjson.encode(1)
---
return cjson.encode(-1)
---
return cjson.encode(1.5)
---
return cjson.encode(0.1)
---
return cjson.encode(1e15)
---
return cjson.encode(1e14)
---
return cjson.encode(123456789012345)
---
return cjson.encode(99999999999999)
---
return cjson.encode(1e-7)
---
return cjson.encode(1e300)
---
return cjson.encode(-0.0)
---
return cjson.encode(2^53)
---
return cjson.encode(2^63)
---
return cjson.encode(1/3)
---
return cjson.encode(100)
---
return cjson.encode(1e20)
---
return cjson.encode(12345.678)
---
return cjson.encode(true)
---
return cjson.encode(false)
---
return cjson.encode(nil)
---
return cjson.encode(cjson.null)
---
return cjson.encode({cjson.null,1})
---
return cjson.encode({1,nil,3})
---
return cjson.encode({nil,2})
---
return cjson.encode({[2]=1})
---
return cjson.encode({[1]=1,[2]=2,[4]=4})
---
return cjson.encode({[1]=1,[100]=2})
---
return cjson.encode({[10]=1})
---
return cjson.encode({[11]=1})
---
return cjson.encode({[0]=1})
---
return cjson.encode({[-1]=1})
---
return cjson.encode({[1.5]=1})
---
return cjson.encode({1,2,x=3})
---
return cjson.encode({[1]=1,['1']=2})
---
return cjson.encode({[true]=1})
---
return cjson.encode({[{}]=1})
---
return cjson.encode('a"b\\c/d')
---
return cjson.encode('\0\1\8\9\10\11\12\13\14\31\127\128\255')
---
return cjson.encode('\226\130\172')
---
return cjson.encode(function() end)
---
return cjson.encode({function() end})
---
return cjson.encode(coroutine.create(function() end))
---
return cjson.encode(io==nil and 0/0)
---
return cjson.encode(0/0)
---
return cjson.encode(1/0)
---
return cjson.encode(-1/0)
---
return cjson.encode({1/0})
---
return cjson.encode({[1/0]=1})
---
return cjson.encode({[1e300]=1})
---
return cjson.encode({[1e9]=1})
---
return cjson.encode({{},{{}}})
---
return cjson.encode({a={},b={1}})
---
return cjson.encode(setmetatable({},{__index={1,2}}))
---
return cjson.encode(setmetatable({1},{__len=function() return 5 end}))
---
return cjson.encode(string.rep('x',1000))
---
return cjson.encode({'a',{b='c'},true,false,1.25})
---
return cjson.encode()
---
return cjson.encode(1,2)
---
return cjson.encode({},nil)
---
local t={} local u=t for i=1,998 do u[1]={} u=u[1] end return #cjson.encode(t)
---
local t={} local u=t for i=1,999 do u[1]={} u=u[1] end return #cjson.encode(t)
---
local t={} local u=t for i=1,1000 do u[1]={} u=u[1] end return #cjson.encode(t)
---
local t={} t.t=t return cjson.encode(t)
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode(""))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\046\053"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\069\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\043\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\045\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\046"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\048\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\048\055"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\120\049\070"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\048\120\049\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\120\049\112\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\120"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\043"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\046\053"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\043\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\045\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\046\053"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\046\050\046\051"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\050\051\052\053\054\055\056\057\048\049\050\051\052\053\054\055\056"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\050\051\052\053\054\055\056\057\048\049\050\051\052\053\054\055\056\057\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\046\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\046\051\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\052"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\051\046\049\052\049\053\057\050\054\053\051\053\056\057\055\057\051\050\051\056"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\052\048\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\049\101\052\048\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\053\101\045\051\050\052"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\101\045\052\048\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\105\110\102"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\105\110\102"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\073\110\102\105\110\105\116\121"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\073\110\102\105\110\105\116\121"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\073\078\070"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\097\110"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\078\097\078"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\110\097\110"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\097\110\040\049\050\041"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\097\110\040"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\105\110\102\120"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\116\114\117\101"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\102\097\108\115\101"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\117\108\108"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\084\114\117\101"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\117\108"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110\117\108\108\120"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\116\114\117\101\102\097\108\115\101"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\044\050\044\051\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\044\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\044\049\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\032\050\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\044"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\044\034\098\034\058\091\050\044\123\034\099\034\058\110\117\108\108\125\093\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\044\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\032\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\097\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\049\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\032\034\098\034\058\050\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\044"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\049\044\034\097\034\058\050\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\044"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\058"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\097\098\099\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\097\098\099"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\097\092\110\098\092\116\092\034\092\092\092\047\092\098\092\102\092\114\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\120\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\048\052\049\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\048\101\057\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\050\048\097\099\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\056\051\100\092\117\100\101\048\048\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\056\051\100\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\101\048\048\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\056\051\100\092\117\048\048\052\049\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\056\051\100\120\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\049\050\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\049\050\103\052\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\068\056\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\048\048\048\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\048\055\102\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\048\056\048\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\055\102\102\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\048\056\048\048\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\102\102\102\102\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\092\117\100\098\102\102\092\117\100\102\102\102\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\034\116\097\098\009\104\101\114\101\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\032\032\049\032\032"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\009\010\013\032\049\032\009\010\013"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\032\050"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\044\050"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\093\032\120"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\034\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\123\034\098\034\058\123\034\099\034\058\091\091\091\091\049\093\093\093\093\125\125\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\034\097\034\044\034\098\034"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\034\097\034\032\034\098\034\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\116\114\117\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\110\097\110\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\045\110\097\110\044\105\110\102\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\064"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\039\097\039"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\047\042\032\099\032\042\047\032\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\011\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\101\053\044\049\069\045\053\044\048\046\049\101\049\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\097\034\058\034\098\001\099\034\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\034\092\117\048\048\034\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\120\092\117\034\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\123\034\120\092\113\034\058\049\125"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\044\034\092\117\100\056\048\048\092\117\100\099\048\048\034\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\105\078\102\073\110\073\116\089"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\105"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\110"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\078"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\048\049\050\051\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\045\032\049\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\045\049\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\049\101\053\046\053\093"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\095\048\048\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\057\057\057\057\057\057\057\057\057\057\057\057\057\057\057"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\057\057\057\057\057\057\057\057\057\057\057\057\057\057\057\057"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\046\048\048\048\048\048\049"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\050\051\052\053\054\046\055\056\057"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\050\051\052\053\054\055\056\057\048\046\049\050\051\052\053"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\050\051\052\053\054\055\056\057\048\049\046\049\050\051\052\053"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\045\049\050\051\046\052\053\054\101\050"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\049\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048\048"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\048\046\049\050\051\052\053\054\055\056\057\048\049\050\051\052\053\054"))
---
local function f(v) if type(v)=="table" then return cjson.encode(v) elseif type(v)=="number" then return string.format("%.17g",v) elseif v==cjson.null then return "null" else return type(v)..":"..tostring(v) end end return f(cjson.decode("\091\048\046\048\044\045\048\046\048\044\048\101\053\093"))
---
return cjson.decode('\0a')
---
return cjson.decode('a\0')
---
return cjson.decode('1\0')
---
return cjson.decode('[1]\0abc')[1]
---
return cjson.decode('[1\0]')
---
return cjson.decode('"a\0b"')
---
return cjson.decode(1)
---
return cjson.decode(nil)
---
return cjson.decode({})
---
return cjson.decode(true)
---
return cjson.decode('1',2)
---
return cjson.decode()
---
return cjson.decode('[1]','x')
---
return cjson.decode(('['):rep(1000)..(']'):rep(1000))~=nil
---
return cjson.decode(('['):rep(1001)..(']'):rep(1001))
---
return cjson.decode(('{"a":'):rep(1000)..'1'..('}'):rep(1000))~=nil
---
return cjson.decode(('{"a":'):rep(1001)..'1'..('}'):rep(1001))
---
local t=cjson.decode('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]') t[8]=nil return #t
---
local s={} for i=1,100 do s[i]=tostring(i) end local t=cjson.decode('['..table.concat(s,',')..']') t[#t+1]=1 return {#t, t[100], t[50]}
---
local s={} for i=1,40 do s[i]='"key'..i..'":'..i end local t=cjson.decode('{'..table.concat(s,',')..'}') return cjson.encode(t)
---
local s={} for i=1,300 do s[i]='"k'..(i*7919%1000)..'":'..i end return cjson.encode(cjson.decode('{'..table.concat(s,',')..'}'))
---
local t=cjson.decode('{"a":null}') return {t.a==cjson.null, type(t.a), tostring(t.a)}
---
local j=cjson.new() local r={j.encode_max_depth()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_max_depth('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_max_depth('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_number_precision('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_keep_buffer('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_invalid_numbers('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.decode_invalid_numbers('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array()} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array('x')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(0)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(-1)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(1.5)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array({})} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(nil)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(1,2,3,4)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(true)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(false)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array('on')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array('off')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array('null')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array(20)} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() local r={j.encode_sparse_array('5')} for i=1,#r do r[i]=tostring(r[i]) end return r
---
local j=cjson.new() j.encode_number_precision(3) return j.encode({1/3,1234567,0.00012345})
---
local j=cjson.new() j.encode_number_precision(1) return j.encode({1/3,1234567,9.6})
---
local j=cjson.new() j.encode_max_depth(2) return j.encode({{1}})..j.encode({{{1}}})
---
local j=cjson.new() j.decode_max_depth(2) return j.encode(j.decode('[[1]]'))..j.encode(j.decode('[[[1]]]'))
---
local j=cjson.new() j.encode_sparse_array(true) return j.encode({[1]=1,[100]=2})
---
local j=cjson.new() j.encode_sparse_array(true,0) return #j.encode({[1]=1,[100]=2})
---
local j=cjson.new() j.encode_sparse_array(false,3,5) return j.encode({[1]=1,[6]=2})..j.encode({[1]=1,[7]=2})
---
local j=cjson.new() j.encode_invalid_numbers(true) return j.encode({0/0,1/0,-1/0,-(0/0)})
---
local j=cjson.new() j.encode_invalid_numbers('null') return j.encode({0/0,1/0})
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('1'))..tostring(j.decode('-0'))..tostring(j.decode('0.5'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('nan'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('inf'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('-inf'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('0x10'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('01'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('-01'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('[+1]'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('[.5]'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('[1.]')[1])
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('[-]'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('[nan]'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('{"a":0x1}'))
---
local j=cjson.new() j.decode_invalid_numbers(false) return tostring(j.decode('Infinity'))
---
local j=cjson.new() return {type(j.null), j._NAME, j._VERSION, j.null==cjson.null, type(j.new)}
---
cjson.encode_max_depth(1) local ok,e=pcall(cjson.encode,{{}}) cjson.encode_max_depth(1000) return e
---
local ok,e=pcall(cjson.decode,'x') return e
---
return cjson.encode(cjson.decode('[{},[],{"a":[]}]'))
---
return cjson.encode({1,2,3,[5]=5})
---
return cjson.encode({[1]=1,[2]=2,[3]=3,[20]=20})
