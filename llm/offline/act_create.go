package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

func (w *work) create(q Request) string {
	w.need(toCreate)
	p := w.newPath(q)
	if there := w.taken(p); there != "" {
		return w.createBeside(q, there)
	}
	return w.createAt(p, q)
}

func (w *work) createAt(p string, q Request) string {
	if _, ok := w.hands.(documentHands); ok && !strings.EqualFold(path.Ext(p), ".md") {
		return fmt.Sprintf("The tools that are offered create only Markdown documents (.md), so I did not create %s. With --toolset project or coding I can.", p)
	}
	outs := w.change(creating(p, newContent(nameOf(p), q), q.Template))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Created %s.", outs[0].path)
		if q.Template != "" {
			done = fmt.Sprintf("Created %s from the template %s.", outs[0].path, q.Template)
		}
	}
	return report(done, outs)
}

// newContent is the text of a new document. A template gives the title itself.
func newContent(title string, q Request) string {
	body := strings.Trim(bodyOf(q), "\n")
	switch {
	case q.Template != "":
		return body
	case !markdown(q.Title):
		return strings.TrimPrefix(body+"\n", "\n")
	case hashHeading.MatchString(firstLine(body)) || strings.HasPrefix(body, "---\n"):
		return body + "\n"
	case body == "":
		return "# " + title + "\n"
	}
	return "# " + title + "\n\n" + body + "\n"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// bodyOf is the text of a request, its items as a list.
func bodyOf(q Request) string {
	if !q.List {
		return q.Text
	}
	var lines []string
	for _, item := range strings.Split(strings.Trim(q.Text, "\n"), "\n") {
		if item = strings.TrimSpace(item); item != "" {
			marker := "- "
			if q.Template == "todo-list" {
				marker = "- [ ] "
			}
			lines = append(lines, asItem(item, marker))
		}
	}
	return strings.Join(lines, "\n")
}

// asItem is a line as an item of a list, if it is none.
func asItem(line, marker string) string {
	if listItem.MatchString(line) {
		return line
	}
	return marker + line
}

// newPath is the path of a new document.
func (w *work) newPath(q Request) string {
	title := strings.TrimSpace(q.Title)
	if title == "" && len(q.Docs) > 0 {
		title = q.Docs[0]
	}
	if title == "" && !q.Date.IsZero() {
		title = q.Date.Format(time.DateOnly)
	}
	if title == "" && q.Kind == Create {
		title = titleOf(q.Text)
	}
	if title == "" {
		answer, ok := w.ask("What shall the new document be called?")
		if !ok {
			end("I have not created anything: please say what the document shall be called.")
		}
		title = answer
	}
	if day := q.Date.Format(time.DateOnly); q.Kind == Create && !q.Date.IsZero() && !strings.Contains(title, day) {
		title = day + " " + capitalised(title)
	}
	inside(title, q.Folder)
	folder := w.usualFolder(q)
	if dir, name := path.Split(title); dir != "" {
		// A slash is a path if it leads somewhere, else a part of the name.
		if there, ok := w.findFolder(dir); ok || fileExtension(name) != "" {
			folder, title = there, name
		}
	}
	if q.Folder != "" {
		folder, _ = w.findFolder(q.Folder)
	}
	return path.Join(folder, nameFor(title))
}

// inside ends the request if a path leads out of the folder.
func inside(paths ...string) {
	for _, p := range paths {
		if clean := path.Clean(strings.ReplaceAll(p, "\\", "/")); clean == ".." || strings.HasPrefix(clean, "../") {
			end(fmt.Sprintf("%s is outside of this folder, where I may do nothing. I changed nothing.", p))
		}
	}
}

// titleOf makes a title of the first words of a text.
func titleOf(text string) string {
	words := strings.Fields(strings.TrimLeft(firstLine(strings.TrimSpace(text)), "#-*> "))
	words = words[:min(len(words), 6)]
	for n := len(words); n > 1 && fillers[folded(words[n-1])]; n-- {
		words = words[:n-1]
	}
	return capitalised(strings.TrimRight(strings.Join(words, " "), ".,;:!?"))
}

// usualFolder is where a new document goes if nothing else is said: beside the open
// one, or, if it is one of a meeting, where those are.
func (w *work) usualFolder(q Request) string {
	if w.open == "" && q.Template == "meeting-notes" {
		for _, f := range w.list().folders {
			if slices.Contains([]string{"meeting", "meeting note"}, strings.Join(stems(termsOf(path.Base(f))), " ")) {
				return f
			}
		}
	}
	return folderOf(w.open)
}

// capitalised begins a text with a capital.
func capitalised(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// nameFor makes a name for a file of a title.
func nameFor(title string) string {
	ext := fileExtension(title)
	if ext == "" {
		ext = ".md"
	} else {
		title = strings.TrimSuffix(title, ext)
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\':
			return '-'
		case r < ' ' || r == 0x7f:
			return ' '
		}
		return r
	}, title)
	name = strings.Join(strings.Fields(strings.TrimLeft(name, ". ")), " ")
	name = strings.TrimRight(name, ". ")
	if r := []rune(name); len(r) > 100 {
		name = strings.TrimSpace(string(r[:100]))
	}
	if name == "" {
		name = "Untitled"
	}
	return name + ext
}

