package main

import (
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// readPaths says which parts of the input an entrypoint can read. All: it may read the root, so nothing may be said. A
// null in a path means every element of the list of providers.
type readPaths struct {
	All   bool    `json:"all"`
	Paths [][]any `json:"paths"`
}

// Builtins that read the frozen time beside their operands.
var timed = map[string]bool{"time.now_ns": true, "io.jwt.decode_verify": true}

type pathWalk struct {
	compiler *ast.Compiler
	seen     map[*ast.Rule]bool
	found    map[string][]any
	all      bool
	// Locals that represent one provider of the rule at hand: `some p in input.context.providers`.
	providers map[ast.Var]bool
}

// pathsOf walks the compiled rules the entrypoint can reach; what it cannot tell apart counts as read.
func pathsOf(compiler *ast.Compiler, action string) *readPaths {
	walk := &pathWalk{compiler: compiler, seen: map[*ast.Rule]bool{}, found: map[string][]any{}}
	walk.data(ast.MustParseRef("data.orb.system." + action))
	return &readPaths{All: walk.all, Paths: walk.minimal()}
}

func rulesFor(compiler *ast.Compiler, ref ast.Ref) []*ast.Rule {
	prefix := ref.ConstantPrefix()
	found := []*ast.Rule{}
	for _, module := range compiler.Modules {
		for _, rule := range module.Rules {
			path := rule.Ref().ConstantPrefix()
			if path.HasPrefix(prefix) || prefix.HasPrefix(path) {
				found = append(found, rule)
			}
		}
	}
	return found
}

func (walk *pathWalk) data(ref ast.Ref) {
	for _, rule := range rulesFor(walk.compiler, ref) {
		if walk.seen[rule] {
			continue
		}
		walk.seen[rule] = true
		outer := walk.providers
		walk.providers = providerLocals(rule)
		walk.visit(rule)
		walk.providers = outer
	}
}

func (walk *pathWalk) visit(node any) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Annotations:
			return true
		case *ast.Expr:
			return walk.binding(x)
		case ast.Ref:
			walk.ref(x)
			return true
		case ast.Var:
			walk.all = walk.all || x.Equal(ast.InputRootDocument.Value)
		}
		return false
	}).Walk(node)
}

func (walk *pathWalk) ref(ref ast.Ref) {
	for _, term := range ref[1:] {
		walk.visit(term)
	}
	head, isVar := ref[0].Value.(ast.Var)
	switch {
	case !isVar:
		walk.visit(ref[0])
	case ref[0].Equal(ast.DefaultRootDocument):
		walk.data(ref)
	case ref[0].Equal(ast.InputRootDocument):
		walk.input(ref)
	case timed[ref.String()]:
		walk.add("context", "time_ns")
	case walk.providers[head] && len(ref) > 1:
		walk.add("context", "providers", nil, string(ref[1].Value.(ast.String)))
	}
}

func (walk *pathWalk) input(ref ast.Ref) {
	path := []any{}
	for _, term := range ref[1:] {
		name, constant := term.Value.(ast.String)
		if !constant {
			break
		}
		path = append(path, string(name))
	}
	if len(path) == 0 {
		walk.all = true
		return
	}
	if isProviders(ref) && len(path) == 2 && len(ref) >= 5 {
		if field, constant := ref[4].Value.(ast.String); constant {
			walk.add("context", "providers", nil, string(field))
			return
		}
	}
	walk.add(path...)
}

func (walk *pathWalk) add(path ...any) {
	walk.found[keyOf(path)] = path
}

// binding passes over `p = input.context.providers[i]` when p is used for its fields only: those are what is read.
func (walk *pathWalk) binding(expr *ast.Expr) bool {
	local, bound := providerBinding(expr)
	return bound && walk.providers[local]
}

func isProviders(ref ast.Ref) bool {
	return len(ref) >= 3 && ref[0].Equal(ast.InputRootDocument) &&
		ref[1].Equal(ast.StringTerm("context")) && ref[2].Equal(ast.StringTerm("providers"))
}

func providerBinding(expr *ast.Expr) (ast.Var, bool) {
	if !expr.IsEquality() || len(expr.With) > 0 {
		return "", false
	}
	for _, pair := range [][2]int{{0, 1}, {1, 0}} {
		local, isVar := expr.Operand(pair[0]).Value.(ast.Var)
		ref, isRef := expr.Operand(pair[1]).Value.(ast.Ref)
		if isVar && isRef && isProviders(ref) && len(ref) == 4 {
			if _, plain := ref[3].Value.(ast.Var); plain {
				return local, true
			}
		}
	}
	return "", false
}

// providerLocals finds the locals of a rule that are bound to one provider and used as `p.<field>` alone.
func providerLocals(rule *ast.Rule) map[ast.Var]bool {
	bindings, fields, uses := map[ast.Var]int{}, map[ast.Var]int{}, map[ast.Var]int{}
	ast.WalkExprs(rule, func(expr *ast.Expr) bool {
		if local, bound := providerBinding(expr); bound {
			bindings[local]++
		}
		return false
	})
	ast.WalkRefs(rule, func(ref ast.Ref) bool {
		if head, isVar := ref[0].Value.(ast.Var); isVar && len(ref) > 1 {
			if _, constant := ref[1].Value.(ast.String); constant {
				fields[head]++
			}
		}
		return false
	})
	ast.WalkVars(rule, func(one ast.Var) bool {
		uses[one]++
		return false
	})
	locals := map[ast.Var]bool{}
	for local, count := range bindings {
		// Of whose fields none is read, that it is there is: `some _ in input.context.providers`.
		locals[local] = count == 1 && fields[local] > 0 && uses[local] == 1+fields[local]
	}
	return locals
}

func keyOf(path []any) string {
	parts := []string{}
	for _, part := range path {
		text, isText := part.(string)
		if !isText {
			text = "\x01"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\x00") + "\x00"
}

// minimal drops what lies below another path, and orders the rest.
func (walk *pathWalk) minimal() [][]any {
	keys := []string{}
	for key := range walk.found {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	paths := [][]any{}
	last := ""
	for _, key := range keys {
		if last != "" && strings.HasPrefix(key, last) {
			continue
		}
		last = key
		paths = append(paths, walk.found[key])
	}
	return paths
}
