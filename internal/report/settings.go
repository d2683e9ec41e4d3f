// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gpumemlint/gpumemlint/rules"
)

// Settings say which findings Report lets through, and in which form.
// They are the same for every pass of a process.
type Settings struct {
	Tier   Tier     // the least certain tier that is reported
	Rules  []string // IDs of the rules that are reported; empty means those on by default
	Nolint bool     // honour //nolint (a driver that does so itself switches it off)
	Fixes  bool     // look for fixes and offer them with the findings
	Texts  string   // JSON file: path of a source file to that of its text, where an overlay replaces it
	Detail bool     // attach the machine-readable detail for the stand-alone driver
}

var settings = inForce(Defaults())

func inForce(s Settings) *atomic.Pointer[Settings] {
	p := new(atomic.Pointer[Settings])
	p.Store(&s)
	return p
}

// Defaults returns the settings that hold until something changes them:
// likely and definite findings, //nolint honoured, no detail.
func Defaults() Settings { return Settings{Tier: Likely, Nolint: true} }

// Configure replaces the settings. It may be called at any time; a finding
// is judged by the settings at the moment of its report.
func Configure(s Settings) {
	s.Rules = slices.Clone(s.Rules)
	settings.Store(&s)
}

// Current returns a copy of the settings in force.
func Current() Settings {
	s := *settings.Load()
	s.Rules = slices.Clone(s.Rules)
	return s
}

func (s *Settings) wants(id string) bool {
	if len(s.Rules) > 0 {
		return slices.Contains(s.Rules, id)
	}
	if s.Detail {
		return true // the stand-alone driver chooses
	}
	rule, ok := rules.RuleByID(id)
	return !ok || rule.Default
}

// RegisterFlags declares the flags tier, rules, nolint, fixes, texts and detail in fs. Any
// number of flag sets may hold them; all change the same settings.
func RegisterFlags(fs *flag.FlagSet) {
	fs.Var(tierFlag{}, "tier", "least certain tier to report: definite, likely or possible")
	fs.Var(rulesFlag{}, "rules", "comma-separated IDs of the rules to report")
	fs.Var(nolintFlag{}, "nolint", "honour //nolint:gpumemlint and //nolint:GMnnn")
	fs.Var(fixesFlag{}, "fixes", "look for suggested fixes; each is tried before it is offered")
	fs.Var(textsFlag{}, "texts", "file that says where the text of overlaid files is (used by the gpumemlint command)")
	fs.Var(detailFlag{}, "detail", "attach machine-readable detail to each finding (used by the gpumemlint command)")
}

func change(set func(*Settings)) {
	s := Current()
	set(&s)
	Configure(s)
}

type tierFlag struct{}

func (tierFlag) String() string { return settings.Load().Tier.String() }

func (tierFlag) Set(v string) error {
	t, err := ParseTier(v)
	if err != nil {
		return err
	}
	change(func(s *Settings) { s.Tier = t })
	return nil
}

type rulesFlag struct{}

func (rulesFlag) String() string { return strings.Join(settings.Load().Rules, ",") }

func (rulesFlag) Set(v string) error {
	ids, err := ParseRules(v)
	if err != nil {
		return err
	}
	change(func(s *Settings) { s.Rules = ids })
	return nil
}

var ruleID = regexp.MustCompile(`^GM[0-9]{3}$`)

// ParseRules splits a comma-separated list of rule IDs, sorts it and drops
// repetitions. It checks their form only; the empty string is the empty list.
func ParseRules(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	var ids []string
	for item := range strings.SplitSeq(list, ",") {
		id := strings.ToUpper(strings.TrimSpace(item))
		if !ruleID.MatchString(id) {
			return nil, fmt.Errorf("%q is not a rule ID: want IDs such as GM101, separated by commas", item)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

type nolintFlag struct{}

func (nolintFlag) IsBoolFlag() bool { return true }
func (nolintFlag) String() string   { return strconv.FormatBool(settings.Load().Nolint) }

func (nolintFlag) Set(v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("want true or false")
	}
	change(func(s *Settings) { s.Nolint = b })
	return nil
}

type fixesFlag struct{}

func (fixesFlag) IsBoolFlag() bool { return true }
func (fixesFlag) String() string   { return strconv.FormatBool(settings.Load().Fixes) }

func (fixesFlag) Set(v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("want true or false")
	}
	change(func(s *Settings) { s.Fixes = b })
	return nil
}

type textsFlag struct{}

func (textsFlag) String() string { return settings.Load().Texts }

func (textsFlag) Set(v string) error {
	change(func(s *Settings) { s.Texts = v })
	return nil
}

type detailFlag struct{}

func (detailFlag) IsBoolFlag() bool { return true }
func (detailFlag) String() string   { return strconv.FormatBool(settings.Load().Detail) }

func (detailFlag) Set(v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("want true or false")
	}
	change(func(s *Settings) { s.Detail = b })
	return nil
}
