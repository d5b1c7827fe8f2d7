package recipes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"triage/actions/verdict"
)

// mailpit is the mail catcher's program, or skips the test.
func mailpit(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("mailpit"); err == nil {
		return path
	}
	gopath := os.Getenv("GOPATH")
	if gopath == "" {
		home, _ := os.UserHomeDir() // without one the file is not there either
		gopath = filepath.Join(home, "go")
	}
	path := filepath.Join(gopath, "bin", "mailpit")
	if _, err := os.Stat(path); err != nil {
		t.Skip("mailpit is not installed: go install github.com/axllent/mailpit@v1.33.1")
	}
	return path
}

// startMailpit runs it until the test ends; web and smtp are its addresses.
func startMailpit(t *testing.T) (web, mail string) {
	t.Helper()
	program := mailpit(t)
	web = net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	mail = net.JoinHostPort("127.0.0.1", strconv.Itoa(freePort(t)))
	cmd := exec.CommandContext(t.Context(), program, "--listen", web, "--smtp", mail, "--smtp-disable-rdns", "--disable-version-check",
		"--database", filepath.Join(t.TempDir(), "mail.db"), "--quiet")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for _, address := range []string{"http://" + web + "/readyz", mail} {
		for !answers(address) {
			select {
			case err := <-ended:
				ended <- err // for the cleanup
				t.Fatalf("mailpit ended before it answered at %s: %v", address, err)
			case <-ctx.Done():
				t.Fatalf("mailpit does not answer at %s", address)
			case <-look.C:
			}
		}
	}
	return web, mail
}

// freePort is one that nobody listened at just now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// answers waits a little for an answer.
func answers(address string) bool {
	if !strings.HasPrefix(address, "http") {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}
	response, err := http.Get(address)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// sendMail delivers the report by SMTP. cut is called before the last dot's answer can
// come: until then the talk goes both ways.
func sendMail(ctx context.Context, address, key string, cut func()) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // a fresh TCP connection takes one
	}
	client, err := smtp.NewClient(conn, "127.0.0.1")
	if err != nil {
		return err
	}
	if err := client.Mail("agent@triage.invalid"); err != nil {
		return err
	}
	if err := client.Rcpt("customer@triage.invalid"); err != nil {
		return err
	}
	body, err := client.Data()
	if err != nil {
		return err
	}
	message := fmt.Sprintf("From: agent@triage.invalid\r\nTo: customer@triage.invalid\r\nSubject: weekly report\r\nMessage-ID: <%s@triage.invalid>\r\nX-Tags: sha256-%s\r\n\r\n%s",
		key, hashOf(report), report)
	if _, err := io.WriteString(body, message); err != nil {
		return err
	}
	cut()
	return body.Close()
}

// caught asks the mail catcher itself what it holds.
func caught(t *testing.T, web, key string) (ids []string) {
	t.Helper()
	response, err := http.Get("http://" + web + "/api/v1/messages")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct {
		Messages []struct{ ID, MessageID string }
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Messages {
		if m.MessageID == key+"@triage.invalid" {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// A mail is taken, the answer to the last dot is lost, and the catcher is searched by
// Message-ID.
func TestMailCatcher(t *testing.T) {
	web, mail := startMailpit(t)
	faults := newFaultProxy(t, mail)
	b := newBench(t, "mailpit.yaml", map[string]string{"MAILPIT_URL": "http://" + web})

	b.deliver("weekly-42", 0, func(ctx context.Context, key string) error {
		return sendMail(ctx, faults.address(), key, faults.loseAnswers)
	})
	ids := caught(t, web, "weekly-42")
	if len(ids) != 1 {
		t.Fatalf("the catcher holds %d mails, want 1: it had to commit before its answer was lost", len(ids))
	}
	b.settled("weekly-42", ids[0])

	// Long ago, and all the same no proof: nobody promises how late a search may be.
	faults.loseRequests()
	b.deliver("weekly-43", time.Hour, func(ctx context.Context, key string) error {
		return sendMail(ctx, faults.address(), key, func() {})
	})
	b.missing("weekly-43", verdict.AbsenceInconclusive)

	// Sent twice, which SMTP does not notice: several hits, and nothing is settled.
	for range 2 {
		if err := sendMail(t.Context(), mail, "weekly-44", func() {}); err != nil {
			t.Fatal(err)
		}
	}
	b.deliver("weekly-44", 0, func(ctx context.Context, key string) error {
		return sendMail(ctx, faults.address(), key, func() {})
	})
	if done := b.lookUp("weekly-44"); done.Item.Verdict.Kind != verdict.Ambiguous {
		t.Errorf("two mails with one Message-ID: the verdict is %s, want ambiguous", done.Item.Verdict.Kind)
	}
}
