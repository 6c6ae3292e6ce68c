package offline

import (
	"strconv"
	"strings"
	"time"
)

// period is a day, a month or a year.
type period struct {
	year  int
	month time.Month // 0: all of the year
	day   int        // 0: all of the month
}

// start is the first day of the period.
func (p period) start() time.Time {
	return time.Date(p.year, max(p.month, 1), max(p.day, 1), 0, 0, 0, 0, time.UTC)
}

func dayOf(t time.Time) period {
	return period{t.Year(), t.Month(), t.Day()}
}

// readPeriod understands a time as people write it: "today", "last monday",
// "2026-05-01", "May 3", "the 3rd of May 2026", "March 2024", "2023",
// "two weeks ago". Words are in lower case, without punctuation.
func readPeriod(words []string, today time.Time) (period, bool) {
	for len(words) > 0 && (words[0] == "on" || words[0] == "the" || words[0] == "of" || words[0] == "year" || words[0] == "in") {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 5 {
		return period{}, false
	}
	for _, read := range []func([]string, time.Time) (period, bool){relativeDay, weekday, relativeSpan, written, calendar} {
		if p, ok := read(words, today); ok {
			return p, ok
		}
	}
	return period{}, false
}

func relativeDay(words []string, today time.Time) (period, bool) {
	days, ok := map[string]int{
		"today": 0, "tonight": 0, "now": 0, "tomorrow": 1, "yesterday": -1,
		"day after tomorrow": 2, "day before yesterday": -2,
	}[strings.Join(words, " ")]
	return dayOf(today.AddDate(0, 0, days)), ok
}

// weekday reads "monday" and "this monday" as the next one, today included.
func weekday(words []string, today time.Time) (period, bool) {
	name := words[len(words)-1]
	for d := time.Sunday; d <= time.Saturday; d++ {
		full := strings.ToLower(d.String())
		if name != full && name != full[:3] || len(words) > 2 {
			continue
		}
		ahead := (int(d) - int(today.Weekday()) + 7) % 7
		if len(words) == 2 {
			switch words[0] {
			case "last", "past", "previous":
				ahead -= 7
			case "next":
				if ahead == 0 {
					ahead = 7
				}
			case "this", "coming":
			default:
				return period{}, false
			}
		}
		return dayOf(today.AddDate(0, 0, ahead)), true
	}
	return period{}, false
}

var numberWords = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}

// relativeSpan reads "last year", "next month", "two weeks ago" and "in 3 days"
// (without its "in").
func relativeSpan(words []string, today time.Time) (period, bool) {
	n, unit := 0, ""
	switch {
	case len(words) == 2:
		sign, ok := map[string]int{"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1}[words[0]]
		if ok {
			switch words[1] {
			case "year":
				return period{year: today.Year() + sign}, true
			case "month":
				first := time.Date(today.Year(), today.Month()+time.Month(sign), 1, 0, 0, 0, 0, time.UTC)
				return period{year: first.Year(), month: first.Month()}, true
			}
			return period{}, false
		}
		n, unit = amount(words[0]), words[1]
	case len(words) == 3 && words[2] == "ago":
		n, unit = -amount(words[0]), words[1]
	case len(words) == 3 && words[1] == "from" && words[2] == "now":
		return period{}, false
	}
	if n == 0 {
		return period{}, false
	}
	switch strings.TrimSuffix(unit, "s") {
	case "day":
		return dayOf(today.AddDate(0, 0, n)), true
	case "week":
		return dayOf(today.AddDate(0, 0, 7*n)), true
	case "month":
		return dayOf(today.AddDate(0, n, 0)), true
	case "year":
		return dayOf(today.AddDate(n, 0, 0)), true
	}
	return period{}, false
}

func amount(word string) int {
	if n := numberWords[word]; n != 0 {
		return n
	}
	n, err := strconv.Atoi(word)
	if err != nil || n > 1000 {
		return 0
	}
	return n
}

// written reads a date in figures. 3/4/2026 is refused: it is two dates.
func written(words []string, _ time.Time) (period, bool) {
	if len(words) != 1 {
		return period{}, false
	}
	for _, layout := range []string{"2006-01-02", "2006/01/02", "2006.01.02", "2.1.2006", "20060102", "2006-01", "2006/01"} {
		t, err := time.Parse(layout, words[0])
		if err != nil || t.Year() < 1900 || t.Year() > 2199 {
			continue
		}
		if len(layout) == len("2006-01") {
			return period{year: t.Year(), month: t.Month()}, true
		}
		return dayOf(t), true
	}
	year, err := strconv.Atoi(words[0])
	return period{year: year}, err == nil && year >= 1900 && year <= 2199
}

// calendar reads a month by its name, with a day or a year or both in any order.
func calendar(words []string, today time.Time) (period, bool) {
	p := period{}
	for _, word := range words {
		number, err := strconv.Atoi(strings.TrimRight(word, "sthnrd"))
		switch {
		case word == "of":
		case err == nil && number >= 1900 && number <= 2199 && p.year == 0:
			p.year = number
		case err == nil && number >= 1 && number <= 31 && p.day == 0:
			p.day = number
		case p.month == 0 && monthNamed(word) != 0:
			p.month = monthNamed(word)
		default:
			return period{}, false
		}
	}
	if p.month == 0 {
		return period{}, false
	}
	if p.year == 0 {
		p.year = today.Year()
	}
	return p, p.day == 0 || p.start().Day() == p.day
}

func monthNamed(word string) time.Month {
	for m := time.January; m <= time.December; m++ {
		full := strings.ToLower(m.String())
		if word == full || word == full[:3] || word == "sept" && m == time.September {
			return m
		}
	}
	return 0
}
