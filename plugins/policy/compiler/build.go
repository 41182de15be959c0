package main

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
)

// built is what becomes of a folder. Without a diagnostic of severity error it has all that was asked for.
type built struct {
	Diagnostics []diagnostic          `json:"diagnostics"`
	Policies    []*policy             `json:"policies"`
	Entrypoints map[string]*readPaths `json:"entrypoints,omitempty"`
	Tests       []*testResult         `json:"tests,omitempty"`
	Coverage    any                   `json:"coverage,omitempty"`
	Wasm        []byte                `json:"wasm,omitempty"`
	// Each test is an entrypoint of it, and decided at TestsAt, in nanoseconds.
	TestWasm []byte           `json:"test_wasm,omitempty"`
	TestsAt  string           `json:"tests_at,omitempty"`
	Smoke    map[string][]any `json:"smoke,omitempty"`
}

func (result *built) failed() bool {
	for _, one := range result.Diagnostics {
		if one.Severity == "error" {
			return true
		}
	}
	return false
}

// build takes a whole folder: parse, check strict, lint, test, compile, evaluate the smoke inputs by topdown.
func build(asked *request) (any, error) {
	folder := parse(asked)
	result := &built{Diagnostics: folder.found, Policies: folder.policies}
	if result.Diagnostics == nil {
		result.Diagnostics = []diagnostic{}
	}
	if result.Policies == nil {
		result.Policies = []*policy{}
	}
	if result.failed() {
		return result, nil
	}
	system, err := systemModules(folder.policies, asked)
	if err != nil {
		return nil, err
	}
	compiler := checkingCompiler(asked)
	compiler.Compile(merged(folder.modules, system))
	if compiler.Failed() {
		result.Diagnostics = append(result.Diagnostics, diagnosticsOf(compiler.Errors, "")...)
		return result, nil
	}
	result.Diagnostics = append(result.Diagnostics, fallibleCalls(compiler, folder.policies)...)
	result.Diagnostics = append(result.Diagnostics, missingReads(compiler, folder.policies, asked)...)
	result.Entrypoints = map[string]*readPaths{}
	for _, action := range asked.Actions {
		result.Entrypoints[action] = pathsOf(compiler, action)
	}
	if asked.Tests {
		if err := runTests(asked, folder, system, result); err != nil {
			return nil, err
		}
	}
	if result.failed() {
		return result, nil
	}
	if asked.Wasm {
		if result.Wasm, err = wasmOf(asked); err != nil {
			return nil, err
		}
	}
	return result, smoke(asked, compiler, result)
}

func checkingCompiler(asked *request) *ast.Compiler {
	schemas := ast.NewSchemaSet()
	for name, schema := range asked.Schemas {
		if name == "root" {
			schemas.Put(ast.SchemaRootRef, schema)
			continue
		}
		schemas.Put(ast.SchemaRootRef.Append(ast.StringTerm(name)), schema)
	}
	compiler := ast.NewCompiler().WithStrict(true).WithCapabilities(capabilitiesOf(asked.Builtins))
	if len(asked.Schemas) > 0 {
		compiler = compiler.WithSchemas(schemas).WithUseTypeCheckAnnotations(true)
	}
	return compiler.SetErrorLimit(0)
}

func merged(sets ...map[string]*ast.Module) map[string]*ast.Module {
	all := map[string]*ast.Module{}
	for _, set := range sets {
		for path, module := range set {
			all[path] = module
		}
	}
	return all
}

// wasmOf parses again: a check rewrites the modules it is given.
func wasmOf(asked *request) ([]byte, error) {
	folder := parse(asked)
	entrypoints := []string{}
	for _, action := range asked.Actions {
		entrypoints = append(entrypoints, "orb/system/"+action)
	}
	raw := newBundle()
	for _, one := range asked.Files {
		if !one.Test {
			add(raw, one.Path, one.Source, folder.modules[one.Path])
		}
	}
	return wasmOfBundle(asked, folder, raw, entrypoints)
}

func newBundle() *bundle.Bundle {
	raw := &bundle.Bundle{Manifest: bundle.Manifest{}, Data: map[string]any{}}
	raw.Manifest.Init()
	return raw
}

func add(raw *bundle.Bundle, path, source string, module *ast.Module) {
	raw.Modules = append(raw.Modules, bundle.ModuleFile{URL: path, Path: path, Parsed: module, Raw: []byte(source)})
}

// wasmOfBundle adds the combining module to a bundle and compiles it.
func wasmOfBundle(asked *request, folder *parsed, raw *bundle.Bundle, entrypoints []string) ([]byte, error) {
	system, err := systemModules(folder.policies, asked)
	if err != nil {
		return nil, err
	}
	add(raw, systemPath, systemSource(folder.policies, asked.Actions), system[systemPath])
	capabilities := capabilitiesOf(asked.Builtins)
	// For tests only: the check, which does not know it, refuses it in a policy.
	capabilities.Builtins = append(capabilities.Builtins, asQuestion)
	compiler := compile.New().WithTarget(compile.TargetWasm).WithEntrypoints(entrypoints...).WithBundle(raw).
		WithCapabilities(capabilities).WithPruneUnused(true).WithRegoVersion(ast.RegoV1)
	if err := compiler.Build(context.Background()); err != nil {
		return nil, err
	}
	modules := compiler.Bundle().WasmModules
	if len(modules) != 1 {
		return nil, fmt.Errorf("the library made %d Wasm modules", len(modules))
	}
	return modules[0].Raw, nil
}

func smoke(asked *request, compiler *ast.Compiler, result *built) error {
	if len(asked.Smoke) == 0 {
		return nil
	}
	result.Smoke = map[string][]any{}
	for action, inputs := range asked.Smoke {
		for _, input := range inputs {
			outcome, err := topdownOf(compiler, asked, action, input, nil)
			if err != nil {
				return err
			}
			result.Smoke[action] = append(result.Smoke[action], outcome.Result)
		}
	}
	return nil
}
