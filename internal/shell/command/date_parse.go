package command

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseDate reads a time as people write it: what GNU date reads, for the common
// forms. What is not said is taken from now, which is in UTC.
func parseDate(text string, now time.Time) (time.Time, bool) {
	p := dateReader{rest: strings.ToLower(strings.TrimSpace(text)), now: now,
		year: now.Year(), month: int(now.Month()), day: now.Day(),
		hour: now.Hour(), minute: now.Minute(), second: now.Second(), nano: now.Nanosecond()}
	if p.rest == "" {
		p.hour, p.minute, p.second, p.nano = 0, 0, 0, 0
	}
	for p.rest != "" {
		if !p.item() {
			return time.Time{}, false
		}
		p.rest = strings.TrimLeft(p.rest, " \t\n,")
	}
	return p.time()
}

// dateReader takes a text apart, item by item.
type dateReader struct {
	rest string
	now  time.Time

	year, month, day           int
	hour, minute, second, nano int
	absolute                   *time.Time // of @SECONDS
	hasDate, hasTime           bool
	clockJustRead              bool     // the last item was a time
	zone                       *float64 // hours east of UTC
	weekday, weeks             int
	hasWeekday                 bool
	// What is to be added.
	years, months, days int
	seconds             float64
}

// dateForms are the ways to write an item, each with what it means. The first that
// fits is taken.
var dateForms = []struct {
	form *regexp.Regexp
	take func(p *dateReader, m []string) bool
}{
	{dateForm(`@(-?\d+)(?:[.,](\d+))?`), (*dateReader).epoch},
	{dateForm(`(\d{4})-(\d{1,2})-(\d{1,2})t?`), func(p *dateReader, m []string) bool { return p.date(m[1], m[2], m[3]) }},
	{dateForm(`(\d{4})/(\d{1,2})/(\d{1,2})\b`), func(p *dateReader, m []string) bool { return p.date(m[1], m[2], m[3]) }},
	{dateForm(`(\d{1,2})/(\d{1,2})/(\d{2,4})\b`), func(p *dateReader, m []string) bool { return p.date(m[3], m[1], m[2]) }},
	{dateForm(`(\d{1,2})/(\d{1,2})\b`), func(p *dateReader, m []string) bool { return p.date(strconv.Itoa(p.now.Year()), m[1], m[2]) }},
	{dateForm(`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(am|pm|a\.m\.|p\.m\.)?`), (*dateReader).clock},
	{dateForm(`(\d{1,2})\s*(am|pm|a\.m\.|p\.m\.)`), func(p *dateReader, m []string) bool { return p.clock([]string{"", m[1], "0", "", "", m[2]}) }},
	{dateForm(`(\d{4})(\d{2})(\d{2})\b`), func(p *dateReader, m []string) bool { return p.date(m[1], m[2], m[3]) }},
	{dateForm(`(\d{1,2})(?:st|nd|rd|th)?[\s-]*([a-z]{3,9})\.?(?:[\s,-]+(\d{4}))?\b`), func(p *dateReader, m []string) bool { return p.named(m[2], m[1], m[3]) }},
	{dateForm(`([a-z]{3,9})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?(?:[\s,]+(\d{4}))?\b`), func(p *dateReader, m []string) bool { return p.named(m[1], m[2], m[3]) }},
	{dateForm(`([+-]?\s*\d+(?:\.\d+)?)\s*([a-z]+)(\s+ago\b)?`), (*dateReader).relative},
	{dateForm(`(next|last|this|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)\s+([a-z]+)(\s+ago\b)?`), (*dateReader).ordinal},
	{dateForm(`([a-z]+)\.?(\s+ago\b)?`), (*dateReader).word},
	{dateForm(`(\d{4})\b`), (*dateReader).fourDigits},
}

func dateForm(s string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + s + `)`) }

var offsetForm = dateForm(`([+-])\s*(\d{1,2}):?(\d{2})?`)

func (p *dateReader) item() bool {
	// A sign right behind a time begins a zone, whatever follows.
	if m := offsetForm.FindStringSubmatch(p.rest); m != nil && p.clockJustRead {
		p.clockJustRead = false
		p.rest = p.rest[len(m[0]):]
		return p.offset(m)
	}
	p.clockJustRead = false
	for _, f := range dateForms {
		m := f.form.FindStringSubmatch(p.rest)
		if m == nil {
			continue
		}
		rest := p.rest
		p.rest = p.rest[len(m[0]):]
		if f.take(p, m) {
			return true
		}
		p.rest = rest
	}
	return false
}

func (p *dateReader) epoch(m []string) bool {
	seconds, err := strconv.ParseInt(m[1], 10, 64)
	nano := fraction(m[2])
	if seconds < 0 || strings.HasPrefix(m[1], "-") {
		nano = -nano
	}
	t := time.Unix(seconds, int64(nano)).UTC()
	p.absolute = &t
	return err == nil
}

// fraction is the digits behind a point, in nanoseconds.
func fraction(digits string) int {
	n, _ := strconv.Atoi((digits + "000000000")[:9])
	return n
}

