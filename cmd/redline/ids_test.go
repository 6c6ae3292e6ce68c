package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ids gives what is different in every run, in the order of its appearance, names
// for transcripts: turns are TURN1, TURN2…, their hunks h_A_1, h_A_2…, sessions
// SESSION1…, things in the trash TRASH1…; moments are TIME. Commands may use these
// names.
type ids struct {
	turns, tails, sessions, trash []string
}

var (
	turnID    = regexp.MustCompile(`turn_([a-z2-7]{8,16})\b`)
	hunkID    = regexp.MustCompile(`\bh_([a-z2-7]{6})_(\d+[ab]*)`)
	commitID  = regexp.MustCompile(`\bc_[a-z2-7]{16}\b`)
	sessionID = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	trashID   = regexp.MustCompile(`\b\d{8}T\d{6}\.\d{9}Z_`)
	moment    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?`)
	duration  = regexp.MustCompile(`("duration(?:_ns)?": ?)\d+`)
	digest    = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	idName    = regexp.MustCompile(`(TURN|SESSION|TRASH)(\d+)|h_([A-Z])_`)
)

// number finds a name among those that were seen, of which some were cut short.
func number(seen *[]string, name string) int {
	for i, s := range *seen {
		if strings.HasPrefix(s, name) || strings.HasPrefix(name, s) {
			(*seen)[i] = max(s, name)
			return i
		}
	}
	*seen = append(*seen, name)
	return len(*seen) - 1
}

// hide puts the names in the place of ids.
func (d *ids) hide(text string) string {
	text = turnID.ReplaceAllStringFunc(text, func(id string) string {
		if id == "turn_k3f7qabc" { // of the examples in help
			return id
		}
		return fmt.Sprintf("TURN%d", number(&d.turns, strings.TrimPrefix(id, "turn_"))+1)
	})
	text = hunkID.ReplaceAllStringFunc(text, func(id string) string {
		part := hunkID.FindStringSubmatch(id)
		if part[1] == "q2abcd" {
			return id
		}
		return fmt.Sprintf("h_%c_%s", 'A'+number(&d.tails, part[1]), part[2])
	})
	text = sessionID.ReplaceAllStringFunc(text, func(id string) string { return fmt.Sprintf("SESSION%d", number(&d.sessions, id)+1) })
	text = trashID.ReplaceAllStringFunc(text, func(id string) string { return fmt.Sprintf("TRASH%d_", number(&d.trash, id)+1) })
	text = moment.ReplaceAllString(duration.ReplaceAllString(text, "${1}0"), "TIME")
	return digest.ReplaceAllString(commitID.ReplaceAllString(text, "COMMIT"), "DIGEST")
}

// reveal puts the ids in the place of names.
func (d *ids) reveal(words []string) []string {
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = idName.ReplaceAllStringFunc(w, func(name string) string {
			part := idName.FindStringSubmatch(name)
			n := 0
			fmt.Sscan(part[2], &n)
			switch part[1] {
			case "TURN":
				return "turn_" + d.turns[n-1]
			case "SESSION":
				return d.sessions[n-1]
			case "TRASH":
				return strings.TrimSuffix(d.trash[n-1], "_")
			}
			return "h_" + d.tails[part[3][0]-'A'] + "_"
		})
	}
	return words
}
