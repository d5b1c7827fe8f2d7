//go:build unix

package lookup

import (
	"os/exec"
	"syscall"
)

// detach gives a program a session of its own: a process group that can be ended as a
// whole, and no terminal to ask for a password on.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// end asks a program's whole group to end, and kill ends it. A group that is gone
// already is as well.
func end(cmd *exec.Cmd)  { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
