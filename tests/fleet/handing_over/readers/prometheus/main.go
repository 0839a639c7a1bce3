// Reads metrics as node_exporter's textfile collector does, and asks what `promtool check metrics`
// asks. Prints the number of series, then each complaint.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		fmt.Println("wrong:", err)
		return
	}
	series := 0
	for _, family := range families {
		series += len(family.Metric)
	}
	fmt.Println(series)
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	for _, each := range problems {
		fmt.Printf("%s: %s\n", each.Metric, each.Text)
	}
	if err != nil {
		fmt.Println("wrong:", err)
	}
}
