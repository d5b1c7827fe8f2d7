package config

// A configuration in memory holds secrets: headers, the URL, a program's environment
// and a connection string after their variables were filled in. Printing one, by
// whatever verb, shows none of them.

const (
	withheld     = "http lookup (address and headers withheld)"
	withheldExec = "exec lookup (arguments and environment withheld)"
	withheldSQL  = "sql lookup (database and query withheld)"
)

func (h HTTP) String() string { return withheld }

// GoString is String, for %#v.
func (h HTTP) GoString() string { return withheld }

// MarshalJSON is String, as JSON.
func (h HTTP) MarshalJSON() ([]byte, error) { return []byte(`"` + withheld + `"`), nil }

func (e Exec) String() string { return withheldExec }

// GoString is String, for %#v.
func (e Exec) GoString() string { return withheldExec }

// MarshalJSON is String, as JSON.
func (e Exec) MarshalJSON() ([]byte, error) { return []byte(`"` + withheldExec + `"`), nil }

func (s SQL) String() string { return withheldSQL }

// GoString is String, for %#v.
func (s SQL) GoString() string { return withheldSQL }

// MarshalJSON is String, as JSON.
func (s SQL) MarshalJSON() ([]byte, error) { return []byte(`"` + withheldSQL + `"`), nil }
