package main

import (
	"fmt"
	"strings"
)

// A place is one of the stages of the story.
type place struct {
	id, name, about string
}

var places = []place{
	{"bindery", "the bindery in Tallow Lane", "Nerys Pardoe's workshop, one room and a loft, in the middle of the Upper Town. " +
		"The nipping press stands under the window; the door sticks in wet weather."},
	{"tide house", "the Tide House", "The square stone house at the end of the mole, where the gauge is. Aldous Pardoe has kept it " +
		"for twenty-three years and lives there with his daughter Petra. The ledgers used to stand on the shelf above the stove."},
	{"yard", "Arrieta's Yard", "Josune Arrieta's boatyard on the north bank of the river Lorn, below the bridge. " +
		"One slip, one shed, one steam box, and the pilot cutter Kittiwake on the stocks."},
	{"saltworks", "the Maddock Saltworks", "Forty-two evaporating pans, the boiling house with its tall chimney, and the wells that " +
		"pump brine from under the town. The works house, where Corwin Maddock lives, stands on the only rise."},
	{"gate", "the Long Gate", "The great sluice across the mouth of the Lorn, built ninety years ago: eleven bays of oak and iron, a winch house " +
		"at the south end and a smaller one at the north. When it is shut the sea stays out of the Lower Town."},
	{"landing", "Hob's Landing", "The ferry stage on the south bank of the Lorn, with Sabeth Roone's cottage beside it. " +
		"The rope ferry crosses from here to the foot of Cooper's Steps."},
	{"church", "Saint Orrin's", "A drowned church on the flats, two miles out. It stands dry for an hour and a half at the lowest spring tides; " +
		"at other times only the top of the tower shows."},
	{"customs hall", "the Customs Hall", "Seat of the Harbour Commission on Weighhouse Square: a hearing room below, the archive " +
		"above, and by the door the stone with the fourteen names."},
}

func placeNamed(id string) (place, error) {
	for _, p := range places {
		if p.id == id {
			return p, nil
		}
	}
	return place{}, fmt.Errorf("no place is called %q", id)
}

func placesPage() string {
	var b strings.Builder
	b.WriteString("# Places\n\nAll of them are in or near Skerrow, a salt town of about four thousand people where the river Lorn meets the sea. " +
		"The Upper Town stands on rock, the Lower Town on what the sea left.\n")
	for _, p := range places {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", capital(p.name), p.about)
	}
	return b.String()
}
