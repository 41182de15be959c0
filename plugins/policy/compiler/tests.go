package main

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
)

// testResult is one test as the interpreter ran it. The evaluator of runs decides by its entrypoint whether it passed.
type testResult struct {
	Name       string     `json:"name"`
	Package    string     `json:"package"`
	File       string     `json:"file"`
	Line       int        `json:"line"`
	Passed     bool       `json:"passed"`
	Skipped    bool       `json:"skipped,omitempty"`
	Message    string     `json:"message,omitempty"`
	Output     string     `json:"output,omitempty"`
	Entrypoint string     `json:"entrypoint,omitempty"`
	Cases      [][]string `json:"cases,omitempty"`
	column     int
}

func (one *testResult) place() string {
	return placeOf(one.File, one.Line, one.column)
}

func placeOf(file string, row, column int) string {
	return fmt.Sprintf("%s\x00%d\x00%d", file, row, column)
}

// runTests runs the tests in the interpreter, which gives prints, coverage and the names of the cases, and compiles them.
func runTests(asked *request, folder *parsed, system map[string]*ast.Module, result *built) error {
	if len(folder.tests) == 0 {
		return nil
	}
	modules := map[string]*ast.Module{}
	for path, module := range merged(folder.modules, folder.tests, system) {
		modules[path] = module.Copy()
	}
	ctx := context.Background()
	store := inmem.NewFromObject(dataOf(asked))
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return err
	}
	defer store.Abort(ctx, txn)
	compiler := ast.NewCompiler().WithCapabilities(capabilitiesOf(asked.Builtins)).WithEnablePrintStatements(true).WithRewriteTestRules(true)
	runner := tester.NewRunner().SetCompiler(compiler).SetStore(store).SetModules(modules).CapturePrintOutput(true)
	coverage := cover.New()
	if asked.Coverage {
		runner = runner.SetCoverageQueryTracer(coverage)
	}
	result.TestsAt = strconv.FormatInt(time.Now().UnixNano(), 10)
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		result.Diagnostics = append(result.Diagnostics, diagnosticsOf(err, "")...)
		return nil
	}
	for one := range results {
		result.Tests = append(result.Tests, told(one))
	}
	sort.Slice(result.Tests, func(i, j int) bool {
		a, b := result.Tests[i], result.Tests[j]
		return a.File < b.File || a.File == b.File && (a.Line < b.Line || a.Line == b.Line && a.column < b.column)
	})
	if asked.Coverage {
		result.Coverage = coverage.Report(folder.modules)
	}
	return compileTests(asked, result)
}

func told(one *tester.Result) *testResult {
	test := &testResult{Name: one.Name, Package: one.Package, Passed: one.Pass(), Skipped: one.Skip, Output: string(one.Output)}
	if one.Location != nil {
		test.File, test.Line, test.column = one.Location.File, one.Location.Row, one.Location.Col
	}
	if one.Error != nil {
		test.Message = one.Error.Error()
	}
	for name, part := range one.SubResults.Iter {
		if len(part.SubResults) == 0 {
			test.Cases = append(test.Cases, name)
		}
	}
	return test
}

const testsPath = "orb:tests.rego"

// compileTests makes a module in which each test is an entrypoint, so that the evaluator of runs can decide them.
func compileTests(asked *request, result *built) error {
	folder := parse(asked)
	refs := testRefs(folder)
	source, entrypoints := strings.Builder{}, []string{}
	source.WriteString("package orb.system.tests\n\n")
	for _, test := range result.Tests {
		ref, known := refs[test.place()]
		if !known || test.Skipped {
			continue
		}
		name := fmt.Sprintf("t%d", len(entrypoints))
		fmt.Fprintf(&source, "%s := %s\n\n", name, ref)
		test.Entrypoint = "orb/system/tests/" + name
		entrypoints = append(entrypoints, test.Entrypoint)
	}
	if len(entrypoints) == 0 {
		return nil
	}
	module, err := ast.ParseModuleWithOpts(testsPath, source.String(), parserOptions(ast.CapabilitiesForThisVersion()))
	if err != nil {
		return fmt.Errorf("%s: %w", testsPath, err)
	}
	raw := newBundle()
	mockAsQuestions(folder)
	for _, one := range asked.Files {
		if one.Test {
			add(raw, one.Path, one.Source, folder.tests[one.Path])
		} else {
			add(raw, one.Path, one.Source, folder.modules[one.Path])
		}
	}
	add(raw, testsPath, source.String(), module)
	result.TestWasm, err = wasmOfBundle(asked, folder, raw, entrypoints)
	return err
}

// testRefs answers the reference of each test by its place. Tests of one name in the test files are told apart by a
// number, as the interpreter does: they are two tests, not two ways to pass one.
func testRefs(folder *parsed) map[string]ast.Ref {
	found, taken := map[string]ast.Ref{}, map[string]bool{}
	for _, module := range merged(folder.modules, folder.tests) {
		for _, rule := range module.Rules {
			taken[module.Package.Path.Extend(rule.Head.Ref().GroundPrefix()).String()] = true
		}
	}
	seen := map[string]bool{}
	for _, set := range []map[string]*ast.Module{folder.modules, folder.tests} {
		for _, path := range sortedPaths(set) {
			module := set[path]
			for _, rule := range module.Rules {
				length := testLength(rule.Head.Ref())
				if length == 0 || len(rule.Head.Args) > 0 {
					continue
				}
				withoutCases(rule)
				full := module.Package.Path.Extend(rule.Head.Ref()[:length])
				if seen[full.String()] && folder.tests[path] != nil {
					full = renamed(module, rule, length, taken)
				}
				seen[full.String()] = true
				found[placeOf(rule.Loc().File, rule.Loc().Row, rule.Loc().Col)] = full
			}
		}
	}
	return found
}

func sortedPaths(set map[string]*ast.Module) []string {
	paths := []string{}
	for path := range set {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

// testLength says how many parts of a rule's reference name a test; 0: the rule is none.
func testLength(ref ast.Ref) int {
	for index, term := range ref.GroundPrefix() {
		name := ""
		switch value := term.Value.(type) {
		case ast.Var:
			name = string(value)
		case ast.String:
			name = string(value)
		}
		if strings.HasPrefix(name, tester.TestPrefix) {
			return index + 1
		}
	}
	return 0
}

func renamed(module *ast.Module, rule *ast.Rule, length int, taken map[string]bool) ast.Ref {
	ref := rule.Head.Ref().Copy()
	last := ref[length-1]
	for number := 1; ; number++ {
		if name, is := last.Value.(ast.Var); is {
			ref[length-1] = ast.VarTerm(fmt.Sprintf("%s__%d", name, number))
		} else {
			ref[length-1] = ast.StringTerm(fmt.Sprintf("%s__%d", last.Value.(ast.String), number))
		}
		ref[length-1].Location = last.Location
		full := module.Package.Path.Extend(ref[:length])
		if !taken[full.String()] {
			taken[full.String()] = true
			rule.Head.SetRef(ref)
			return full
		}
	}
}

// withoutCases drops the calls that tell the interpreter about a case: Wasm has no such builtin.
func withoutCases(rule *ast.Rule) {
	kept := ast.Body{}
	for _, expr := range rule.Body {
		if !expr.IsCall() || expr.Operator().String() != "internal.test_case" {
			kept.Append(expr)
		}
	}
	if len(kept) == 0 {
		kept.Append(ast.NewExpr(ast.BooleanTerm(true)))
	}
	rule.Body = kept
}