func (p *dateReader) date(year, month, day string) bool {
	if p.hasDate {
		return false
	}
	y, _ := strconv.Atoi(year)
	if len(year) <= 2 {
		if y += 1900; y < 1969 {
			y += 100
		}
	}
	p.year, p.hasDate = y, true
	p.month, _ = strconv.Atoi(month)
	p.day, _ = strconv.Atoi(day)
	return p.month >= 1 && p.month <= 12 && p.day >= 1 && p.day <= time.Date(y, time.Month(p.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// named is a date with the name of its month. The year may be missing.
func (p *dateReader) named(month, day, year string) bool {
	n, ok := months[month]
	if !ok {
		return false
	}
	if year == "" {
		year = strconv.Itoa(p.now.Year())
	}
	return p.date(year, strconv.Itoa(n+1), day)
}

func (p *dateReader) clock(m []string) bool {
	if p.hasTime {
		return false
	}
	p.hour, _ = strconv.Atoi(m[1])
	p.minute, _ = strconv.Atoi(m[2])
	p.second, _ = strconv.Atoi("0" + m[3])
	p.nano, p.hasTime, p.clockJustRead = fraction(m[4]), true, true
	if m[5] != "" {
		if p.hour < 1 || p.hour > 12 {
			return false
		}
		p.hour %= 12
		if m[5][0] == 'p' {
			p.hour += 12
		}
	}
	return p.hour < 24 && p.minute < 60 && p.second <= 60
}

// fourDigits are a year behind a date, else a time.
func (p *dateReader) fourDigits(m []string) bool {
	if p.hasDate && p.hasTime {
		p.year, _ = strconv.Atoi(m[1])
		return true
	}
	return p.clock([]string{"", m[1][:2], m[1][2:], "", "", ""})
}

func (p *dateReader) offset(m []string) bool {
	if p.zone != nil {
		return false
	}
	hours, _ := strconv.ParseFloat(m[2], 64)
	minutes, _ := strconv.ParseFloat("0"+m[3], 64)
	east := hours + minutes/60
	if m[1] == "-" {
		east = -east
	}
	p.zone = &east
	return math.Abs(east) <= 24
}

func (p *dateReader) relative(m []string) bool {
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(m[1], " ", ""), "+", ""), 64)
	return err == nil && p.add(n, m[2], m[3] != "")
}

// ordinals are words for numbers; "second" is a unit.
var ordinals = map[string]float64{"last": -1, "this": 0, "next": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
	"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12}

func (p *dateReader) ordinal(m []string) bool {
	n := ordinals[m[1]]
	if day, ok := weekdays[m[2]]; ok && m[3] == "" {
		return p.onWeekday(day, int(n))
	}
	return p.add(n, m[2], m[3] != "")
}

func (p *dateReader) onWeekday(day, weeks int) bool {
	if p.hasWeekday {
		return false
	}
	p.weekday, p.weeks, p.hasWeekday = day, weeks, true
	return true
}

func (p *dateReader) word(m []string) bool {
	switch word := m[1]; word {
	case "now", "today":
		return true
	case "tomorrow":
		p.days++
		return true
	case "yesterday":
		p.days--
		return true
	default:
		if day, ok := weekdays[word]; ok {
			return p.onWeekday(day, 0)
		}
		if east, ok := zones[word]; ok && p.zone == nil {
			p.zone = &east
			return true
		}
		return p.add(1, word, m[2] != "")
	}
}

// add adds a number of units, or takes them away.
func (p *dateReader) add(n float64, unit string, ago bool) bool {
	if ago {
		n = -n
	}
	if math.Abs(n) > 1e9 {
		return false
	}
	unit = strings.TrimSuffix(unit, "s")
	switch unit {
	case "sec", "second":
		p.seconds += n
		return true
	}
	if n != math.Trunc(n) {
		return false
	}
	whole := int(n)
	switch unit {
	case "min", "minute":
		p.seconds += 60 * n
	case "hour":
		p.seconds += 3600 * n
	case "day":
		p.days += whole
	case "week":
		p.days += 7 * whole
	case "fortnight":
		p.days += 14 * whole
	case "month":
		p.months += whole
	case "year":
		p.years += whole
	default:
		return false
	}
	return true
}

// time puts the items together.
func (p *dateReader) time() (time.Time, bool) {
	if (p.hasDate || p.hasWeekday) && !p.hasTime {
		p.hour, p.minute, p.second, p.nano = 0, 0, 0, 0
	}
	t := time.Date(p.year+p.years, time.Month(p.month+p.months), p.day+p.days, p.hour, p.minute, p.second, p.nano, time.UTC)
	if p.absolute != nil {
		if p.hasDate || p.hasTime || p.hasWeekday || p.zone != nil {
			return t, false
		}
		t = p.absolute.AddDate(p.years, p.months, p.days)
	}
	if p.hasWeekday && !p.hasDate {
		ahead := (p.weekday - int(t.Weekday()) + 7) % 7
		weeks := p.weeks
		if weeks > 0 && ahead != 0 {
			weeks--
		}
		t = t.AddDate(0, 0, ahead+7*weeks)
	}
	if p.zone != nil {
		t = t.Add(-time.Duration(*p.zone * float64(time.Hour)))
	}
	whole, part := math.Modf(p.seconds)
	t = time.Unix(t.Unix()+int64(whole), int64(t.Nanosecond())+int64(part*1e9)).UTC()
	return t, true
}
