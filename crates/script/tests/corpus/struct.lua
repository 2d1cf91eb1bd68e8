local function hex(s) return (s:gsub('.', function(c) return string.format('%02x', c:byte()) end)) end
local out = {}
for _, f in ipairs{'b', 'B', 'h', 'H', 'i', 'I', 'l', 'L', 'T', 'i1', 'i2', 'i3', 'i4', 'i5', 'i8', 'I8', 'i9', 'i16', 'i32', 'I3', '>h', '>i', '>l', '>i3', '>I16', '<i', '>i4', '>d', '<d', '>f', 'f', 'd'} do
  for _, v in ipairs{0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 2^31, 2^32 + 1, -2^31, 1.5, -1.5, 2^53, 2^62, -2^63} do
    out[#out + 1] = f .. ' ' .. tostring(v) .. ' ' .. hex(struct.pack(f, v))
  end
end
return out
---
local out = {}
for _, f in ipairs{'b', 'B', 'h', 'H', 'i', 'I', 'l', 'L', 'T', 'i1', 'i2', 'i3', 'i4', 'i5', 'i8', 'I8', 'i16', 'I3', '>h', '>i', '>l', '>i3', '>I16', '<i', '>d', '<d', '>f', 'f', 'd', 'i9', '>i9', 'i12'} do
  for _, s in ipairs{('\0'):rep(40), ('\255'):rep(40), ('\128\1'):rep(20), ('\1\128'):rep(20), '@\9!\251TD-\24' .. ('x'):rep(30)} do
    out[#out + 1] = f .. ' ' .. string.format('%.17g %d', struct.unpack(f, s))
  end
end
return out
---
return {struct.size('b'), struct.size('bh'), struct.size('!bh'), struct.size('!4bd'), struct.size('!8bd'), struct.size('!bd'), struct.size('b!2i'), struct.size('c5'), struct.size('!c5i'), struct.size('x'), struct.size('  i  '), struct.size(''), struct.size('zzz'), struct.size('i3!i3'), struct.size('!16l'), struct.size('!i16'), struct.size('!1bi')}
---
local function hex(s) return (s:gsub('.', function(c) return string.format('%02x', c:byte()) end)) end
return {hex(struct.pack('!bi', 1, 2)), hex(struct.pack('!4bd', 1, 2)), hex(struct.pack('!bxhxl', 1, 2, 3)), hex(struct.pack('bs', 1, 'abc')), hex(struct.pack('!s!i', 'abcd', 1)), hex(struct.pack('c3', 'abcdef')), hex(struct.pack('c0', 'abc')), hex(struct.pack('Bc0', 3, 'abc')), hex(struct.pack('>!4 i2 i4', 1, 2)), hex(struct.pack('s', 'a\0b')), hex(struct.pack('xx')), hex(struct.pack(''))}
---
return {struct.unpack('s', 'abc\0def')}
---
return {struct.unpack('ss', 'abc\0def\0')}
---
return {struct.unpack('Bc0', '\3abcdef')}
---
return {struct.unpack('Bc0B', '\3abc\5')}
---
return {struct.unpack('c3', 'abcdef')}
---
return {struct.unpack('c3', 'abcdef', 3)}
---
return {struct.unpack('!bi', '\1\0\0\0\2\0\0\0')}
---
return {struct.unpack('!bi', '\1\0\0\0\2\0\0\0\0\0\0\0', 5)}
---
return {struct.unpack('', 'abc')}
---
return {struct.unpack('xb', 'ab')}
---
return {struct.unpack('b b b', 'abc')}
---
return {struct.unpack('i', 'abcdefgh', 6)}
---
return {struct.unpack('i', 'a')}
---
return {struct.unpack('b', 'abc', 4)}
---
return {struct.unpack('', 'abc', 4)}
---
return {struct.unpack('', 'abc', 5)}
---
return {struct.unpack('s', 'abc')}
---
return {struct.unpack('c0', 'abc')}
---
return {struct.unpack('sc0', 'abc\0x')}
---
return {struct.unpack('bc0', '\255abc')}
---
return {struct.unpack('dc0', struct.pack('d', 1.7) .. 'abc')}
---
return {struct.unpack('i', 'abcd', 0)}
---
return {struct.unpack('i', 'abcd', -1)}
---
return {struct.unpack('i', 'abcd', 'x')}
---
return {struct.unpack('i', 1234567)}
---
return {struct.unpack('i')}
---
struct.pack()
---
struct.pack('z', 1)
---
struct.pack('i')
---
struct.pack('i', 'x')
---
return struct.pack('b', '65')
---
struct.pack('i', {})
---
struct.pack('i33', 1)
---
struct.pack('i999999999999', 1)
---
return #struct.pack('i32', 1)
---
return #struct.pack('i0', 1)
---
struct.pack('!3', 1)
---
struct.pack('!0', 1)
---
return struct.pack('!1i', 1)
---
return #struct.pack('!1024bi32', 1, 1)
---
struct.pack('c3', 'ab')
---
struct.pack('c3')
---
struct.pack('s')
---
struct.pack('s', {})
---
return struct.pack('s', 12)
---
struct.pack('i\0z', 1)
---
struct.size('s')
---
struct.size('c0')
---
struct.size('!3')
---
struct.size('@')
---
struct.size()
---
struct.size('i33')
---
struct.unpack('z', 'abc')
---
struct.unpack('@', 'abc')
---
return {struct.unpack('ib', struct.pack('ib', 7, 8))}
---
return {struct.unpack(('b'):rep(300), ('x'):rep(300))}
---
return #{struct.unpack(('b'):rep(7000), ('x'):rep(7000))}
---
return #{struct.unpack(('b'):rep(9000), ('x'):rep(9000))}
