package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MissingVariable is a ${VARIABLE} that can't be filled in from the environment.
type MissingVariable struct {
	Name string
	Line int
	File string
	Why  string // "is not set", "is empty", or what is wrong with its value; never the value
}

func (m MissingVariable) String() string {
	return fmt.Sprintf("%s:%d: %s %s. Set %s in the environment of triage and start again.", m.File, m.Line, m.Name, m.Why, m.Name)
}

// LookupOff says why no lookup of this target can be made although one is
// configured: a variable or a program it needs is missing. "" where nothing stands in the way.
func (t Target) LookupOff() string {
	if t.Lookup == nil || len(t.Lookup.Missing)+len(t.Lookup.Off) == 0 {
		return ""
	}
	lines := slices.Clone(t.Lookup.Off)
	for _, m := range t.Lookup.Missing {
		lines = append(lines, m.String())
	}
	return "Lookups of " + t.Name + " are off: " + strings.Join(lines, " ")
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expanded is a text with its variables filled in.
type expanded struct {
	text    string
	uses    bool // it names variables
	secrets []string
	missing []MissingVariable
}

// expand fills in every ${VARIABLE} of a text. $${ stands for ${ itself, and a $
// without a brace for itself. usable says what is wrong with a value in this
// place, or "".
func (v value) expand(text string, usable func(string) string) (expanded, error) {
	var out expanded
	var b strings.Builder
	line, _ := v.position()
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			b.WriteString(text)
			out.text = b.String()
			return out, nil
		}
		if at > 0 && text[at-1] == '$' {
			b.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		name, rest, closed := strings.Cut(text[at+2:], "}")
		if !closed || !variableName.MatchString(name) {
			return out, v.fail(v.name()+" has ${ without a variable's name and } behind it",
				"Write ${NAME} with letters, digits and _ only; for the characters ${ themselves write $${")
		}
		b.WriteString(text[:at])
		text = rest
		out.uses = true
		content, why := v.lookEnv(name, usable)
		if why != "" {
			out.missing = append(out.missing, MissingVariable{Name: name, Line: line, File: v.file.path, Why: why})
			continue
		}
		b.WriteString(content)
		out.secrets = append(out.secrets, content)
	}
}

func (v value) lookEnv(name string, usable func(string) string) (content, why string) {
	content, set := v.file.getenv(name)
	switch {
	case !set:
		return "", "is not set"
	case content == "":
		return "", "is empty"
	}
	return content, usable(content)
}

// usableInHeader says what keeps a value out of a header.
func usableInHeader(s string) string {
	switch {
	case strings.ContainsAny(s, "\r\n"):
		return "holds a line break"
	case strings.ContainsFunc(s, control):
		return "holds a control character"
	}
	return ""
}

// usableInURL says what keeps a value out of a URL. Braces would be taken for
// placeholders.
func usableInURL(s string) string {
	if why := usableInHeader(s); why != "" {
		return why
	}
	if strings.ContainsAny(s, " {}#") {
		return "holds a blank or one of { } #, which must be percent-encoded in a URL"
	}
	return ""
}
