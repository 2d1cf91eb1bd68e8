return {bit.tobit(0), bit.tobit(1), bit.tobit(-1), bit.tobit(2^31), bit.tobit(2^32), bit.tobit(2^40 + 5), bit.tobit(1.5), bit.tobit(2.5), bit.tobit(-1.5), bit.tobit(1e15)}
---
return {bit.tobit(1e100), bit.tobit(0/0), bit.tobit(1/0), bit.tobit('12'), bit.tobit('0x10')}
---
return {bit.bnot(0), bit.bnot(1), bit.bnot(-1), bit.bnot(0xF0F0)}
---
return {bit.band(255, 15), bit.band(1), bit.band(7, 6, 5), bit.bor(1, 2, 4), bit.bxor(5, 1), bit.bxor(1, 1, 1)}
---
return {bit.lshift(1, 4), bit.lshift(1, 31), bit.lshift(1, 32), bit.lshift(1, -1), bit.rshift(-1, 28), bit.rshift(-1, 0), bit.arshift(-16, 2), bit.arshift(2^31, 31)}
---
return {bit.rol(0x12345678, 8), bit.ror(0x12345678, 8), bit.rol(1, 33), bit.bswap(0x12345678), bit.bswap(0x11)}
---
return {bit.tohex(255), bit.tohex(255, 4), bit.tohex(255, -4), bit.tohex(-1), bit.tohex(-1, -8), bit.tohex(1, 0), bit.tohex(1, 20), bit.tohex(1, -20), bit.tohex(0xABCDEF12, -2^31)}
---
bit.band()
---
bit.band('x')
---
bit.band(1, 'x')
---
bit.band(1, nil)
---
bit.tobit({})
---
bit.lshift(1)
---
bit.lshift(1, 'x')
---
bit.tohex()
---
bit.tohex(1, 'x')
---
bit.tohex(1, nil)
---
bit.bnot(true)
---
return bit.band(0, 'x')
---
return bit.tohex(2^33 + 1.5)
