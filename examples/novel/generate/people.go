package main

import (
	"fmt"
	"strings"
)

// A person is one of the named characters, with the traits that never change in the book.
type person struct {
	name, family string
	age          int
	he, him, his string
	eyes, trade  string
	kin          string
	marks        string // what one would know this person by
	part         string // what this person does in the story, without giving away the end
}

func (p person) full() string { return p.name + " " + p.family }

// called is how the grammar speaks of this person: all but the auditor by first name.
func (p person) called() string {
	if p.name == "Otmar" {
		return "Mr. Lisk"
	}
	return p.name
}

var people = []person{
	{"Nerys", "Pardoe", 34, "she", "her", "her", "grey", "bookbinder",
		"younger sister of Aldous, aunt of Petra",
		"left-handed, ink on the cuff, hair cut short with her own paper shears",
		"binds the tide ledgers for the Commission and finds the wrong thread in one of them"},
	{"Aldous", "Pardoe", 47, "he", "him", "his", "brown", "tide-keeper",
		"elder brother of Nerys, father of Petra, widower of Maren",
		"limps on the right leg, wears his late wife's red scarf",
		"has written down the height of the water four times a day for twenty-three years"},
	{"Petra", "Pardoe", 15, "she", "her", "her", "green", "apprentice boatbuilder",
		"daughter of Aldous and Maren, niece of Nerys, goddaughter of Josune",
		"her mother's green eyes, a plait she chews, never without a pencil",
		"was four when her mother drowned and has never been told how"},
	{"Josune", "Arrieta", 52, "she", "her", "her", "black", "boatbuilder",
		"godmother of Petra, no kin in Skerrow",
		"a scar through the left eyebrow, sings in her own language at work",
		"builds the pilot cutter Kittiwake and says what she thinks"},
	{"Corwin", "Maddock", 61, "he", "him", "his", "blue", "owner of the saltworks",
		"father of Lionel, widower",
		"white beard, a silver-headed stick, never drinks anything but water",
		"wants to buy the Long Gate from the Commission"},
	{"Lionel", "Maddock", 29, "he", "him", "his", "blue", "surveyor",
		"only son of Corwin",
		"red hair, round spectacles, stammers when he is not telling the truth",
		"finds that the ground under the town is sinking"},
	{"Sabeth", "Roone", 70, "she", "her", "her", "hazel", "ferrywoman",
		"grandmother of Dov",
		"the right eye clouded, a clay pipe, hands like rope",
		"rowed somebody across on the night of the flood and has not said whom"},
	{"Dov", "Roone", 19, "he", "him", "his", "hazel", "ferry hand",
		"grandson of Sabeth, an orphan of the flood",
		"two fingers missing on the left hand, plays the concertina all the same",
		"lost his parents in the flood and his fingers to the winch of the Long Gate"},
	{"Otmar", "Lisk", 39, "he", "him", "his", "pale green", "auditor of the Harbour Commission",
		"none in Skerrow",
		"grey gloves in all weathers, a watch he winds too often",
		"is sent from the capital to decide whether the Long Gate may be sold"},
}

func personNamed(name string) (person, error) {
	for _, p := range people {
		if p.name == name {
			return p, nil
		}
	}
	return person{}, fmt.Errorf("nobody is called %q", name)
}

func charactersPage() string {
	var b strings.Builder
	b.WriteString("# Characters\n\nAges are those at the beginning of the story, in September.\n\n")
	b.WriteString("| Name | Age | Eyes | Trade | Family |\n|---|---:|---|---|---|\n")
	for _, p := range people {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", p.full(), p.age, p.eyes, p.trade, p.kin)
	}
	for _, p := range people {
		fmt.Fprintf(&b, "\n## %s\n\n%s, %d, %s eyes. Known by: %s.\n\n%s %s.\n", p.full(), capital(p.trade), p.age, p.eyes, p.marks, p.name, p.part)
	}
	b.WriteString("\n## Maren Pardoe\n\nWife of Aldous, mother of Petra. She had green eyes and wore a red scarf. " +
		"Drowned at the age of 33 in the night of 9 October, eleven years before the story begins, with thirteen others.\n")
	return b.String()
}
