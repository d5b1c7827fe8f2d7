//go:build !unix

package lookup

import "os/exec"

// detach: there are no process groups here.
func detach(*exec.Cmd) {}

func end(*exec.Cmd) {}

// kill ends the program alone. One that is gone already is as well.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
