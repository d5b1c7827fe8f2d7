package drill

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"triage/ledger"
)

// maxBody bounds what the receiver takes in one request, in bytes.
const maxBody = 1 << 20

// canaryKey is a delivery that every receiver of the drill has from its start, so
// that a lookup's credentials can be tried on something known to exist.
const canaryKey = "probe-1"

// Access is who the receiver lets in.
type Access struct {
	Accounts map[string]string // a sender's bearer token → its account
	Lookup   string            // the operators' bearer token: reads only
}

// newAccess makes the credentials of one drill: a token for each principal of the
// drill, and one for operators.
func newAccess() (access Access, tokens map[string]string) {
	access = Access{Accounts: map[string]string{}, Lookup: rand.Text()}
	tokens = map[string]string{}
	for principal, account := range accounts {
		tokens[principal] = rand.Text()
		access.Accounts[tokens[principal]] = account
	}
	return access, tokens
}

// Loss is how a request's answer gets lost.
type Loss string

// The ways to lose an answer.
const (
	LoseNothing Loss = ""
	LoseByCut   Loss = "cut"  // the TCP connection is reset
	LoseByHang  Loss = "hang" // nothing is said until the caller gives up
)

// Script is what the receiver does with one request, beyond what it should.
type Script struct {
	Ignore bool          // the request is read and never processed
	Refuse string        // a reason: the delivery is refused for good, and that is recorded
	Hide   time.Duration // how long lookups miss what was committed
	Lose   Loss          // how the answer is lost, after the commit
	// Lost, if set, is closed when the answer is being lost: the commit is done.
	Lost chan<- struct{}
}

// Receiver is the outside service of the drill: real HTTP on loopback, with a
// database of its own that no sender can commit together with theirs.
type Receiver struct {
	access  Access
	store   *deliveries
	server  *http.Server
	address string
	done    chan struct{} // closed when the receiver stops
	serving sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	scripts map[string][]Script // by key, one for each request to come
	refused map[string]string   // by content's hash: why it is refused, under whatever key
}

// StartReceiver opens the receiver's database at path, makes it where there is
// none, and listens on a free port of 127.0.0.1.
func StartReceiver(ctx context.Context, path string, access Access) (*Receiver, error) {
	store, err := openDeliveries(ctx, path)
	if err != nil {
		return nil, err
	}
	if _, err := store.submit(ctx, canaryKey, "acct_0", []byte("a delivery known to exist"), Script{}); err != nil {
		return nil, errors.Join(err, store.db.Close())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on loopback: %w", err), store.db.Close())
	}
	r := &Receiver{
		access: access, store: store, address: listener.Addr().String(),
		done: make(chan struct{}), scripts: map[string][]Script{}, refused: map[string]string{},
	}
	r.server = &http.Server{
		Handler:           r.counted(r.routes()),
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // the terminal belongs to the screen
	}
	r.serving.Go(func() { _ = r.server.Serve(listener) }) // ends with Close
	return r, nil
}

// URL is the receiver's address, without a slash at its end.
func (r *Receiver) URL() string { return "http://" + r.address }

// Close stops the receiver and waits for what it is doing. The database stays.
func (r *Receiver) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.done)
	err := r.server.Close()
	r.serving.Wait()
	return errors.Join(err, r.store.db.Close())
}

// Script adds to what the receiver does with the coming requests for a key, one
// script for each. Without one it behaves.
func (r *Receiver) Script(key string, scripts ...Script) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scripts[key] = append(r.scripts[key], scripts...)
}

// RefuseContent makes the receiver refuse a content for good, whatever its key: a
// refusal that a new key could get round would not be one.
func (r *Receiver) RefuseContent(sha256, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused[sha256] = reason
}

// Get tells what the receiver has under a key; false where it has nothing.
func (r *Receiver) Get(ctx context.Context, key string) (Delivery, bool, error) {
	return r.store.get(ctx, key)
}

// Count is the number of deliveries it has committed, the canary left out.
func (r *Receiver) Count(ctx context.Context) (int, error) {
	n, err := r.store.count(ctx)
	return n - 1, err
}

// Copies is how often it has delivered a content, under whatever keys.
func (r *Receiver) Copies(ctx context.Context, sha256 string) (int, error) {
	return r.store.copies(ctx, sha256)
}

