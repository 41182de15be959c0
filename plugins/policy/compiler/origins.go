package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// localsOf finds what the locals of a rule stand for, where that is a part of the input.
func localsOf(rule *ast.Rule, known map[ast.Var]ast.Ref) map[ast.Var]ast.Ref {
	at := place{origins: map[ast.Var]ast.Ref{}}
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
			if !expr.IsEquality() || expr.Negated {
				return false
			}
			for _, pair := range [][2]int{{0, 1}, {1, 0}} {
				local, is := expr.Operand(pair[0]).Value.(ast.Var)
				if _, told := at.origins[local]; !is || told {
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

func (at *place) originOf(term *ast.Term) ast.Ref {
	switch value := term.Value.(type) {
	case ast.Var:
		if value.Equal(ast.InputRootDocument.Value) {
			return ast.InputRootRef
		}
		return at.origins[value]
	case ast.Ref:
		return at.resolve(value)
	}
	return nil
}

// resolve answers the part of the input that a reference reads, or nil.
func (at *place) resolve(ref ast.Ref) ast.Ref {
	if ref[0].Equal(ast.InputRootDocument) {
		return ref
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
