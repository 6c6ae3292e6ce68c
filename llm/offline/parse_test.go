package offline

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// render writes a request as the golden file has it.
func render(r Request) string {
	kind := string(r.Kind)
	if r.Kind == Unknown {
		kind = "unknown"
	}
	return kind + fields(reflect.ValueOf(r))
}

func fields(v reflect.Value) string {
	var b strings.Builder
	for i := range v.NumField() {
		name, field := strings.ToLower(v.Type().Field(i).Name), v.Field(i)
		if name == "kind" || field.IsZero() {
			continue
		}
		switch value := field.Interface().(type) {
		case time.Time:
			fmt.Fprintf(&b, " %s=%s", name, value.Format("2006-01-02"))
		case time.Month:
			fmt.Fprintf(&b, " %s=%d", name, value)
		case bool:
			fmt.Fprintf(&b, " %s", name)
		case Selection:
			fmt.Fprintf(&b, " select(%s)", strings.TrimSpace(fields(field)))
		case int:
			fmt.Fprintf(&b, " %s=%d", name, value)
		case []string:
			fmt.Fprintf(&b, " %s=%q", name, value)
		default:
			fmt.Fprintf(&b, " %s=%q", name, value)
		}
	}
	return b.String()
}
