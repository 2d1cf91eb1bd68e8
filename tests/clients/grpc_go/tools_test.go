package grpcgo

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"kvist.dev/tests/grpcgo/kvist"
	"kvist.dev/tests/grpcgo/memorize"
)

// well fails unless a service says that it serves.
func (s *server) well(ctx context.Context, service string) error {
	request := &health.HealthCheckRequest{Service: service}
	answer, err := health.NewHealthClient(s.connection).Check(ctx, request)
	if err == nil && answer.Status != health.HealthCheckResponse_SERVING {
		return fmt.Errorf("%q is %v", service, answer.Status)
	}
	return err
}

func TestHealth(t *testing.T) {
	s := started(t)
	for _, service := range []string{"", "memorize.Memorize", "kvist.v1.KvistService"} {
		s.eventually(service+" to serve", func() bool { return s.well(soon(t), service) == nil })
	}
	refused(t, s.well(soon(t), "other"), codes.NotFound, "")
	client := health.NewHealthClient(s.connection)
	watch := got[health.Health_WatchClient](t)(client.Watch(soon(t), &health.HealthCheckRequest{}))
	first := got[*health.HealthCheckResponse](t)(watch.Recv())
	same(t, health.HealthCheckResponse_SERVING, first.Status)
}

// reflected asks the server one thing about itself.
func (s *server) reflected(
	request *grpc_reflection_v1.ServerReflectionRequest,
) *grpc_reflection_v1.ServerReflectionResponse {
	s.t.Helper()
	client := grpc_reflection_v1.NewServerReflectionClient(s.connection)
	stream, err := client.ServerReflectionInfo(soon(s.t))
	must(s.t, err)
	must(s.t, stream.Send(request))
	answer, err := stream.Recv()
	must(s.t, err)
	must(s.t, stream.CloseSend())
	return answer
}

func TestReflectionTellsWhatTheFilesSay(t *testing.T) {
	s := started(t)
	list := &grpc_reflection_v1.ServerReflectionRequest_ListServices{}
	answer := s.reflected(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: list})
	var names []string
	for _, service := range answer.GetListServicesResponse().GetService() {
		names = append(names, service.Name)
	}
	for _, name := range []string{
		"memorize.Memorize", "kvist.v1.KvistService", "grpc.health.v1.Health",
	} {
		same(t, true, slices.Contains(names, name))
	}
	for symbol, file := range map[string]protoreflect.FileDescriptor{
		"memorize.Memorize":     memorize.File_memorize_memorize_proto,
		"kvist.v1.KvistService": kvist.File_kvist_v1_kvist_proto,
	} {
		ask := &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: symbol,
		}
		answer := s.reflected(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: ask})
		files := answer.GetFileDescriptorResponse().GetFileDescriptorProto()
		told := &descriptorpb.FileDescriptorProto{}
		must(t, proto.Unmarshal(files[0], told))
		if want := protodesc.ToFileDescriptorProto(file); !proto.Equal(want, told) {
			t.Fatalf("got %v\nwant %v", told, want)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := started(t)
	for _, method := range []string{"/other.Service/Method", "/memorize.Memorize/Other"} {
		answer := &memorize.GetResponse{}
		err := s.connection.Invoke(soon(t), method, &memorize.GetRequest{}, answer)
		refused(t, err, codes.Unimplemented, "")
	}
}
