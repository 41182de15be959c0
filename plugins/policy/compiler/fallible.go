package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
)

// Builtins that answer undefined for a bad value, so that a deny above them would fall silent; with the operands on
// which that depends. Constant ones were seen by whoever wrote them.
var fallible = map[string][]int{
	"div": {1}, "rem": {0, 1},
	"to_number": {0}, "json.unmarshal": {0}, "yaml.unmarshal": {0}, "base64.decode": {0}, "base64url.decode": {0},
	"regex.match": {0}, "re_match": {0}, "regex.find_all_string_submatch_n": {0}, "regex.split": {0}, "glob.match": {0, 1},
	"net.cidr_contains": {0, 1}, "net.cidr_intersects": {0, 1}, "net.cidr_overlap": {0, 1},
	"numbers.range": {0, 1}, "array.slice": {1, 2}, "substring": {1, 2}, "format_int": {1},
	"bits.or": {0, 1}, "bits.and": {0, 1}, "bits.xor": {0, 1}, "bits.negate": {0}, "bits.lsh": {0, 1}, "bits.rsh": {0, 1},
	"json.filter": {1}, "json.remove": {1},
}

var ways = map[string]string{
	"to_number":   "compare a number: is_number(x); x > 100 – and deny what is no number: deny contains … if not is_number(x)",
	"regex.match": "write the pattern into the policy",
	"div":         "deny contains … if divisor == 0 beside it, and accept it by name",
}

// use says how a rule is referred to.
type use struct {
	opens bool
	// Its value is looked at, not only whether it holds.
	valued bool
}

type reached struct {
	rule *ast.Rule
	// Undefined would open: it is below a deny or an obligation, or below a `not` or a comprehension of an allow.
	opens bool
}

type fallibleWalk struct {
	compiler *ast.Compiler
	accepted map[string]bool
	seen     map[reached]bool
	found    map[string]diagnostic
	order    []string
}

// acceptingFiles lists the files, libraries too, whose METADATA accepts what may be undefined.
func acceptingFiles(compiler *ast.Compiler) map[string]bool {
	accepting := map[string]bool{}
	for path, module := range compiler.Modules {
		for _, block := range module.Annotations {
			if block.Scope == "package" && block.Custom["fallible"] == "accepted" {
				accepting[path] = true
			}
		}
	}
	return accepting
}

// fallibleCalls refuses calls by which a bad value would turn a denial into silence, unless the file accepts them.
func fallibleCalls(compiler *ast.Compiler, policies []*policy) []diagnostic {
	walk := &fallibleWalk{compiler: compiler, accepted: acceptingFiles(compiler), seen: map[reached]bool{}, found: map[string]diagnostic{}}
	for _, one := range policies {
		if one.Mode != "enforce" {
			continue
		}
		walk.data(one.ref.Append(ast.StringTerm("deny")), use{opens: true})
		// An ask that is lost lets the run go ahead.
		walk.data(one.ref.Append(ast.StringTerm("ask")), use{opens: true})
		// An obligation that is lost makes an allow of what it would have bound.
		walk.data(one.ref.Append(ast.StringTerm("obligations")), use{opens: true})
		walk.data(one.ref.Append(ast.StringTerm("allow")), use{})
	}
	list := []diagnostic{}
	for _, key := range walk.order {
		list = append(list, walk.found[key])
	}
	return list
}

func (walk *fallibleWalk) data(ref ast.Ref, how use) {
	for _, rule := range rulesFor(walk.compiler, ref) {
		opens := how.opens || walk.observed(rule, ref, how.valued)
		state := reached{rule, opens}
		if walk.seen[state] {
			continue
		}
		walk.seen[state] = true
		walk.rule(rule, opens)
	}
}