// nextScript is what to do with this request.
func (r *Receiver) nextScript(key string, body []byte) Script {
	r.mu.Lock()
	defer r.mu.Unlock()
	var script Script
	if waiting := r.scripts[key]; len(waiting) > 0 {
		script, r.scripts[key] = waiting[0], waiting[1:]
	}
	if reason, refused := r.refused[contentHash(body)]; refused {
		script.Refuse = reason
	}
	return script
}

func (r *Receiver) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /deliveries/{op_key}", r.accept)
	mux.HandleFunc("POST /deliveries/{op_key}", r.accept)
	mux.HandleFunc("GET /deliveries/{op_key}", r.tell)
	// A second service under the same roof: it takes messages and can't be asked
	// about them.
	mux.HandleFunc("POST /messages/{op_key}", r.accept)
	return mux
}

// counted lets Close wait for every request: a connection that was taken over to
// be cut is no longer the server's to wait for.
func (r *Receiver) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		r.serving.Add(1)
		r.mu.Unlock()
		defer r.serving.Done()
		next.ServeHTTP(w, req)
	})
}

// accept takes a delivery: it commits first and then answers, or loses the
// answer where it was told to.
func (r *Receiver) accept(w http.ResponseWriter, req *http.Request) {
	account, ok := r.access.Accounts[bearer(req)]
	if !ok {
		refuseRequest(w, http.StatusUnauthorized, "unauthorised")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		refuseRequest(w, http.StatusRequestEntityTooLarge, "body_unreadable")
		return
	}
	key := req.PathValue("op_key")
	script := r.nextScript(key, body)
	var made Delivery
	if !script.Ignore {
		// What was received whole is worked off, even if the caller has gone.
		made, err = r.store.submit(context.WithoutCancel(req.Context()), key, account, body, script)
	}
	if script.Lose != LoseNothing {
		r.lose(w, req, script)
		return
	}
	switch {
	case errors.Is(err, errOtherContent):
		refuseRequest(w, http.StatusConflict, string(ledger.SameKeyDifferentPayload))
	case err != nil || script.Ignore:
		refuseRequest(w, http.StatusServiceUnavailable, "unavailable")
	case made.State == StateRefused:
		answer(w, http.StatusUnprocessableEntity, told(made))
	default:
		answer(w, http.StatusOK, told(made))
	}
}

// lose makes sure that not one byte of the answer reaches the caller.
func (r *Receiver) lose(w http.ResponseWriter, req *http.Request, script Script) {
	if script.Lost != nil {
		close(script.Lost)
	}
	if script.Lose == LoseByHang {
		select {
		case <-req.Context().Done(): // the caller gave up
		case <-r.done:
		}
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // ends the connection without an answer too
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close with a reset
	}
	_ = conn.Close()
}

// tell answers a lookup. It reads only.
func (r *Receiver) tell(w http.ResponseWriter, req *http.Request) {
	if token := bearer(req); token == "" || token != r.access.Lookup {
		refuseRequest(w, http.StatusUnauthorized, "unauthorised")
		return
	}
	found, ok, err := r.store.get(req.Context(), req.PathValue("op_key"))
	switch {
	case err != nil:
		refuseRequest(w, http.StatusServiceUnavailable, "unavailable")
	case !ok || ledger.At(time.Now()) < found.ShownAt:
		refuseRequest(w, http.StatusNotFound, "no_such_delivery")
	default:
		answer(w, http.StatusOK, told(found))
	}
}

// toldDelivery is a delivery as the receiver's interface shows it.
type toldDelivery struct {
	OpKey   string        `json:"op_key"`
	State   string        `json:"state"`
	Receipt *string       `json:"receipt"`
	SHA256  string        `json:"sha256,omitempty"` // of what was delivered: a refusal keeps no content
	Account string        `json:"account"`
	Reason  string        `json:"reason,omitempty"`
	At      ledger.Millis `json:"at"`
}

func told(d Delivery) toldDelivery {
	t := toldDelivery{OpKey: d.OpKey, State: d.State, Account: d.Account, Reason: d.Reason, At: d.At}
	if d.State == StateDelivered {
		t.SHA256, t.Receipt = d.SHA256, &d.Receipt
	}
	return t
}

func refuseRequest(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]string{"error": code})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a caller that has gone will look it up
}

// bearer is the token of an Authorization header, "" without one.
func bearer(req *http.Request) string {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}
