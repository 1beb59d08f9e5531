// Package live is what the window shows, without the window: a snapshot for each page, the words and figures in it, and
// the pump that keeps the page in view up to date.
//
// Invariants:
//
//   - Nothing here imports a toolkit; a snapshot is plain data that a screen may draw at any time.
//   - Only the page in view is read, at most four times a second, and only when the books changed.
//   - Reading never happens on the goroutine that draws; drawing never happens on the one that reads.
package live
