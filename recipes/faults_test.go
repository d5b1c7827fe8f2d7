package recipes_test

import (
	"io"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// faultProxy stands between a sender and a real receiver.
type faultProxy struct {
	t     *testing.T
	proxy *toxiproxy.Proxy
}

// newFaultProxy starts one in front of an address, with no fault yet.
func newFaultProxy(t *testing.T, upstream string) *faultProxy {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.New(io.Discard))
	p := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", upstream)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return &faultProxy{t, p}
}

// address is where the sender connects to.
func (f *faultProxy) address() string { return f.proxy.Listen }

// loseAnswers lets everything through to the receiver and not one byte back: the
// connection is closed as soon as the receiver answers, which is after its commit.
func (f *faultProxy) loseAnswers() { f.cut("downstream") }

// loseRequests lets nothing through to the receiver.
func (f *faultProxy) loseRequests() { f.cut("upstream") }

// cut breaks off one direction, of connections that are open too; the other is whole.
func (f *faultProxy) cut(direction string) {
	f.t.Helper()
	f.proxy.Toxics.ResetToxics(f.t.Context())
	toxic := `{"name": "cut", "type": "limit_data", "stream": "` + direction + `", "toxicity": 1, "attributes": {"bytes": 0}}`
	if _, err := f.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		f.t.Fatal(err)
	}
}
