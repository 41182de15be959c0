package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// asQuestion gives a value as the evaluator gets it in a question: it went through JSON and the doubles of JavaScript.
var asQuestion = &ast.Builtin{Name: "internal.as_question", Decl: types.NewFunction(types.Args(types.A), types.A)}

// mockAsQuestions has tests mock the input with values that a question can hold: 1.0 is 1 there, an integer beyond 2^53
// is the nearest double, and a set is a list. Only tests: a policy mocks the input in runs as it is written.
func mockAsQuestions(folder *parsed) {
	for _, module := range folder.tests {
		ast.WalkExprs(module, mockAsQuestion)
	}
	for _, module := range folder.modules {
		for _, rule := range module.Rules {
			if testLength(rule.Head.Ref()) > 0 {
				ast.WalkExprs(rule, mockAsQuestion)
			}
		}
	}
}

func mockAsQuestion(expr *ast.Expr) bool {
	for _, with := range expr.With {
		if ref, is := with.Target.Value.(ast.Ref); is && ref.HasPrefix(ast.InputRootRef) {
			location := with.Value.Location
			with.Value = ast.NewTerm(ast.Call{ast.NewTerm(ast.MustParseRef(asQuestion.Name)), with.Value}).SetLocation(location)
		}
	}
	return false
}
