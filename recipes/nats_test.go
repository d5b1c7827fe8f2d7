package recipes_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"triage/actions/verdict"
)

// startNATS runs a server with JetStream in this process.
func startNATS(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Addr().(*net.TCPAddr).Port))
}

// connectNATS never reconnects: a client that sends again by itself hides what is lost.
func connectNATS(address string) (*nats.Conn, jetstream.JetStream, error) {
	conn, err := nats.Connect("nats://"+address, nats.NoReconnect(), nats.Timeout(5*time.Second))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	return conn, js, err
}

// publish sends the report the way the recipe says. cut is called when the connection
// stands.
func publish(ctx context.Context, address, key string, cut func()) error {
	conn, js, err := connectNATS(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	cut()
	message := nats.NewMsg("reports." + key)
	message.Data = report
	message.Header.Set("Payload-Sha256", hashOf(report))
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err = js.PublishMsg(ctx, message, jetstream.WithMsgID(key), jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
	return err
}

// buildLookup builds the recipe's program.
func buildLookup(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "natslookup")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./natslookup").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A message is stored, its acknowledgement is lost, and the stream is asked by the
// recipe's own program.
func TestJetStream(t *testing.T) {
	t.Parallel()
	address := startNATS(t)
	conn, js, err := connectNATS(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "REPORTS", Subjects: []string{"reports.*"}})
	if err != nil {
		t.Fatal(err)
	}
	// The program's place is the only thing that differs from the recipe.
	recipe, err := os.ReadFile("nats-jetstream.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const installed = "/usr/local/lib/triage/natslookup"
	if !strings.Contains(string(recipe), "argv: ["+installed+"]") {
		t.Fatal("the recipe names another program")
	}
	edited := filepath.Join(t.TempDir(), "nats-jetstream.yaml")
	if err := os.WriteFile(edited, []byte(strings.Replace(string(recipe), "argv: ["+installed+"]", "argv: ["+buildLookup(t)+"]", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, edited, map[string]string{"NATS_URL": "nats://" + address})
	faults := newFaultProxy(t, address)

	b.deliver("weekly-42", 0, func(ctx context.Context, key string) error {
		return publish(ctx, faults.address(), key, faults.loseAnswers)
	})
	stored, err := stream.GetLastMsgForSubject(t.Context(), "reports.weekly-42")
	if err != nil {
		t.Fatalf("the stream did not store it before its answer was lost: %v", err)
	}
	b.settled("weekly-42", "REPORTS:"+strconv.FormatUint(stored.Sequence, 10))

	faults.proxy.Toxics.ResetToxics(t.Context())
	b.deliver("weekly-43", time.Hour, func(ctx context.Context, key string) error {
		return publish(ctx, faults.address(), key, faults.loseRequests)
	})
	b.missing("weekly-43", verdict.AbsenceInconclusive) // nobody promises how late a replica may be

	// A second one under the subject is refused, inside the duplicate window and after it.
	if err := publish(t.Context(), address, "weekly-42", func() {}); err != nil && !strings.Contains(err.Error(), "wrong last sequence") {
		t.Errorf("the same message again: %v", err)
	}
	if info, err := stream.Info(t.Context()); err != nil || info.State.Msgs != 1 {
		t.Errorf("%+v messages, want 1: %v", info, err)
	}
}
