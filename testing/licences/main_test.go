package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLicencesAreKnownByTheirWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"MIT, broken over lines", "Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this software and", "MIT"},
		{"BSD with three clauses", "Redistribution and use in source and binary forms, with or without modification, are permitted provided\n * Neither the name of X", "BSD-3-Clause"},
		{"BSD with two", "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided", "BSD-2-Clause"},
		{"Apache", "                  Apache License\n           Version 2.0, January 2004", "Apache-2.0"},
		{"the GPL", "GNU GENERAL PUBLIC LICENSE Version 3", ""},
		{"the AGPL", "GNU AFFERO GENERAL PUBLIC LICENSE Version 3", ""},
		{"MIT, or the GPL", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software. Or under the terms of the GNU General Public License", ""},
		{"a made-up one", "You may use this on Tuesdays.", ""},
	} {
		if got := classify(c.text); got != c.want {
			t.Errorf("%s is taken for %q", c.name, got)
		}
	}
}

func TestLicencesAreFoundBesideWhatTheyAreFor(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"LICENSE", "fonts/licence.txt", "testdata/LICENSE", "other/go.mod", "other/LICENSE", "licenses.go", "COPYING.md", "NOTICE"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := licenceFiles(dir)
	if err != nil || len(got) != 4 || got[0] != "COPYING.md" || got[1] != "LICENSE" || got[2] != "NOTICE" || got[3] != filepath.Join("fonts", "licence.txt") {
		t.Errorf("found %v, %v", got, err)
	}
}
