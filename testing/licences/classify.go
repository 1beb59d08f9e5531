package main

import "strings"

// fitting are the licences under which what is linked may be given away with the program, each with
// words that stand in it and in no other one here. The Mozilla one asks for its own files' sources,
// which the module proxy keeps.
var fitting = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"BSD-3-Clause", "neither the name of"},
	{"BSD-3-Clause", "the names of its contributors may not be used"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms, with or without modification, are permitted"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"Zlib", "this software is provided 'as-is', without any express or implied warranty"},
	{"Unlicense", "this is free and unencumbered software released into the public domain"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{"public domain", "dedicated to the public domain by the authors"},
	{"Bitstream-Vera", "bitstream vera is a trademark of bitstream, inc."},
}

// classify names the licence that a text is, or "" if none that is known and fits. A text that brings a
// licence of the GNU family along is none that fits.
func classify(text string) string {
	said := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, gnu := range []string{"gnu general public license", "gnu lesser general public license", "gnu affero"} {
		if strings.HasPrefix(said, gnu) || strings.Contains(said, "under the terms of the "+gnu) {
			return ""
		}
	}
	plain := strings.ReplaceAll(said, ",", "")
	for _, l := range fitting {
		if strings.Contains(plain, strings.ReplaceAll(l.words, ",", "")) {
			return l.name
		}
	}
	return ""
}