// taken is the document that has a path already, whatever its case, or "".
func (w *work) taken(p string) string {
	for _, f := range w.list().files {
		if strings.EqualFold(f, p) {
			return f
		}
	}
	return ""
}

// createBeside asks what to do where the name is taken.
func (w *work) createBeside(q Request, there string) string {
	free := w.freePath(there)
	question := fmt.Sprintf("%s exists already. Shall I add the text to it, create %s instead, or leave it?", there, path.Base(free))
	answer, ok := w.ask(question)
	terms := termsOf(answer)
	switch {
	case ok && (slices.Contains(terms, "add") || slices.Contains(terms, "append")):
		if strings.TrimSpace(bodyOf(q)) == "" {
			return fmt.Sprintf("There is nothing to add to %s: it stays as it is.", there)
		}
		return w.addTo(there, q)
	case ok && (slices.Contains(terms, "create") || slices.Contains(terms, "new") || slices.Contains(terms, "instead") ||
		slices.Contains(terms, "rename") || slices.Contains(terms, "other") || slices.Contains(terms, "another") || isYes(answer)):
		return w.createAt(free, q)
	}
	return fmt.Sprintf("%s exists already, so I created nothing and left it as it is.", there)
}

// freePath is the first of "name 2", "name 3"… that is not taken.
func (w *work) freePath(p string) string {
	ext := path.Ext(p)
	for i := 2; ; i++ {
		free := fmt.Sprintf("%s %d%s", strings.TrimSuffix(p, ext), i, ext)
		if w.taken(free) == "" {
			return free
		}
	}
}

func (w *work) createFolder(q Request) string {
	w.need(toFolder)
	name := q.Folder
	if name == "" {
		name = q.Title
	}
	if name == "" && len(q.Docs) > 0 {
		name = q.Docs[0]
	}
	inside(name)
	p := cleanPath(name)
	if p == "" {
		return "Please say what the folder shall be called."
	}
	if slices.Contains(w.list().folders, p) {
		return fmt.Sprintf("The folder %s is there already.", p)
	}
	outs := w.change(makingFolder(p))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Created the folder %s.", p)
	}
	return report(done, outs)
}

var dayName = regexp.MustCompile(`^(\d{4})([-_.]?)(\d{2})([-_.]?)(\d{2})$`)

// daily opens the daily note of a day, or makes it.
func (w *work) daily(q Request) string {
	day := q.Date
	if day.IsZero() {
		day = w.today
	}
	folder, layout := w.dailyHabit()
	if q.Folder != "" {
		folder, _ = w.findFolder(q.Folder)
	}
	p := path.Join(folder, day.Format(layout)+".md")
	if there := w.taken(p); there != "" {
		if strings.TrimSpace(q.Text) != "" {
			w.need(toEdit)
			return w.addTo(there, q)
		}
		w.spoken = there
		return w.show(there)
	}
	w.need(toCreate)
	body := strings.Trim(bodyOf(q), "\n")
	content := fmt.Sprintf("# %s\n", day.Format(layout))
	if body != "" {
		content += "\n" + body + "\n"
	}
	outs := w.change(creating(p, content, ""))
	done := ""
	if outs[0].done() {
		done = fmt.Sprintf("Created the daily note %s.", outs[0].path)
	}
	return report(done, outs)
}

// dailyHabit is the folder that most daily notes are in, and the form of their
// names.
func (w *work) dailyHabit() (folder, layout string) {
	counts := map[[2]string]int{}
	var order [][2]string
	for _, f := range w.list().files {
		m := dayName.FindStringSubmatch(nameOf(f))
		if m == nil || m[2] != m[4] {
			continue
		}
		key := [2]string{folderOf(f), "2006" + m[2] + "01" + m[4] + "02"}
		if counts[key] == 0 {
			order = append(order, key)
		}
		counts[key]++
	}
	best := [2]string{"", time.DateOnly}
	for _, key := range order {
		if counts[key] > counts[best] {
			best = key
		}
	}
	if counts[best] == 0 {
		for _, name := range []string{"journal", "daily", "daily notes", "diary"} {
			for _, f := range w.list().folders {
				if folded(path.Base(f)) == name {
					return f, time.DateOnly
				}
			}
		}
	}
	return best[0], best[1]
}
