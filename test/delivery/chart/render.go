// Renders the templates of a chart as Helm does, with the functions that Helm adds to those of sprig. Arguments: the folder of the chart,
// and a file with its whole values as JSON. Prints the documents, each after a line with its file.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder, valuesFile string) error {
	values, chart := map[string]interface{}{}, map[string]interface{}{}
	if err := read(valuesFile, &values); err != nil {
		return err
	}
	if err := read(filepath.Join(folder, "Chart.yaml"), &chart); err != nil {
		return err
	}
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["fromYaml"] = func(text string) (map[string]interface{}, error) {
		value := map[string]interface{}{}
		return value, yaml.Unmarshal([]byte(text), &value)
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["fail"] = func(message string) (string, error) { return "", errors.New(message) }
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, errors.New(message)
		}
		return value, nil
	}
	all.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := all.New(filepath.Base(file)).Parse(string(text)); err != nil {
			return err
		}
	}
	// Chart.yaml begins its names with small letters, templates with capitals.
	named := map[string]interface{}{}
	for name, value := range chart {
		named[strings.ToUpper(name[:1])+name[1:]] = value
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   named,
		"Release": map[string]interface{}{"Name": "tollgate", "Namespace": "default", "Service": "Helm"},
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, name, data); err != nil {
			return err
		}
		fmt.Printf("--- # %s\n%s\n", name, text.String())
	}
	return nil
}

func read(path string, into interface{}) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var value interface{}
	if err := yaml.Unmarshal(text, &value); err != nil {
		return err
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}
