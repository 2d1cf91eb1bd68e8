package goredis

import (
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Script.Run sends EVALSHA, and EVAL when the server does not know the script.
func TestScriptsAreSentOnce(t *testing.T) {
	db := empty(t)
	script := redis.NewScript(`return redis.call('INCRBY', KEYS[1], ARGV[1])`)
	must(t, db.ScriptFlush(ctx).Err())
	same(t, []bool{false})(script.Exists(ctx, db).Result())
	same(t, 5)(script.Run(ctx, db, []string{"n"}, 5).Int())
	same(t, []bool{true})(script.Exists(ctx, db).Result())
	same(t, 12)(script.Run(ctx, db, []string{"n"}, 7).Int())
	same(t, script.Hash())(script.Load(ctx, db).Result())

	_, err := db.EvalSha(ctx, strings.Repeat("0", 40), nil).Result()
	if !redis.HasErrorPrefix(err, "NOSCRIPT") {
		t.Fatal(err)
	}
	read := redis.NewScript(`return redis.call('GET', KEYS[1])`)
	same(t, "12")(read.RunRO(ctx, db, []string{"n"}).Text())
	_, err = script.EvalRO(ctx, db, []string{"n"}, 1).Result()
	if err == nil || !strings.Contains(err.Error(), "Write commands are not allowed") {
		t.Fatal(err)
	}
	_, err = redis.NewScript(`return redis.call('GET', 'no')`).Run(ctx, db, nil).Result()
	if err != redis.Nil {
		t.Fatal(err)
	}
}

func TestScriptsOfManyClients(t *testing.T) {
	db := empty(t)
	script := redis.NewScript(`
		local value = tonumber(redis.call('GET', KEYS[1]) or '0')
		redis.call('SET', KEYS[1], value + ARGV[1])
		return value + ARGV[1]`)
	must(t, db.ScriptFlush(ctx).Err())
	var all sync.WaitGroup
	for worker := 0; worker < 8; worker++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := 0; n < 100; n++ {
				if err := script.Run(ctx, db, []string{"n"}, 1).Err(); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	all.Wait()
	same(t, "800")(db.Get(ctx, "n").Result())
}

func TestScriptsInPipelines(t *testing.T) {
	db := empty(t)
	script := redis.NewScript(`return {KEYS[1], redis.call('INCR', KEYS[1])}`)
	must(t, script.Load(ctx, db).Err())
	for _, pipe := range []redis.Pipeliner{db.Pipeline(), db.TxPipeline()} {
		must(t, db.FlushAll(ctx).Err())
		pipe.Set(ctx, "n", 1, 0)
		answer := script.Run(ctx, pipe, []string{"n"})
		_, err := pipe.Exec(ctx)
		must(t, err)
		same(t, []interface{}{"n", int64(2)})(answer.Slice())
	}
}

func TestFunctions(t *testing.T) {
	db := empty(t)
	code := "#!lua name=golib\n" +
		"redis.register_function('gocount', function(keys, args) return #keys * 10 + #args end)\n" +
		"redis.register_function{function_name='goget', flags={'no-writes'}, " +
		"callback=function(keys) return redis.call('GET', keys[1]) end}"
	must(t, db.FunctionFlush(ctx).Err())
	same(t, "golib")(db.FunctionLoad(ctx, code).Result())
	if err := db.FunctionLoad(ctx, code).Err(); err == nil {
		t.Fatal("loaded twice")
	}
	same(t, "golib")(db.FunctionLoadReplace(ctx, code).Result())
	must(t, db.Set(ctx, "k", "v", 0).Err())
	same(t, int64(21))(db.FCall(ctx, "gocount", []string{"a", "b"}, "c").Int64())
	same(t, "v")(db.FCallRo(ctx, "goget", []string{"k"}).Text())
	libraries, err := db.FunctionList(ctx,
		redis.FunctionListQuery{LibraryNamePattern: "go*", WithCode: true}).Result()
	must(t, err)
	if len(libraries) != 1 || libraries[0].Code != code || len(libraries[0].Functions) != 2 {
		t.Fatal(libraries)
	}
	stats, err := db.FunctionStats(ctx).Result()
	must(t, err)
	if len(stats.Engines) != 1 || stats.Engines[0].FunctionsCount != 2 || stats.Running() {
		t.Fatal(stats)
	}
	dump, err := db.FunctionDump(ctx).Result()
	must(t, err)
	same(t, "OK")(db.FunctionDelete(ctx, "golib").Result())
	same(t, "OK")(db.FunctionRestore(ctx, dump).Result())
	same(t, int64(0))(db.FCall(ctx, "gocount", nil).Int64())
	must(t, db.FunctionFlush(ctx).Err())
}
