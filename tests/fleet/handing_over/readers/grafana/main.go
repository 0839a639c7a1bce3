// Reads a dashboard with Grafana's SDK, strictly: each field must be one that the schema has, of
// its type, and none that must be there may be missing. Prints the number of panels, or what is
// wrong.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	found := dashboard.Dashboard{}
	for _, err := range []error{found.UnmarshalJSONStrict(text), found.Validate()} {
		// The SDK's list of errors is no nil where it is empty.
		if err != nil && err.Error() != "" {
			fmt.Println("wrong:", err)
			return
		}
	}
	fmt.Println(len(found.Panels))
}
