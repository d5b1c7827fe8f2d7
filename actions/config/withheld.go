package config

// A configuration in memory holds secrets: headers and the URL after its
// variables were filled in. Printing one, by whatever verb, shows none of them.

const withheld = "http lookup (address and headers withheld)"

func (h HTTP) String() string { return withheld }

// GoString is String, for %#v.
func (h HTTP) GoString() string { return withheld }

// MarshalJSON is String, as JSON.
func (h HTTP) MarshalJSON() ([]byte, error) { return []byte(`"` + withheld + `"`), nil }
