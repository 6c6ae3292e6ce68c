package offline

import "strings"

// thatFolder is the folder that a request before it was about.
const thatFolder = "\x00"

// readFolder reads the name of a folder; the root has several.
func readFolder(c *clause, s span, r *Request) bool {
	for s.to-s.from > 1 && (determiners[c.tokens[s.from].low] || folderWords[c.tokens[s.from].low] || c.tokens[s.from].low == "new") {
		s.from++
	}
	switch low := c.low(s); {
	case roots[low]:
		r.Folder = "/"
		return true
	case low == "it" || low == "there" || low == "them":
		r.Folder = thatFolder
		return true
	}
	for s.to-s.from > 1 && folderWords[c.tokens[s.to-1].low] {
		s.to--
	}
	value, ok := c.literal(s)
	value = strings.TrimSuffix(value, "/")
	if !ok || s.to-s.from > 5 || strings.ContainsAny(value, "\r\n") {
		return false
	}
	for _, tok := range c.tokens[s.from:s.to] {
		if tok.form == plain && (notNames[tok.low] || called[tok.low] || tok.low == "and" || s.to-s.from > 1 && prepositions[tok.low] || documentFile(tok.value)) {
			return false
		}
	}
	r.Folder = value
	low := c.low(s)
	return value != "" && !c.article(s) && !pronouns[low] && !folderWords[low] && !determiners[low] && !prepositions[low] && !(notAlone[low] && !docPlurals[low] && !textNames[low])
}

// readFolders reads several, a line each.
func readFolders(c *clause, s span, r *Request) bool {
	var all []string
	for _, part := range c.items(s) {
		var one Request
		if !readFolder(c, part, &one) {
			return false
		}
		all = append(all, one.Folder)
	}
	r.Folder = strings.Join(all, "\n")
	return len(all) > 1
}

// documentFile tells whether a name has an extension, and so is no folder.
func documentFile(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && extensions[strings.ToLower(name[dot+1:])]
}
