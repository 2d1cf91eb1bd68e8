// Package goredis tries go-redis against a Redis-compatible server.
//
// Where the server is stands in the environment, as in the tests of the other clients: TEST_HOST,
// TEST_PORT (required: these tests empty every database of the server), TEST_PROTOCOL (2 or 3),
// and TEST_SERVER_COMMAND, a command line with {port} in it that starts a fresh server for the
// tests that restart one.
package goredis

import (
	"context"
	"errors"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// patience is how long something awaited may take before it counts as never.
const patience = 20 * time.Second

var (
	ctx      = context.Background()
	host     = variable("TEST_HOST", "127.0.0.1")
	port     = variable("TEST_PORT", "")
	protocol = variable("TEST_PROTOCOL", "3")
	command  = variable("TEST_SERVER_COMMAND", "")
)

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// options are those every client here starts from.
func options(t testing.TB) *redis.Options {
	t.Helper()
	if port == "" {
		t.Fatal("TEST_PORT is not set")
	}
	number, err := strconv.Atoi(protocol)
	must(t, err)
	return &redis.Options{Addr: net.JoinHostPort(host, port), Protocol: number}
}

// connect gives a client that is closed when the test ends.
func connect(t testing.TB, opts *redis.Options) *redis.Client {
	t.Helper()
	client := redis.NewClient(opts)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// empty gives a client of an empty server.
func empty(t testing.TB) *redis.Client {
	t.Helper()
	client := connect(t, options(t))
	must(t, client.FlushAll(ctx).Err())
	return client
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same takes a client's (value, error) and fails unless the value is the one wanted.
func same[T any](t testing.TB, want T) func(T, error) {
	t.Helper()
	return func(got T, err error) {
		t.Helper()
		must(t, err)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// blocked waits until a client of the server is blocked.
func blocked(t testing.TB, client *redis.Client) {
	t.Helper()
	eventually(t, "a client to block", func() bool {
		return strings.Contains(client.Info(ctx, "clients").Val(), "blocked_clients:1")
	})
}

// ownServer is a server that a test may stop and start again, on a port of its own.
type ownServer struct {
	addr    string
	folder  string
	process *exec.Cmd
}

func newServer(t *testing.T) *ownServer {
	t.Helper()
	if command == "" {
		t.Skip("TEST_SERVER_COMMAND is not set")
	}
	server := &ownServer{addr: freeAddress(t), folder: t.TempDir()}
	server.start(t)
	t.Cleanup(func() { server.stop(t) })
	return server
}

// freeAddress has a port that no process listens on, and that no connection is given by chance: the
// system takes those from 32768 on.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := net.JoinHostPort(host, strconv.Itoa(10000+rand.Intn(22000)))
		probe, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		must(t, err)
		must(t, probe.Close())
		return address
	}
}

func (s *ownServer) start(t *testing.T) {
	t.Helper()
	_, number, err := net.SplitHostPort(s.addr)
	must(t, err)
	line := strings.ReplaceAll(command, "{port}", number)
	// `exec`, so that the signal reaches the server and not a shell before it.
	s.process = exec.Command("/bin/sh", "-c", "exec "+line)
	s.process.Dir = s.folder
	must(t, s.process.Start())
	probe := redis.NewClient(&redis.Options{Addr: s.addr, MaxRetries: -1})
	defer func() { _ = probe.Close() }()
	eventually(t, "the server to answer", func() bool { return probe.Ping(ctx).Err() == nil })
}

func (s *ownServer) stop(t *testing.T) {
	t.Helper()
	if s.process == nil {
		return
	}
	must(t, s.process.Process.Signal(syscall.SIGTERM))
	_ = s.process.Wait() // how it ended is not what is tested
	s.process = nil
}
