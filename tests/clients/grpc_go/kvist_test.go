package grpcgo

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "kvist.dev/tests/grpcgo/kvist"
)

// set is an operation of a batch that sets a key.
func set(key, value string) *pb.Operation {
	request := &pb.SetRequest{Key: []byte(key), Value: []byte(value)}
	return &pb.Operation{Kind: &pb.Operation_Set{Set: request}}
}

// words are those of a command, as they are sent.
func words(line string) [][]byte {
	var all [][]byte
	for _, word := range strings.Fields(line) {
		all = append(all, []byte(word))
	}
	return all
}

func (s *server) execute(line string) (*pb.Value, error) {
	answer, err := s.kvist.Execute(soon(s.t), &pb.ExecuteRequest{Words: words(line)})
	return answer.GetReply(), err
}

func TestBytesAreBytes(t *testing.T) {
	s := started(t)
	raw := []byte("\xff\x00\r\n")
	set := &pb.SetRequest{Key: raw, Value: raw, Database: 5}
	same(t, true, got[*pb.SetResponse](t)(s.kvist.Set(soon(t), set)).Written)
	get := &pb.GetRequest{Key: raw, Database: 5}
	same(t, raw, got[*pb.GetResponse](t)(s.kvist.Get(soon(t), get)).Value)
	// An empty one is one, and databases are apart.
	get.Database = 0
	same(t, nil, got[*pb.GetResponse](t)(s.kvist.Get(soon(t), get)).Value)
	set = &pb.SetRequest{Key: raw}
	got[*pb.SetResponse](t)(s.kvist.Set(soon(t), set))
	if value := got[*pb.GetResponse](t)(s.kvist.Get(soon(t), get)).Value; value == nil {
		t.Fatal("an empty value is not there")
	}
}

func TestConditionsOfWriting(t *testing.T) {
	s := started(t)
	write := func(value string, condition pb.Condition) (bool, string) {
		request := &pb.SetRequest{
			Key: []byte("k"), Value: []byte(value), Condition: condition, ReturnPrevious: true,
		}
		answer := got[*pb.SetResponse](t)(s.kvist.Set(soon(t), request))
		return answer.Written, string(answer.Previous)
	}
	for _, step := range []struct {
		value     string
		condition pb.Condition
		written   bool
		previous  string
	}{
		{"1", pb.Condition_CONDITION_IF_PRESENT, false, ""},
		{"2", pb.Condition_CONDITION_IF_ABSENT, true, ""},
		{"3", pb.Condition_CONDITION_IF_ABSENT, false, "2"},
		{"4", pb.Condition_CONDITION_IF_PRESENT, true, "2"},
		{"5", pb.Condition_CONDITION_UNSPECIFIED, true, "4"},
	} {
		written, previous := write(step.value, step.condition)
		same(t, step.written, written)
		same(t, step.previous, previous)
	}
}

