// Command natslookup asks a NATS JetStream stream what became of one delivery. It is the
// program of the recipe nats-jetstream.yaml and speaks the form that docs/configuration.md
// describes under exec. It reads only: the last message of one subject.
//
// Environment: NATS_URL, NATS_STREAM, NATS_SUBJECT_PREFIX (such as "reports."), and
// NATS_CREDS with the path of a credentials file where one is needed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience bounds the whole question; the recipe's timeout is longer.
const patience = 8 * time.Second

// answer is what is printed: docs/configuration.md, exec.
type answer struct {
	Outcome       string  `json:"outcome"`
	OpKey         string  `json:"op_key"`
	Receipt       *string `json:"receipt"`
	PayloadSHA256 *string `json:"payload_sha256"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, os.Stdin, os.Stdout, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "natslookup:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to cancel: in doubt it answers nothing
	}
}

// run answers one question. An error is no answer, and never a "not found".
func run(ctx context.Context, in io.Reader, out io.Writer, getenv func(string) string) error {
	var asked struct {
		OpKey string `json:"op_key"`
	}
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return fmt.Errorf("the question can't be read: %w", err)
	}
	if asked.OpKey == "" || strings.ContainsAny(asked.OpKey, ".*> \t\r\n") {
		return errors.New("the key can't stand in a subject as one token")
	}
	var options []nats.Option
	if creds := getenv("NATS_CREDS"); creds != "" {
		options = append(options, nats.UserCredentials(creds))
	}
	conn, err := nats.Connect(getenv("NATS_URL"), append(options, nats.Name("triage"), nats.MaxReconnects(0))...)
	if err != nil {
		return errors.New("the server can't be reached") // the error's text may hold the URL, and with it a password
	}
	defer conn.Close()
	found, err := ask(ctx, conn, getenv("NATS_STREAM"), getenv("NATS_SUBJECT_PREFIX"), asked.OpKey)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(found)
}

// ask reads the last message under the key's own subject. A message without the key in
// its header is somebody else's, and no answer.
func ask(ctx context.Context, conn *nats.Conn, stream, prefix, key string) (answer, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return answer{}, err
	}
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return answer{}, fmt.Errorf("the stream %s: %w", stream, err)
	}
	message, err := s.GetLastMsgForSubject(ctx, prefix+key)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return answer{Outcome: "not_found", OpKey: key}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("the last message of %s%s: %w", prefix, key, err)
	}
	id := message.Header.Get("Nats-Msg-Id")
	if id == "" {
		return answer{}, fmt.Errorf("message %d has no Nats-Msg-Id, so nobody can say whose it is", message.Sequence)
	}
	receipt := stream + ":" + strconv.FormatUint(message.Sequence, 10)
	a := answer{Outcome: "found", OpKey: id, Receipt: &receipt}
	if hash := message.Header.Get("Payload-Sha256"); hash != "" {
		a.PayloadSHA256 = &hash
	}
	return a, nil
}
