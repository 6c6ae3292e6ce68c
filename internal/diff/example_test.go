package diff_test

import (
	"fmt"

	"redline/internal/diff"
	"redline/internal/text"
)

func ExampleLines() {
	old := text.FromString("# Shopping\n\nmilk\nbread\n")
	new := text.FromString("# Shopping\n\noat milk\nbread\nsalt\n")
	for _, c := range diff.Lines(old, new) {
		fmt.Printf("lines %v became %v\n", c.A, c.B)
	}
	// Output:
	// lines {2 3} became {2 3}
	// lines {4 4} became {4 5}
}

func ExampleApply() {
	old := text.FromString("# Shopping\n\nmilk\nbread\n")
	new := text.FromString("# Shopping\n\noat milk\nbread\nsalt\n")
	changes := diff.Lines(old, new)
	accepted, err := diff.Apply(old, new, changes[1:])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(accepted)
	// Output:
	// # Shopping
	//
	// milk
	// bread
	// salt
}

func ExampleNewPatch() {
	old := text.FromString("milk\nbread\nsalt")
	new := text.FromString("milk\nrye bread\nsalt\n")
	fmt.Print(diff.NewPatch("a/list.md", "b/list.md", old, new))
	// Output:
	// --- a/list.md
	// +++ b/list.md
	// @@ -1,3 +1,3 @@
	//  milk
	// -bread
	// -salt
	// \ No newline at end of file
	// +rye bread
	// +salt
}

func ExampleParse() {
	patches, err := diff.Parse([]byte("@@ -1,3 +1,3 @@\n milk\n-bread\n+rye bread\n salt\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	// The list has grown since the patch was made.
	list, err := patches[0].Apply(text.FromString("eggs\nmilk\nbread\nsalt\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(list)
	// Output:
	// eggs
	// milk
	// rye bread
	// salt
}

func ExampleWords() {
	for _, s := range diff.Words([]byte("The old dog slept."), []byte("The old cat slept.")) {
		fmt.Printf("%v %q\n", s.Op, s.Text)
	}
	// Output:
	// equal "The old "
	// delete "dog"
	// insert "cat"
	// equal " slept."
}

func ExampleMerge3() {
	base := text.FromString("milk\nbread\nsalt\ntea\n")
	ours := text.FromString("milk\nrye bread\nsalt\ntea\n")
	theirs := text.FromString("milk\nwhite bread\nsalt\ntea\ncoffee\n")
	m := diff.Merge3(base, ours, theirs)
	for _, c := range m.Conflicts {
		fmt.Printf("line %d: %q became %q and %q\n", c.Base.Start, c.BaseText, c.OursText, c.TheirsText)
	}
	fmt.Print(m.Result)
	// Output:
	// line 1: "bread\n" became "rye bread\n" and "white bread\n"
	// milk
	// rye bread
	// salt
	// tea
	// coffee
}
