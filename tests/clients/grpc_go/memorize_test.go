package grpcgo

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"kvist.dev/tests/grpcgo/kvist"
	pb "kvist.dev/tests/grpcgo/memorize"
)

func (s *server) put(key, value string, seconds uint64) {
	s.t.Helper()
	request := &pb.SetRequest{Key: key, Value: value, TtlSeconds: seconds}
	same(s.t, true, got[*pb.SetResponse](s.t)(s.memorize.Set(soon(s.t), request)).Success)
}

// value is that of a key; nil if there is none.
func (s *server) value(key string) *string {
	s.t.Helper()
	request := &pb.GetRequest{Key: key}
	return got[*pb.GetResponse](s.t)(s.memorize.Get(soon(s.t), request)).Value
}

func (s *server) contains(key string) bool {
	s.t.Helper()
	request := &pb.ContainsRequest{Key: key}
	return got[*pb.ContainsResponse](s.t)(s.memorize.Contains(soon(s.t), request)).Exists
}

func (s *server) remove(key string) bool {
	s.t.Helper()
	request := &pb.DeleteRequest{Key: key}
	return got[*pb.DeleteResponse](s.t)(s.memorize.Delete(soon(s.t), request)).Deleted
}

func (s *server) removeAll() uint64 {
	s.t.Helper()
	request := &pb.DeleteAllRequest{}
	return got[*pb.DeleteAllResponse](s.t)(s.memorize.DeleteAll(soon(s.t), request)).DeletedCount
}

func (s *server) keys(request *pb.KeysRequest) []string {
	s.t.Helper()
	keys := got[*pb.KeysResponse](s.t)(s.memorize.Keys(soon(s.t), request)).Keys
	sort.Strings(keys)
	return keys
}

func (s *server) search(prefix string, limit, skip uint32) ([]string, uint64) {
	s.t.Helper()
	request := &pb.SearchKeysRequest{Prefix: prefix, Limit: limit, Skip: skip}
	answer := got[*pb.SearchKeysResponse](s.t)(s.memorize.SearchKeys(soon(s.t), request))
	return answer.Keys, answer.TotalCount
}

func TestValuesComeAndGo(t *testing.T) {
	s := started(t)
	same(t, nil, s.value("k"))
	s.put("k", "é", 0)
	same(t, proto.String("é"), s.value("k"))
	// An empty text is a value, not none.
	s.put("empty", "", 0)
	same(t, proto.String(""), s.value("empty"))
	same(t, []bool{true, false}, []bool{s.contains("empty"), s.contains("none")})
	same(t, []bool{true, false}, []bool{s.remove("k"), s.remove("k")})
	s.put("other", "v", 0)
	same(t, []uint64{2, 0}, []uint64{s.removeAll(), s.removeAll()})
}

func TestKeysAreFound(t *testing.T) {
	s := started(t)
	for _, key := range []string{"user:1", "user:2", "user:10", "other"} {
		s.put(key, "v", 0)
	}
	same(t, []string{"other", "user:1", "user:10", "user:2"}, s.keys(&pb.KeysRequest{}))
	request := &pb.KeysRequest{Pattern: proto.String("user:?")}
	same(t, []string{"user:1", "user:2"}, s.keys(request))
	same(t, 3, len(s.keys(&pb.KeysRequest{Limit: 3})))
	// In order, and what is special in patterns is not in prefixes.
	keys, total := s.search("user:", 2, 1)
	same(t, []string{"user:10", "user:2"}, keys)
	same(t, 3, total)
	keys, total = s.search("user:*", 0, 0)
	same(t, 0, len(keys)+int(total))
}

func TestTimesToLiveAreSeconds(t *testing.T) {
	s := started(t)
	s.put("k", "v", 100)
	if left := s.integer("TTL k"); left < 90 || left > 100 {
		t.Fatalf("%d seconds of 100 are left", left)
	}
	// 0 is for ever, and takes a time away that was there.
	s.put("k", "v", 0)
	same(t, -1, s.integer("TTL k"))
	// More than can be is a hundred years.
	s.put("k", "v", math.MaxUint64)
	if left := s.integer("TTL k"); left < 99*365*24*3600 {
		t.Fatalf("%d seconds are left", left)
	}
	s.put("brief", "v", 1)
	s.eventually("the end of a second", func() bool { return !s.contains("brief") })
	same(t, nil, s.value("brief"))
	same(t, false, s.remove("brief"))
}

func TestPagesGoBeyondTenThousandKeys(t *testing.T) {
	const count, page = 25_000, 250
	s := started(t)
	stream := got[kvist.KvistService_BatchClient](t)(s.kvist.Batch(soon(t)))
	name := func(n int) string { return fmt.Sprintf("u:%06d", n) }
	for id := 0; id < count; id += 1000 {
		operations := make([]*kvist.Operation, 1000)
		for n := range operations {
			operations[n] = set(name(id+n), "v")
		}
		must(t, stream.Send(&kvist.BatchRequest{Id: uint64(id), Operations: operations}))
	}
	must(t, stream.CloseSend())
	for _, answer := range pages[kvist.BatchResponse](t, stream, nil) {
		same(t, 1000, len(answer.Results))
	}
	for skip := 0; skip < count; skip += page {
		keys, total := s.search("u:", page, uint32(skip))
		same(t, uint64(count), total)
		same(t, page, len(keys))
		for n, key := range keys {
			same(t, name(skip+n), key)
		}
	}
	keys, total := s.search("u:", page, count)
	same(t, count, len(keys)+int(total))
	// What no number is given for, and what is too large a one.
	keys, _ = s.search("u:", 0, 0)
	same(t, 50, len(keys))
	keys, _ = s.search("u:", 9999, 0)
	same(t, page, len(keys))
	same(t, 10_000, len(s.keys(&pb.KeysRequest{Limit: count})))
}

