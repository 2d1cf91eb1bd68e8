-- Puts a value at a path in a document that is stored as MessagePack. ARGV: the value as JSON, then
-- the steps of the path, names or positions from 0.
local value = cjson.decode(table.remove(ARGV, 1))
local document = cmsgpack.unpack(redis.call('GET', KEYS[1]))
local place, last = document, nil
while true do
    local step = table.remove(ARGV, 1)
    local position = tonumber(step)
    last = position and position + 1 or step
    if #ARGV == 0 then break end
    place = place[last]
end
place[last] = value
return redis.call('SET', KEYS[1], cmsgpack.pack(document))
