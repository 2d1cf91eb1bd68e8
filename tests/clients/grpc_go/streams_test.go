package grpcgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	pb "kvist.dev/tests/grpcgo/kvist"
)

func name(n int) string {
	return fmt.Sprintf("k:%05d", n)
}

// filled gives a server with so many keys, whose values are their numbers.
func filled(t *testing.T, count int, args ...string) *server {
	t.Helper()
	s := started(t, args...)
	request := &pb.MSetRequest{}
	for n := range count {
		entry := &pb.KeyValue{Key: []byte(name(n)), Value: []byte(strconv.Itoa(n))}
		request.Entries = append(request.Entries, entry)
	}
	same(t, true, got[*pb.MSetResponse](t)(s.kvist.MSet(soon(t), request)).Written)
	return s
}

func (s *server) rangeOf(request *pb.RangeRequest) []string {
	s.t.Helper()
	stream, err := s.kvist.Range(soon(s.t), request)
	var keys []string
	for _, page := range pages(s.t, stream, err) {
		for _, entry := range page.Entries {
			keys = append(keys, string(entry.Key))
		}
	}
	return keys
}

func TestRangesAreInOrder(t *testing.T) {
	s := filled(t, 3000)
	bound := func(n int, exclusive bool) *pb.Bound {
		return &pb.Bound{Key: []byte(name(n)), Exclusive: exclusive}
	}
	inside := &pb.RangeRequest{Start: bound(10, true), End: bound(13, false)}
	same(t, []string{name(11), name(12), name(13)}, s.rangeOf(inside))
	inside.Reverse, inside.Limit = true, 2
	same(t, []string{name(13), name(12)}, s.rangeOf(inside))
	same(t, nil, s.rangeOf(&pb.RangeRequest{Start: bound(12, false), End: bound(10, false)}))
	all := s.rangeOf(&pb.RangeRequest{})
	same(t, 3000, len(all))
	same(t, true, sort.StringsAreSorted(all))
}

func TestPrefixesAreWholeWithTheirValues(t *testing.T) {
	s := filled(t, 3000)
	s.redis("RPUSH k:list x")
	request := &pb.PrefixRequest{Prefix: []byte("k:"), WithValues: true, PageSize: 700}
	stream, err := s.kvist.Prefix(soon(t), request)
	var entries []*pb.Entry
	for _, page := range pages(t, stream, err) {
		if len(page.Entries) > 700 {
			t.Fatalf("%d keys in a page of 700", len(page.Entries))
		}
		entries = append(entries, page.Entries...)
	}
	same(t, 3001, len(entries))
	for n, entry := range entries[:3000] {
		same(t, name(n)+strconv.Itoa(n), string(entry.Key)+string(entry.Value))
	}
	same(t, "k:list", string(entries[3000].Key))
	same(t, nil, entries[3000].Value)
	// All of them are seen without an order, too.
	scan := &pb.ScanRequest{Pattern: []byte("k:[0-9]*")}
	found, err := s.kvist.Scan(soon(t), scan)
	count := 0
	for _, page := range pages(t, found, err) {
		count += len(page.Entries)
	}
	same(t, 3000, count)
}

// steps is how often the server has run a command.
func (s *server) steps(command string) int {
	s.t.Helper()
	pattern := regexp.MustCompile("cmdstat_" + command + ":calls=([0-9]+),")
	found := pattern.FindStringSubmatch(s.redis("INFO commandstats"))
	if found == nil {
		return 0
	}
	return got[int](s.t)(strconv.Atoi(found[1]))
}

// watched tries to open a stream, and leaves it at once.
func (s *server) watched() error {
	ctx, cancel := context.WithCancel(soon(s.t))
	defer cancel()
	news, err := s.kvist.Watch(ctx, &pb.WatchRequest{Prefixes: words("p:")})
	if err == nil {
		_, err = news.Recv()
	}
	return err
}

func TestStreamsEndWhenTheyAreCancelled(t *testing.T) {
	// One at a time, so that one that goes on unseen keeps others out.
	s := filled(t, 30_000, "--grpc-max-streams 1")
	const full = codes.ResourceExhausted
	for command, open := range map[string]func(context.Context) (func() error, error){
		"range": func(ctx context.Context) (func() error, error) {
			stream, err := s.kvist.Range(ctx, &pb.RangeRequest{WithValues: true, PageSize: 10})
			return func() error { _, err := stream.Recv(); return err }, err
		},
		"prefix": func(ctx context.Context) (func() error, error) {
			request := &pb.PrefixRequest{Prefix: []byte("k:"), WithValues: true, PageSize: 10}
			stream, err := s.kvist.Prefix(ctx, request)
			return func() error { _, err := stream.Recv(); return err }, err
		},
	} {
		ctx, cancel := context.WithCancel(soon(t))
		var receive func() error
		s.eventually(command+" to begin", func() bool {
			var err error
			receive, err = open(ctx)
			must(t, err)
			if err = receive(); err != nil {
				refused(t, err, full, "")
			}
			return err == nil
		})
		refused(t, s.watched(), full, "")
		cancel()
		var err error
		for err == nil {
			err = receive()
		}
		refused(t, err, codes.Canceled, "")
		s.eventually(command+" to end", func() bool { return s.watched() == nil })
		// To its end it takes 3,000 steps; what was not taken was not done.
		if steps := s.steps(command); steps == 0 || steps > 1500 {
			t.Fatalf("%d steps of %s", steps, command)
		}
	}
}