// observed says whether a rule whose body is undefined is more than absent: a smaller set or object, another branch, a
// default. What reads those can hold because of it.
func (walk *fallibleWalk) observed(rule *ast.Rule, ref ast.Ref, valued bool) bool {
	path := rule.Ref()
	if len(ref.ConstantPrefix()) < len(path.ConstantPrefix()) || rule.Head.RuleKind() == ast.MultiValue || rule.Else != nil {
		return true
	}
	for _, other := range rulesFor(walk.compiler, path) {
		if other.Default && other.Ref().Equal(path) && (valued || !other.Head.Value.Equal(ast.BooleanTerm(false))) {
			return true
		}
	}
	return false
}

// plainRef answers the reference of an expression that is nothing else: it asks only whether the rule holds.
func plainRef(expr *ast.Expr) (ast.Ref, bool) {
	term, single := expr.Terms.(*ast.Term)
	if !single {
		return nil, false
	}
	ref, is := term.Value.(ast.Ref)
	return ref, is && ref[0].Equal(ast.DefaultRootDocument)
}

func (walk *fallibleWalk) rule(rule *ast.Rule, opens bool) {
	constants := constantsOf(rule)
	var visit func(node any, opens bool)
	visit = func(node any, opens bool) {
		ast.NewGenericVisitor(func(x any) bool {
			switch x := x.(type) {
			case *ast.Annotations:
				return true
			case *ast.Expr:
				if x.Negated && !opens {
					plain := x.Copy()
					plain.Negated = false
					visit(plain, true)
					return true
				}
				if ref, is := plainRef(x); is {
					walk.data(ref, use{opens: opens})
					for _, term := range ref[1:] {
						visit(term, opens)
					}
					return len(x.With) == 0
				}
				if every, is := x.Terms.(*ast.Every); is && !opens {
					visit(every.Body, true)
				}
				if x.IsCall() && opens {
					walk.call(x.Operator(), x.Operands(), x.Location, constants)
				}
			case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
				if !opens {
					visit(x, true)
					return true
				}
			case *ast.Not:
				if !opens {
					visit(x.Body, true)
					return true
				}
			case ast.Call:
				if ref, is := x[0].Value.(ast.Ref); is && opens {
					walk.call(ref, x[1:], x[0].Location, constants)
				}
			case ast.Ref:
				if x[0].Equal(ast.DefaultRootDocument) {
					walk.data(x, use{opens: opens, valued: true})
				}
			}
			return false
		}).Walk(node)
	}
	visit(rule, opens)
}

func (walk *fallibleWalk) call(operator ast.Ref, operands []*ast.Term, location *ast.Location, constants map[ast.Var]bool) {
	name := operator.String()
	positions, known := fallible[name]
	if !known || location == nil || walk.accepted[location.File] {
		return
	}
	for _, position := range positions {
		if position >= len(operands) || isConstant(operands[position], constants) {
			continue
		}
		key := location.String()
		if _, told := walk.found[key]; told {
			return
		}
		hint := ways[name]
		if hint != "" {
			hint += "; "
		}
		walk.found[key] = diagnostic{"error", "fallible_builtin",
			name + " is undefined for a bad value, and a denial or an ask that rests on it would fall silent",
			location.File, location.Row, location.Col,
			hint + "or accept it for this file: METADATA custom.fallible: accepted"}
		walk.order = append(walk.order, key)
		return
	}
}

func isConstant(term *ast.Term, constants map[ast.Var]bool) bool {
	if local, is := term.Value.(ast.Var); is {
		return constants[local]
	}
	return ast.IsConstant(term.Value)
}

// constantsOf finds the locals of a rule that are bound to a constant once.
func constantsOf(rule *ast.Rule) map[ast.Var]bool {
	found := map[ast.Var]bool{}
	ast.WalkExprs(rule, func(expr *ast.Expr) bool {
		if !expr.IsEquality() {
			return false
		}
		for _, pair := range [][2]int{{0, 1}, {1, 0}} {
			if local, is := expr.Operand(pair[0]).Value.(ast.Var); is && ast.IsConstant(expr.Operand(pair[1]).Value) {
				_, twice := found[local]
				found[local] = !twice
			}
		}
		return false
	})
	return found
}
