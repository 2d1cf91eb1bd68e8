"""Calls of every data command that work on the dataset below; what scripts do with them is made in
generated.py. One call to a line, words divided by blanks.
"""

DATASET = """
SET text hello
SET number 42
SET float 3.5
SET soon gone PX 100000000
SETBIT bits 100 1
RPUSH list a b c d
RPUSH numbers 3 1 2
HSET hash f v g 5 h 1.5
HSET one f v
SADD set a
SADD ints 1 2 3
SADD other 2 3 4
ZADD zset 1 a 2 b 3.5 c
ZADD zother 5 b 6 d
XADD stream 1-1 f v
XADD stream 1-2 g w
XGROUP CREATE stream group 0
XREADGROUP GROUP group reader COUNT 1 STREAMS stream >
PFADD visitors a b c
PFADD more c d
GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
"""

CALLS = """
APPEND text more
BITCOUNT bits
BITCOUNT text 0 -1 BIT
BITFIELD bits GET u8 96 INCRBY u8 0 5
BITFIELD_RO bits GET u8 96
BITOP NOT dest bits
BITOP XOR dest bits text
BITPOS bits 1
BLMOVE list target LEFT RIGHT 0
BLMPOP 0 1 list LEFT
BLPOP none list 0
BRPOP list 0
BRPOPLPUSH list target 0
BZMPOP 0 1 zset MIN
BZPOPMAX zset 0
BZPOPMIN zset 0
COPY text copy
COPY text number REPLACE
DBSIZE
DECR number
DECRBY number 5
DEL text none
DUMP number
ECHO text
EXISTS text none text
EXPIRE text 1000
EXPIREAT text 4102444800
EXPIRETIME soonest
FLUSHDB
GEODIST places Palermo Catania km
GEOHASH places Palermo none
GEOPOS places Palermo none
GEORADIUS places 15 37 200 km WITHDIST WITHCOORD ASC
GEORADIUS_RO places 15 37 200 km ASC
GEORADIUSBYMEMBER places Palermo 200 km ASC
GEORADIUSBYMEMBER_RO places Palermo 200 km ASC
GEORADIUS places 15 37 200 km STORE dest
GEOSEARCH places FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHDIST WITHHASH
GEOSEARCHSTORE dest places FROMMEMBER Palermo BYBOX 400 400 km
GET text
GET none
GETBIT bits 100
GETDEL text
GETEX text EX 1000
GETRANGE text 1 3
GETSET text new
GETSET none new
HDEL hash f none
HEXISTS hash f
HGET hash f
HGET hash none
HGETALL one
HGETALL none
HGETALL hash
HINCRBY hash g 5
HINCRBY hash f 1
HINCRBYFLOAT hash h 0.25
HKEYS hash
HLEN hash
HMGET hash f none g
HMSET hash x y
HRANDFIELD one
HRANDFIELD one 2 WITHVALUES
HRANDFIELD one -2
HSCAN hash 0
HSET hash f new x y
HSETNX hash f new
HSTRLEN hash f
HVALS hash
INCR number
INCR text
INCRBY number 10
INCRBYFLOAT float 0.1
KEYS te*
LCS text float
LCS text text IDX WITHMATCHLEN
LCS text text LEN
LINDEX list 1
LINDEX list 99
LINSERT list BEFORE b x
LLEN list
LLEN text
LMOVE list target RIGHT LEFT
LMPOP 2 none list RIGHT COUNT 2
LMPOP 1 none LEFT
LPOP list
LPOP list 2
LPOP none
LPOP none 2
LPOS list b
LPOS list z
LPOS list b COUNT 0
LPUSH list x y
LPUSHX none x
LRANGE list 0 -1
LRANGE none 0 -1
LREM list 1 a
LSET list 0 x
LSET list 99 x
LTRIM list 1 2
MEMORY USAGE none
MGET text none list
MOVE text 3
MSET a 1 b 2
MSETNX a 1 text 2
OBJECT ENCODING list
OBJECT REFCOUNT list
OBJECT ENCODING none
PERSIST soon
PERSIST text
PEXPIRE text 1000000
PEXPIREAT text 4102444800000
PEXPIRETIME text
PFADD visitors d e
PFCOUNT visitors more
PFMERGE dest visitors more
PING
PING text
PSETEX text 1000000 x
PTTL text
PTTL none
PUBLISH nobody text
PUBSUB NUMPAT
PUBSUB CHANNELS
RENAME text renamed
RENAME none renamed
RENAMENX text number
RPOP list
RPOP list 2
RPOPLPUSH list target
RPUSH list x
RPUSHX list x
SADD set b c
SCARD set
SCAN 0 MATCH none COUNT 1000
SDIFF ints other
SDIFFSTORE dest ints other
SELECT 3
SET text new
SET text new NX
SET text new XX GET
SET none new GET
SET text new EX 1000
SET text new KEEPTTL
SET text new EX 0
SETBIT bits 7 1
SETEX text 1000 x
SETNX text x
SETRANGE text 2 XX
SINTER ints other
SINTERCARD 2 ints other LIMIT 1
SINTERSTORE dest ints other
SISMEMBER set a
SMEMBERS set
SMEMBERS none
SMEMBERS ints
SMISMEMBER set a b
SMOVE set other a
SORT numbers
SORT numbers DESC LIMIT 0 2
SORT list ALPHA
SORT list
SORT numbers BY nosort GET # GET none*
SORT numbers STORE dest
SORT_RO numbers
SPOP set
SPOP set 1
SPOP none
SPUBLISH nobody text
SRANDMEMBER set
SRANDMEMBER set 2
SRANDMEMBER none
SREM set a b
SSCAN ints 0
STRLEN text
SUBSTR text 0 1
SUNION ints other
SUNIONSTORE dest ints other
SWAPDB 0 3
TOUCH text none
TTL text
TTL soonest
TYPE text
TYPE none
TYPE stream
UNLINK text none
WAIT 0 0
XACK stream group 1-1
XADD stream 2-1 f v
XADD stream 1-1 f v
XADD none NOMKSTREAM * f v
XADD stream MAXLEN = 1 3-1 f v
XAUTOCLAIM stream group other 0 0
XCLAIM stream group other 0 1-1 JUSTID
XDEL stream 1-1
XGROUP CREATECONSUMER stream group newcomer
XGROUP SETID stream group 0
XGROUP DESTROY stream group
XINFO GROUPS stream
XINFO STREAM stream
XLEN stream
XPENDING stream group
XPENDING none group
XRANGE stream - +
XREAD STREAMS stream 0
XREAD STREAMS stream $
XREAD COUNT 1 STREAMS stream none 0 0
XREADGROUP GROUP group reader STREAMS stream >
XREADGROUP GROUP none reader STREAMS stream >
XREVRANGE stream + - COUNT 1
XSETID stream 9-9
XTRIM stream MAXLEN 1
ZADD zset 5 e
ZADD zset INCR 5 a
ZADD zset NX INCR 5 a
ZADD zset CH 5 a
ZADD zset x a
ZCARD zset
ZCOUNT zset 1 2
ZDIFF 2 zset zother
ZDIFF 2 zset zother WITHSCORES
ZDIFFSTORE dest 2 zset zother
ZINCRBY zset 1.5 a
ZINTER 2 zset zother WITHSCORES
ZINTERCARD 2 zset zother
ZINTERSTORE dest 2 zset zother WEIGHTS 2 3 AGGREGATE MAX
ZLEXCOUNT zset - +
ZMPOP 1 zset MAX COUNT 2
ZMPOP 1 none MAX
ZMSCORE zset a none
ZPOPMAX zset
ZPOPMIN zset 2
ZPOPMIN none
ZRANDMEMBER none
ZRANGE zset 0 -1
ZRANGE zset 0 -1 WITHSCORES
ZRANGE zset 1 2 BYSCORE REV
ZRANGE zset (1 +inf BYSCORE LIMIT 0 1
ZRANGEBYLEX zset - +
ZRANGEBYSCORE zset 1 2 WITHSCORES
ZRANGESTORE dest zset 0 1
ZRANK zset b
ZRANK zset none
ZREM zset a none
ZREMRANGEBYLEX zset - [a
ZREMRANGEBYRANK zset 0 0
ZREMRANGEBYSCORE zset 1 2
ZREVRANGE zset 0 -1 WITHSCORES
ZREVRANGEBYLEX zset + -
ZREVRANGEBYSCORE zset 2 1
ZREVRANK zset a
ZSCAN zset 0
ZSCORE zset a
ZSCORE zset none
ZUNION 2 zset zother WITHSCORES
ZUNIONSTORE dest 2 zset zother
COMMAND COUNT x
CONFIG GET maxmemory
CLUSTER INFO
READONLY
ROLE
"""
