package main

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// missingWalk finds the members of the input that a caller can leave out, and that an allow reads where undefined opens:
// in a `not`, in a comprehension, in what a set, an object, an else or a default is made of.
type missingWalk struct {
	*fallibleWalk
	asked *request
	seen  map[string]bool
	// What the value of a rule represents in the input.
	values map[*ast.Rule]ast.Ref
}

// place is where the walk stands: a rule, whether undefined opens there, and what is known of its input.
type place struct {
	walk  *missingWalk
	opens bool
	// The actions for which the rule can hold.
	actions []string
	// What a local, or an argument of the function, represents in the input.
	origins map[ast.Var]ast.Ref
	// References that the body of the rule needs to be defined.
	guards []ast.Ref
	// The input is another than that of the request: nothing is known of it.
	mocked bool
}

// missingReads refuses an enforcing allow that holds because a member of the input is missing, unless its file accepts it.
func missingReads(compiler *ast.Compiler, policies []*policy, asked *request) []diagnostic {
	walk := &missingWalk{asked: asked, seen: map[string]bool{}, values: map[*ast.Rule]ast.Ref{}, fallibleWalk: &fallibleWalk{
		compiler: compiler, accepted: acceptingFiles(compiler), found: map[string]diagnostic{},
	}}
	for _, one := range policies {
		if one.Mode == "enforce" {
			actions := asked.Actions
			if one.Action != "" {
				actions = []string{one.Action}
			}
			walk.reach(one.ref.Append(ast.StringTerm("allow")), use{}, nil, place{walk: walk, actions: actions})
		}
	}
	list := []diagnostic{}
	for _, key := range walk.order {
		list = append(list, walk.found[key])
	}
	return list
}

// reach walks the rules of a reference; operands are those of a call, after their origins in the input.
func (walk *missingWalk) reach(ref ast.Ref, how use, operands []ast.Ref, from place) {
	rules := rulesFor(walk.compiler, ref)
	if len(rules) == 0 && how.opens && !walk.inData(ref) {
		walk.tell(ref, "no data file and no policy defines "+text(ref)+", and the allow holds because of it",
			"correct the name, or define it in a data file; ")
	}
	for _, rule := range rules {
		element := rule.Head.RuleKind() == ast.MultiValue && len(ref) > len(rule.Ref()) && rule.Else == nil
		// Fewer elements than there could be: a look-up of one of them only finds less.
		opens := how.opens || !element && walk.observed(rule, ref, how.valued)
		at := place{walk: walk, opens: opens, actions: from.actions, mocked: from.mocked, origins: map[ast.Var]ast.Ref{}}
		for index, argument := range rule.Head.Args {
			local, is := argument.Value.(ast.Var)
			if is && index < len(operands) && operands[index] != nil {
				at.origins[local] = operands[index]
			}
		}
		key := fmt.Sprintf("%p %t %t %v %v", rule, opens, at.mocked, at.actions, operands)
		if !walk.seen[key] {
			walk.seen[key] = true
			walk.within(rule, at)
		}
	}
}

func (walk *missingWalk) within(rule *ast.Rule, at place) {
	for local, origin := range localsOf(walk, rule, at.origins) {
		at.origins[local] = origin
	}
	for ; rule != nil; rule = rule.Else {
		branch := at
		walk.narrow(&branch, rule.Body)
		for _, term := range []*ast.Term{rule.Head.Key, rule.Head.Value} {
			if term != nil {
				walk.visit(term, branch)
			}
		}
		walk.visit(rule.Body, branch)
	}
}

// narrow takes what the body itself asks for: the action, and what must be defined for the body to hold.
func (walk *missingWalk) narrow(at *place, body ast.Body) {
	at.guards = nil
	for _, expr := range body {
		if expr.Negated || len(expr.With) > 0 {
			continue
		}
		if name, is := at.actionNamed(expr); is {
			at.keep(func(action string) bool { return action == name })
		}
		if at.opens {
			continue
		}
		ast.NewGenericVisitor(func(x any) bool {
			switch x := x.(type) {
			case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension, *ast.Every, *ast.Not,
				*ast.LogicalOr:
				return true
			case ast.Ref:
				if origin := at.resolve(x); origin != nil {
					at.guards = append(at.guards, origin)
					at.keep(func(action string) bool { return allows(walk.asked.Schemas[action], origin[1:]) })
				}
			}
			return false
		}).Walk(expr)
	}
}

func (at *place) keep(fits func(string) bool) {
	kept := []string{}
	for _, action := range at.actions {
		if fits(action) {
			kept = append(kept, action)
		}
	}
	at.actions = kept
}

