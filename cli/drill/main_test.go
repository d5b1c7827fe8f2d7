package drill

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	SenderMain() // this test binary is started again as the sender that gets killed
	os.Exit(m.Run())
}
