package wire

import "github.com/tidwall/gjson"

// Valid tells whether foreign bytes are JSON that may be parsed: gjson's own check recurses, and some megabytes of "["
// would end the process.
func Valid(b []byte) bool { return !tooDeep(b) && gjson.ValidBytes(b) }
