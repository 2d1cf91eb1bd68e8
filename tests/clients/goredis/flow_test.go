package goredis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestAPipelineOfAThousand(t *testing.T) {
	db := empty(t)
	pipe := db.Pipeline()
	answers := make([]*redis.StringCmd, 500)
	for n := range answers {
		pipe.Set(ctx, fmt.Sprint("k", n), n, 0)
		answers[n] = pipe.Get(ctx, fmt.Sprint("k", n))
	}
	_, err := pipe.Exec(ctx)
	must(t, err)
	for n, answer := range answers {
		same(t, n)(answer.Int())
	}
}

func TestErrorsStayInTheirPlaces(t *testing.T) {
	db := empty(t)
	pipe := db.Pipeline()
	pipe.Set(ctx, "k", "x", 0)
	wrong := pipe.Incr(ctx, "k")
	right := pipe.Get(ctx, "k")
	_, err := pipe.Exec(ctx)
	if err == nil || wrong.Err() == nil {
		t.Fatal("no error")
	}
	same(t, "ERR value is not an integer or out of range")(wrong.Err().Error(), nil)
	same(t, "x")(right.Result())
}

func TestTransactions(t *testing.T) {
	db := empty(t)
	var sum *redis.IntCmd
	_, err := db.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Set(ctx, "a", 1, 0)
		sum = pipe.Incr(ctx, "a")
		return nil
	})
	must(t, err)
	same(t, int64(2))(sum.Result())

	err = db.Watch(ctx, func(tx *redis.Tx) error {
		must(t, db.Set(ctx, "a", 9, 0).Err())
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, "mine", 1, 0)
			return nil
		})
		return err
	}, "a")
	if !errors.Is(err, redis.TxFailedErr) {
		t.Fatalf("a disturbed transaction gave %v", err)
	}
	same(t, int64(0))(db.Exists(ctx, "mine").Result())
}

func TestCountingWithWatchInSeveralGoroutines(t *testing.T) {
	db := empty(t)
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for done := 0; done < 50; {
				err := db.Watch(ctx, func(tx *redis.Tx) error {
					n, err := tx.Get(ctx, "n").Int()
					if err != nil && !errors.Is(err, redis.Nil) {
						return err
					}
					_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
						pipe.Set(ctx, "n", n+1, 0)
						return nil
					})
					return err
				}, "n")
				switch {
				case err == nil:
					done++
				case !errors.Is(err, redis.TxFailedErr):
					t.Error(err)
					return
				}
			}
		}()
	}
	group.Wait()
	same(t, 200)(db.Get(ctx, "n").Int())
}

func TestChannelsAndPatterns(t *testing.T) {
	db := empty(t)
	ears := db.Subscribe(ctx, "news")
	defer func() { _ = ears.Close() }()
	must(t, ears.PSubscribe(ctx, "n?ws"))
	for range 2 {
		_, err := ears.ReceiveTimeout(ctx, patience)
		must(t, err)
	}
	same(t, int64(2))(db.Publish(ctx, "news", "hello").Result())
	first, err := ears.ReceiveMessage(ctx)
	must(t, err)
	second, err := ears.ReceiveMessage(ctx)
	must(t, err)
	same(t, "news hello, n?ws hello")(
		first.Channel+" "+first.Payload+", "+second.Pattern+" "+second.Payload, nil)
	must(t, ears.Ping(ctx, "still here"))
	pong, err := ears.ReceiveTimeout(ctx, patience)
	must(t, err)
	same(t, "Pong<still here>")(fmt.Sprint(pong), nil)
	must(t, ears.Unsubscribe(ctx))
	must(t, ears.PUnsubscribe(ctx))
	eventually(t, "nobody to listen", func() bool {
		return db.Publish(ctx, "news", "nobody").Val() == 0
	})
}

