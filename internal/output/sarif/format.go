// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import "github.com/gpumemlint/gpumemlint/internal/output"

// The part of the SARIF 2.1.0 object model that gpumemlint fills, under the
// names of the specification.

type logFile struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool               tool               `json:"tool"`
	OriginalURIBaseIDs map[string]uriBase `json:"originalUriBaseIds"`
	Invocations        []invocation       `json:"invocations"`
	ColumnKind         string             `json:"columnKind"`
	Results            []result           `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string       `json:"name"`
	Version        string       `json:"version,omitempty"`
	InformationURI string       `json:"informationUri"`
	Rules          []descriptor `json:"rules"`
}

type descriptor struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	ShortDescription text            `json:"shortDescription"`
	FullDescription  text            `json:"fullDescription"`
	HelpURI          string          `json:"helpUri"`
	Help             *text           `json:"help,omitempty"`
	Default          configuration   `json:"defaultConfiguration"`
	Properties       *ruleProperties `json:"properties,omitempty"`
}

type configuration struct {
	Level string `json:"level"`
}

type ruleProperties struct {
	Tags []string `json:"tags"`
}

type text struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type uriBase struct {
	Description text `json:"description"`
}

type invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string `json:"level"`
	Message text   `json:"message"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    *int              `json:"ruleIndex,omitempty"`
	Level        string            `json:"level"`
	Message      text              `json:"message"`
	Locations    []location        `json:"locations"`
	Related      []location        `json:"relatedLocations,omitempty"`
	CodeFlows    []codeFlow        `json:"codeFlows,omitempty"`
	Fixes        []fix             `json:"fixes,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   *resultProperties `json:"properties,omitempty"`
}

type resultProperties struct {
	Tier     string        `json:"tier"`
	Resource string        `json:"resource,omitempty"`
	Proof    *output.Proof `json:"proof,omitempty"`
}

type location struct {
	Physical *physical `json:"physicalLocation,omitempty"`
	Logical  []logical `json:"logicalLocations,omitempty"`
	Message  *text     `json:"message,omitempty"`
}

type physical struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   *region          `json:"region,omitempty"`
}

type artifactLocation struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type codeFlow struct {
	ThreadFlows []threadFlow `json:"threadFlows"`
}

type threadFlow struct {
	Locations []flowLocation `json:"locations"`
}

type flowLocation struct {
	Location location `json:"location"`
}

type fix struct {
	Description text             `json:"description"`
	Changes     []artifactChange `json:"artifactChanges"`
}

type artifactChange struct {
	Artifact     artifactLocation `json:"artifactLocation"`
	Replacements []replacement    `json:"replacements"`
}

type replacement struct {
	Deleted  region   `json:"deletedRegion"`
	Inserted *content `json:"insertedContent,omitempty"`
}

type content struct {
	Text string `json:"text"`
}