func (at *place) actionNamed(expr *ast.Expr) (string, bool) {
	if !expr.IsEquality() {
		return "", false
	}
	for _, pair := range [][2]int{{0, 1}, {1, 0}} {
		name, is := expr.Operand(pair[1]).Value.(ast.String)
		if is && text(at.originOf(expr.Operand(pair[0]))) == "input.action.name" {
			return string(name), true
		}
	}
	return "", false
}

func (walk *missingWalk) visit(node any, at place) {
	opened := at
	opened.opens = true
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Annotations:
			return true
		case *ast.Expr:
			return walk.expr(x, at, opened)
		case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			if !at.opens {
				walk.visit(x, opened)
				return true
			}
		case *ast.Not:
			if !at.opens {
				walk.visit(x.Body, opened)
				return true
			}
		case ast.Call:
			walk.call(x[0].Value, x[1:], at)
		case ast.Ref:
			walk.ref(x, use{opens: at.opens, valued: true}, at)
		}
		return false
	}).Walk(node)
}

// expr says whether it has walked the whole expression.
func (walk *missingWalk) expr(expr *ast.Expr, at, opened place) bool {
	if !at.mocked && mocksInput(expr) {
		at.mocked, at.guards = true, nil
		walk.visit(expr, at)
		return true
	}
	if expr.Negated && !at.opens {
		plain := expr.Copy()
		plain.Negated = false
		walk.visit(plain, opened)
		return true
	}
	if ref, is := plainRef(expr); is {
		walk.ref(ref, use{opens: at.opens}, at)
		for _, term := range ref[1:] {
			walk.visit(term, at)
		}
		return len(expr.With) == 0
	}
	if expr.IsCall() {
		walk.call(expr.Operator(), expr.Operands(), at)
	}
	return false
}

// call walks the body of a function of the policies with what its arguments represent.
func (walk *missingWalk) call(operator ast.Value, operands []*ast.Term, at place) {
	ref, is := operator.(ast.Ref)
	if !is || !ref[0].Equal(ast.DefaultRootDocument) {
		return
	}
	origins := []ast.Ref{}
	for _, term := range operands {
		origins = append(origins, at.originOf(term))
	}
	walk.reach(ref, use{opens: at.opens, valued: true}, origins, at)
}

func (walk *missingWalk) ref(ref ast.Ref, how use, at place) {
	if ref[0].Equal(ast.DefaultRootDocument) {
		rules := rulesFor(walk.compiler, ref)
		if len(rules) == 0 || len(rules[0].Head.Args) == 0 {
			walk.reach(ref, how, nil, at)
		}
		// What a rule itself reads is found there.
		if len(rules) == 0 || len(ref) <= len(rules[0].Ref().ConstantPrefix()) {
			return
		}
	}
	origin := at.resolve(ref)
	if !at.opens || origin == nil || !walk.canMiss(origin, at) {
		return
	}
	name := text(origin)
	if at.mocked || isMade(origin) {
		name = text(ref)
	}
	walk.tell(ref, name+" can be missing, and the allow holds because of it",
		"name the value that you accept, such as == false, or read it in the same body before the not; ")
}

func (walk *missingWalk) tell(ref ast.Ref, message, hint string) {
	location := ref[0].Location
	if location == nil || walk.accepted[location.File] {
		return
	}
	key := location.String()
	if _, told := walk.found[key]; told {
		return
	}
	walk.found[key] = diagnostic{"error", "undefined_allows", message, location.File, location.Row, location.Col,
		hint + "or accept it for this file: METADATA custom.fallible: accepted"}
	walk.order = append(walk.order, key)
}

func (walk *missingWalk) canMiss(origin ast.Ref, at place) bool {
	for _, guard := range at.guards {
		if guard.HasPrefix(origin) {
			return false
		}
	}
	if at.mocked || isMade(origin) {
		return at.mocked && len(origin) > 1 || len(origin) > 2
	}
	for _, action := range at.actions {
		if leavesOut(walk.asked.Schemas[action], origin[1:]) {
			return true
		}
	}
	return false
}

// inData says whether the data files define the names that a reference begins with.
func (walk *missingWalk) inData(ref ast.Ref) bool {
	var at any = dataOf(walk.asked)
	for _, term := range ref.ConstantPrefix()[1:] {
		name, constant := term.Value.(ast.String)
		members, is := at.(map[string]any)
		if !constant || !is {
			return false
		}
		if at, is = members[string(name)]; !is {
			return false
		}
	}
	return true
}
