package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

type explained struct {
	Result   any          `json:"result,omitempty"`
	Defined  bool         `json:"defined"`
	Error    string       `json:"error,omitempty"`
	Trace    string       `json:"trace,omitempty"`
	Output   string       `json:"output,omitempty"`
	Errors   []diagnostic `json:"builtin_errors,omitempty"`
	Coverage any          `json:"coverage,omitempty"`
}

type printer struct{ bytes.Buffer }

func dataOf(asked *request) map[string]any {
	if asked.Data == nil {
		return map[string]any{}
	}
	return asked.Data
}

// topdownOf evaluates an action by OPA's own interpreter; options adds what an explanation wants.
func topdownOf(compiler *ast.Compiler, asked *request, action string, input any, options []func(*rego.Rego)) (*explained, error) {
	var faults []topdown.Error
	all := append([]func(*rego.Rego){
		rego.Query("data.orb.system." + action), rego.Compiler(compiler), rego.Input(input), rego.Time(frozen(input)),
		rego.Store(inmem.NewFromObject(dataOf(asked))), rego.BuiltinErrorList(&faults), rego.StrictBuiltinErrors(asked.Strict),
	}, options...)
	outcome := &explained{}
	set, err := rego.New(all...).Eval(context.Background())
	if err != nil {
		outcome.Error = err.Error()
		return outcome, nil
	}
	for _, fault := range faults {
		one := diagnostic{Severity: "warning", Code: fault.Code, Message: fault.Message}
		if fault.Location != nil {
			one.File, one.Line, one.Column = fault.Location.File, fault.Location.Row, fault.Location.Col
		}
		outcome.Errors = append(outcome.Errors, one)
	}
	if len(set) > 0 && len(set[0].Expressions) > 0 {
		outcome.Defined, outcome.Result = true, set[0].Expressions[0].Value
	}
	return outcome, nil
}

// frozen is the time of the request: the same decision is the same at any other time.
func frozen(input any) time.Time {
	envelope, _ := input.(map[string]any)
	about, _ := envelope["context"].(map[string]any)
	text, _ := about["time_ns"].(string)
	nanoseconds, err := json.Number(text).Int64()
	if err != nil {
		return time.Unix(0, 0).UTC()
	}
	return time.Unix(0, nanoseconds).UTC()
}

// evaluate explains one decision: result, trace with the author's own names, prints, builtin errors, coverage.
func evaluate(asked *request) (any, error) {
	folder := parse(asked)
	result := &built{Diagnostics: folder.found, Policies: folder.policies}
	if result.failed() {
		return result, nil
	}
	system, err := systemModules(folder.policies, asked)
	if err != nil {
		return nil, err
	}
	compiler := checkingCompiler(asked).WithEnablePrintStatements(true)
	compiler.Compile(merged(folder.modules, system))
	if compiler.Failed() {
		result.Diagnostics = append(result.Diagnostics, diagnosticsOf(compiler.Errors, "")...)
		return result, nil
	}
	output := &printer{}
	options := []func(*rego.Rego){rego.EnablePrintStatements(true), rego.PrintHook(topdown.NewPrintHook(output))}
	buffer, coverage := topdown.NewBufferTracer(), cover.New()
	if asked.Explain {
		options = append(options, rego.QueryTracer(buffer))
	}
	if asked.Coverage {
		options = append(options, rego.QueryTracer(coverage))
	}
	outcome, err := topdownOf(compiler, asked, asked.Action, asked.Input, options)
	if err != nil {
		return nil, err
	}
	outcome.Output = output.String()
	if asked.Explain {
		trace := &bytes.Buffer{}
		topdown.PrettyTraceWithLocation(trace, *buffer)
		outcome.Trace = trace.String()
	}
	if asked.Coverage {
		outcome.Coverage = coverage.Report(folder.modules)
	}
	return map[string]any{"diagnostics": folder.found, "policies": folder.policies, "outcome": outcome}, nil
}

// evaluatePairs answers one action of a folder for many inputs: the other opinion of a differential test.
func evaluatePairs(asked *request) (any, error) {
	folder := parse(asked)
	system, err := systemModules(folder.policies, asked)
	if err != nil {
		return nil, err
	}
	compiler := checkingCompiler(asked)
	if compiler.Compile(merged(folder.modules, system)); compiler.Failed() {
		return nil, compiler.Errors
	}
	results := []*explained{}
	for _, input := range asked.Inputs {
		outcome, err := topdownOf(compiler, asked, asked.Action, input, nil)
		if err != nil {
			return nil, err
		}
		results = append(results, outcome)
	}
	return results, nil
}

// compileQuery makes Wasm of any query over any modules, as OPA's own conformance cases have them.
func compileQuery(asked *request) (any, error) {
	options := []func(*rego.Rego){rego.Query(asked.Query), rego.Capabilities(capabilitiesOf(asked.Builtins)), rego.SetRegoVersion(ast.RegoV1)}
	for index, source := range asked.Modules {
		options = append(options, rego.Module(fmt.Sprintf("module-%d.rego", index), source))
	}
	if asked.Data != nil {
		options = append(options, rego.Store(inmem.NewFromObject(asked.Data)))
	}
	compiled, err := rego.New(options...).Compile(context.Background(), rego.CompilePartial(false))
	if err != nil {
		return map[string]any{"refused": err.Error()}, nil
	}
	return map[string]any{"wasm": compiled.Bytes}, nil
}
