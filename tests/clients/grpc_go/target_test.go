// Package grpcgo tries grpc-go against Kvist's gRPC services.
//
// TEST_SERVER_COMMAND is a command line with {port} in it that starts a fresh server. The packages
// memorize and kvist are not in the repository: the check grpc-go of tests/whole.py generates them of
// the .proto files into a copy of this module, and runs that.
package grpcgo

import (
	"context"
	"errors"
	"io"
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

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"kvist.dev/tests/grpcgo/kvist"
	"kvist.dev/tests/grpcgo/memorize"
)

// patience is how long something awaited may take before it counts as never.
const patience = 30 * time.Second

// server is a running server and a connection to its gRPC port.
type server struct {
	t          testing.TB
	process    *exec.Cmd
	addr       string
	connection *grpc.ClientConn
	memorize   memorize.MemorizeClient
	kvist      kvist.KvistServiceClient
}

// started gives a fresh server, which ends with the test. Words with a = before any space are its
// environment, others further arguments.
func started(t testing.TB, words ...string) *server {
	t.Helper()
	command := os.Getenv("TEST_SERVER_COMMAND")
	if command == "" {
		t.Fatal("TEST_SERVER_COMMAND is not set")
	}
	port, grpcPort := freePort(t), freePort(t)
	line := "exec " + strings.ReplaceAll(command, "{port}", port) + " --grpc-port " + grpcPort
	env := os.Environ()
	for _, word := range words {
		if strings.Contains(word, "=") {
			env = append(env, word)
		} else {
			line += " " + word
		}
	}
	// `exec`, so that the signal reaches the server and not a shell before it.
	process := exec.Command("/bin/sh", "-c", line)
	process.Dir, process.Env = t.TempDir(), env
	must(t, process.Start())
	s := &server{t: t, process: process, addr: net.JoinHostPort("127.0.0.1", port)}
	t.Cleanup(s.stop)
	s.eventually("the server to answer", func() bool {
		answer, err := s.resp("PING")
		return err == nil && answer == "+PONG\r\n"
	})
	s.connection = s.connect(grpcPort)
	s.memorize = memorize.NewMemorizeClient(s.connection)
	s.kvist = kvist.NewKvistServiceClient(s.connection)
	return s
}

func (s *server) connect(port string) *grpc.ClientConn {
	s.t.Helper()
	connection, err := grpc.NewClient("127.0.0.1:"+port,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(),
		// Else it grows with the speed of the machine, and what a stream may be ahead with it.
		grpc.WithStaticStreamWindowSize(1<<16))
	must(s.t, err)
	s.t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// stop ends the server, which must end well.
func (s *server) stop() {
	must(s.t, s.process.Process.Signal(syscall.SIGTERM))
	late := time.AfterFunc(patience, func() { _ = s.process.Process.Kill() })
	defer late.Stop()
	if err := s.process.Wait(); err != nil {
		s.t.Errorf("the server: %v", err)
	}
}

// resp is what an inline command is answered on the Redis port, if that is short.
func (s *server) resp(line string) (string, error) {
	connection, err := net.DialTimeout("tcp", s.addr, patience)
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(connection, line+"\r\n"); err != nil {
		return "", err
	}
	answer := make([]byte, 1<<16)
	n, err := connection.Read(answer)
	return string(answer[:n]), err
}

// redis is the same for a server that must answer.
func (s *server) redis(line string) string {
	s.t.Helper()
	answer, err := s.resp(line)
	must(s.t, err)
	return answer
}

// integer is what a command answers that answers an integer.
func (s *server) integer(line string) int {
	s.t.Helper()
	answer := s.redis(line)
	number, err := strconv.Atoi(strings.Trim(answer, ":\r\n"))
	must(s.t, err)
	return number
}

func (s *server) eventually(what string, condition func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited %v in vain for %s", patience, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// blocked waits until so many clients of the server wait for a key.
func (s *server) blocked(count int) {
	s.t.Helper()
	field := "blocked_clients:" + strconv.Itoa(count) + "\r\n"
	s.eventually(field, func() bool { return strings.Contains(s.redis("INFO clients"), field) })
}

// freePort is a port that no process listens on, and that no connection is given by chance: the
// system takes those from 32768 on.
func freePort(t testing.TB) string {
	t.Helper()
	for {
		port := strconv.Itoa(10000 + rand.Intn(22000))
		probe, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		must(t, err)
		must(t, probe.Close())
		return port
	}
}

// soon is a context of a call that may not take for ever.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T any](t testing.TB, want, got T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// got takes a call's (answer, error) and gives the answer.
func got[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(answer T, err error) T {
		t.Helper()
		must(t, err)
		return answer
	}
}

// refused fails unless an error has this code and, if one is given, this text.
func refused(t testing.TB, err error, code codes.Code, text string) {
	t.Helper()
	told, ok := status.FromError(err)
	if !ok || told.Code() != code || (text != "" && told.Message() != text) {
		t.Fatalf("got %v, want %v %q", err, code, text)
	}
}

// pages takes all that a stream answers.
func pages[T any](t testing.TB, stream grpc.ServerStreamingClient[T], err error) []*T {
	t.Helper()
	must(t, err)
	var all []*T
	for {
		page, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		must(t, err)
		all = append(all, page)
	}
}