func TestManyKeysAtOnce(t *testing.T) {
	s := started(t)
	entries := []*pb.KeyValue{
		{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b"), Value: []byte("2")},
	}
	set := &pb.MSetRequest{Entries: entries}
	same(t, true, got[*pb.MSetResponse](t)(s.kvist.MSet(soon(t), set)).Written)
	set.IfNoneExists = true
	same(t, false, got[*pb.MSetResponse](t)(s.kvist.MSet(soon(t), set)).Written)
	s.redis("RPUSH list x")
	get := &pb.MGetRequest{Keys: words("b none list a")}
	values := got[*pb.MGetResponse](t)(s.kvist.MGet(soon(t), get)).Values
	same(t, 4, len(values))
	for n, want := range [][]byte{[]byte("2"), nil, nil, []byte("1")} {
		same(t, want, values[n].Value)
	}
	remove := &pb.DeleteRequest{Keys: words("a none b list")}
	same(t, 3, got[*pb.DeleteResponse](t)(s.kvist.Delete(soon(t), remove)).Deleted)
}

func TestKeysLiveAsLongAsTheyAreTold(t *testing.T) {
	s := started(t)
	key := []byte("k")
	ttl := func() *pb.TtlResponse {
		t.Helper()
		return got[*pb.TtlResponse](t)(s.kvist.Ttl(soon(t), &pb.TtlRequest{Key: key}))
	}
	expire := func(request *pb.ExpireRequest) bool {
		t.Helper()
		request.Key = key
		return got[*pb.ExpireResponse](t)(s.kvist.Expire(soon(t), request)).Changed
	}
	same(t, false, ttl().Exists)
	same(t, false, expire(&pb.ExpireRequest{Expiry: &pb.ExpireRequest_TtlMs{TtlMs: 1000}}))
	set := &pb.SetRequest{Key: key, Expiry: &pb.SetRequest_TtlMs{TtlMs: 100_000}}
	got[*pb.SetResponse](t)(s.kvist.Set(soon(t), set))
	if left := ttl().GetTtlMs(); left == 0 || left > 100_000 {
		t.Fatalf("%d ms of 100,000 are left", left)
	}
	set.Expiry = &pb.SetRequest_KeepTtl{KeepTtl: true}
	got[*pb.SetResponse](t)(s.kvist.Set(soon(t), set))
	same(t, true, ttl().TtlMs != nil)
	same(t, true, expire(&pb.ExpireRequest{Expiry: &pb.ExpireRequest_Persist{Persist: true}}))
	same(t, []bool{true, true}, []bool{ttl().Exists, ttl().TtlMs == nil})
	set.Expiry = &pb.SetRequest_TtlMs{TtlMs: 0}
	_, err := s.kvist.Set(soon(t), set)
	refused(t, err, codes.InvalidArgument, "")
	at := uint64(time.Now().Add(50 * time.Millisecond).UnixMilli())
	same(t, true, expire(&pb.ExpireRequest{Expiry: &pb.ExpireRequest_ExpireAtMs{ExpireAtMs: at}}))
	s.eventually("the time to come", func() bool { return !ttl().Exists })
}

func TestDocuments(t *testing.T) {
	s := started(t)
	set := &pb.JsonSetRequest{Key: []byte("doc"), Json: `{"a":[1,2]}`}
	same(t, true, got[*pb.JsonSetResponse](t)(s.kvist.JsonSet(soon(t), set)).Written)
	set.Path, set.Json = "$.a[0]", "true"
	same(t, true, got[*pb.JsonSetResponse](t)(s.kvist.JsonSet(soon(t), set)).Written)
	get := &pb.JsonGetRequest{Key: []byte("doc")}
	answer := got[*pb.JsonGetResponse](t)(s.kvist.JsonGet(soon(t), get))
	same(t, `{"a":[true,2]}`, answer.GetJson())
	get.Paths = []string{"$.a[1]"}
	answer = got[*pb.JsonGetResponse](t)(s.kvist.JsonGet(soon(t), get))
	same(t, "[2]", answer.GetJson())
}

func TestAnyCommandHasItsReply(t *testing.T) {
	s := started(t)
	run := func(line string) *pb.Value {
		t.Helper()
		return got[*pb.Value](t)(s.execute(line))
	}
	same(t, "OK", run("SET n 41").GetStatus())
	same(t, 42, run("INCR n").GetInteger())
	same(t, "42", string(run("GET n").GetBlob()))
	same(t, true, run("GET none").GetNull())
	run("ZADD z 1.5 m")
	same(t, 1.5, run("ZSCORE z m").GetNumber())
	run("HSET h f v")
	pair := run("HGETALL h").GetMap().Pairs[0]
	same(t, "f=v", string(pair.Key.GetBlob())+"="+string(pair.Value.GetBlob()))
	same(t, 2, run("EVAL return{1,2} 0").GetList().Items[1].GetInteger())
	// Of another door.
	same(t, "$2\r\n42\r\n", s.redis("GET n"))
}

func TestRefusalsHaveCodesAndReasons(t *testing.T) {
	s := started(t)
	s.redis("RPUSH list x")
	_, err := s.kvist.Get(soon(t), &pb.GetRequest{Key: []byte("list")})
	refused(t, err, codes.FailedPrecondition,
		"WRONGTYPE Operation against a key holding the wrong kind of value")
	info := status.Convert(err).Details()[0].(*errdetails.ErrorInfo)
	same(t, "kvist WRONGTYPE", info.Domain+" "+info.Reason)
	for line, code := range map[string]codes.Code{
		"NONSENSE":          codes.Unimplemented,
		"GET":               codes.InvalidArgument,
		"RENAME none other": codes.NotFound,
		"SUBSCRIBE x":       codes.FailedPrecondition,
		"":                  codes.InvalidArgument,
	} {
		_, err := s.execute(line)
		refused(t, err, code, "")
	}
	_, err = s.kvist.Get(soon(t), &pb.GetRequest{Key: []byte("k"), Database: 16})
	refused(t, err, codes.InvalidArgument, "")
	// More than a message may have.
	long := &pb.SetRequest{Key: []byte("k"), Value: make([]byte, 5<<20)}
	_, err = s.kvist.Set(soon(t), long)
	if code := status.Code(err); code != codes.OutOfRange && code != codes.ResourceExhausted {
		t.Fatal(err)
	}
}