func TestBatchesAreAnsweredInOrder(t *testing.T) {
	s := started(t)
	stream := got[pb.KvistService_BatchClient](t)(s.kvist.Batch(soon(t)))
	execute := func(line string) *pb.Operation {
		request := &pb.ExecuteRequest{Words: words(line)}
		return &pb.Operation{Kind: &pb.Operation_Execute{Execute: request}}
	}
	get := func(key string) *pb.Operation {
		return &pb.Operation{Kind: &pb.Operation_Get{Get: &pb.GetRequest{Key: []byte(key)}}}
	}
	sent := make(chan error, 1)
	go func() {
		for id := range uint64(50) {
			key := fmt.Sprint("k", id)
			operations := []*pb.Operation{
				set(key, "v"), get(key), execute("RPUSH list x"), get("list"), {},
				execute("BLPOP list 0"), get("none"),
			}
			request := &pb.BatchRequest{Id: id, Operations: operations}
			if err := stream.Send(request); err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	for id := range uint64(50) {
		answer := got[*pb.BatchResponse](t)(stream.Recv())
		same(t, id, answer.Id)
		same(t, 7, len(answer.Results))
		results := answer.Results
		same(t, true, results[0].GetSet().Written)
		same(t, "v", string(results[1].GetGet().Value))
		same(t, 1, results[2].GetExecute().Reply.GetInteger())
		wrong := results[3].GetError()
		same(t, int32(codes.FailedPrecondition), wrong.Code)
		same(t, "WRONGTYPE", wrong.Reason)
		same(t, int32(codes.InvalidArgument), results[4].GetError().GetCode())
		same(t, 2, len(results[5].GetExecute().Reply.GetList().Items))
		same(t, nil, results[6].GetGet().Value)
	}
	_, err := stream.Recv()
	same(t, true, errors.Is(err, io.EOF))
	must(t, <-sent)
}

func TestWatchersHearWhatHappens(t *testing.T) {
	s := started(t)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	request := &pb.WatchRequest{Keys: words("one"), Prefixes: words("p:")}
	news := got[pb.KvistService_WatchClient](t)(s.kvist.Watch(ctx, request))
	first := got[*pb.WatchResponse](t)(news.Recv())
	same(t, true, first.GetStarted() != nil)
	for _, line := range []string{
		"SET one 1", "SET other 1", "SET p:1 1", "EXPIRE p:1 100", "DEL one", "RPUSH p:list a",
	} {
		s.redis(line)
	}
	want := []string{"set one", "set p:1", "expire p:1", "del one", "rpush p:list"}
	var heard []string
	for len(heard) < len(want) {
		for _, event := range got[*pb.WatchResponse](t)(news.Recv()).GetEvents().GetEvents() {
			heard = append(heard, event.Event+" "+string(event.Key))
		}
	}
	same(t, want, heard)
	cancel()
	_, err := news.Recv()
	refused(t, err, codes.Canceled, "")
	nothing := got[pb.KvistService_WatchClient](t)(s.kvist.Watch(soon(t), &pb.WatchRequest{}))
	_, err = nothing.Recv()
	refused(t, err, codes.InvalidArgument, "")
}

func TestWhatWaitsEndsWithItsCall(t *testing.T) {
	s := started(t)
	request := &pb.ExecuteRequest{Words: words("BLPOP list 0")}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := s.kvist.Execute(ctx, request)
	refused(t, err, codes.DeadlineExceeded, "")
	s.blocked(0)
	// What comes then is not read.
	same(t, 1, s.integer("RPUSH list x"))
	same(t, 1, s.integer("DEL list"))

	ctx, cancel = context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := s.kvist.Execute(ctx, request)
		ended <- err
	}()
	s.blocked(1)
	cancel()
	refused(t, <-ended, codes.Canceled, "")
	s.blocked(0)

	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	news, err := s.kvist.Watch(ctx, &pb.WatchRequest{Prefixes: words("p:")})
	for err == nil {
		_, err = news.Recv()
	}
	refused(t, err, codes.DeadlineExceeded, "")
	if answer := s.redis("PING"); !strings.HasPrefix(answer, "+PONG") {
		t.Fatal(answer)
	}
}
