package llmtest

// Patience lets a test of the suite wait less for what will not come.
var Patience = &patience
