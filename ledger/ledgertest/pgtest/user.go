//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// unprivileged is the user that runs the server where the tests run as root: the
// server refuses to.
func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errMissing
}

// giveAway makes a directory that user's.
func giveAway(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	who, err := unprivileged()
	if err != nil {
		return err
	}
	return os.Chown(dir, int(who.Uid), int(who.Gid))
}

func lowerPrivileges(cmd *exec.Cmd) error {
	if os.Geteuid() != 0 {
		return nil
	}
	who, err := unprivileged()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	return err
}
