package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/version"
)

// Rewritten by the compiler before a call could reach Wasm.
var rewritten = []string{"print", "internal.print", "rego.metadata.chain", "rego.metadata.rule", "assign", "eq", "internal.test_case"}

// capabilitiesOf narrows OPA's builtins to those the decisions can serve: anything else is a diagnostic at check time.
func capabilitiesOf(names []string) *ast.Capabilities {
	capabilities := ast.CapabilitiesForThisVersion()
	if names == nil {
		return capabilities
	}
	allowed := map[string]bool{}
	for _, name := range append(names, rewritten...) {
		allowed[name] = true
	}
	kept := []*ast.Builtin{}
	for _, builtin := range capabilities.Builtins {
		if allowed[builtin.Name] {
			kept = append(kept, builtin)
		}
	}
	capabilities.Builtins = kept
	// No host may be asked for a schema.
	capabilities.AllowNet = []string{}
	return capabilities
}

func info(asked *request) (any, error) {
	builtins := []map[string]any{}
	for _, builtin := range capabilitiesOf(asked.Builtins).Builtins {
		builtins = append(builtins, map[string]any{
			"name": builtin.Name, "nondeterministic": builtin.Nondeterministic, "arity": len(builtin.Decl.FuncArgs().Args),
		})
	}
	capabilities := ast.CapabilitiesForThisVersion()
	return map[string]any{
		"opa_version": version.Version, "wasm_abi": capabilities.WasmABIVersions, "features": capabilities.Features, "builtins": builtins,
	}, nil
}

func formatFiles(asked *request) (any, error) {
	formatted := []map[string]any{}
	found := []diagnostic{}
	for _, one := range asked.Files {
		text, err := format.SourceWithOpts(one.Path, []byte(one.Source), format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			found = append(found, diagnosticsOf(err, one.Path)...)
			continue
		}
		formatted = append(formatted, map[string]any{"path": one.Path, "source": string(text), "changed": string(text) != one.Source})
	}
	return map[string]any{"files": formatted, "diagnostics": found}, nil
}
