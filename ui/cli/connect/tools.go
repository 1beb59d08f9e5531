package connect

import "perdiem/ui/live"

// claudeSettings sets the variables that Claude Code reads. The small model that it uses on the side
// is the same one: another may not be allowed.
func claudeSettings(old []byte, t live.Target) ([]byte, error) {
	fields := []field{
		{"env.ANTHROPIC_BASE_URL", t.Root()},
		{"env.ANTHROPIC_AUTH_TOKEN", t.Pass},
		{"env.ANTHROPIC_MODEL", t.Model},
		{"env.ANTHROPIC_DEFAULT_HAIKU_MODEL", t.Model},
	}
	if t.CA != "" {
		fields = append(fields, field{"env.NODE_EXTRA_CA_CERTS", t.CA})
	}
	return setJSON(old, fields...)
}

func codexConfig(old []byte, t live.Target) ([]byte, error) {
	return setTOML(old,
		[]field{{"model", t.Model}, {"model_provider", "perdiem"}},
		"model_providers.perdiem",
		[]field{{"name", "Perdiem"}, {"base_url", t.Base}, {"experimental_bearer_token", t.Pass}, {"wire_api", "responses"}})
}

func geminiSettings(old []byte, _ live.Target) ([]byte, error) {
	return setJSON(old, field{"security.auth.selectedType", "gemini-api-key"})
}

func geminiVariables(old []byte, t live.Target) ([]byte, error) {
	return setVariables(old, field{"GOOGLE_GEMINI_BASE_URL", t.Root()}, field{"GEMINI_API_KEY", t.Pass}, field{"GEMINI_MODEL", t.Model})
}

func opencodeConfig(old []byte, t live.Target) ([]byte, error) {
	provider := map[string]any{
		"npm":     "@ai-sdk/openai-compatible",
		"name":    "Perdiem",
		"options": map[string]string{"baseURL": t.Base, "apiKey": t.Pass},
		"models":  map[string]any{t.Model: map[string]string{}},
	}
	return setJSON(old,
		field{"provider.perdiem", provider},
		field{"model", "perdiem/" + t.Model},
		field{"$schema", "https://opencode.ai/config.json"}) // which it adds itself, and then the file is no longer as we left it
}

func continueConfig(old []byte, t live.Target) ([]byte, error) {
	if len(old) == 0 {
		old = []byte("name: Perdiem\nversion: 0.0.1\nschema: v1\n")
	}
	fields := []field{
		{"name", "Perdiem " + t.Model}, {"provider", "openai"}, {"model", t.Model}, {"apiBase", t.Base}, {"apiKey", t.Pass},
	}
	if t.CA != "" {
		fields = append(fields, field{"requestOptions", map[string]string{"caBundlePath": t.CA}})
	}
	return setYAMLItem(old, "models", fields)
}

func aiderConfig(old []byte, t live.Target) ([]byte, error) {
	return setYAML(old, field{"openai-api-base", t.Base}, field{"openai-api-key", t.Pass}, field{"model", "openai/" + t.Model})
}
