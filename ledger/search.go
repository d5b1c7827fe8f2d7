package ledger

// SearchField is what an intent was found by.
type SearchField string

// What a search looks at: the beginning of each, upper and lower case apart.
const (
	ByKey     SearchField = "op_key"
	ByReceipt SearchField = "receipt" // its own, or one that an attempt or a lookup named
	ByHash    SearchField = "payload_sha256"
	ByTask    SearchField = "task"
)

// SearchQuery asks for the intents of which something begins with a text, in whatever
// state they are.
type SearchQuery struct {
	Text  string // "" finds nothing
	Stuck StuckRule
	Now   Millis
	Limit int // intents at most; 0 means 100
}

// ShortestHash is how many hexadecimal digits a text needs to be looked for among
// payload hashes too; with fewer nearly everything would be found.
const ShortestHash = 4

// Found is one intent that a search found.
type Found struct {
	QueueRow
	By SearchField
}
