package main

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

const systemPath = "orb:system.rego"

// systemSource writes the module that combines the policies of each action. It names every policy literally: nothing it
// reads can be planted by a data file or another module.
func systemSource(policies []*policy, actions []string) string {
	var out strings.Builder
	out.WriteString("package orb.system\n\n")
	for _, action := range actions {
		writeAction(&out, action, policies)
	}
	return out.String()
}

func writeAction(out *strings.Builder, action string, policies []*policy) {
	sets := map[string]bool{}
	add := func(set, format string, values ...any) {
		sets[set] = true
		fmt.Fprintf(out, "%s_%s contains %s\n\n", action, set, fmt.Sprintf(format, values...))
	}
	messages := func(set string, one *policy, rule string) {
		add(set, `{"policy": %q, "message": message} if some message in %s.%s`, one.ID, one.ref, rule)
	}
	for _, one := range policies {
		if one.Action != "" && one.Action != action {
			continue
		}
		// Only an enforcing policy allows: what a policy in another mode says never changes the outcome.
		if one.has("allow") && one.Mode != "warn" {
			add(map[string]string{"enforce": "policies", "shadow": "shadow_allows"}[one.Mode],
				"%q if %s.allow == true", one.ID, one.ref)
		}
		if one.has("deny") {
			messages(map[string]string{"enforce": "denies", "warn": "warns", "shadow": "shadow_denies"}[one.Mode], one, "deny")
		}
		if one.has("ask") {
			if one.Mode == "enforce" {
				add("asks", `{"policy": %q, "ask": ask} if some ask in %s.ask`, one.ID, one.ref)
			} else {
				messages(map[string]string{"warn": "warns", "shadow": "shadow_asks"}[one.Mode], one, "ask")
			}
		}
		if one.has("warn") && one.Mode != "shadow" {
			messages("warns", one, "warn")
		}
		if one.has("obligations") && one.Mode == "enforce" {
			add("obligations", "obligation if some obligation in %s.obligations", one.ref)
		}
	}
	set := func(name string) string {
		if sets[name] {
			return action + "_" + name
		}
		return "set()"
	}
	fmt.Fprintf(out, "default %s_allow := false\n\n", action)
	// A program that knows nothing of asks denies then, too.
	if sets["policies"] {
		fmt.Fprintf(out, "%s_allow if {\n\tcount(%s) > 0\n\tcount(%s) == 0\n\tcount(%s) == 0\n}\n\n",
			action, set("policies"), set("denies"), set("asks"))
	}
	fmt.Fprintf(out, "%s := {\"allow\": %s_allow, \"policies\": %s, \"denies\": %s, \"warns\": %s, \"obligations\": %s, ",
		action, action, set("policies"), set("denies"), set("warns"), set("obligations"))
	fmt.Fprintf(out, "\"asks\": %s, \"shadow\": {\"would_deny\": %s, \"would_allow\": %s, \"would_ask\": %s}}\n\n",
		set("asks"), set("shadow_denies"), set("shadow_allows"), set("shadow_asks"))
}

// systemModules answers the combining module, and for each action's own package one that gives its rules that action's
// input schema (an annotation of subpackages scope: the operator's own METADATA stays the only one of package scope).
func systemModules(policies []*policy, asked *request) (map[string]*ast.Module, error) {
	sources := map[string]string{systemPath: systemSource(policies, asked.Actions)}
	for _, one := range policies {
		if one.Action != "" && asked.Schemas[one.Action] != nil {
			sources["orb:schema."+one.Action+".rego"] = fmt.Sprintf(
				"# METADATA\n# scope: subpackages\n# schemas:\n#   - input: schema.%s\npackage %s\n", one.Action, one.Package)
		}
	}
	modules := map[string]*ast.Module{}
	for path, source := range sources {
		module, err := ast.ParseModuleWithOpts(path, source, parserOptions(ast.CapabilitiesForThisVersion()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		modules[path] = module
	}
	return modules, nil
}
