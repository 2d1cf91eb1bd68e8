-- What stands at a path in a document that is stored as text. ARGV: the steps of the path, names
-- or positions from 0.
local value = cjson.decode(redis.call('GET', KEYS[1]))
while #ARGV > 0 do
    local step = table.remove(ARGV, 1)
    local position = tonumber(step)
    value = value[position and position + 1 or step]
end
return cjson.encode(value)
