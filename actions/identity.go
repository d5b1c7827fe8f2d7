package actions

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// Identity is who acts. It comes from the operating system, never from a flag or
// from $USER (design §6).
type Identity struct {
	Name string // the user's name by uid; under sudo "root (sudo by alice)"
	UID  int
}

// CurrentIdentity asks the operating system who runs this process. Under sudo both
// users are recorded. A uid that no account has is named by its number.
func CurrentIdentity() (Identity, error) {
	uid := os.Getuid()
	name := nameOf(uid)
	if sudo, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil && uid == 0 && sudo > 0 {
		name = fmt.Sprintf("%s (sudo by %s)", name, nameOf(sudo))
	}
	id := Identity{Name: name, UID: uid}
	return id, id.check()
}

func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid %d", uid)
}

// check refuses an empty identity: nobody can be asked about it afterwards.
func (id Identity) check() error {
	if id.Name != "" {
		return nil
	}
	return &Refusal{
		Kind: Denied, Code: CodeNoIdentity,
		What:  "The operating system does not say who you are.",
		Means: "Nothing was done; what is known about the delivery is what it was.",
		Do:    "Run triage as a user that has an account.",
	}
}
