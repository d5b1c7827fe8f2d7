// Package recipes holds ready configurations, one for each service that agents write
// to, and the tests that load and use them. It has no code of its own: copy the YAML.
package recipes
