// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// An action is a composite action of GitHub's, as far as the test plays it.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run, Uses string
			WorkingDirectory           string `yaml:"working-directory"`
			If                         string
			Env                        map[string]string
			With                       map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ ([a-z_.-]+) \}\}`)

// runAction plays action.yml as a runner would, up to the upload: on a module
// that leaks, below the root of its repository, and on it when it is mended.
func runAction(t *testing.T, w *world) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" {
		t.Fatalf("action.yml is no composite action: %+v", a)
	}
	workspace := t.TempDir()
	if err := os.Mkdir(filepath.Join(workspace, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(workspace, "sub"), os.DirFS(app(t))); err != nil {
		t.Fatal(err)
	}
	if status, log, outputs := a.play(t, w, workspace); status != 3 || !strings.Contains(log, lossAt) || outputs["written"] != "true" {
		t.Errorf("status %d, outputs %v, log:\n%s", status, outputs, log)
	} else if sarif, err := os.ReadFile(outputs["sarif"]); err != nil || !strings.Contains(string(sarif), `"uri": "sub/device/device.go"`) {
		t.Errorf("the findings to upload do not name the file from the repository's root (%v)", err)
	}
	write(t, filepath.Join(workspace, "sub", "device", "device.go"), []byte(mended))
	if status, log, outputs := a.play(t, w, workspace); status != 0 || outputs["written"] != "true" {
		t.Errorf("mended: status %d, outputs %v, log:\n%s", status, outputs, log)
	}
}

func (a *action) play(t *testing.T, w *world, workspace string) (status int, log string, outputs map[string]string) {
	t.Helper()
	temp := t.TempDir()
	output := filepath.Join(temp, "output")
	values := map[string]string{"github.action_path": repository(t), "inputs.working-directory": "sub"}
	for name, in := range a.Inputs {
		if _, ok := values["inputs."+name]; !ok {
			values["inputs."+name] = in.Default
		}
		if in.Description == "" {
			t.Errorf("the input %s has no description", name)
		}
	}
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(m string) string {
			v, ok := values[expression.FindStringSubmatch(m)[1]]
			if !ok {
				t.Errorf("action.yml uses %s, which a runner would not know", m)
			}
			return v
		})
	}
	for _, step := range a.Runs.Steps {
		if step.Uses != "" {
			continue // the upload
		}
		if step.Shell != "bash" {
			t.Errorf("step %q names no shell, as composite actions must", step.Name)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %q puts an expression into its script: an input could be a command", step.Name)
		}
		env := []string{"RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + output}
		for name, value := range step.Env {
			env = append(env, name+"="+expand(value))
		}
		status, log = w.sh(t, filepath.Join(workspace, expand(step.WorkingDirectory)), step.Run, env...)
		if status != 0 {
			break
		}
	}
	outputs = map[string]string{}
	data, _ := os.ReadFile(output)
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	return status, log, outputs
}
