package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// A variable that no policy can write: it represents a value that is made of the input.
const madeOf = "made of the input: "

// made answers where a value stands that is made of the input: what its members are, nobody has promised.
func made(name string) ast.Ref {
	return ast.InputRootRef.Append(ast.VarTerm(madeOf + name))
}

func isMade(origin ast.Ref) bool {
	if len(origin) < 2 {
		return false
	}
	local, is := origin[1].Value.(ast.Var)
	return is && strings.HasPrefix(string(local), madeOf)
}

// valueOf answers the part of the input that rules of the policies give to a reference, or nil: none of it is the input's.
func (walk *missingWalk) valueOf(ref ast.Ref) ast.Ref {
	rules := rulesFor(walk.compiler, ref)
	prefix := ref.ConstantPrefix()
	if len(rules) == 1 {
		rule := rules[0]
		single := rule.Head.RuleKind() == ast.SingleValue && rule.Else == nil && rule.Ref().IsGround()
		if single && len(prefix) >= len(rule.Ref()) && len(rule.Head.Args) == 0 {
			if origin := walk.value(rule); origin != nil {
				return origin.Concat(ref[len(rule.Ref()):])
			}
			return nil
		}
	}
	for _, rule := range rules {
		if len(rule.Head.Args) > 0 || walk.value(rule) == nil {
			continue
		}
		rest := ref[min(len(rule.Ref().ConstantPrefix()), len(prefix)):]
		// An element of a set is in it or not; only what the element is made of can be missing.
		if rule.Head.RuleKind() == ast.MultiValue && len(rest) <= 1 {
			rest = nil
		}
		return made(text(prefix)).Concat(rest)
	}
	return nil
}

// value answers what the value of a rule represents in the input, or nil. Of a function: without its arguments.
func (walk *missingWalk) value(rule *ast.Rule) ast.Ref {
	if known, is := walk.values[rule]; is {
		return known
	}
	// Also for a rule that asks for itself: the compiler refuses it elsewhere.
	walk.values[rule] = nil
	at := place{walk: walk, origins: localsOf(walk, rule, nil)}
	for part := rule; part != nil; part = part.Else {
		terms := []*ast.Term{part.Head.Value, part.Head.Key}
		for _, term := range append(terms, part.Head.Reference[1:]...) {
			if term == nil || walk.values[rule] != nil {
				continue
			}
			walk.values[rule] = at.originOf(term)
		}
	}
	return walk.values[rule]
}

// derives says whether a term or an expression is made of the input.
func (at *place) derives(node any) bool {
	found := false
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case ast.Call:
			found = found || at.walk.isOfInput(x[0].Value)
		case ast.Var:
			found = found || x.Equal(ast.InputRootDocument.Value) || at.origins[x] != nil
		case ast.Ref:
			found = found || at.resolve(x) != nil
		}
		return found
	}).Walk(node)
	return found
}

// isOfInput says whether a function of the policies reads the input itself.
func (walk *missingWalk) isOfInput(operator ast.Value) bool {
	ref, is := operator.(ast.Ref)
	if !is || !ref[0].Equal(ast.DefaultRootDocument) {
		return false
	}
	for _, rule := range rulesFor(walk.compiler, ref) {
		if walk.value(rule) != nil {
			return true
		}
	}
	return false
}

// outputOf answers the term that takes the result of a call, if the expression has one.
func (walk *missingWalk) outputOf(expr *ast.Expr) *ast.Term {
	operands, ref := expr.Operands(), expr.Operator()
	arity := -1
	if builtin, is := ast.BuiltinMap[ref.String()]; is {
		arity = builtin.Decl.Arity()
	} else if rules := rulesFor(walk.compiler, ref); len(rules) > 0 {
		arity = len(rules[0].Head.Args)
	}
	if arity < 0 || len(operands) != arity+1 {
		return nil
	}
	return operands[arity]
}

// mocksInput says whether an expression is asked of another input.
func mocksInput(expr *ast.Expr) bool {
	for _, with := range expr.With {
		ref, is := with.Target.Value.(ast.Ref)
		if is && ref[0].Equal(ast.InputRootDocument) || with.Target.Value.Compare(ast.InputRootDocument.Value) == 0 {
			return true
		}
	}
	return false
}
