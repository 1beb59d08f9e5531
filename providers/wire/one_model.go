package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A caller may use the models that they have an allowance for, and the meter books a call as one of the model that it names.
// Some vendors go on to further ones where a request says so, by itself or by a tool that asks another model; that is refused.

// otherModels are the fields in which a vendor that is itself a gateway is told of other models.
// https://openrouter.ai/docs/guides/routing/model-fallbacks, https://openrouter.ai/docs/guides/features/presets,
// https://docs.litellm.ai/docs/proxy/client_side_fallbacks, https://docs.litellm.ai/docs/proxy/reliability
var otherModels = []string{"models", "fallbacks", "context_window_fallbacks", "content_policy_fallbacks", "preset", "router_settings_override"}

// askers begin the types of tools, and are the ids of plugins, that ask another model in the middle of a reply.
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool, https://openrouter.ai/docs/guides/features/server-tools/advisor,
// https://openrouter.ai/docs/guides/features/server-tools/subagent, https://openrouter.ai/docs/guides/features/plugins/fusion
var askers = []string{"advisor_", "openrouter:advisor", "openrouter:subagent", "openrouter:fusion", "fusion"}

// oneModel refuses a field at the top of a request that brings models in beside the one it names.
func oneModel(name string, value gjson.Result) error {
	switch {
	case strings.EqualFold(name, "tools"):
		return noAsker("tools", "type", value)
	case strings.EqualFold(name, "plugins"):
		return noAsker("plugins", "id", value)
	case strings.EqualFold(name, "providerOptions"):
		return noGatewayModels(value)
	case slices.ContainsFunc(otherModels, func(other string) bool { return strings.EqualFold(name, other) }):
		return noFurther(name, value)
	}
	return nil
}

func noFurther(name string, value gjson.Result) error {
	if absent(value) || value.Raw == "[]" || value.Raw == "{}" {
		return nil
	}
	return invalid(name, "The field %q brings further models in. Please leave it out: this gateway lets a request use the model in its field \"model\" alone.", name)
}

// noGatewayModels refuses models that Vercel's gateway may go on to.
// https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks
func noGatewayModels(options gjson.Result) (err error) {
	options.ForEach(func(vendor, its gjson.Result) bool {
		if vendor.Str != "gateway" {
			return true
		}
		its.ForEach(func(key, value gjson.Result) bool {
			if key.Str == "models" {
				err = noFurther("providerOptions.gateway.models", value)
			}
			return err == nil
		})
		return err == nil
	})
	return err
}

// noAsker refuses a list one of whose objects is a tool or a plugin that asks another model.
func noAsker(name, member string, list gjson.Result) (err error) {
	if !mayAsk(list.Raw) {
		return nil
	}
	at := 0
	list.ForEach(func(_, object gjson.Result) bool {
		object.ForEach(func(key, value gjson.Result) bool {
			if key.Str == member && slices.ContainsFunc(askers, func(asker string) bool { return strings.HasPrefix(value.Str, asker) }) {
				err = invalid(fmt.Sprintf("%s[%d]", name, at), "The entry %d of %q (%q) asks another model. Please turn it off: this gateway lets a request use the model in its field \"model\" alone.",
					at+1, name, value.Str)
			}
			return err == nil
		})
		at++
		return err == nil
	})
	return err
}

// mayAsk spares most lists, which are long, a look at each of their objects. It looks for the askers by parts of them that
// begin with rare letters, which are found several times as fast.
func mayAsk(raw string) bool {
	return strings.Contains(raw, "visor") || strings.Contains(raw, "bagent") || strings.Contains(raw, "fusion") || strings.Contains(raw, `\u00`)
}
