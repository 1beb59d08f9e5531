package cli

import "runtime/debug"

// version is the release's, set by the linker (.ci/build); "" in a build from source.
var version string

// versionText is what --version prints.
func versionText() string {
	if version != "" {
		return "perdiem " + version
	}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return "perdiem, built from source"
	}
	for _, s := range built.Settings {
		if s.Key == "vcs.revision" {
			return "perdiem, built from source at " + s.Value
		}
	}
	return "perdiem, built from source"
}
