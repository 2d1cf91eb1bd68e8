#!lua name=bench
redis.register_function('bench_get', function(keys) return redis.call('GET', keys[1]) end)
