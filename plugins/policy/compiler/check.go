package main

import (
	"errors"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// diagnostic is one finding: row and column count from 1, the column in bytes.
type diagnostic struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

// policy is one file that decides something.
type policy struct {
	ID          string   `json:"id"`
	Path        string   `json:"path"`
	Package     string   `json:"package"`
	Action      string   `json:"action,omitempty"`
	Mode        string   `json:"mode"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Severity    string   `json:"severity,omitempty"`
	Owner       string   `json:"owner,omitempty"`
	Fallible    bool     `json:"fallible_accepted,omitempty"`
	Rules       []string `json:"rules"`
	// Groups that its asks name.
	Approvers []string `json:"approvers,omitempty"`
	ref       ast.Ref
}

func (p *policy) has(rule string) bool {
	for _, name := range p.Rules {
		if name == rule {
			return true
		}
	}
	return false
}

// parsed is a folder read: modules by path, policies in order of their ids.
type parsed struct {
	modules  map[string]*ast.Module
	tests    map[string]*ast.Module
	policies []*policy
	found    []diagnostic
	// Absent: nobody can be asked.
	approvers *approvers
	data      map[string]any
}

func parserOptions(capabilities *ast.Capabilities) ast.ParserOptions {
	return ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1, Capabilities: capabilities}
}

// parse reads each file by itself, so that the faults of all are told at once.
func parse(asked *request) *parsed {
	result := &parsed{
		modules: map[string]*ast.Module{}, tests: map[string]*ast.Module{}, approvers: asked.Approvers, data: asked.Data,
	}
	options := parserOptions(capabilitiesOf(asked.Builtins))
	owners := map[string]string{}
	for _, one := range asked.Files {
		module, err := ast.ParseModuleWithOpts(one.Path, one.Source, options)
		if err != nil {
			result.found = append(result.found, diagnosticsOf(err, one.Path)...)
			continue
		}
		if module == nil {
			result.found = append(result.found, diagnostic{"error", "empty_file", "the file has no package; write one or delete the file", one.Path, 1, 1, ""})
			continue
		}
		if one.Test {
			result.tests[one.Path] = module
			continue
		}
		result.modules[one.Path] = module
		result.add(one, module, asked.Actions, owners)
	}
	result.checkData(asked.Data)
	sort.Slice(result.policies, func(i, j int) bool { return result.policies[i].ID < result.policies[j].ID })
	return result
}

func (result *parsed) at(location *ast.Location, code, message, hint string) {
	one := diagnostic{Severity: "error", Code: code, Message: message, Hint: hint}
	if location != nil {
		one.File, one.Line, one.Column = location.File, location.Row, location.Col
	}
	result.found = append(result.found, one)
}

// add takes a file that decides; libraries pass through.
func (result *parsed) add(one file, module *ast.Module, actions []string, owners map[string]string) {
	path := module.Package.Path
	names := namesOf(path)
	if len(names) == 0 || names[0] != "orb" {
		return
	}
	action, named := "", len(names) == 3 && names[1] == "policies"
	for _, known := range actions {
		if len(names) == 2 && names[1] == known {
			action = known
		}
	}
	if action == "" && !named {
		result.at(module.Package.Location, "reserved_package",
			"the package "+strings.Join(names, ".")+" is reserved",
			"write package orb.policies.<name>, or one of orb."+strings.Join(actions, ", orb."))
		return
	}
	key := path.String()
	if other, taken := owners[key]; taken {
		result.at(module.Package.Location, "package_defined_twice",
			"the package "+strings.Join(names, ".")+" is defined in "+other+" and in "+one.Path,
			"one package, one file: rename one, or put the rules into one file")
		return
	}
	owners[key] = one.Path
	found := &policy{ID: one.ID, Path: one.Path, Package: strings.Join(names, "."), Action: action, Mode: "enforce", ref: path, Rules: []string{}}
	result.describe(found, module)
	result.rules(found, module)
	result.policies = append(result.policies, found)
}

var deciding = map[string]ast.RuleKind{
	"allow": ast.SingleValue, "deny": ast.MultiValue, "ask": ast.MultiValue, "warn": ast.MultiValue, "obligations": ast.MultiValue,
}

func (result *parsed) rules(found *policy, module *ast.Module) {
	for _, rule := range module.Rules {
		ref := rule.Head.Ref()
		name := string(ref[0].Value.(ast.Var))
		kind, decides := deciding[name]
		if !decides {
			continue
		}
		if len(ref) != 1 || len(rule.Head.Args) > 0 || rule.Head.RuleKind() != kind {
			hint := "write: allow if …"
			if kind == ast.MultiValue {
				hint = "write: " + name + " contains … if …"
			}
			result.at(rule.Location, "wrong_rule", "the rule "+name+" has the wrong form", hint)
			continue
		}
		if name == "ask" {
			result.ask(found, rule)
		}
		if !found.has(name) {
			found.Rules = append(found.Rules, name)
		}
	}
	if len(found.Rules) == 0 {
		result.found = append(result.found, diagnostic{"warning", "decides_nothing",
			"the file defines no rule allow, deny, ask, warn or obligations", found.Path, 1, 1, "put rules others use into a package outside orb"})
	}
}

func (result *parsed) describe(found *policy, module *ast.Module) {
	for _, block := range module.Annotations {
		if block.Scope != "package" {
			continue
		}
		found.Title, found.Description = block.Title, block.Description
		text := func(name string) string {
			value, _ := block.Custom[name].(string)
			return value
		}
		found.Severity, found.Owner = text("severity"), text("owner")
		found.Fallible = text("fallible") == "accepted"
		if mode, given := block.Custom["mode"]; given {
			found.Mode, _ = mode.(string)
		}
		if id, given := block.Custom["id"]; given && id != found.ID {
			result.at(block.Location, "wrong_id", "custom.id differs from the id that the path gives: "+found.ID, "write id: "+found.ID+" or leave it out")
		}
		if found.Mode != "enforce" && found.Mode != "warn" && found.Mode != "shadow" {
			result.at(block.Location, "wrong_mode", "custom.mode must be enforce, warn or shadow", "")
		}
	}
}

// checkData refuses data that would lie where rules do: it could plant a decision.
func (result *parsed) checkData(data map[string]any) {
	owned := map[string]string{"orb": "the policies"}
	for path, module := range result.modules {
		if names := namesOf(module.Package.Path); len(names) > 0 {
			owned[names[0]] = path
		}
	}
	for key := range data {
		if owner, taken := owned[key]; taken {
			result.found = append(result.found, diagnostic{"error", "reserved_data",
				"the data key " + key + " belongs to " + owner, "", 0, 0, "choose another key at the top of the data file"})
		}
	}
}

func namesOf(path ast.Ref) []string {
	names := []string{}
	for _, term := range path[1:] {
		if text, ok := term.Value.(ast.String); ok {
			names = append(names, string(text))
		}
	}
	return names
}

func diagnosticsOf(err error, path string) []diagnostic {
	var list ast.Errors
	if !errors.As(err, &list) {
		var one *ast.Error
		if !errors.As(err, &one) {
			return []diagnostic{{"error", "rego_error", err.Error(), path, 1, 1, ""}}
		}
		list = ast.Errors{one}
	}
	found := []diagnostic{}
	for _, fault := range list {
		one := diagnostic{Severity: "error", Code: fault.Code, Message: fault.Message, File: path}
		if fault.Location != nil {
			one.Line, one.Column = fault.Location.Row, fault.Location.Col
			if fault.Location.File != "" {
				one.File = fault.Location.File
			}
		}
		if fault.Details != nil && fault.Code != ast.ParseErr {
			one.Hint = strings.TrimSpace(strings.Join(fault.Details.Lines(), "\n"))
		}
		found = append(found, one)
	}
	return found
}
