package recipes_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"triage/actions/verdict"
)

const bucket = "agent-reports"

// put writes an object the way the recipe says. Connections are not kept, so that a
// lost answer is seen as one and nothing is sent twice behind the sender's back.
func put(ctx context.Context, address, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+address+"/"+bucket+"/"+key, bytes.NewReader(report))
	if err != nil {
		return err
	}
	request.Header.Set("If-None-Match", "*")
	request.Header.Set("X-Amz-Meta-Op-Key", key)
	request.Header.Set("X-Amz-Meta-Payload-Sha256", hashOf(report))
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the store answered %s", response.Status)
	}
	return nil
}

// An object is stored, the answer is lost, and the store is asked with HEAD.
func TestS3LikeStore(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	store := httptest.NewServer(gofakes3.New(backend).Server())
	defer store.Close()
	address := strings.TrimPrefix(store.URL, "http://")
	if err := put(t.Context(), address, "triage-canary"); err != nil {
		t.Fatal(err)
	}
	faults := newFaultProxy(t, address)
	through := func(ctx context.Context, key string) error { return put(ctx, faults.address(), key) }
	b := newBench(t, "s3.yaml", map[string]string{"S3_ENDPOINT": store.URL})

	faults.loseAnswers()
	b.deliver("weekly-42", 0, through)
	if object, err := backend.HeadObject(bucket, "weekly-42"); err != nil || object.Size != int64(len(report)) {
		t.Fatalf("the store did not commit before its answer was lost: %v", err)
	}
	b.settled("weekly-42", "weekly-42") // receipt: key

	faults.loseRequests()
	b.deliver("weekly-43", 0, through)
	b.missing("weekly-43", verdict.AbsenceInconclusive) // a late request may still land
	b.deliver("weekly-44", time.Hour, through)
	b.missing("weekly-44", verdict.Absent)

	// Without its canary, the same answer proves nothing.
	if _, err := backend.DeleteObject(bucket, "triage-canary"); err != nil {
		t.Fatal(err)
	}
	b.deliver("weekly-45", time.Hour, through)
	b.missing("weekly-45", verdict.AbsenceInconclusive)

	// The same bytes again under the key change nothing: the store refuses.
	if err := put(t.Context(), address, "weekly-42"); err == nil || !strings.Contains(err.Error(), "412") {
		t.Errorf("a second object under the key: %v, want 412", err)
	}
}
