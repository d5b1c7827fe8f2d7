package process_test

import (
	"os"
	"runtime"
	"testing"

	"triage/bench/process"
)

func TestLook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	before, err := process.Look(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	hog := make([]byte, 40<<20)
	for i := 0; i < len(hog); i += 4096 {
		hog[i] = byte(i)
	}
	after, err := process.Look(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if grown := after.Anon - before.Anon; grown < 35 || grown > 200 { // the race detector keeps as much again
		t.Errorf("40 MB more are seen as %.1f MB", grown)
	}
	if after.Peak < after.Now || after.Now < after.Anon || after.CPU <= before.CPU {
		t.Errorf("before %+v, after %+v", before, after)
	}
	runtime.KeepAlive(hog)
	if _, err := process.Look(1 << 30); err == nil {
		t.Error("a process that is not there was read")
	}
}
