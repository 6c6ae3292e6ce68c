package command

import (
	"math"
	"strconv"
	"strings"
	"time"
)

func init() {
	register(&Command{
		Name: "sleep", About: "Wait.",
		Synopsis: "NUMBER[SUFFIX]...", Options: []Option{},
		Differs: "It ends with the time that the whole command has.",
		Run:     sleep,
	})
	register(&Command{
		Name: "yes", About: "Write a line again and again, until nobody reads it.",
		Synopsis: "[STRING]...", Options: []Option{},
		Run: yes,
	})
	register(&Command{
		Name: "pwd", About: "Show the working directory.",
		Synopsis: "[OPTION]...",
		Options: []Option{
			{Short: "L", Long: "logical", Help: "as the shell names it, even through links"},
			{Short: "P", Long: "physical", Help: "without links"},
		},
		Run: pwd,
	})
}

func sleep(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	total, ok := 0.0, true
	for _, interval := range c.Operands {
		seconds, valid := seconds(interval)
		if !valid {
			c.Fail(1, "invalid time interval %s", curly(interval))
			ok = false
		}
		total += seconds
	}
	if !ok {
		return c.referToHelp(1)
	}
	timer := time.NewTimer(time.Duration(min(total, 1e6) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.Context.Done():
		return 1
	}
	return 0
}

// seconds reads an interval such as 1.5 or 2m.
func seconds(s string) (float64, bool) {
	unit := 1.0
	if s != "" {
		switch s[len(s)-1] {
		case 's', 'm', 'h', 'd':
			unit = map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}[s[len(s)-1]]
			s = s[:len(s)-1]
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f * unit, err == nil && f >= 0 && !math.IsNaN(f)
}

func yes(c *Call) int {
	line := "y"
	if len(c.Operands) > 0 {
		line = strings.Join(c.Operands, " ")
	}
	line += "\n"
	for !c.Stopped() {
		c.Out.WriteString(line)
	}
	return 1
}

func pwd(c *Call) int {
	dir := c.Dir
	if c.Last("L", "P") != "L" {
		if real, err := c.realName(dir, mustExist); err == nil {
			dir = real
		}
	}
	c.Out.WriteString(dir + "\n")
	return 0
}

// referToHelp is the second line of [Call.Try].
func (c *Call) referToHelp(status int) int {
	c.Err.Write([]byte("Try '" + c.Command.Name + " --help' for more information.\n"))
	return status
}
