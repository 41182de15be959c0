package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// localsOf finds what the locals of a rule represent, where that is a part of the input.
func localsOf(walk *missingWalk, rule *ast.Rule, known map[ast.Var]ast.Ref) map[ast.Var]ast.Ref {
	at := place{walk: walk, origins: map[ast.Var]ast.Ref{}}
	for local, origin := range known {
		at.origins[local] = origin
	}
	// Each pass resolves one more step of a chain of locals.
	for before := -1; before != len(at.origins); {
		before = len(at.origins)
		ast.WalkExprs(rule, func(expr *ast.Expr) bool {
			if every, is := expr.Terms.(*ast.Every); is {
				if origin := at.originOf(every.Domain); origin != nil {
					if value, named := every.Value.Value.(ast.Var); named {
						at.origins[value] = origin.Append(ast.VarTerm("_"))
					}
				}
			}
			if expr.Negated {
				return false
			}
			if !expr.IsEquality() {
				at.takeResult(expr)
				return false
			}
			for _, pair := range [][2]int{{0, 1}, {1, 0}} {
				local, is := expr.Operand(pair[0]).Value.(ast.Var)
				if !is {
					at.takeParts(expr.Operand(pair[0]), expr.Operand(pair[1]))
					continue
				}
				if _, told := at.origins[local]; told || local.Equal(ast.InputRootDocument.Value) {
					continue
				}
				if origin := at.originOf(expr.Operand(pair[1])); origin != nil {
					at.origins[local] = origin
				}
			}
			return false
		})
	}
	return at.origins
}

// takeResult notes that the result of a call is made of the input.
func (at *place) takeResult(expr *ast.Expr) {
	if !expr.IsCall() {
		return
	}
	output := at.walk.outputOf(expr)
	if output == nil {
		return
	}
	of := at.walk.isOfInput(expr.Operator())
	for _, term := range expr.Operands()[:len(expr.Operands())-1] {
		of = of || at.derives(term)
	}
	if of {
		at.allMade(output)
	}
}

// takeParts notes that the locals of a pattern are made of the input.
func (at *place) takeParts(pattern, term *ast.Term) {
	switch pattern.Value.(type) {
	case *ast.Array, ast.Object:
		if at.derives(term) {
			at.allMade(pattern)
		}
	}
}

func (at *place) allMade(pattern *ast.Term) {
	switch pattern.Value.(type) {
	case ast.Var, *ast.Array, ast.Object:
		ast.WalkVars(pattern, func(local ast.Var) bool {
			if _, told := at.origins[local]; !told && !local.Equal(ast.InputRootDocument.Value) && !local.Equal(ast.DefaultRootDocument.Value) {
				at.origins[local] = made(string(local))
			}
			return false
		})
	}
}

func (at *place) originOf(term *ast.Term) ast.Ref {
	switch value := term.Value.(type) {
	case ast.Var:
		if value.Equal(ast.InputRootDocument.Value) {
			return ast.InputRootRef
		}
		return at.origins[value]
	case ast.Ref:
		return at.resolve(value)
	case *ast.Array, ast.Object, ast.Set, ast.Call, *ast.ArrayComprehension, *ast.SetComprehension,
		*ast.ObjectComprehension:
		if at.derives(term) {
			return made("")
		}
	}
	return nil
}

// resolve answers the part of the input that a reference reads, or nil.
func (at *place) resolve(ref ast.Ref) ast.Ref {
	if ref[0].Equal(ast.InputRootDocument) {
		return ref
	}
	if ref[0].Equal(ast.DefaultRootDocument) {
		return at.walk.valueOf(ref)
	}
	local, is := ref[0].Value.(ast.Var)
	if origin := at.origins[local]; is && origin != nil {
		return origin.Concat(ref[1:])
	}
	return nil
}

// text shows a reference without the names that the compiler gives to locals.
func text(ref ast.Ref) string {
	parts := []string{}
	for _, term := range ref {
		switch value := term.Value.(type) {
		case ast.Var:
			name := string(value)
			if strings.HasPrefix(name, "__") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "$") {
				name = "_"
			}
			parts = append(parts, name)
		case ast.String:
			parts = append(parts, string(value))
		default:
			parts = append(parts, "_")
		}
	}
	return strings.Join(parts, ".")
}
