package goredis

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sort"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestStrings(t *testing.T) {
	db := empty(t)
	must(t, db.Set(ctx, "k", "v", 0).Err())
	same(t, "v")(db.Get(ctx, "k").Result())
	same(t, false)(db.SetNX(ctx, "k", "w", 0).Result())
	same(t, int64(42))(db.IncrBy(ctx, "n", 42).Result())
	same(t, 42.5)(db.IncrByFloat(ctx, "n", 0.5).Result())
	same(t, []any{"v", nil, "42.5"})(db.MGet(ctx, "k", "none", "n").Result())
	same(t, "v")(db.GetDel(ctx, "k").Result())
	if err := db.Get(ctx, "k").Err(); !errors.Is(err, redis.Nil) {
		t.Fatalf("a missing key gave %v", err)
	}
}

func TestAnEmptyStringIsNotAMissingKey(t *testing.T) {
	db := empty(t)
	must(t, db.Set(ctx, "empty", "", 0).Err())
	same(t, "")(db.Get(ctx, "empty").Result())
	same(t, []any{"", nil})(db.MGet(ctx, "empty", "none").Result())
	must(t, db.HSet(ctx, "h", "", "").Err())
	same(t, map[string]string{"": ""})(db.HGetAll(ctx, "h").Result())
}

func TestAnyBytesAndManyOfThem(t *testing.T) {
	db := empty(t)
	all := make([]byte, 768)
	for n := range all {
		all[n] = byte(n)
	}
	must(t, db.Set(ctx, string(all), all, 0).Err())
	same(t, all)(db.Get(ctx, string(all)).Bytes())
	big := make([]byte, 10<<20)
	_, _ = rand.Read(big)
	must(t, db.Set(ctx, "big", big, 0).Err())
	got, err := db.Get(ctx, "big").Bytes()
	must(t, err)
	if !bytes.Equal(got, big) {
		t.Fatal("10 MB came back changed")
	}
}

func TestHashes(t *testing.T) {
	db := empty(t)
	same(t, int64(2))(db.HSet(ctx, "h", map[string]any{"a": 1, "b": "two"}).Result())
	same(t, map[string]string{"a": "1", "b": "two"})(db.HGetAll(ctx, "h").Result())
	var into struct {
		A int    `redis:"a"`
		B string `redis:"b"`
	}
	must(t, db.HGetAll(ctx, "h").Scan(&into))
	if into.A != 1 || into.B != "two" {
		t.Fatalf("scanned into %+v", into)
	}
	same(t, []any{"two", nil})(db.HMGet(ctx, "h", "b", "none").Result())
	same(t, int64(2))(db.HDel(ctx, "h", "a", "b", "c").Result())
	same(t, int64(0))(db.Exists(ctx, "h").Result())
}

func TestLists(t *testing.T) {
	db := empty(t)
	same(t, int64(3))(db.RPush(ctx, "l", "a", "b", "c").Result())
	same(t, []string{"a", "b", "c"})(db.LRange(ctx, "l", 0, -1).Result())
	same(t, "c")(db.LMove(ctx, "l", "m", "RIGHT", "LEFT").Result())
	same(t, []string{"a", "b"})(db.LPopCount(ctx, "l", 5).Result())
	same(t, int64(0))(db.LPos(ctx, "m", "c", redis.LPosArgs{}).Result())
	key, values, err := db.LMPop(ctx, "left", 2, "none", "m").Result()
	must(t, err)
	same(t, "mc")(key+values[0], nil)
}

func TestSets(t *testing.T) {
	db := empty(t)
	must(t, db.SAdd(ctx, "a", 1, 2, 3).Err())
	must(t, db.SAdd(ctx, "b", 2, 3, 4).Err())
	members, err := db.SInter(ctx, "a", "b").Result()
	must(t, err)
	sort.Strings(members)
	same(t, []string{"2", "3"})(members, nil)
	same(t, []bool{true, false})(db.SMIsMember(ctx, "a", 1, 9).Result())
	same(t, map[string]struct{}{"1": {}, "2": {}, "3": {}})(db.SMembersMap(ctx, "a").Result())
	same(t, int64(1))(db.SInterCard(ctx, 1, "a", "b").Result())
}

func TestSortedSets(t *testing.T) {
	db := empty(t)
	inf := math.Inf(1)
	must(t, db.ZAdd(ctx, "z", redis.Z{Score: 1, Member: "a"}, redis.Z{Score: 2.5, Member: "b"},
		redis.Z{Score: inf, Member: "c"}).Err())
	same(t, []redis.Z{{Score: 1, Member: "a"}, {Score: 2.5, Member: "b"}, {Score: inf, Member: "c"}})(
		db.ZRangeWithScores(ctx, "z", 0, -1).Result())
	same(t, []string{"b"})(db.ZRangeByScore(ctx, "z",
		&redis.ZRangeBy{Min: "(1", Max: "+inf", Count: 1}).Result())
	same(t, 2.5)(db.ZScore(ctx, "z", "b").Result())
	same(t, int64(2))(db.ZRevRank(ctx, "z", "a").Result())
	same(t, int64(3))(db.ZUnionStore(ctx, "u",
		&redis.ZStore{Keys: []string{"z", "none"}, Weights: []float64{2, 1}}).Result())
	same(t, []redis.Z{{Score: 2, Member: "a"}})(db.ZPopMin(ctx, "u").Result())
	if err := db.ZScore(ctx, "z", "none").Err(); !errors.Is(err, redis.Nil) {
		t.Fatalf("a missing member gave %v", err)
	}
}

func TestScansSeeEveryKey(t *testing.T) {
	db := empty(t)
	pipe := db.Pipeline()
	for n := range 3000 {
		pipe.Set(ctx, fmt.Sprint("key:", n), n, 0)
		pipe.SAdd(ctx, "s", n)
	}
	_, err := pipe.Exec(ctx)
	must(t, err)
	seen := map[string]bool{}
	keys := db.Scan(ctx, 0, "key:*", 100).Iterator()
	for keys.Next(ctx) {
		seen[keys.Val()] = true
	}
	must(t, keys.Err())
	same(t, 3000)(len(seen), nil)
	members := map[string]bool{}
	set := db.SScan(ctx, "s", 0, "", 100).Iterator()
	for set.Next(ctx) {
		members[set.Val()] = true
	}
	must(t, set.Err())
	same(t, 3000)(len(members), nil)
}

func TestADeadlineBelowASecond(t *testing.T) {
	db := empty(t)
	must(t, db.Set(ctx, "k", "v", 80*time.Millisecond).Err())
	left, err := db.PTTL(ctx, "k").Result()
	must(t, err)
	if left <= 0 || left > 80*time.Millisecond {
		t.Fatalf("%v left", left)
	}
	eventually(t, "the key to expire", func() bool {
		return errors.Is(db.Get(ctx, "k").Err(), redis.Nil)
	})
	same(t, time.Duration(-2))(db.TTL(ctx, "k").Result())
}
