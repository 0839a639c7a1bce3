// Reads jobs, one JSON object a line, as ClusterCockpit does: into its type Job, which must know
// all fields, and by its schema of a job's metadata. For the schema the fields of the argument are
// added, which are those that ClusterCockpit itself knows of a job. Prints each job as its type
// writes it, or what is wrong.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/ClusterCockpit/cc-lib/v2/schema"
)

func read(line []byte, known string) (*schema.Job, error) {
	job := new(schema.Job)
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(job); err != nil {
		return nil, err
	}
	whole := map[string]any{}
	for _, part := range [][]byte{[]byte(known), line} {
		if err := json.Unmarshal(part, &whole); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return job, schema.Validate(schema.Meta, bytes.NewReader(text))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		job, err := read(lines.Bytes(), os.Args[1])
		if err != nil {
			fmt.Printf("wrong: %q\n", err.Error())
			continue
		}
		json.NewEncoder(os.Stdout).Encode(job)
	}
	if lines.Err() != nil {
		panic(lines.Err())
	}
}
