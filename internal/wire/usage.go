package wire

// ClientUsages are what the programs that use the models of a server have used.
type ClientUsages struct {
	Clients []ClientUsage `json:"clients"`
}

// ClientUsage is what one of them has used, since it is known.
type ClientUsage struct {
	Client   string  `json:"client"`               // "(user)" is the user with the server's own token
	Quota    int     `json:"quota_tokens_per_day"` // 0: no limit
	Today    int     `json:"tokens_today"`         // the day is that of UTC
	Requests int     `json:"requests"`
	Input    int     `json:"input_tokens"`
	Output   int     `json:"output_tokens"`
	CostUSD  float64 `json:"cost_usd"` // as far as prices are known
}
