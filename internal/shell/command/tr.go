package command

import (
	"fmt"
	"io"
)

func init() {
	register(&Command{
		Name: "tr", About: "Replace, squeeze or delete bytes of standard input.",
		Synopsis: "[OPTION]... STRING1 [STRING2]",
		Options: []Option{
			{Short: "c", Long: "complement", Help: "take what is not in STRING1"},
			{Short: "C", Help: "as -c"},
			{Short: "d", Long: "delete", Help: "delete what is in STRING1"},
			{Short: "s", Long: "squeeze-repeats", Help: "write the same one several times in a row as one"},
			{Short: "t", Long: "truncate-set1", Help: "cut STRING1 to the length of STRING2"},
		},
		Raw: true, // options end at STRING1, so that STRING2 can be --
		Run: tr,
	})
}

// trRun is a run of tr: what becomes of each byte.
type trRun struct {
	to      [256]byte
	gone    [256]bool
	squeeze [256]bool
	last    int // the byte written last; -1: none
}

func tr(call *Call) int {
	n := leadingOptions(call.Command.Options, call.Args)
	head, table := *call, *call.Command
	table.Raw = false
	head.Command, head.Args = &table, call.Args[:n]
	if status, done := head.parse(); done {
		return status
	}
	c := &head
	c.Operands = call.Args[n:]
	drop, squeeze := c.Flag("d"), c.Flag("s")
	if status := trOperands(c, drop, squeeze); status != 0 {
		return status
	}
	r := &trRun{last: -1}
	for i := range r.to {
		r.to[i] = byte(i)
	}
	first, err := parseTrSet(c, c.Operands[0])
	var second *trSet
	if err == nil && len(c.Operands) == 2 {
		second, err = parseTrSet(c, c.Operands[1])
	}
	if err == nil {
		err = first.noRepeats()
	}
	if err != nil {
		return c.Fail(1, "%v", err)
	}
	complement := c.Flag("c") || c.Flag("C")
	translate := len(c.Operands) == 2 && !drop
	if drop {
		r.mark(&r.gone, first, complement)
	}
	switch {
	case translate:
		if err := r.translation(first, second, complement, c.Flag("t")); err != nil {
			return c.Fail(1, "%v", err)
		}
		if squeeze {
			r.mark(&r.squeeze, second, false)
		}
	case squeeze && second != nil:
		if second.noRepeats() != nil {
			return c.Fail(1, "the [c*] construct may appear in string2 only when translating")
		}
		r.mark(&r.squeeze, second, false)
	case squeeze:
		r.mark(&r.squeeze, first, complement)
	}
	return r.run(c)
}

// trOperands makes sure that there are as many operands as the options ask for.
func trOperands(c *Call, drop, squeeze bool) int {
	least, most := 2, 2
	switch {
	case drop && squeeze:
	case drop:
		least, most = 1, 1
	case squeeze:
		least = 1
	}
	n := len(c.Operands)
	explain := func(why string) int {
		if why != "" {
			fmt.Fprintln(c.Err, why)
		}
		fmt.Fprintf(c.Err, "Try 'tr --help' for more information.\n")
		return 1
	}
	switch {
	case n == 0:
		return c.Try(1, "missing operand")
	case n < least:
		c.Fail(1, "missing operand after %s", curly(c.Operands[n-1]))
		if drop {
			return explain("Two strings must be given when both deleting and squeezing repeats.")
		}
		return explain("Two strings must be given when translating.")
	case n > most:
		c.Fail(1, "extra operand %s", curly(c.Operands[most]))
		if most == 1 && n == 2 {
			return explain("Only one string may be given when deleting without squeezing repeats.")
		}
		return explain("")
	}
	return 0
}

// mark sets the bytes of a set, or all others.
func (r *trRun) mark(table *[256]bool, set *trSet, complement bool) {
	for _, b := range set.bytes() {
		table[b] = true
	}
	if complement {
		for i := range table {
			table[i] = !table[i]
		}
	}
}

// translation fills the table of replacements.
func (r *trRun) translation(first, second *trSet, complement, truncate bool) error {
	from := first.bytes()
	if complement {
		var in [256]bool
		for _, b := range from {
			in[b] = true
		}
		from = from[:0]
		for i := range in {
			if !in[i] {
				from = append(from, byte(i))
			}
		}
	}
	if err := second.translating(first, len(from), complement, truncate); err != nil {
		return err
	}
	to := second.bytes()
	if len(to) == 0 || truncate && len(from) > len(to) {
		from = from[:len(to)]
	}
	for i, b := range from {
		r.to[b] = to[min(i, len(to)-1)]
	}
	return nil
}

func (r *trRun) run(c *Call) int {
	buf := make([]byte, 32<<10)
	for !c.Stopped() {
		n, err := c.In.Read(buf)
		kept := 0
		for _, b := range buf[:n] {
			if r.gone[b] {
				continue
			}
			b = r.to[b]
			if r.squeeze[b] && r.last == int(b) {
				continue
			}
			r.last = int(b)
			buf[kept] = b
			kept++
		}
		c.Out.Write(buf[:kept])
		if err == io.EOF {
			break
		}
		if err != nil {
			return c.Fail(1, "read error: %s", Reason(err))
		}
	}
	return 0
}
