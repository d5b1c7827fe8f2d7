package actions

// Identity is who acts. It comes from the operating system, never from a flag or
// from $USER.
type Identity struct {
	Name string // the user's name by uid; under sudo "root (sudo by alice)"
	UID  int
}