func TestBlockingPops(t *testing.T) {
	db := empty(t)
	got := make(chan []string)
	go func() { got <- db.BLPop(ctx, patience, "a", "b").Val() }()
	blocked(t, db)
	must(t, db.RPush(ctx, "b", "x").Err())
	same(t, []string{"b", "x"})(<-got, nil)

	started := time.Now()
	err := db.Do(ctx, "BRPOP", "none", "0.1").Err()
	if !errors.Is(err, redis.Nil) || time.Since(started) < 95*time.Millisecond {
		t.Fatalf("gave up with %v after %v", err, time.Since(started))
	}

	member := make(chan redis.ZWithKey)
	go func() { member <- *db.BZPopMin(ctx, patience, "z").Val() }()
	blocked(t, db)
	must(t, db.ZAdd(ctx, "z", redis.Z{Score: 1.5, Member: "m"}).Err())
	same(t, redis.ZWithKey{Z: redis.Z{Score: 1.5, Member: "m"}, Key: "z"})(<-member, nil)
}

func TestALateReplyIsNeverTakenForAnother(t *testing.T) {
	db := empty(t)
	must(t, db.Set(ctx, "k", "right", 0).Err())
	opts := options(t)
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries = -1
	opts.PoolSize = 1
	hasty := connect(t, opts)
	for n := range 3 {
		queue := fmt.Sprint("queue", n)
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		err := hasty.Do(short, "BLPOP", queue, "0").Err()
		cancel()
		if err == nil {
			t.Fatal("no timeout")
		}
		must(t, db.RPush(ctx, queue, "late").Err())
		for range 5 {
			same(t, "right")(hasty.Get(ctx, "k").Result())
		}
	}
}

func TestErrorsCarryRedissText(t *testing.T) {
	db := empty(t)
	must(t, db.Set(ctx, "s", "text", 0).Err())
	for want, err := range map[string]error{
		"WRONGTYPE Operation against a key holding the wrong kind of value": db.LPush(ctx, "s", 1).Err(),
		"ERR unknown command 'NOSUCH', with args beginning with: 'x' ":      db.Do(ctx, "NOSUCH", "x").Err(),
		"ERR wrong number of arguments for 'get' command":                   db.Do(ctx, "GET").Err(),
		"ERR no such key": db.Rename(ctx, "none", "x").Err(),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDatabasesNamesAndProtocols(t *testing.T) {
	db := empty(t)
	for _, protocol := range []int{2, 3} {
		opts := options(t)
		opts.Protocol, opts.DB, opts.ClientName = protocol, 5, "fifth"
		five := connect(t, opts)
		must(t, five.Set(ctx, "k", protocol, 0).Err())
		same(t, protocol)(five.Get(ctx, "k").Int())
		same(t, "fifth")(five.ClientGetName(ctx).Result())
		if list := db.ClientList(ctx).Val(); !strings.Contains(list, "name=fifth") {
			t.Fatalf("not listed: %s", list)
		}
	}
	same(t, int64(0))(db.Exists(ctx, "k").Result())
}

func TestAClientFindsARestartedServer(t *testing.T) {
	server := newServer(t)
	opts := options(t)
	opts.Addr, opts.DB = server.addr, 2
	db := connect(t, opts)
	must(t, db.Set(ctx, "k", "v", 0).Err())
	ears := db.Subscribe(ctx, "c")
	defer func() { _ = ears.Close() }()
	messages := ears.Channel()
	server.stop(t)
	if db.Get(ctx, "k").Err() == nil {
		t.Fatal("a stopped server answered")
	}
	server.start(t)
	eventually(t, "the client to be back", func() bool { return db.Set(ctx, "k", "w", 0).Err() == nil })
	same(t, "w")(db.Get(ctx, "k").Result())
	eventually(t, "the subscription to be back", func() bool {
		return db.Publish(ctx, "c", "back").Val() == 1
	})
	select {
	case message := <-messages:
		same(t, "back")(message.Payload, nil)
	case <-time.After(patience):
		t.Fatal("no message")
	}
}