func TestRefusalsHaveTheirTexts(t *testing.T) {
	s := started(t)
	const empty, long = "Key cannot be empty", "Key exceeds maximum length of 1024 bytes"
	// Bytes count, not letters.
	for key, text := range map[string]string{"": empty, strings.Repeat("é", 513): long} {
		_, err := s.memorize.Get(soon(t), &pb.GetRequest{Key: key})
		refused(t, err, codes.InvalidArgument, text)
		_, err = s.memorize.Set(soon(t), &pb.SetRequest{Key: key})
		refused(t, err, codes.InvalidArgument, text)
		_, err = s.memorize.Delete(soon(t), &pb.DeleteRequest{Key: key})
		refused(t, err, codes.InvalidArgument, text)
		_, err = s.memorize.Contains(soon(t), &pb.ContainsRequest{Key: key})
		refused(t, err, codes.InvalidArgument, text)
	}
	s.put(strings.Repeat("k", 1024), strings.Repeat("v", 1<<20), 0)
	request := &pb.SetRequest{Key: "k", Value: strings.Repeat("v", 1<<20+1)}
	_, err := s.memorize.Set(soon(t), request)
	refused(t, err, codes.InvalidArgument, "Value exceeds maximum length of 1048576 bytes")
	search := &pb.SearchKeysRequest{Prefix: strings.Repeat("p", 257)}
	_, err = s.memorize.SearchKeys(soon(t), search)
	refused(t, err, codes.InvalidArgument, "Prefix exceeds maximum length of 256 bytes")
	// A list is no text, though it is there; bytes that are no text cannot be said.
	s.redis("RPUSH list x")
	same(t, nil, s.value("list"))
	same(t, true, s.contains("list"))
	got[*kvist.SetResponse](t)(s.kvist.Set(soon(t), set("raw", "\xff").GetSet()))
	_, err = s.memorize.Get(soon(t), &pb.GetRequest{Key: "raw"})
	refused(t, err, codes.FailedPrecondition, "")
}

func TestAFullStoreSaysSo(t *testing.T) {
	s := started(t, "--maxmemory 1")
	// The first may still find room.
	var err error
	for n := 0; n < 10 && err == nil; n++ {
		request := &pb.SetRequest{Key: fmt.Sprint("k", n), Value: strings.Repeat("v", 1000)}
		_, err = s.memorize.Set(soon(t), request)
	}
	refused(t, err, codes.ResourceExhausted, "Storage capacity exceeded")
}

// every calls all that the service has; the error of each.
func (s *server) every(ctx context.Context) map[string]error {
	errs := map[string]error{}
	_, errs["Get"] = s.memorize.Get(ctx, &pb.GetRequest{Key: "k"})
	_, errs["Set"] = s.memorize.Set(ctx, &pb.SetRequest{Key: "k"})
	_, errs["Delete"] = s.memorize.Delete(ctx, &pb.DeleteRequest{Key: "k"})
	_, errs["DeleteAll"] = s.memorize.DeleteAll(ctx, &pb.DeleteAllRequest{})
	_, errs["Keys"] = s.memorize.Keys(ctx, &pb.KeysRequest{})
	_, errs["SearchKeys"] = s.memorize.SearchKeys(ctx, &pb.SearchKeysRequest{})
	_, errs["Contains"] = s.memorize.Contains(ctx, &pb.ContainsRequest{Key: "k"})
	same(s.t, len(pb.Memorize_ServiceDesc.Methods), len(errs))
	return errs
}

func TestTheKeyIsAskedForByEveryCall(t *testing.T) {
	// As Memorize takes it.
	s := started(t, "MEMORIZE_API_KEY=secret", "MEMORIZE_PORT=1")
	with := func(name, value string) context.Context {
		return metadata.AppendToOutgoingContext(soon(t), name, value)
	}
	for _, err := range s.every(soon(t)) {
		refused(t, err, codes.Unauthenticated, "Missing API key")
	}
	for _, err := range s.every(with("x-api-key", "wrong")) {
		refused(t, err, codes.Unauthenticated, "Invalid API key")
	}
	for _, err := range s.every(with("x-api-key", "secret")) {
		must(t, err)
	}
	request := &kvist.GetRequest{Key: []byte("k")}
	_, err := s.kvist.Get(soon(t), request)
	refused(t, err, codes.Unauthenticated, "Missing API key")
	_, err = s.kvist.Get(with("authorization", "Bearer secret"), request)
	must(t, err)
	// Who only asks whether it is well needs none.
	must(t, s.well(soon(t), ""))
}
