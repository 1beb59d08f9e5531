package gateway

// gate is one question that a call must pass, in words and in code. A check returns a *refusal, or
// another error where the question could not be answered.
type gate struct {
	asks  string
	check func(*call) error
}

// modelGates is the order in which a call to a model is judged. Cheap questions come first, and
// nothing is held before all of them are answered.
var modelGates = []gate{
	{"Is the caller local enough?", (*call).checkHost},
	{"Is the body within the size limit?", (*call).readBody},
	{"Does the model exist?", (*call).findModel},
	{"Is the pass good, or is none needed?", (*call).identify},
	{"Is the person active, and may they use the model?", (*call).checkAccess},
	{"Has the provider a usable key, and does it speak this dialect?", (*call).findProvider},
	{"Is the caller within their rate?", (*call).checkRate},
	{"Is the request valid?", (*call).checkValid},
	{"Does the prompt fit the model's context?", (*call).checkContext},
	{"Was it asked before under its key, and is there room in every daily budget?", (*call).hold},
}

// countGates are the first of modelGates, for counting tokens, which costs nothing: the rate and all
// that follows are left out.
var countGates = modelGates[:6]

// readGates is the order for calls that only read: they cost nothing, against rate or allowance.
var readGates = []gate{
	{"Is the caller local enough?", (*call).checkHost},
	{"Is the pass good?", (*call).identifyReader},
}

func (c *call) pass(gates []gate) error {
	for _, g := range gates {
		if err := g.check(c); err != nil {
			return err
		}
	}
	return nil
}
