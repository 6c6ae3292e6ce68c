package command

func init() {
	register(&Command{Name: "true", About: "Do nothing, successfully.", Synopsis: "[ignored]...", Raw: true,
		Run: func(*Call) int { return 0 }})
	register(&Command{Name: "false", About: "Do nothing, unsuccessfully.", Synopsis: "[ignored]...", Raw: true,
		Run: func(*Call) int { return 1 }})
}
