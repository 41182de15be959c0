package main

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// The largest results that the interpreter may make: the evaluator of runs refuses larger ones, or has no memory for
// them. Without a bound, one expression uses up the time of the check, and no test is named.
const (
	longestRange = 1_000_000
	widestShift  = 1_000_000
)

func init() {
	bound(ast.NumbersRange, func(operands []*ast.Term) bool { return isLonger(operands[0], operands[1]) })
	bound(ast.NumbersRangeStep, func(operands []*ast.Term) bool { return isLonger(operands[0], operands[1]) })
	bound(ast.BitsShiftLeft, func(operands []*ast.Term) bool { return numberOf(operands[1]) > widestShift })
}

// bound has a builtin fail, which is undefined, where its result would be too large.
func bound(builtin *ast.Builtin, tooLarge func(operands []*ast.Term) bool) {
	evaluate := topdown.GetBuiltin(builtin.Name)
	topdown.RegisterBuiltinFunc(builtin.Name, func(ctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		if tooLarge(operands) {
			return fmt.Errorf("%s: the result is too large", builtin.Name)
		}
		return evaluate(ctx, operands, iter)
	})
}

func isLonger(from, to *ast.Term) bool {
	length := numberOf(to) - numberOf(from)
	return length > longestRange || length < -longestRange
}

// numberOf is 0 for what is no number: the builtin itself says so.
func numberOf(term *ast.Term) float64 {
	number, is := term.Value.(ast.Number)
	if !is {
		return 0
	}
	value, ok := number.Float64()
	if !ok {
		return 0
	}
	return value
}
