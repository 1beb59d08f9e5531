// Package arrows knows which package of the project may import which: the arrows of DESIGN.md,
// section House. Its test holds the real import graph against them, with the window and without.
package arrows

import (
	"fmt"
	"strings"
)

// Module is the path that the project's own packages begin with.
const Module = "perdiem"

// Fyne is the window's toolkit.
const Fyne = "fyne.io/fyne/v2"

// Package is a node of the import graph, as `go list -json` tells it.
type Package struct {
	ImportPath string
	Imports    []string // direct, tests not included
	Deps       []string // direct and indirect
}

// Check returns a line for each forbidden import in the graph.
func Check(graph []Package) []string {
	var faults []string
	for _, p := range graph {
		for _, to := range p.Imports {
			if why := forbids(p.ImportPath, to); why != "" {
				faults = append(faults, fmt.Sprintf("%s imports %s: %s", p.ImportPath, to, why))
			}
		}
		for _, to := range p.Deps {
			if why := forbidsReach(p.ImportPath, to); why != "" {
				faults = append(faults, fmt.Sprintf("%s reaches %s: %s", p.ImportPath, to, why))
			}
		}
	}
	return faults
}

// CheckHeadless returns a line for each package in the graph of a build without cgo that reaches
// Fyne, apart from the window's own.
func CheckHeadless(graph []Package) []string {
	var faults []string
	for _, p := range graph {
		if p.ImportPath == Module+"/ui" {
			continue
		}
		for _, to := range p.Deps {
			if within(to, Fyne) {
				faults = append(faults, fmt.Sprintf("%s reaches %s in a build without the window", p.ImportPath, to))
			}
		}
	}
	return faults
}

// forbids says why one package must not import another directly, or "" if it may.
func forbids(from, to string) string {
	switch part := part(from); {
	case part == "testing":
		return "" // tests may look at everything
	case within(to, Module+"/testing"):
		return "what is shipped does not know its tests"
	case within(to, Fyne) && part != "ui" && part != "main":
		return "Fyne is known to the package ui and to main alone"
	case within(to, Fyne+"/app") && part != "main":
		return "the window's driver is chosen in main's window.go"
	case !within(to, Module):
		return outside(part, from, to)
	case to == Module:
		return "nothing imports main"
	default:
		return inside(part, from, to)
	}
}

// inside judges an import of the project's own.
func inside(from, path, to string) string {
	target := part(to)
	if from == target || target == "assets" {
		return ""
	}
	ok := false
	switch from {
	case "main":
		ok = target == "ui" || target == "face" || target == "boot"
	case "ui", "face":
		ok = true // live, gateway, meter, providers: a face sees the whole house
		if from == "face" && target == "ui" {
			return "only main opens the window"
		}
	case "boot":
		ok = target == "gateway" || target == "meter" || target == "providers" || to == Module+"/ui/web"
	case "gateway":
		ok = target == "meter" || target == "providers"
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("no arrow goes from %s to %s", name(from, path), name(target, to))
}

// outside judges an import of someone else's.
func outside(from, path, to string) string {
	if from == "meter" && to == "net/http" {
		return "the meter knows no HTTP"
	}
	if path == Module+"/meter" && (strings.Contains(to, "sqlite") || strings.Contains(to, "pgx")) {
		return "the meter's root knows no driver"
	}
	return ""
}

// forbidsReach says why one package must not depend on another even through a third.
func forbidsReach(from, to string) string {
	switch part := part(from); {
	case (part == "meter" || part == "providers" || part == "gateway") && within(to, Module+"/ui"):
		return "no face is known inside the house"
	case part == "meter" && within(to, Module+"/providers"), part == "providers" && within(to, Module+"/meter"):
		return "meter and providers do not know each other"
	}
	return ""
}

// part names the part of the house that a package of the project belongs to. The faces that are not
// the window, and boot, which alone may mount one, are parts of their own.
func part(path string) string {
	rest := strings.TrimPrefix(path, Module+"/")
	switch first, _, _ := strings.Cut(rest, "/"); {
	case path == Module:
		return "main"
	case within(path, Module+"/gateway/boot"):
		return "boot"
	case path == Module+"/ui":
		return "ui"
	case first == "ui":
		return "face"
	default:
		return first
	}
}

func name(part, path string) string {
	if part == "face" {
		return strings.TrimPrefix(path, Module+"/")
	}
	return part
}

// within reports whether path is the package root or lies below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
